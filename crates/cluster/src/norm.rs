//! The two norms as compile-time choices.

/// A distance that is a sum of one non-negative term per coordinate.
///
/// The *sum* is what is compared and added up (the square of the L2 length, the L1 length itself);
/// the *length* is what obeys the triangle inequality.
pub(crate) trait Norm: Send + Sync {
    /// The factor by which a sum shrinks when the length halves.
    const HALF: f32;

    /// The term of one coordinate's difference.
    fn term(difference: f32) -> f32;

    /// The length that belongs to a sum.
    fn length(sum: f32) -> f32;

    /// The sum of one pair, its terms added in the order of the coordinates.
    #[inline(always)]
    fn distance(x: &[f32], y: &[f32]) -> f32 {
        let mut sum = 0.0f32;
        for (&a, &b) in x.iter().zip(y) {
            sum += Self::term(a - b);
        }
        sum
    }
}

/// Squared differences.
#[derive(Debug)]
pub(crate) struct Squares;

impl Norm for Squares {
    const HALF: f32 = 0.25;

    #[inline(always)]
    fn term(difference: f32) -> f32 {
        difference * difference
    }

    #[inline(always)]
    fn length(sum: f32) -> f32 {
        sum.sqrt()
    }
}

/// Absolute differences.
#[derive(Debug)]
pub(crate) struct Absolutes;

impl Norm for Absolutes {
    const HALF: f32 = 0.5;

    #[inline(always)]
    fn term(difference: f32) -> f32 {
        difference.abs()
    }

    #[inline(always)]
    fn length(sum: f32) -> f32 {
        sum
    }
}

/// Longer than any length between two valid points; stands for infinity where infinities would
/// cancel to NaN.
pub(crate) const FAR: f32 = 1e30;

/// How far a computed length may be from the true one.
///
/// A computed sum of `d` non-negative terms is off by at most `(d + 2)` units of `f32` rounding
/// (2^-24), relatively, and its square root by less; `relative` allows four times as much, so that
/// the few operations on bounds are covered too. `absolute` covers terms so small that they
/// underflow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slack {
    relative: f32,
    absolute: f32,
}

impl Slack {
    /// The slack of distances over `dim` coordinates.
    pub(crate) fn new(dim: usize) -> Self {
        Self { relative: (dim as f32 + 16.0) * 2.0 * f32::EPSILON, absolute: 1e-18 }
    }

    /// A number certainly below what a computed `length` stands for.
    #[inline(always)]
    pub(crate) fn below(self, length: f32) -> f32 {
        let length = length.min(FAR);
        length - length * self.relative - self.absolute
    }

    /// A number certainly above what a computed `length` stands for.
    #[inline(always)]
    pub(crate) fn above(self, length: f32) -> f32 {
        length + length * self.relative + self.absolute
    }

    /// The length past which a centroid is out of the question for a point at distance `u` from its
    /// own, given the distance of the two centroids, when `length` is `2u` or more.
    #[inline(always)]
    pub(crate) fn reach(self, length: f32) -> f32 {
        self.above(self.above(self.above(self.above(length))))
    }
}
