//! Distances between points and between histograms.
//!
//! On a line, the earth mover's distance of two histograms is the L1 distance of their cumulative
//! sums: what has to be carried across the border between two bins is exactly the difference of the
//! sums up to it. The L2 distance of the cumulative sums is the Cramér distance, another metric,
//! whose centroids are means. So k-means on cumulative histograms by [`Distance::L1`] clusters by
//! earth mover's distance, and by [`Distance::SquaredL2`] by the square of Cramér's.

use thiserror::Error;

use crate::norm::{Absolutes, Norm, Squares};

/// A distance between points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Distance {
    /// The square of the Euclidean distance. Its centroid is the weighted mean.
    #[default]
    SquaredL2,
    /// The sum of absolute differences. Its centroid is the weighted median of each coordinate.
    L1,
}

impl Distance {
    /// The distance of two points, its terms added in `f32` in the order of the coordinates.
    ///
    /// This is, to the last bit, the distance that fitting and assigning compare.
    ///
    /// # Panics
    /// If the points differ in dimension.
    ///
    /// ```
    /// use lethe_cluster::Distance;
    /// assert_eq!(Distance::SquaredL2.between(&[0.0, 3.0], &[4.0, 0.0]), 25.0);
    /// assert_eq!(Distance::L1.between(&[0.0, 3.0], &[4.0, 0.0]), 7.0);
    /// ```
    pub fn between(self, x: &[f32], y: &[f32]) -> f32 {
        assert_eq!(x.len(), y.len(), "points of different dimension");
        match self {
            Self::SquaredL2 => Squares::distance(x, y),
            Self::L1 => Absolutes::distance(x, y),
        }
    }
}

/// Why two histograms cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HistogramError {
    /// They have different numbers of bins.
    #[error("histograms of {left} and {right} bins cannot be compared")]
    Bins {
        /// Bins of the first.
        left: usize,
        /// Bins of the second.
        right: usize,
    },
    /// They hold different masses.
    #[error("histograms of mass {left} and {right} cannot be compared; their masses must be equal")]
    Mass {
        /// Mass of the first.
        left: u64,
        /// Mass of the second.
        right: u64,
    },
}

/// The earth mover's distance of two histograms of equal mass: mass times bins moved, exactly.
///
/// Divide by the mass for the mean way of a unit of mass, and by the number of bins for a way
/// measured on the unit interval.
///
/// # Errors
/// If the histograms differ in bins or in mass.
///
/// ```
/// use lethe_cluster::emd;
/// // Two units move one bin, one unit moves two.
/// assert_eq!(emd(&[3, 0, 0], &[0, 2, 1])?, 4);
/// assert!(emd(&[3, 0, 0], &[1, 0, 0]).is_err());
/// # Ok::<(), lethe_cluster::HistogramError>(())
/// ```
pub fn emd(left: &[u32], right: &[u32]) -> Result<u64, HistogramError> {
    Ok(cumulative_differences(left, right)?.map(i64::unsigned_abs).sum())
}

/// The Cramér distance of two histograms of equal mass: the L2 distance of their cumulative sums.
///
/// # Errors
/// If the histograms differ in bins or in mass.
///
/// ```
/// use lethe_cluster::cramer;
/// // The cumulative sums are [3, 3, 3] and [0, 2, 3].
/// assert_eq!(cramer(&[3, 0, 0], &[0, 2, 1])?, 10f64.sqrt());
/// # Ok::<(), lethe_cluster::HistogramError>(())
/// ```
pub fn cramer(left: &[u32], right: &[u32]) -> Result<f64, HistogramError> {
    let squares = cumulative_differences(left, right)?.map(|x| {
        let x = u128::from(x.unsigned_abs());
        x * x
    });
    Ok((squares.sum::<u128>() as f64).sqrt())
}

/// The cumulative sums of a histogram as coordinates of a point, exact up to a mass of 2^24.
///
/// The last one is the mass itself. It is the same for all histograms of one kind, so a caller may
/// leave it out of its points without changing any distance.
///
/// ```
/// assert!(lethe_cluster::cumulative(&[3, 0, 4]).eq([3.0, 3.0, 7.0]));
/// ```
pub fn cumulative(histogram: &[u32]) -> impl Iterator<Item = f32> {
    histogram.iter().scan(0u64, |sum, &count| {
        *sum += u64::from(count);
        Some(*sum as f32)
    })
}

fn cumulative_differences<'a>(
    left: &'a [u32],
    right: &'a [u32],
) -> Result<impl Iterator<Item = i64> + use<'a>, HistogramError> {
    if left.len() != right.len() {
        return Err(HistogramError::Bins { left: left.len(), right: right.len() });
    }
    let mass = |histogram: &[u32]| histogram.iter().map(|&count| u64::from(count)).sum();
    let masses: (u64, u64) = (mass(left), mass(right));
    if masses.0 != masses.1 {
        return Err(HistogramError::Mass { left: masses.0, right: masses.1 });
    }
    Ok(left.iter().zip(right).scan(0i64, |difference, (&a, &b)| {
        *difference += i64::from(a) - i64::from(b);
        Some(*difference)
    }))
}
