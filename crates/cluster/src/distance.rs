//! Distances between points and between histograms.
//!
//! On a line, the earth mover's distance of two histograms is the L1 distance of their cumulative
//! sums: what has to be carried across the border between two bins is exactly the difference of the
//! sums up to it. The L2 distance of the cumulative sums is the Cramér distance, another metric,
//! whose centroids are means. So k-means on cumulative histograms by [`Distance::L1`] clusters by
//! earth mover's distance, and by [`Distance::SquaredL2`] by the square of Cramér's.

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

/// The cumulative sums of a histogram as coordinates of a point, exact up to a mass of 2^24.
///
/// The last one is the mass itself. It is the same for all histograms of one kind, so a caller may
/// leave it out of its points without changing any distance.
///
/// ```
/// assert!(lethe_cluster::cumulative(&[3u32, 0, 4]).eq([3.0, 3.0, 7.0]));
/// ```
pub fn cumulative<T: Copy + Into<u64>>(histogram: &[T]) -> impl Iterator<Item = f32> {
    histogram.iter().scan(0u64, |sum, &count| {
        *sum += count.into();
        Some(*sum as f32)
    })
}
