//! Clusters of boards by texture.

use std::collections::HashMap;

use lethe_cards::CanonicalBoard;
use lethe_cluster::{Distance, Points};
use rayon::prelude::*;

use crate::error::BuildError;
use crate::methods::{Context, Fit};

use super::describe::Portrait;
use super::features::{FEATURES, Texture};

/// Boards in clusters of like texture.
///
/// Clusters are numbered so that a list of them reads in order: by the suit pattern, then by the
/// pairing that most of their boards have, then by mean rank, low boards first.
pub(super) struct BoardClusters {
    /// The cluster of each board, by its position in the set.
    pub(super) labels: Vec<u32>,
    /// The positions of the boards of each cluster, nearest the centroid first, ties by position.
    pub(super) members: Vec<Vec<usize>>,
    pub(super) fit: Fit,
}

impl BoardClusters {
    /// Clusters boards: into as many clusters as there are textures if these are fewer, unless it is
    /// for all boards.
    pub(super) fn fit(clusters: usize, cx: &Context<'_>) -> Result<BoardClusters, BuildError> {
        let (street, job) = (cx.street(), cx.job);
        let boards: Vec<CanonicalBoard> = cx.boards.iter().map(|(board, _)| board).collect();
        let features: Vec<[f32; FEATURES]> =
            boards.par_iter().map(|board| Texture::of(board.set()).features()).collect();

        // Boards of one texture are one point, in the order in which they first occur.
        let mut numbers: HashMap<[u32; FEATURES], u32> = HashMap::new();
        let (mut values, mut weights) = (Vec::new(), Vec::new());
        let mut points = Vec::with_capacity(boards.len());
        for ((_, weight), vector) in cx.boards.iter().zip(&features) {
            let point = *numbers.entry(vector.map(f32::to_bits)).or_insert_with(|| {
                values.extend_from_slice(vector);
                weights.push(0);
                weights.len() as u32 - 1
            });
            weights[point as usize] += weight;
            points.push(point);
        }
        let distinct = weights.len();
        if clusters > distinct && cx.domain.is_whole() {
            return Err(BuildError::TooManyClusters { street, wanted: clusters, distinct });
        }
        let clusters = clusters.min(distinct);

        job.begin(&format!("{street} board clusters"), cx.kmeans.iterations());
        let kmeans = cx.kmeans.kmeans(clusters, Distance::SquaredL2);
        let coordinates = Points::new(&values, FEATURES).expect("features are small numbers");
        let fit = kmeans.fit(coordinates, &weights, job);
        let fit = fit.map_err(|error| BuildError::cluster(street, error))?;

        let mut members: Vec<Vec<(f32, usize)>> = vec![Vec::new(); clusters];
        for (position, (vector, &point)) in features.iter().zip(&points).enumerate() {
            let label = fit.labels[point as usize] as usize;
            let distance = Distance::SquaredL2.between(vector, fit.centroid(label));
            members[label].push((distance, position));
        }
        let mut members: Vec<Vec<usize>> = members
            .into_par_iter()
            .map(|mut boards| {
                // Stable, and the boards come in the order of their positions.
                boards.sort_by(|a, b| a.0.total_cmp(&b.0));
                boards.into_iter().map(|(_, position)| position).collect()
            })
            .collect();
        members.sort_by_cached_key(|members| {
            let portrait = Portrait::of(cx.boards, members);
            (portrait.suits(), portrait.pairing(), portrait.mean_rank(), members[0])
        });
        let mut labels = vec![0; boards.len()];
        for (label, members) in (0..).zip(&members) {
            members.iter().for_each(|&position| labels[position] = label);
        }
        Ok(BoardClusters { labels, members, fit: Fit::of(&fit, distinct) })
    }

    /// The number of clusters.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }
}
