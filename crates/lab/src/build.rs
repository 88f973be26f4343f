//! Clustering inside a game: the situations that can occur under its root, each with its weight.
//!
//! The features are those of the whole abstraction's methods and so are the clusterers; only the
//! boards are fewer. A situation weighs as many runouts as lead to its board: under uniform ranges
//! every hole of a board is as likely as any other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use lethe_abstraction::BuildError;
use lethe_abstraction::features::{
    LEVELS, Opponents, bin, river_histograms, squared_equities, squared_scale, texture,
    turn_histograms,
};
use lethe_abstraction::method::{self, Horizon, Split, Strength};
use lethe_cards::vs_random::{equity_scale, flop_row, river_row, turn_row};
use lethe_cards::{CanonicalBoard, Deck, Situation, Street};
use lethe_cluster::{
    Distance, KMeans, KMeansError, LineError, Points, equal_mass_intervals, optimal_intervals,
};
use lethe_compute::Job;
use rayon::prelude::*;

use crate::buckets::{GameBuckets, StreetBuckets};
use crate::recipe::{Recipe, Way};
use crate::root::Root;

/// Iterations of k-means at most, as in the presets of whole abstractions.
pub const KMEANS_ITERATIONS: usize = 100;

/// Makes the buckets of games; keeps what several games share.
#[derive(Debug, Default)]
pub struct Builder {
    /// The clusters of opponents by number and seed: they are the same for every board.
    opponents: Mutex<HashMap<(usize, u64), Arc<Opponents>>>,
}

