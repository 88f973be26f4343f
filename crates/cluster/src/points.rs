//! A borrowed table of points.

use thiserror::Error;

/// Largest magnitude of a coordinate: beyond it a squared distance could overflow `f32`.
pub const MAX_COORDINATE: f32 = 1e15;

/// Why a slice is not a table of points.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PointsError {
    /// The dimension is zero.
    #[error("points need at least one coordinate; the dimension given is 0")]
    ZeroDimension,
    /// The slice is no whole number of points.
    #[error("{len} values are no whole number of points of dimension {dim}")]
    Ragged {
        /// Number of values given.
        len: usize,
        /// Dimension given.
        dim: usize,
    },
    /// A coordinate is NaN, infinite, or larger than [`MAX_COORDINATE`].
    #[error(
        "coordinate {coordinate} of point {point} is {value}; it must be finite and at most 1e15 in size"
    )]
    BadCoordinate {
        /// Index of the point.
        point: usize,
        /// Index of the coordinate within the point.
        coordinate: usize,
        /// The offending value.
        value: f32,
    },
    /// There are more points than a 32-bit index can name.
    #[error("{0} points are more than 4,294,967,295")]
    TooMany(usize),
}

/// Points of equal dimension, row after row in one slice.
///
/// Every coordinate is finite and at most [`MAX_COORDINATE`] in size, so no distance between two
/// points overflows.
///
/// ```
/// use lethe_cluster::Points;
/// let points = Points::new(&[0.0, 1.0, 2.0, 3.0], 2)?;
/// assert_eq!(points.len(), 2);
/// assert_eq!(points.row(1), [2.0, 3.0]);
/// assert!(Points::new(&[0.0, f32::NAN], 2).is_err());
/// # Ok::<(), lethe_cluster::PointsError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Points<'a> {
    values: &'a [f32],
    dim: usize,
}

impl<'a> Points<'a> {
    /// Checks `values` as rows of `dim` coordinates each.
    pub fn new(values: &'a [f32], dim: usize) -> Result<Self, PointsError> {
        if dim == 0 {
            return Err(PointsError::ZeroDimension);
        }
        if !values.len().is_multiple_of(dim) {
            return Err(PointsError::Ragged { len: values.len(), dim });
        }
        let count = values.len() / dim;
        if u32::try_from(count).is_err() {
            return Err(PointsError::TooMany(count));
        }
        if let Some(at) = values.iter().position(|v| v.is_nan() || v.abs() > MAX_COORDINATE) {
            return Err(PointsError::BadCoordinate {
                point: at / dim,
                coordinate: at % dim,
                value: values[at],
            });
        }
        Ok(Self { values, dim })
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.values.len() / self.dim
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Number of coordinates of each point.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The coordinates of point `index`.
    ///
    /// # Panics
    /// If `index` is not below [`len`](Self::len).
    #[inline]
    pub fn row(&self, index: usize) -> &'a [f32] {
        &self.values[index * self.dim..][..self.dim]
    }

    /// All coordinates, row after row.
    pub fn values(&self) -> &'a [f32] {
        self.values
    }
}
