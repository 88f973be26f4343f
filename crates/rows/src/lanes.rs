//! Eight rows side by side, and the transposes that put them there.

use std::fmt::Debug;

use lethe_cards::Summand;
use lethe_compute::simd::{LANES, Level};

/// A floating-point number that values are computed in: `f32`, or `f64` where sums must be exact.
///
/// Rows are always stored as `f32`.
pub trait Number: Summand + Debug + Default + PartialOrd {
    /// The product of two.
    fn times(self, other: Self) -> Self;

    /// Widens a stored number.
    fn from_f32(value: f32) -> Self;

    /// Rounds to what is stored.
    fn to_f32(self) -> f32;
}

impl Number for f32 {
    #[inline(always)]
    fn times(self, other: f32) -> f32 {
        self * other
    }

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
    fn times(self, other: f64) -> f64 {
        self * other
    }

    #[inline(always)]
    fn from_f32(value: f32) -> f64 {
        f64::from(value)
    }

    #[inline(always)]
    fn to_f32(self) -> f32 {
        self as f32
    }
}

/// One number for each of several rows: one vector register, or a few.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Lanes<T, const N: usize = LANES>(pub [T; N]);

impl<T: Summand, const N: usize> Lanes<T, N> {
    /// The same number in every lane.
    #[inline(always)]
    pub fn splat(number: T) -> Lanes<T, N> {
        Lanes([number; N])
    }

    /// A number of each of up to `N` things; zero in the lanes that are left.
    #[inline(always)]
    pub fn of<U>(things: &[U], number: impl Fn(&U) -> T) -> Lanes<T, N> {
        let mut lanes = Lanes::ZERO;
        for (lane, thing) in lanes.0.iter_mut().zip(things) {
            *lane = number(thing);
        }
        lanes
    }

    #[inline(always)]
    fn zip(self, other: Lanes<T, N>, f: impl Fn(T, T) -> T) -> Lanes<T, N> {
        let mut out = self;
        for l in 0..N {
            out.0[l] = f(self.0[l], other.0[l]);
        }
        out
    }
}

impl<T: Summand, const N: usize> Summand for Lanes<T, N> {
    const ZERO: Lanes<T, N> = Lanes([T::ZERO; N]);

    #[inline(always)]
    fn plus(self, other: Lanes<T, N>) -> Lanes<T, N> {
        self.zip(other, T::plus)
    }

    #[inline(always)]
    fn minus(self, other: Lanes<T, N>) -> Lanes<T, N> {
        self.zip(other, T::minus)
    }
}

impl<T: Number> Lanes<T> {
    /// The product in each lane.
    #[inline(always)]
    pub fn times(self, other: Lanes<T>) -> Lanes<T> {
        self.zip(other, T::times)
    }

    /// The larger number in each lane.
    #[inline(always)]
    pub fn max(self, other: Lanes<T>) -> Lanes<T> {
        self.zip(other, |a, b| if a > b { a } else { b })
    }
}

/// Puts eight rows side by side: `out[i]` holds entry `i` of each.
///
/// # Panics
/// If a row is shorter than `out`, or `out` is not a whole number of squares of eight.
#[inline(always)]
pub fn load<T: Number, L: Level>(level: L, rows: [&[f32]; LANES], out: &mut [Lanes<T>]) {
    let (squares, rest) = out.as_chunks_mut::<LANES>();
    assert!(rest.is_empty(), "rows are padded to whole squares");
    for (block, out) in squares.iter_mut().enumerate() {
        let mut square = [[0.0; LANES]; LANES];
        for (square, row) in square.iter_mut().zip(&rows) {
            square.copy_from_slice(&row[block * LANES..block * LANES + LANES]);
        }
        let turned = level.transpose(square);
        for (out, row) in out.iter_mut().zip(&turned) {
            for (out, &x) in out.0.iter_mut().zip(row) {
                *out = T::from_f32(x);
            }
        }
    }
}

/// Eight entries of eight rows, one row after the other again.
#[inline(always)]
pub fn unload<T: Number, L: Level>(level: L, square: [Lanes<T>; LANES]) -> [[f32; LANES]; LANES] {
    // Not by `map` of an array, which may be compiled without the caller's instructions.
    let mut rows = [[0.0; LANES]; LANES];
    for (row, lanes) in rows.iter_mut().zip(&square) {
        for (out, &x) in row.iter_mut().zip(&lanes.0) {
            *out = x.to_f32();
        }
    }
    level.transpose(rows)
}
