//! Assigning points to given centroids.

use std::marker::PhantomData;

use rayon::prelude::*;

use crate::blocks::{Blocks, Search};
use crate::norm::{Absolutes, FAR, Norm, Squares};
use crate::{ClusterError, Distance, Points};
use lethe_compute::{Job, simd};

/// Points per unit of parallel work.
const CHUNK: usize = 1024;

/// The nearest centroid of each point, the lowest of equally near ones.
///
/// For the points and centroids of a [`Clustering`](crate::Clustering) it gives the labels of that
/// clustering: fitting and assigning compare the same distances, bit for bit
/// ([`Distance::between`]). Use it for points that took no part in the fit. It measures every pair,
/// eight centroids at a time.
pub fn assign(
    points: Points<'_>,
    centroids: Points<'_>,
    distance: Distance,
    job: Job<'_>,
) -> Result<Vec<u32>, ClusterError> {
    if centroids.is_empty() {
        return Err(ClusterError::NoCentroids);
    }
    if points.dim() != centroids.dim() {
        let (points, centroids) = (points.dim(), centroids.dim());
        return Err(ClusterError::Dimensions { points, centroids });
    }
    let labels = job.install(|| match distance {
        Distance::SquaredL2 => nearest::<Squares>(points, centroids, job),
        Distance::L1 => nearest::<Absolutes>(points, centroids, job),
    });
    job.check()?;
    Ok(labels)
}

/// The labels; those after a cancellation are zero.
fn nearest<N: Norm>(points: Points<'_>, centroids: Points<'_>, job: Job<'_>) -> Vec<u32> {
    let dim = points.dim();
    let blocks = Blocks::from_rows(centroids.values(), dim);
    let gaps = vec![0.0; blocks.count()];
    let (members, reach): (Vec<u32>, _) = ((0..CHUNK as u32).collect(), [FAR; CHUNK]);
    let mut labels = vec![0u32; points.len()];
    labels.par_chunks_mut(CHUNK).zip(points.values().par_chunks(CHUNK * dim)).for_each_init(
        Vec::new,
        |out, (labels, values)| {
            if job.cancelled() {
                return;
            }
            simd::run(Search {
                values,
                members: &members[..labels.len()],
                reach: &reach,
                blocks: &blocks,
                gaps: &gaps,
                out,
                norm: PhantomData::<N>,
            });
            for (label, found) in labels.iter_mut().zip(&*out) {
                *label = found.id;
            }
        },
    );
    labels
}
