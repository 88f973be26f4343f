//! The values of terminal nodes: what a reach of the opponent pays to every hand of a player.
//!
//! A fold pays the same against every hand that shares no card: `all - with(a) - with(b) + same`,
//! where `with(c)` is the weight of the hands that hold card *c* and `same` that of the very same
//! hole, which was taken away twice. A showdown asks for the same sums over the weaker hands (`W`)
//! and over those not stronger (`A`): with payoffs win, tie and loss and the sum `C` over all hands,
//! the value is `(win - tie) W + (tie - loss) A + loss C`, and one walk through the hands by
//! strength gives them all.
//!
//! The walk is the same for every betting line that reaches the board, so eight lines are walked
//! at once, one in each lane of a vector. Rows are transposed on the way in and out.

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
    /// Turns a square by vector instructions, which the processor must have, if there are such for
    /// this type and size.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn transpose_wide<const L: usize>(_square: &[[Self; 8]; L]) -> Option<[[Self; L]; 8]> {
        None
    }
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
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn transpose_wide<const L: usize>(square: &[[f32; 8]; L]) -> Option<[[f32; L]; 8]> {
        let square = <&[[f32; 8]; 8]>::try_from(square.as_slice()).ok()?;
        // SAFETY: only called where the processor has these instructions.
        let turned = unsafe { transpose_avx(square) };
        let mut out = [[0.0; L]; 8];
        for (out, turned) in out.iter_mut().zip(&turned) {
            out.copy_from_slice(turned);
        }
        Some(out)
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

/// A square of lanes turned on its diagonal.
#[inline(always)]
fn transpose<T: Number, const L: usize, const WIDE: bool>(square: [[T; 8]; L]) -> [[T; L]; 8] {
    #[cfg(target_arch = "x86_64")]
    if WIDE && let Some(turned) = T::transpose_wide(&square) {
        return turned;
    }
    let mut turned = [[T::default(); L]; 8];
    for l in 0..L {
        for i in 0..8 {
            turned[i][l] = square[l][i];
        }
    }
    turned
}

/// The same in shuffles of 256-bit vectors, which the compiler did not find in the loops above.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn transpose_avx(square: &[[f32; 8]; 8]) -> [[f32; 8]; 8] {
    use std::arch::x86_64::{
        __m256, _mm256_permute2f128_ps, _mm256_shuffle_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps,
    };
    // SAFETY: both types are 256 bytes of plain numbers.
    let r = unsafe { std::mem::transmute::<[[f32; 8]; 8], [__m256; 8]>(*square) };
    let low = |a, b| _mm256_unpacklo_ps(a, b);
    let high = |a, b| _mm256_unpackhi_ps(a, b);
    let t = [
        low(r[0], r[1]),
        high(r[0], r[1]),
        low(r[2], r[3]),
        high(r[2], r[3]),
        low(r[4], r[5]),
        high(r[4], r[5]),
        low(r[6], r[7]),
        high(r[6], r[7]),
    ];
    let even = |a, b| _mm256_shuffle_ps::<0x44>(a, b);
    let odd = |a, b| _mm256_shuffle_ps::<0xee>(a, b);
    let u = [
        even(t[0], t[2]),
        odd(t[0], t[2]),
        even(t[1], t[3]),
        odd(t[1], t[3]),
        even(t[4], t[6]),
        odd(t[4], t[6]),
        even(t[5], t[7]),
        odd(t[5], t[7]),
    ];
    let front = |i: usize| _mm256_permute2f128_ps::<0x20>(u[i], u[i + 4]);
    let back = |i: usize| _mm256_permute2f128_ps::<0x31>(u[i], u[i + 4]);
    let turned = [front(0), front(1), front(2), front(3), back(0), back(1), back(2), back(3)];
    // SAFETY: both types are 256 bytes of plain numbers.
    unsafe { std::mem::transmute::<[__m256; 8], [[f32; 8]; 8]>(turned) }
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
    fn run<const WIDE: bool>(
        &mut self,
        board: &BoardNode,
        p: usize,
        lanes: &[Lane],
        reach: &[f32],
        values: &mut [f32],
    ) {
        let (own, opp) = (&board.hands[p], &board.hands[1 - p]);
        self.load::<WIDE>(opp.stride(), lanes, reach);
        self.with = [Lanes::zero(); 64];
        self.all = Lanes::zero();
        // Another board may have had hands where this one has padding.
        self.value[own.len()..own.stride()].fill(Lanes::zero());
        if lanes[0].show == NONE {
            self.gather(opp);
        } else {
            self.sweep(board, p, lanes);
        }
        self.finish::<WIDE>(own, lanes, values);
    }

    /// Transposes the lanes' rows.
    #[inline(always)]
    fn load<const WIDE: bool>(&mut self, stride: usize, lanes: &[Lane], reach: &[f32]) {
        let mut rows: [&[f32]; L] = [&[]; L];
        for (l, row) in rows.iter_mut().enumerate() {
            // A lane too many repeats the first one; what comes of it is not stored.
            let at = lanes.get(l).unwrap_or(&lanes[0]).row as usize * stride;
            *row = &reach[at..at + stride];
        }
        let out = &mut self.reach[..stride];
        for (block, out) in out.chunks_exact_mut(8).enumerate() {
            let mut square = [[T::default(); 8]; L];
            for (square, row) in square.iter_mut().zip(&rows) {
                let row: &[f32; 8] =
                    row[block * 8..block * 8 + 8].try_into().expect("eight entries");
                for i in 0..8 {
                    square[i] = T::from_f32(row[i]);
                }
            }
            let turned = transpose::<T, L, WIDE>(square);
            for (out, lanes) in out.iter_mut().zip(turned) {
                *out = Lanes(lanes);
            }
        }
    }

    /// Sums the whole reach by card.
    #[inline(always)]
    fn gather(&mut self, opp: &Hands) {
        for (x, cards) in self.reach[..opp.stride()].iter().zip(&opp.cards) {
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
        let (a, b) = (self.with[(cards[0] & 63) as usize], self.with[(cards[1] & 63) as usize]);
        self.all.sub(a).sub(b)
    }

    /// Adds what the sum over all hands pays, and transposes the values back.
    #[inline(always)]
    fn finish<const WIDE: bool>(&mut self, own: &Hands, lanes: &[Lane], values: &mut [f32]) {
        let stride = own.stride();
        let under = pays(lanes, |lane| lane.pay[1]);
        let lose = pays(lanes, |lane| lane.pay[2]);
        let fold = pays(lanes, |lane| lane.fold_pay);
        let shows = lanes[0].show != NONE;
        let folds = lanes.iter().any(|lane| lane.fold != NONE);
        for block in 0..stride / 8 {
            let at = block * 8;
            let cards: &[[u8; 2]; 8] = own.cards[at..at + 8].try_into().expect("eight hands");
            let same: &[u16; 8] = own.same[at..at + 8].try_into().expect("eight hands");
            let mut all = [Lanes::<T, L>::zero(); 8];
            for i in 0..8 {
                all[i] = self.against(cards[i]);
            }
            if at + 8 > own.len() {
                // Padding is worth nothing.
                all[own.len() - at..].fill(Lanes::zero());
            }
            let mut same_reach = [Lanes::<T, L>::zero(); 8];
            for i in 0..8 {
                same_reach[i] = self.reach[same[i] as usize];
            }
            let same = same_reach;
            for i in 0..8 {
                all[i] = all[i].add(same[i]);
            }
            if shows {
                let value: &[Lanes<T, L>; 8] =
                    self.value[at..at + 8].try_into().expect("eight hands");
                let mut show = [[T::default(); L]; 8];
                for i in 0..8 {
                    show[i] = value[i].add(under.mul(same[i])).add(lose.mul(all[i])).0;
                }
                store::<T, L, WIDE>(show, lanes, |lane| lane.show, values, stride, at);
            }
            if folds {
                let mut paid = [[T::default(); L]; 8];
                for i in 0..8 {
                    paid[i] = fold.mul(all[i]).0;
                }
                store::<T, L, WIDE>(paid, lanes, |lane| lane.fold, values, stride, at);
            }
        }
    }
}

/// Writes the values of eight hands to the rows of the lanes' nodes.
#[inline(always)]
fn store<T: Number, const L: usize, const WIDE: bool>(
    square: [[T; L]; 8],
    lanes: &[Lane],
    node: impl Fn(&Lane) -> u32,
    values: &mut [f32],
    stride: usize,
    at: usize,
) {
    let turned: [[T; 8]; L] = turn_back::<T, L, WIDE>(square);
    for (lane, row) in lanes.iter().zip(&turned) {
        if node(lane) != NONE {
            let start = node(lane) as usize * stride + at;
            let out: &mut [f32; 8] =
                (&mut values[start..start + 8]).try_into().expect("eight entries");
            for i in 0..8 {
                out[i] = row[i].to_f32();
            }
        }
    }
}

#[inline(always)]
fn turn_back<T: Number, const L: usize, const WIDE: bool>(square: [[T; L]; 8]) -> [[T; 8]; L] {
    if L == 8 {
        let mut full = [[T::default(); 8]; 8];
        for (full, row) in full.iter_mut().zip(&square) {
            full.copy_from_slice(row);
        }
        let turned = transpose::<T, 8, WIDE>(full);
        let mut out = [[T::default(); 8]; L];
        out.copy_from_slice(&turned);
        return out;
    }
    let mut turned = [[T::default(); 8]; L];
    for i in 0..8 {
        for l in 0..L {
            turned[l][i] = square[i][l];
        }
    }
    turned
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
    exact: Walk<f64, 4>,
}

impl Terminals {
    /// Room for rows of up to this length.
    pub(crate) fn new(hands: usize) -> Terminals {
        Terminals { eight: Walk::new(hands), exact: Walk::new(hands) }
    }

    /// Writes the values of all lanes; with `exact`, from sums of 64 bits. With `WIDE` the processor
    /// must have 256-bit vectors.
    #[inline(always)]
    pub(crate) fn run<const WIDE: bool>(
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
                self.exact.run::<false>(board, p, lanes, reach, values);
            }
            return;
        }
        for lanes in lanes.chunks(8) {
            self.eight.run::<WIDE>(board, p, lanes, reach, values);
        }
    }
}
