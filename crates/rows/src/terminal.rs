//! The values of terminal nodes: what the opponent's reach pays every hole of a player.
//!
//! The walk through the holes is the same for every betting line that reaches a board, so eight
//! lines are walked at once, one in each lane of a vector. Rows are transposed on the way in and
//! out. With the sums `W` over the weaker holes, `A` over those that are not stronger and `C` over
//! all (see [`CardSums`]), a showdown pays `half (W + A) + lose C`, and a fold pays `pay C`.

use std::array;

use lethe_cards::{CardSums, RankedHole, Summand};
use lethe_compute::simd::{self, Kernel, LANES, Level};

use crate::lanes::{Lanes, Number, load, unload};
use crate::payout::{NONE, Payout, Payouts};

/// A card that no hole has; both cards of padding.
const NO_CARD: u8 = 63;

/// The cards of the entries of one player's rows on a board.
///
/// Rows are padded to whole squares of eight entries, with at least one that is always zero.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    cards: Vec<[u8; 2]>,
    same: Vec<u16>,
    len: usize,
}

impl Entries {
    /// Entries with these cards, numbered below 63.
    pub fn new(cards: impl IntoIterator<Item = [u8; 2]>) -> Entries {
        let mut entries = Entries::default();
        entries.set(cards);
        entries
    }

    /// Replaces the cards of all entries. The player who has them is its own opponent until
    /// [`set_same`](Entries::set_same) says otherwise.
    pub fn set(&mut self, cards: impl IntoIterator<Item = [u8; 2]>) {
        self.cards.clear();
        self.cards.extend(cards);
        self.len = self.cards.len();
        self.cards.resize((self.len + 1).next_multiple_of(LANES), [NO_CARD; 2]);
        self.same.clear();
        self.same.extend(0..self.cards.len() as u16);
    }

    /// Sets the slot of each entry's hole in the opponent's row; `None` if the opponent never has
    /// that hole. `opponents` is the number of the opponent's holes.
    pub fn set_same(&mut self, opponents: usize, slots: impl Iterator<Item = Option<usize>>) {
        let padding = opponents as u16;
        self.same.clear();
        self.same.extend(slots.map(|slot| slot.map_or(padding, |slot| slot as u16)));
        assert_eq!(self.same.len(), self.len, "a slot for each entry");
        self.same.resize(self.cards.len(), padding);
    }

    /// The number of holes.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no holes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The length of a row, padding included.
    #[inline]
    pub fn stride(&self) -> usize {
        self.cards.len()
    }

    /// The cards of the holes, without padding.
    #[inline]
    pub fn cards(&self) -> &[[u8; 2]] {
        &self.cards[..self.len]
    }
}

/// The holes of both players on a river board by strength, weakest first.
#[derive(Clone, Debug, Default)]
pub struct Order {
    holes: [Vec<RankedHole>; 2],
    /// Where each group of equal strength ends, for either player.
    ends: Vec<[u16; 2]>,
}

impl Order {
    /// No holes at all: for boards before the river.
    pub const EMPTY: Order = Order { holes: [Vec::new(), Vec::new()], ends: Vec::new() };

    /// Whether there are no groups: the board is not a river.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Where each group of equal strength ends for a player, weakest first.
    pub fn ends(&self, player: usize) -> impl Iterator<Item = usize> {
        self.ends.iter().map(move |ends| ends[player] as usize)
    }

    /// Forgets all groups.
    pub fn clear(&mut self) {
        self.holes.iter_mut().for_each(Vec::clear);
        self.ends.clear();
    }

    /// Adds a hole of a player, which is stronger than those of all groups that are closed.
    #[inline]
    pub fn push(&mut self, player: usize, hole: RankedHole) {
        self.holes[player].push(hole);
    }

    /// Closes a group of holes of equal strength; an empty one is left out.
    #[inline]
    pub fn close_group(&mut self) {
        let end = [0, 1].map(|p| self.holes[p].len() as u16);
        if end != self.ends.last().copied().unwrap_or_default() {
            self.ends.push(end);
        }
    }

    /// The groups as seen by one player: its holes, and the opponent's.
    #[inline(always)]
    fn groups(&self, player: usize) -> Groups<'_> {
        let [own, opponent] = [player, 1 - player].map(|p| &self.holes[p][..]);
        Groups { own, opponent, ends: self.ends.iter(), player, at: [0; 2] }
    }
}

/// The groups of an [`Order`]. An iterator of our own, because `next` of an adapter may be compiled
/// as a function of its own, without the caller's vector instructions.
struct Groups<'a> {
    own: &'a [RankedHole],
    opponent: &'a [RankedHole],
    ends: std::slice::Iter<'a, [u16; 2]>,
    player: usize,
    at: [usize; 2],
}

