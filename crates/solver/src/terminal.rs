//! The values of terminal nodes: what a reach of the opponent pays to every hand of a player.
//!
//! A fold pays the same against every hand that shares no card: `all - with(a) - with(b) + same`,
//! where `with(c)` is the weight of the hands that hold card *c* and `same` that of the very same
//! hole, which was taken away twice. A showdown asks for the same sums over the weaker hands (`W`)
//! and over those not stronger (`A`): with payoffs win, tie and loss and the sum `C` over all hands,
//! the value is `(win - tie) W + (tie - loss) A + loss C`, and one walk through the hands by
//! strength gives them all.
//!
//! The walk is the same for every betting line that reaches the board, so eight (or four) lines are
//! walked at once, one in each lane of a vector. Rows are transposed on the way in and out.

use crate::boards::{BoardNode, Hands, Ranked};
use crate::plan::{Lane, NONE};

/// A number that sums are made of: `f32` while learning, `f64` when values are to be exact.
pub(crate) trait Number:
    Copy
    + Default
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
{
    fn from_f32(value: f32) -> Self;
    fn to_f32(self) -> f32;
}

impl Number for f32 {
    #[inline(always)]
    fn from_f32(value: f32) -> f32 {
        value
    }
    #[inline(always)]
    fn to_f32(self) -> f32 {
        self
    }
}

impl Number for f64 {
    #[inline(always)]
    fn from_f32(value: f32) -> f64 {
        f64::from(value)
    }
    #[inline(always)]
    fn to_f32(self) -> f32 {
        self as f32
    }
}

/// One number a lane.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Lanes<T, const L: usize>([T; L]);

impl<T: Number, const L: usize> Lanes<T, L> {
    #[inline(always)]
    fn zero() -> Self {
        Lanes([T::default(); L])
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let mut sum = self;
        for l in 0..L {
            sum.0[l] = sum.0[l] + other.0[l];
        }
        sum
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let mut difference = self;
        for l in 0..L {
            difference.0[l] = difference.0[l] - other.0[l];
        }
        difference
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let mut product = self;
        for l in 0..L {
            product.0[l] = product.0[l] * other.0[l];
        }
        product
    }
}

/// Room for one walk.
#[derive(Debug)]
pub(crate) struct Walk<T, const L: usize> {
    /// The opponent's reach, a vector of lanes for each hand.
    reach: Vec<Lanes<T, L>>,
    /// The value so far, a vector for each hand of the traverser.
    value: Vec<Lanes<T, L>>,
    /// The reach of hands that hold each card. Padding holds card 63.
    with: [Lanes<T, L>; 64],
    all: Lanes<T, L>,
}

impl<T: Number, const L: usize> Walk<T, L> {
    pub(crate) fn new(hands: usize) -> Self {
        Walk {
            reach: vec![Lanes::zero(); hands],
            value: vec![Lanes::zero(); hands],
            with: [Lanes::zero(); 64],
            all: Lanes::zero(),
        }
    }

    /// Values at the terminal nodes of up to `L` lanes for traverser `p`, written to their rows of
    /// `values`.
    #[inline(always)]
    fn run(
        &mut self,
        board: &BoardNode,
        p: usize,
        lanes: &[Lane],
        reach: &[f32],
        values: &mut [f32],
    ) {
        let (own, opp) = (&board.hands[p], &board.hands[1 - p]);
        self.load(opp.stride(), lanes, reach);
        self.with = [Lanes::zero(); 64];
        self.all = Lanes::zero();
        if lanes[0].show == NONE {
            self.gather(opp);
        } else {
            self.sweep(board, p, lanes);
        }
        self.finish(own, lanes, values);
    }

    /// Transposes the lanes' rows.
    #[inline(always)]
    fn load(&mut self, stride: usize, lanes: &[Lane], reach: &[f32]) {
        let mut rows: [&[f32]; L] = [&[]; L];
        for (l, row) in rows.iter_mut().enumerate() {
            // A lane too many repeats the first one; what comes of it is not stored.
            let at = lanes.get(l).unwrap_or(&lanes[0]).row as usize * stride;
            *row = &reach[at..at + stride];
        }
        let out = &mut self.reach[..stride];
        for (block, out) in out.chunks_exact_mut(8).enumerate() {
            for l in 0..L {
                let row: &[f32; 8] =
                    rows[l][block * 8..block * 8 + 8].try_into().expect("eight entries");
                for i in 0..8 {
                    out[i].0[l] = T::from_f32(row[i]);
                }
            }
        }
    }

    /// Sums the whole reach by card.
    #[inline(always)]
    fn gather(&mut self, opp: &Hands) {
        for (x, cards) in self.reach.iter().zip(&opp.cards) {
            self.all = self.all.add(*x);
            for card in cards {
                let with = &mut self.with[(card & 63) as usize];
                *with = with.add(*x);
            }
        }
    }

