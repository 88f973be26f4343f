//! Clustering of weighted points, as exact as arithmetic allows.
//!
//! The crate knows numbers only. Its points are the distinct feature vectors of some larger set, and
//! a point's weight says how many members of that set it stands for.
//!
//! | item | what it does |
//! |---|---|
//! | [`KMeans`] | weighted k-means by squared L2 (means) or L1 (medians), seeded, bounded, parallel |
//! | [`ward`] | the hierarchy of clusters by Ward's criterion, for a few thousand points |
//! | [`assign`] | the nearest of given centroids, for points that were not in the fit |
//! | [`sample`] | a weighted sample without replacement, to fit on when points are too many |
//! | [`optimal_intervals`] | the globally optimal k-means of values on a line |
//! | [`equal_mass_intervals`] | intervals of nearly equal weight: percentiles |
//! | [`cumulative`] | histograms as points, whose distances are the earth mover's and Cramér's |
//! | [`Contingency`] | the adjusted Rand index of two labelings |
//! | [`hash`] | a number that looks random, fixed by a seed |
//!
//! **The same seed gives the same bytes**, for any number of threads and on processors with or
//! without AVX2: work is cut into pieces of fixed size whose sums are added in a fixed order, each
//! distance is summed in one order everywhere, and of equally near centroids the lowest number wins.
//!
//! ```
//! use lethe_cluster::{Distance, KMeans, Points, assign, cumulative};
//! use lethe_compute::Job;
//!
//! // Four histograms of three bins, and how often each occurs.
//! let histograms = [[9u32, 1, 0], [8, 2, 0], [0, 3, 7], [1, 1, 8]];
//! let weights = [5, 1, 2, 2];
//! let values: Vec<f32> = histograms.iter().flat_map(|h| cumulative(h)).collect();
//! let points = Points::new(&values, 3)?;
//! let job = Job::default();
//!
//! let fit = KMeans { distance: Distance::L1, ..KMeans::new(2) }.fit(points, &weights, job)?;
//! assert_eq!(fit.labels[0], fit.labels[1]);
//! assert_eq!(fit.labels[2], fit.labels[3]);
//! assert!(fit.converged);
//!
//! // Another histogram joins the first two.
//! let other: Vec<f32> = cumulative(&[7u32, 3, 0]).collect();
//! let centroids = Points::new(&fit.centroids, 3)?;
//! let other = Points::new(&other, 3)?;
//! assert_eq!(assign(other, centroids, Distance::L1, job)?, [fit.labels[0]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(unsafe_code)]

mod agreement;
mod assign;
mod blocks;
mod distance;
mod error;
mod kmeans;
mod line;
mod norm;
mod points;
mod random;
mod sample;
mod ward;

pub use agreement::Contingency;
pub use assign::assign;
pub use distance::{Distance, cumulative};
pub use error::ClusterError;
pub use kmeans::{Clustering, KMeans};
pub use line::{Costs, Intervals, equal_mass_intervals, optimal_intervals};
pub use points::{MAX_COORDINATE, Points, PointsError};
pub use random::hash;
pub use sample::{Sample, sample};
pub use ward::{Hierarchy, Nested, ward};