impl<'a> Iterator for Groups<'a> {
    type Item = [&'a [RankedHole]; 2];

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let ends = self.ends.next()?;
        let ends = [ends[self.player] as usize, ends[1 - self.player] as usize];
        let group = [&self.own[self.at[0]..ends[0]], &self.opponent[self.at[1]..ends[1]]];
        self.at = ends;
        Some(group)
    }
}

/// A board as the walk that values one player's holes sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seat<'a> {
    /// The entries of the player's rows.
    pub own: &'a Entries,
    /// The entries of the opponent's rows.
    pub opponent: &'a Entries,
    /// The holes by strength; empty before the river.
    pub order: &'a Order,
    /// Which of the two in `order` the player is.
    pub player: usize,
}

impl Seat<'_> {
    /// Adds up the opponent's reach.
    #[inline(always)]
    pub fn add_up<T: Number>(&self, reach: &[Lanes<T>]) -> CardSums<Lanes<T>> {
        let mut sums = CardSums::default();
        let cards = &self.opponent.cards[..reach.len()];
        for i in 0..reach.len() {
            sums.add(cards[i], reach[i]);
        }
        sums
    }

    /// Writes what a showdown pays, and leaves the opponent's reach added up in `sums`.
    #[inline(always)]
    pub fn show<T: Number>(
        &self,
        sums: &mut CardSums<Lanes<T>>,
        reach: &[Lanes<T>],
        half: Lanes<T>,
        lose: Lanes<T>,
        out: &mut [Lanes<T>],
    ) {
        self.walk(sums, reach, half, out);
        let (cards, same) = self.own_entries();
        let out = &mut out[..cards.len()];
        for i in 0..cards.len() {
            let same = reach[same[i] as usize];
            let met = sums.against(cards[i]).plus(same);
            out[i] = out[i].plus(half.times(same)).plus(lose.times(met));
        }
    }

    /// Writes what a fold pays, where `sums` is the opponent's reach added up.
    #[inline(always)]
    pub fn fold<T: Number>(
        &self,
        sums: &CardSums<Lanes<T>>,
        reach: &[Lanes<T>],
        pay: Lanes<T>,
        out: &mut [Lanes<T>],
    ) {
        let (cards, same) = self.own_entries();
        let out = &mut out[..cards.len()];
        for i in 0..cards.len() {
            let met = sums.against(cards[i]).plus(reach[same[i] as usize]);
            out[i] = pay.times(met);
        }
    }

    /// The walk by strength: `half (W + A)` for each hole, its own reach left out.
    #[inline(always)]
    fn walk<T: Number>(
        &self,
        sums: &mut CardSums<Lanes<T>>,
        reach: &[Lanes<T>],
        half: Lanes<T>,
        out: &mut [Lanes<T>],
    ) {
        sums.sweep(
            self.order.groups(self.player),
            |slot| reach[slot],
            |slot, sum, has_ties| {
                let paid = half.times(sum);
                out[slot] = if has_ties { out[slot].plus(paid) } else { paid };
            },
        );
    }

    /// The cards of the player's holes, and the slots of the same holes in the opponent's row.
    #[inline(always)]
    fn own_entries(&self) -> (&[[u8; 2]], &[u16]) {
        (self.own.cards(), &self.own.same[..self.own.len])
    }
}

/// Room to value the terminal nodes of one board at a time.
#[derive(Debug)]
pub struct Terminals<T> {
    sums: CardSums<Lanes<T>>,
    reach: Vec<Lanes<T>>,
    value: Vec<Lanes<T>>,
}

impl<T: Number> Terminals<T> {
    /// Room for rows of up to this length.
    pub fn new(stride: usize) -> Terminals<T> {
        let row = vec![Lanes::ZERO; stride];
        Terminals { sums: CardSums::default(), reach: row.clone(), value: row }
    }

    /// Writes the values of terminal nodes: `reach` holds rows of the opponent's reach, `values` a
    /// row for each node. Either all payouts have a showdown or none has.
    pub fn pay(&mut self, seat: Seat<'_>, payouts: &[Payout], reach: &[f32], values: &mut [f32]) {
        simd::run(Pay { terminals: self, seat, payouts, reach, values });
    }

    /// The same inside a kernel.
    #[inline(always)]
    pub fn pay_at<L: Level>(
        &mut self,
        level: L,
        seat: Seat<'_>,
        payouts: &[Payout],
        reach: &[f32],
        values: &mut [f32],
    ) {
        for payouts in payouts.chunks(LANES) {
            self.pay_eight(level, seat, payouts, reach, values);
        }
    }