/// Why no buckets could be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// No buckets were asked for.
    #[error("at least one bucket a street is needed; 0 were asked for")]
    NoBuckets,
    /// Opponents could not be clustered.
    #[error(transparent)]
    Opponents(#[from] BuildError),
    /// Features could not be clustered.
    #[error(transparent)]
    KMeans(#[from] KMeansError),
    /// Numbers could not be cut.
    #[error(transparent)]
    Line(#[from] LineError),
}

type Boards = [(CanonicalBoard, u64)];
/// A number for each slot of each board.
type Rows = Vec<Vec<u32>>;

impl Builder {
    /// The buckets of a game by a recipe: at most so many on each street, and fewer where fewer
    /// situations can be told apart.
    ///
    /// # Errors
    /// If no buckets are asked for.
    pub fn build(
        &self,
        root: &Root,
        recipe: &Recipe,
        buckets: usize,
        seed: u64,
    ) -> Result<GameBuckets, ClusterError> {
        if buckets == 0 {
            return Err(ClusterError::NoBuckets);
        }
        GameBuckets::build(root, |street| {
            let boards = root.boards(street);
            let rows = self.street(street, &boards, recipe.way(street), buckets, seed)?;
            Ok(StreetBuckets::new(&boards, rows))
        })
    }

    fn street(
        &self,
        street: Street,
        boards: &Boards,
        way: Way,
        buckets: usize,
        seed: u64,
    ) -> Result<Rows, ClusterError> {
        let optimum = Split::Kmeans;
        match way {
            Way::Scalar { feature, split } => {
                cut(boards, &scalars(street, boards, feature), split, buckets)
            }
            // Nothing follows the river: its feature is the equity itself.
            Way::Histogram { .. } if street == Street::River => {
                cut(boards, &scalars(street, boards, Strength::Ehs), optimum, buckets)
            }
            Way::Histogram { bins, distance, horizon } => {
                let features = histograms(street, boards, bins, horizon);
                let distance = match distance {
                    method::Distance::CdfL2 => Distance::SquaredL2,
                    method::Distance::Emd => Distance::L1,
                };
                cluster(boards, &features, distance, buckets, seed)
            }
            Way::Ochs { clusters } => {
                let opponents = self.opponents(clusters, seed)?;
                let features = against(boards, &opponents);
                cluster(boards, &features, Distance::SquaredL2, buckets, seed)
            }
            Way::Texture { clusters } => textures(street, boards, clusters, buckets, seed),
            Way::Classes => Ok(each(boards, |board| {
                board.deck().holes().map(|hole| hole.class().index() as u32).collect()
            })),
            Way::Random => Ok(situations(boards, |situation| {
                (mix(mix(seed) ^ situation as u64) % buckets as u64) as u32
            })),
            Way::Lossless => Ok(situations(boards, |situation| situation as u32)),
        }
    }

    fn opponents(&self, clusters: usize, seed: u64) -> Result<Arc<Opponents>, ClusterError> {
        let mut known = self.opponents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(&(clusters, seed)) {
            return Ok(found.clone());
        }
        let made = Arc::new(Opponents::cluster(clusters, seed, Job::default())?);
        known.insert((clusters, seed), made.clone());
        Ok(made)
    }
}

/// What `row` makes of each board.
fn each<T: Send>(boards: &Boards, row: impl Fn(CanonicalBoard) -> T + Sync) -> Vec<T> {
    boards.par_iter().map(|&(board, _)| row(board)).collect()
}

/// What `number` makes of the index of each slot's situation, the same for situations alike.
fn situations(boards: &Boards, number: impl Fn(usize) -> u32 + Sync) -> Rows {
    each(boards, |board| {
        let of = |hole| Situation::of(hole, &board.board()).expect("a hole of the board's deck").0;
        board.deck().holes().map(|hole| number(of(hole).index())).collect()
    })
}

/// Scatters the bits of a number (the finalizer of SplitMix64).
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The exact equities of a board's holes.
fn equities(board: CanonicalBoard) -> Vec<u32> {
    let street = board.street();
    let mut row = vec![0; Deck::row_len(street)];
    match street {
        Street::Flop => {
            flop_row(board.set(), &mut row, |turn, row| turn_row(turn.set(), row));
        }
        Street::Turn => turn_row(board.set(), &mut row),
        _ => {
            let mut narrow = vec![0u16; row.len()];
            river_row(board.set(), &mut narrow);
            row.iter_mut().zip(narrow).for_each(|(entry, q)| *entry = q.into());
        }
    }
    row
}

/// One number for each slot; before the river rounded down to [`LEVELS`].
fn scalars(street: Street, boards: &Boards, feature: Strength) -> Rows {
    let level = |value: u32, scale: u64| (u64::from(value) * LEVELS / scale) as u32;
    each(boards, |board| {
        let mut row = equities(board);
        let scale = match (street, feature) {
            // A river has one equity, and its square has the same order.
            (Street::River, Strength::Ehs) => return row,
            (Street::River, Strength::Ehs2) => {
                row.iter_mut().for_each(|q| *q *= *q);
                return row;
            }
            (_, Strength::Ehs) => u64::from(equity_scale(street)),
            (_, Strength::Ehs2) => {
                squared_equities(board.set(), &mut row);
                squared_scale(street)
            }
        };
        row.iter_mut().for_each(|value| *value = level(*value, scale));
        row
    })
}

/// Cuts numbers into intervals.
fn cut(boards: &Boards, rows: &Rows, split: Split, buckets: usize) -> Result<Rows, ClusterError> {
    let mut weights: HashMap<u32, u64> = HashMap::new();
    for (row, &(_, weight)) in rows.iter().zip(boards) {
        for &value in row {
            *weights.entry(value).or_default() += weight;
        }
    }
    let mut values: Vec<(i64, u64)> = weights.into_iter().map(|(v, w)| (v.into(), w)).collect();
    values.sort_unstable();
    let (values, weights): (Vec<i64>, Vec<u64>) = values.into_iter().unzip();
    let buckets = buckets.min(values.len());
    let intervals = match split {
        Split::Kmeans => optimal_intervals(&values, &weights, buckets),
        Split::Percentile => equal_mass_intervals(&values, &weights, buckets),
    }?;
    let labels = intervals.labels();
    let label =
        |value: u32| labels[values.binary_search(&value.into()).expect("every value was counted")];
    let row = |row: &Vec<u32>| row.iter().map(|&value| label(value)).collect();
    Ok(rows.par_iter().map(row).collect())
}

/// Features of the slots of each board: the distinct ones of a board, and which each slot has.
struct Features {
    dim: usize,
    boards: Vec<(Vec<f32>, Vec<u32>)>,
}

fn histograms(street: Street, boards: &Boards, bins: usize, horizon: Horizon) -> Features {
    let dim = bins - 1;
    let next = street == Street::Flop && horizon == Horizon::Next;
    let row = |board: CanonicalBoard| {
        let mut counts = vec![0u16; Deck::row_len(street) * (bins + 1)];
        if next {
            let turns = turn_bins(board, bins);
            turn_histograms(board.set(), bins, |turn| &turns[&turn][..], &mut counts);
        } else {
            river_histograms(board.set(), bins, &mut counts);
        }
        // Running sums; the last one is the same for all and left out.
        let sums = counts.chunks_exact(bins + 1).flat_map(|counts| {
            counts[..dim].iter().scan(0u32, |sum, &n| {
                *sum += u32::from(n);
                Some(*sum as f32)
            })
        });
        (sums.collect(), (0..Deck::row_len(street) as u32).collect())
    };
    Features { dim, boards: each(boards, row) }
}

/// The bins of the equities on each turn that can follow a flop.
fn turn_bins(flop: CanonicalBoard, bins: usize) -> HashMap<CanonicalBoard, Vec<u8>> {
    let root = Root::new(flop.board(), 1.0).expect("a flop is a root");
    let scale = equity_scale(Street::Turn);
    let turns = root.boards(Street::Turn);
    let binned = |&(turn, _): &(CanonicalBoard, u64)| {
        (turn, equities(turn).into_iter().map(|q| bin(q, scale, bins) as u8).collect())
    };
    turns.par_iter().map(binned).collect()
}

fn against(boards: &Boards, opponents: &Opponents) -> Features {
    let row = |board: CanonicalBoard| {
        let features = opponents.features(board);
        (features.points, features.ids)
    };
    Features { dim: opponents.clusters(), boards: each(boards, row) }
}

/// Clusters features by k-means; each its own bucket if they are no more than buckets.
fn cluster(
    boards: &Boards,
    features: &Features,
    distance: Distance,
    buckets: usize,
    seed: u64,
) -> Result<Rows, ClusterError> {
    let dim = features.dim;
    let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
    let (mut values, mut weights) = (Vec::new(), Vec::new());
    let mut rows: Rows = Vec::with_capacity(boards.len());
    for ((points, ids), &(_, weight)) in features.boards.iter().zip(boards) {
        let mut number = |point: &[f32]| {
            let bits = point.iter().map(|x| x.to_bits()).collect();
            *numbers.entry(bits).or_insert_with(|| {
                values.extend_from_slice(point);
                weights.push(0);
                weights.len() as u32 - 1
            })
        };
        let known: Vec<u32> = points.chunks_exact(dim).map(&mut number).collect();
        let row: Vec<u32> = ids.iter().map(|&id| known[id as usize]).collect();
        row.iter().for_each(|&point| weights[point as usize] += weight);
        rows.push(row);
    }
    if buckets >= weights.len() {
        return Ok(rows);
    }
    let points = Points::new(&values, dim).expect("features are finite and whole");
    let kmeans =
        KMeans { distance, max_iterations: KMEANS_ITERATIONS, seed, ..KMeans::new(buckets) };
    let labels = kmeans.fit(points, &weights)?.labels;
    for bucket in rows.iter_mut().flatten() {
        *bucket = labels[*bucket as usize];
    }
    Ok(rows)
}

/// Clusters boards by texture, and cuts the equities of each cluster into equal shares.
fn textures(
    street: Street,
    boards: &Boards,
    clusters: Option<usize>,
    buckets: usize,
    seed: u64,
) -> Result<Rows, ClusterError> {
    // The boards of a street as the only slots of one row each.
    let points = each(boards, |board| (texture(board.set()).to_vec(), vec![0]));
    let features = Features { dim: texture(boards[0].0.set()).len(), boards: points };
    let clusters = clusters.unwrap_or(buckets.isqrt()).min(buckets);
    let labels = cluster(boards, &features, Distance::SquaredL2, clusters, seed)?;
    let labels: Vec<u32> = labels.into_iter().flatten().collect();
    let count = labels.iter().max().map_or(0, |&most| most as usize + 1);
    let equities = scalars(street, boards, Strength::Ehs);
    let mut rows: Rows = vec![Vec::new(); boards.len()];
    for label in 0..count {
        let members: Vec<usize> =
            (0..boards.len()).filter(|&at| labels[at] as usize == label).collect();
        let some: Vec<_> = members.iter().map(|&at| boards[at]).collect();
        let values: Rows = members.iter().map(|&at| equities[at].clone()).collect();
        let cut = cut(&some, &values, Split::Percentile, buckets / count)?;
        let first = (label * (buckets / count)) as u32;
        for (&at, row) in members.iter().zip(cut) {
            rows[at] = row.into_iter().map(|bucket| first + bucket).collect();
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use lethe_solver::Buckets;

    use super::*;

    const ALL: [&str; 14] = [
        "percentile",
        "ehs",
        "ehs2",
        "ehs2-percentile",
        "histogram10",
        "histogram20-emd",
        "histogram10-river",
        "histogram10+ochs8",
        "percentile+ochs4",
        "texture",
        "texture3",
        "classes",
        "random",
        "lossless",
    ];

    fn build(root: &str, recipe: &str, buckets: usize, seed: u64) -> GameBuckets {
        // Opponents are clustered once for all tests.
        static BUILDER: LazyLock<Builder> = LazyLock::new(Builder::default);
        let (root, recipe) = (root.parse().unwrap(), recipe.parse().unwrap());
        BUILDER.build(&root, &recipe, buckets, seed).unwrap()
    }

    #[test]
    fn no_method_makes_more_buckets_than_asked_for() {
        for name in ALL {
            for buckets in [1, 7, 49] {
                let made = build("Ks7h2d9s", name, buckets, 0).occurring();
                let fixed = ["classes", "lossless"].contains(&name);
                assert!(fixed || made.turn <= buckets, "{name}: {made:?}");
                assert!(fixed || made.river <= buckets, "{name}: {made:?}");
                assert_eq!(made.flop, 0);
            }
        }
        // All are used where there is enough to tell apart.
        for name in ["percentile", "ehs", "histogram10", "percentile+ochs8"] {
            assert_eq!(build("Ks7h2d9s", name, 49, 0).occurring().river, 49, "{name}");
        }
    }

    #[test]
    fn the_same_seed_makes_the_same_buckets_and_suit_names_do_not_matter() {
        let rows = |root: &str, name: &str| {
            let made = build(root, name, 30, 5);
            let root: Root = root.parse().unwrap();
            let boards = root.boards(Street::River);
            let row = |(board, _): &(CanonicalBoard, u64)| made.row(&board.board()).to_vec();
            boards.iter().map(row).collect::<Vec<_>>()
        };
        for name in ALL {
            let once = rows("Ks7h2d9s", name);
            assert_eq!(once, rows("Ks7h2d9s", name), "{name}");
            assert_eq!(once, rows("Kd7c2h9d", name), "{name}");
        }
    }

    #[test]
    fn situations_alike_share_a_bucket_whatever_the_method() {
        // Hearts and diamonds are alike.
        let board = "KsKc7s".parse::<lethe_cards::Board>().unwrap();
        let holes = ["AhAs", "AdAs"].map(|text| text.parse().unwrap());
        for name in ALL.into_iter().filter(|name| *name != "lossless") {
            let made = build("KsKc7s", name, 20, 1);
            let [first, second] = holes.map(|hole| made.of(hole, &board));
            assert_eq!(first, second, "{name}");
        }
    }

    #[test]
    fn no_buckets_are_refused() {
        let root = "Ks7h2d9s".parse().unwrap();
        let error = Builder::default().build(&root, &"ehs".parse().unwrap(), 0, 0).unwrap_err();
        assert_eq!(error.to_string(), "at least one bucket a street is needed; 0 were asked for");
    }
}