    /// Sums the reach by card in the order of strength and values the showdowns on the way.
    #[inline(always)]
    fn sweep(&mut self, board: &BoardNode, p: usize, lanes: &[Lane]) {
        let (over, under) = (pays(lanes, |lane| lane.pay[0]), pays(lanes, |lane| lane.pay[1]));
        let order = &board.order;
        let (own, opp): (&[Ranked], &[Ranked]) = (&order.hands[p], &order.hands[1 - p]);
        let (mut own_at, mut opp_at) = (0, 0);
        for ends in &order.ends {
            let own = &own[own_at..ends[p] as usize];
            let opp = &opp[opp_at..ends[1 - p] as usize];
            (own_at, opp_at) = (ends[p] as usize, ends[1 - p] as usize);
            for hand in own {
                self.value[hand.place as usize] = over.mul(self.against(hand.cards));
            }
            for hand in opp {
                let x = self.reach[hand.place as usize];
                self.all = self.all.add(x);
                for card in hand.cards {
                    let with = &mut self.with[(card & 63) as usize];
                    *with = with.add(x);
                }
            }
            for hand in own {
                let value = under.mul(self.against(hand.cards));
                let sum = &mut self.value[hand.place as usize];
                *sum = sum.add(value);
            }
        }
    }

    #[inline(always)]
    fn against(&self, cards: [u8; 2]) -> Lanes<T, L> {
        let [a, b] = cards.map(|card| self.with[(card & 63) as usize]);
        self.all.sub(a).sub(b)
    }

    /// Adds what the sum over all hands pays, and transposes the values back.
    #[inline(always)]
    fn finish(&mut self, own: &Hands, lanes: &[Lane], values: &mut [f32]) {
        let stride = own.stride();
        let shows = lanes[0].show != NONE;
        let under = pays(lanes, |lane| lane.pay[1]);
        let lose = pays(lanes, |lane| lane.pay[2]);
        let fold = pays(lanes, |lane| lane.fold_pay);
        let folds = lanes.iter().any(|lane| lane.fold != NONE);
        for block in 0..stride / 8 {
            let mut show_values = [Lanes::<T, L>::zero(); 8];
            let mut fold_values = [Lanes::<T, L>::zero(); 8];
            for i in 0..8 {
                let place = block * 8 + i;
                if place < own.len() {
                    let same = self.reach[own.same[place] as usize];
                    let all = self.against(own.cards[place]).add(same);
                    fold_values[i] = fold.mul(all);
                    if shows {
                        let at_most = under.mul(same);
                        show_values[i] = self.value[place].add(at_most).add(lose.mul(all));
                    }
                }
            }
            for (l, lane) in lanes.iter().enumerate() {
                let at = block * 8;
                if lane.show != NONE {
                    let at = lane.show as usize * stride + at;
                    for (out, v) in values[at..at + 8].iter_mut().zip(&show_values) {
                        *out = v.0[l].to_f32();
                    }
                }
                if folds && lane.fold != NONE {
                    let at = lane.fold as usize * stride + at;
                    for (out, v) in values[at..at + 8].iter_mut().zip(&fold_values) {
                        *out = v.0[l].to_f32();
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn pays<T: Number, const L: usize>(lanes: &[Lane], pay: impl Fn(&Lane) -> f32) -> Lanes<T, L> {
    let mut pays = Lanes::zero();
    for (l, lane) in lanes.iter().enumerate() {
        pays.0[l] = T::from_f32(pay(lane));
    }
    pays
}

/// Room for the terminal values of a unit.
#[derive(Debug)]
pub(crate) struct Terminals {
    eight: Walk<f32, 8>,
    four: Walk<f32, 4>,
    exact: Walk<f64, 4>,
}

impl Terminals {
    /// Room for rows of up to this length.
    pub(crate) fn new(hands: usize) -> Terminals {
        Terminals { eight: Walk::new(hands), four: Walk::new(hands), exact: Walk::new(hands) }
    }

    /// Writes the values of all lanes; with `exact`, from sums of 64 bits.
    #[inline(always)]
    pub(crate) fn run(
        &mut self,
        board: &BoardNode,
        p: usize,
        lanes: &[Lane],
        reach: &[f32],
        values: &mut [f32],
        exact: bool,
    ) {
        if exact {
            for lanes in lanes.chunks(4) {
                self.exact.run(board, p, lanes, reach, values);
            }
            return;
        }
        for lanes in lanes.chunks(8) {
            if lanes.len() <= 4 {
                self.four.run(board, p, lanes, reach, values);
            } else {
                self.eight.run(board, p, lanes, reach, values);
            }
        }
    }
}