    /// Writes the values of all terminal nodes. Folds without a showdown take the lanes that the
    /// showdowns leave, if that saves a walk.
    #[inline(always)]
    pub fn pay_all<L: Level>(
        &mut self,
        level: L,
        seat: Seat<'_>,
        payouts: &Payouts,
        reach: &[f32],
        values: &mut [f32],
    ) {
        let (shows, last) = payouts.shows.as_chunks::<LANES>();
        let odd = payouts.folds.len() % LANES;
        let joins = if last.len() + odd <= LANES && !last.is_empty() { odd } else { 0 };
        let (joining, folds) = payouts.folds.split_at(joins);
        let mut mixed = [Payout::NOTHING; LANES];
        let count = last.len() + joins;
        for (to, &from) in mixed.iter_mut().zip(last.iter().chain(joining)) {
            *to = from;
        }
        for walk in 0..shows.len() + count.div_ceil(LANES) + folds.len().div_ceil(LANES) {
            let payouts = match walk.checked_sub(shows.len()) {
                None => &shows[walk][..],
                Some(0) if count > 0 => &mixed[..count],
                Some(after) => {
                    let first = (after - count.div_ceil(LANES)) * LANES;
                    &folds[first..(first + LANES).min(folds.len())]
                }
            };
            self.pay_eight(level, seat, payouts, reach, values);
        }
    }

    /// Up to eight payouts: with a showdown, and then any folds, or folds alone.
    #[inline(always)]
    fn pay_eight<L: Level>(
        &mut self,
        level: L,
        seat: Seat<'_>,
        payouts: &[Payout],
        reach: &[f32],
        values: &mut [f32],
    ) {
        let (own, stride) = (seat.own, seat.own.stride());
        let reach_stride = seat.opponent.stride();
        let mut rows: [&[f32]; LANES] = [&[]; LANES];
        for (lane, row) in rows.iter_mut().enumerate() {
            // Lanes that are left repeat the first one; what they are paid is not stored.
            let first = payouts.get(lane).unwrap_or(&payouts[0]).row as usize * reach_stride;
            *row = &reach[first..first + reach_stride];
        }
        let Terminals { sums, reach, value } = self;
        let (reach, value) = (&mut reach[..reach_stride], &mut value[..stride]);
        load(level, rows, reach);
        let lanes = |pay: fn(&Payout) -> f32| Lanes::of(payouts, |payout| T::from_f32(pay(payout)));
        let (half, lose) = (lanes(|payout| payout.stakes.half), lanes(|payout| payout.stakes.lose));
        let fold = lanes(|payout| payout.fold_pay);
        let shows = payouts[0].show != NONE;
        let folds = payouts.iter().any(|payout| payout.fold != NONE);
        if shows {
            seat.walk(sums, reach, half, value);
        } else {
            *sums = seat.add_up(reach);
        }
        let value = value.as_chunks::<LANES>().0;
        let (cards, same) = (own.cards.as_chunks::<LANES>().0, own.same.as_chunks::<LANES>().0);
        let first = |node: u32| if node == NONE { NOWHERE } else { node as usize * stride };
        let starts = |node: fn(&Payout) -> u32| -> [usize; LANES] {
            array::from_fn(|lane| payouts.get(lane).map_or(NOWHERE, |payout| first(node(payout))))
        };
        let (show_starts, fold_starts) = (starts(|payout| payout.show), starts(|p| p.fold));
        for block in 0..value.len() {
            let at = block * LANES;
            let mut met = [Lanes::ZERO; LANES];
            if shows {
                let mut paid = met;
                for i in 0..LANES {
                    let same = reach[same[block][i] as usize];
                    met[i] = sums.against(cards[block][i]).plus(same);
                    paid[i] = value[block][i].plus(half.times(same)).plus(lose.times(met[i]));
                }
                store(level, paid, &show_starts, at, values);
            } else {
                for i in 0..LANES {
                    let same = reach[same[block][i] as usize];
                    met[i] = sums.against(cards[block][i]).plus(same);
                }
            }
            if folds {
                for met in &mut met {
                    *met = fold.times(*met);
                }
                store(level, met, &fold_starts, at, values);
            }
        }
        // Padding is worth nothing.
        for start in show_starts.into_iter().chain(fold_starts) {
            if start != NOWHERE {
                values[start + own.len..start + stride].fill(0.0);
            }
        }
    }
}

/// Where the lanes that are not stored begin: past the end of any row.
const NOWHERE: usize = usize::MAX / 2;

/// Writes the values of eight entries, from `at` on, to the rows that begin at `starts`.
#[inline(always)]
fn store<T: Number, L: Level>(
    level: L,
    paid: [Lanes<T>; LANES],
    starts: &[usize; LANES],
    at: usize,
    values: &mut [f32],
) {
    let rows = unload(level, paid);
    for lane in 0..LANES {
        let first = starts[lane] + at;
        if let Some(out) = values.get_mut(first..first + LANES) {
            out.copy_from_slice(&rows[lane]);
        }
    }
}

struct Pay<'a, T> {
    terminals: &'a mut Terminals<T>,
    seat: Seat<'a>,
    payouts: &'a [Payout],
    reach: &'a [f32],
    values: &'a mut [f32],
}

impl<T: Number> Kernel for Pay<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        self.terminals.pay_at(level, self.seat, self.payouts, self.reach, self.values);
    }
}
