//! Clusters of boards by texture.

use std::collections::HashMap;
use std::ops::ControlFlow;

use lethe_cards::{CanonicalBoard, Street};
use lethe_cluster::{Distance, Points};
use rayon::prelude::*;

use crate::error::BuildError;
use crate::plan::Plan;
use lethe_compute::Job;

use super::describe::Portrait;
use super::features::{FEATURES, Texture};

/// The canonical boards of a street in clusters of like texture.
///
/// Clusters are numbered so that a list of them reads in order: by the suit pattern, then by the
/// pairing that most of their boards have, then by mean rank, low boards first.
pub(super) struct BoardClusters {
    pub(super) street: Street,
    /// The cluster of each canonical board, by its index.
    pub(super) labels: Vec<u32>,
    /// The boards of each cluster, nearest the centroid first, ties by index.
    pub(super) members: Vec<Vec<CanonicalBoard>>,
    pub(super) iterations: usize,
    pub(super) converged: bool,
    /// The sum of squared distances of boards to their centroid, weighted by raw boards.
    pub(super) inertia: f64,
}

impl BoardClusters {
    /// Clusters the boards of a street.
    ///
    /// # Errors
    /// If there are more clusters than textures that differ, or none, or on cancellation.
    pub(super) fn fit(
        street: Street,
        plan: &Plan,
        clusters: usize,
        job: Job<'_>,
    ) -> Result<BoardClusters, BuildError> {
        let boards: Vec<CanonicalBoard> = CanonicalBoard::all(street).collect();
        let features: Vec<[f32; FEATURES]> =
            boards.par_iter().map(|board| Texture::of(board.set()).features()).collect();

        // Boards of one texture are one point, in the order in which they first occur.
        let mut numbers: HashMap<[u32; FEATURES], u32> = HashMap::new();
        let (mut values, mut weights) = (Vec::new(), Vec::new());
        let mut points = Vec::with_capacity(boards.len());
        for (board, vector) in boards.iter().zip(&features) {
            let point = *numbers.entry(vector.map(f32::to_bits)).or_insert_with(|| {
                values.extend_from_slice(vector);
                weights.push(0);
                weights.len() as u32 - 1
            });
            weights[point as usize] += u64::from(board.multiplicity());
            points.push(point);
        }
        let distinct = weights.len();
        if clusters > distinct {
            return Err(BuildError::TooManyClusters { street, wanted: clusters, distinct });
        }

        let most = plan.kmeans().iterations();
        job.begin(&format!("{street} board clusters"), most);
        let kmeans = plan.kmeans().kmeans(clusters, Distance::SquaredL2);
        let coordinates = Points::new(&values, FEATURES).expect("features are small numbers");
        let fit = kmeans
            .fit_watched(coordinates, &weights, &|_| {
                job.advance(1);
                if job.cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .map_err(|error| BuildError::kmeans(street, error))?;

        let mut members: Vec<Vec<(f32, CanonicalBoard)>> = vec![Vec::new(); clusters];
        for ((&board, vector), &point) in boards.iter().zip(&features).zip(&points) {
            let label = fit.labels[point as usize] as usize;
            let distance = Distance::SquaredL2.between(vector, fit.centroid(label));
            members[label].push((distance, board));
        }
        let mut members: Vec<Vec<CanonicalBoard>> = members
            .into_par_iter()
            .map(|mut boards| {
                // Stable, and the boards come in the order of their index.
                boards.sort_by(|a, b| a.0.total_cmp(&b.0));
                boards.into_iter().map(|(_, board)| board).collect()
            })
            .collect();
        members.sort_by_cached_key(|boards| {
            let portrait = Portrait::of(boards);
            (portrait.suits(), portrait.pairing(), portrait.mean_rank(), boards[0].index())
        });
        let mut labels = vec![0; boards.len()];
        for (label, boards) in (0..).zip(&members) {
            boards.iter().for_each(|board| labels[board.index()] = label);
        }
        Ok(BoardClusters {
            street,
            labels,
            members,
            iterations: fit.iterations,
            converged: fit.converged,
            inertia: fit.inertia,
        })
    }

    /// How many clusters there are.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }
}
