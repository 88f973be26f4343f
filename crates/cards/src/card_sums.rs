//! Sums over the holes that share no card with a given one: what folds and showdowns pay.
//!
//! The holes that share no card with the hole *ab* weigh `all - with(a) - with(b) + same`, where
//! `with(c)` is the weight of the holes with card *c* and `same` that of *ab* itself, which was
//! subtracted twice. A fold pays this sum over all holes. A showdown pays it over the weaker holes
//! and over those that are not stronger, which one walk up the order of strength finds.

/// What can be summed over holes: a number, or a vector of numbers.
pub trait Summand: Copy {
    /// The empty sum.
    const ZERO: Self;

    /// The sum of two.
    fn plus(self, other: Self) -> Self;

    /// The difference of two.
    fn minus(self, other: Self) -> Self;
}

macro_rules! summand {
    ($($number:ty, $zero:literal, $a:ident, $b:ident, $plus:expr, $minus:expr;)*) => {$(
        impl Summand for $number {
            const ZERO: $number = $zero;

            #[inline(always)]
            fn plus(self, $b: $number) -> $number {
                let $a = self;
                $plus
            }

            #[inline(always)]
            fn minus(self, $b: $number) -> $number {
                let $a = self;
                $minus
            }
        }
    )*};
}

// Integers wrap: a difference may pass below zero before the hole's own weight is added.
summand! {
    f32, 0.0, a, b, a + b, a - b;
    f64, 0.0, a, b, a + b, a - b;
    u16, 0, a, b, a.wrapping_add(b), a.wrapping_sub(b);
    u64, 0, a, b, a.wrapping_add(b), a.wrapping_sub(b);
}

/// A hole in the order of strength.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RankedHole {
    /// Its slot in a row.
    pub slot: u16,
    /// The numbers of its two cards, below 64: positions in a deck, or indices of cards.
    pub cards: [u8; 2],
}

/// The sum of a weight over holes, in all and for each card.
#[derive(Clone, Debug)]
pub struct CardSums<V> {
    /// Over all holes.
    pub all: V,
    /// Over the holes with each card.
    pub with: [V; 64],
}

impl<V: Summand> Default for CardSums<V> {
    #[inline(always)]
    fn default() -> CardSums<V> {
        CardSums { all: V::ZERO, with: [V::ZERO; 64] }
    }
}

impl<V: Summand> CardSums<V> {
    /// The sums over a row of weights whose entries have these cards.
    #[inline(always)]
    pub fn of<'a>(row: impl IntoIterator<Item = (V, &'a [u8; 2])>) -> CardSums<V> {
        let mut sums = CardSums::default();
        for (weight, &cards) in row {
            sums.add(cards, weight);
        }
        sums
    }

    /// Adds the weight of a hole.
    #[inline(always)]
    pub fn add(&mut self, cards: [u8; 2], weight: V) {
        self.all = self.all.plus(weight);
        for card in cards {
            let with = &mut self.with[(card & 63) as usize];
            *with = with.plus(weight);
        }
    }

    /// The weight of the holes that share no card with this one, less its own weight if that was
    /// added.
    #[inline(always)]
    pub fn against(&self, cards: [u8; 2]) -> V {
        let [a, b] = [(cards[0] & 63) as usize, (cards[1] & 63) as usize];
        self.all.minus(self.with[a]).minus(self.with[b])
    }

    /// The walk up the order of strength, weakest first.
    ///
    /// `groups` are the holes of equal strength, of the player who is paid and of the opponent;
    /// `weight` is the opponent's, by slot. Each hole of the player is visited twice with the sum
    /// [`against`](CardSums::against) it: over the weaker holes of the opponent (`false`), then over
    /// those that are not stronger (`true`). Afterwards the sums are over all holes.
    #[inline(always)]
    pub fn sweep<'a>(
        &mut self,
        groups: impl IntoIterator<Item = [&'a [RankedHole]; 2]>,
        weight: impl Fn(usize) -> V,
        mut visit: impl FnMut(usize, V, bool),
    ) {
        // Sums of its own, not behind a reference: the total stays in a register.
        let mut sums = CardSums::default();
        for [own, opponent] in groups {
            for hole in own {
                visit(hole.slot as usize, sums.against(hole.cards), false);
            }
            for hole in opponent {
                sums.add(hole.cards, weight(hole.slot as usize));
            }
            for hole in own {
                visit(hole.slot as usize, sums.against(hole.cards), true);
            }
        }
        *self = sums;
    }
}
