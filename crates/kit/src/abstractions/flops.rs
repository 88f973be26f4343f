//! Clusters of flops: made from a blueprint, and described.

use lethe_abstraction::{FlopClusters, FlopTable};
use lethe_blueprint::{Exact, FlopProfiles, Grouping, ValueKind, VerifiedBlueprint};
use lethe_cards::{CanonicalBoard, Street};
use lethe_compute::Job;
use serde::Serialize;

use super::Streets;
use crate::error::Error;
use crate::text::{or_dash, percent, thousands};

/// Flops shown of each cluster.
const SHOWN: usize = 5;
/// All flops, counting suits.
const FLOPS: f64 = 22_100.0;

/// How flops are clustered by what hands win on them.
#[derive(Clone, Copy, Debug)]
pub struct FlopFeatures {
    /// Which values.
    pub kind: ValueKind,
    /// How hands are put together.
    pub grouping: Grouping,
}

/// Clusters of flops with what is to be said of them.
#[derive(Clone, Debug, Serialize)]
pub struct FlopClustersView {
    /// The number of clusters.
    pub count: usize,
    /// The clusters that flop, turn and river distinguish.
    pub streets: Streets<usize>,
    /// The share of the features' variance that lies between clusters, with one cluster, with two, and
    /// so on, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<Vec<f64>>,
    /// The clusters.
    pub clusters: Vec<FlopClusterView>,
}

/// A cluster of flops.
#[derive(Clone, Debug, Serialize)]
pub struct FlopClusterView {
    /// Its number.
    pub cluster: usize,
    /// The cluster that it is part of where there are only as many clusters as its number.
    pub parent: Option<usize>,
    /// Its flops, up to the names of suits.
    pub flops: usize,
    /// Its share of all deals.
    pub share: f64,
    /// The share of its deals with a pair or trips.
    pub paired: f64,
    /// The share of its deals with cards of three suits.
    pub rainbow: f64,
    /// The share of its deals with cards of one suit.
    pub monotone: f64,
    /// Some of its flops, spread over all of them from low to high.
    pub examples: Vec<String>,
}

impl FlopClustersView {
    /// Describes clusters, and if their table is there what they explain.
    pub fn of(clusters: &FlopClusters, table: Option<&FlopTable>) -> FlopClustersView {
        let flops = clusters.flops(clusters.count());
        let view = |(cluster, flops): (usize, &Vec<CanonicalBoard>)| {
            FlopClusterView::of(cluster, clusters.parent(cluster), flops)
        };
        FlopClustersView {
            count: clusters.count(),
            streets: Street::POSTFLOP
                .map(|street| (street, clusters.on(street)))
                .into_iter()
                .collect(),
            explained: table.map(|table| table.explained().to_vec()),
            clusters: flops.iter().enumerate().map(view).collect(),
        }
    }

    /// The clusters as a table: its headings and rows.
    pub fn table(&self) -> ([&'static str; 8], Vec<Vec<String>>) {
        let row = |cluster: &FlopClusterView| {
            let mut cells = vec![
                cluster.cluster.to_string(),
                or_dash(cluster.parent, |parent| parent.to_string()),
                cluster.flops.to_string(),
            ];
            let shares = [cluster.share, cluster.paired, cluster.rainbow, cluster.monotone];
            cells.extend(shares.map(|share| percent(share, 1)));
            cells.push(cluster.examples.join(" "));
            cells
        };
        let headings =
            ["cluster", "part of", "flops", "deals", "paired", "rainbow", "monotone", "such as"];
        (headings, self.clusters.iter().map(row).collect())
    }
}

impl FlopClusterView {
    fn of(cluster: usize, parent: Option<usize>, flops: &[CanonicalBoard]) -> FlopClusterView {
        let deals = |wanted: &dyn Fn(&CanonicalBoard) -> bool| {
            let wanted = flops.iter().filter(|&flop| wanted(flop));
            f64::from(wanted.map(|flop| flop.multiplicity()).sum::<u32>())
        };
        let all = deals(&|_| true);
        let ranks = |flop: &CanonicalBoard| {
            flop.set().lanes().into_iter().fold(0, |all, lane| all | lane).count_ones()
        };
        let suits = |flop: &CanonicalBoard| {
            flop.set().lanes().into_iter().filter(|&lane| lane != 0).count()
        };
        let shown = SHOWN.min(flops.len());
        // The middle of each of as many equal parts.
        let example = |n: usize| flops[(2 * n + 1) * flops.len() / (2 * shown)].to_string();
        FlopClusterView {
            cluster,
            parent,
            flops: flops.len(),
            share: all / FLOPS,
            paired: deals(&|flop| ranks(flop) < 3) / all,
            rainbow: deals(&|flop| suits(flop) == 3) / all,
            monotone: deals(&|flop| suits(flop) == 1) / all,
            examples: (0..shown).map(example).collect(),
        }
    }
}

impl FlopFeatures {
    /// The options that the command takes for it.
    fn options(self) -> String {
        let kind = match self.kind {
            ValueKind::Own => "own",
            ValueKind::Best => "best",
            ValueKind::Both => "both",
            ValueKind::Gain => "gain",
        };
        let grouping = match self.grouping {
            Grouping::Class => "class",
            Grouping::Strength => "strength",
        };
        format!("--features {kind} --by {grouping}")
    }
}

/// What hands win on every flop with a blueprint and with best responses to it, which takes as long
/// as its exact exploitability.
///
/// # Errors
/// If the blueprint's game ends before the flop, or on cancellation.
pub fn flop_profiles(
    blueprint: &VerifiedBlueprint<'_>,
    job: Job<'_>,
) -> Result<FlopProfiles, Error> {
    let exact = Exact { plan: blueprint.plan(), buckets: blueprint.buckets(), weights: blueprint };
    if exact.lines() == 0 {
        return Err(Error::question(
            "the blueprint's game ends before the flop: there is nothing to cluster flops by",
        ));
    }
    Ok(exact.flop_profiles(job)?)
}

/// Clusters flops by their profiles in a blueprint.
pub fn cluster_flops(
    blueprint: &VerifiedBlueprint<'_>,
    profiles: &FlopProfiles,
    features: FlopFeatures,
    count: usize,
    job: Job<'_>,
) -> Result<FlopTable, Error> {
    let header = blueprint.header();
    let cards = header.abstraction.as_ref().map_or("no abstraction", |cards| &cards.name);
    let made_by = format!(
        "lethe cluster-flops RUN --clusters {count} {}, where RUN has {} iterations of game {} on {cards}",
        features.options(),
        thousands(header.reached.iterations),
        header.game_hash,
    );
    let values = profiles.features(features.kind, features.grouping);
    Ok(FlopTable::ward(&values, count, made_by, job)?)
}
