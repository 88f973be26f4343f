//! The whole method, on the flop.

use std::collections::BTreeMap;

use lethe_cards::vs_random::{equity_scale, flop_row, turn_row};
use lethe_cards::{Board, CanonicalBoard, Deck, Situation, Street, evaluate};

use super::*;
use crate::boards::Domain;
use crate::equities::Equities;
use crate::methods::OpponentCache;
use crate::plan::KMeansSettings;
use lethe_compute::Job;

/// The strength of the hand made on the flop in place of its equity: as much as most tests need,
/// in a moment.
fn made_hands() -> Vec<u32> {
    let mut row = Vec::with_capacity(Situation::slots(Street::Flop));
    for board in CanonicalBoard::all(Street::Flop) {
        let strength = |hole: lethe_cards::Hole| evaluate(board.set() | hole.set()).index() as u32;
        row.extend(board.deck().holes().map(|hole| strength(hole) * 570));
    }
    row
}

/// A build of the flop by these equities.
fn built(
    clusters: usize,
    sampled: Option<Sampling>,
    buckets: usize,
    equities: &[u32],
    seed: u64,
    job: Job<'_>,
) -> Result<BuiltStreet, BuildError> {
    let equities = Equities { flop: equities.to_vec(), turn: Vec::new() };
    let domain = Domain::with_equities_of(equities);
    let cx = Context {
        boards: domain.boards(Street::Flop).unwrap(),
        domain: &domain,
        kmeans: KMeansSettings { max_iterations: 50, restarts: 1, seed },
        opponents: &OpponentCache::default(),
        job,
    };
    build(clusters, sampled, buckets, &cx)
}

fn flop(
    clusters: usize,
    sampled: Option<Sampling>,
    buckets: usize,
    equities: &[u32],
) -> BuiltStreet {
    built(clusters, sampled, buckets, equities, 1, Job::default()).unwrap()
}

#[test]
fn hands_are_ranked_by_equity_inside_their_cluster() {
    let equities = made_hands();
    let (clusters, buckets) = (20, 12);
    let built = flop(clusters, None, buckets, &equities);
    let Stored::Dense(table) = &built.stored else { panic!("a dense table") };
    let report = &built.report;

    let mut ranges: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    let mut cluster_of_board = vec![None; CanonicalBoard::count(Street::Flop)];
    for (slot, &equity) in equities.iter().enumerate() {
        let bucket = table.view().get(slot);
        let range = ranges.entry(bucket).or_insert((equity, equity));
        *range = (range.0.min(equity), range.1.max(equity));
        let cluster = bucket / buckets as u32;
        let board = slot / Deck::row_len(Street::Flop);
        assert_eq!(*cluster_of_board[board].get_or_insert(cluster), cluster);
    }
    let ranges: Vec<(u32, (u32, u32))> = ranges.into_iter().collect();
    for pair in ranges.windows(2) {
        let same_cluster = pair[0].0 / buckets as u32 == pair[1].0 / buckets as u32;
        assert!(!same_cluster || pair[0].1.1 < pair[1].1.0, "{pair:?}");
    }

    assert_eq!(report.sizes.iter().sum::<u64>(), 22_100 * 1_176);
    assert_eq!(report.buckets, clusters * buckets);
    assert_eq!(report.quality.empty_buckets as usize, clusters * buckets - ranges.len());
    assert_eq!(report.quality.asymmetric_slots, 0);
    assert_eq!(report.quality.fallback, 0.0);
    assert!(report.quality.variance_explained > 0.9);
    assert_eq!(report.clusters.iter().map(|cluster| cluster.boards).sum::<u64>(), 1_755);
    assert_eq!(report.clusters.iter().map(|cluster| cluster.weight).sum::<u64>(), 22_100);
    for (cluster, told) in (0..).zip(&report.clusters) {
        let (typical, _) = CanonicalBoard::of(&told.typical.parse::<Board>().unwrap());
        assert_eq!(cluster_of_board[typical.index()], Some(cluster));
    }
}

#[test]
fn a_cluster_of_few_equities_leaves_its_last_buckets_empty() {
    let equities: Vec<u32> = made_hands().into_iter().map(|equity| equity / 1_500_000).collect();
    let built = flop(3, None, 40, &equities);
    let filled = built.report.sizes.iter().filter(|&&size| size > 0).count() as u64;
    assert_eq!(filled, built.report.distinct);
    assert_eq!(built.report.quality.empty_buckets, 3 * 40 - filled);
    assert_eq!(built.report.quality.variance_explained, 1.0);
    for cluster in built.report.sizes.chunks(40) {
        assert!(cluster.is_sorted_by_key(|&size| size == 0), "{cluster:?}");
    }
}

#[test]
fn fallbacks_are_those_of_every_situation_without_an_entry() {
    let equities = made_hands();
    for representatives in [1, 3] {
        let sampling = Sampling { representatives, equity_samples: 2 };
        let built = flop(25, Some(sampling), 8, &equities);
        let Stored::Sparse(table) = &built.stored else { panic!("a sparse table") };
        let (mut missed, mut deals) = (0u64, 0u64);
        let mut sizes = vec![0; 25 * 8];
        for board in CanonicalBoard::all(Street::Flop) {
            let (public, index) = (board.board(), board.index());
            for hole in board.deck().holes() {
                let (situation, _) = Situation::of(hole, &public).unwrap();
                if situation.hole() == hole {
                    let (bucket, fell) = table.view().get(index, hole);
                    let weight = u64::from(situation.orbit());
                    deals += weight;
                    missed += if fell { weight } else { 0 };
                    sizes[bucket as usize] += weight;
                }
            }
        }
        assert_eq!(deals, 25_989_600);
        assert_eq!(built.report.quality.fallback, missed as f64 / deals as f64);
        assert!(missed > 0);
        assert_eq!(built.report.sizes, sizes);
        assert_eq!(built.report.quality.asymmetric_slots, 0);
        if representatives == 1 {
            // What was seen are the canonical holes of the typical board.
            for (cluster, told) in built.report.clusters.iter().enumerate() {
                let board: Board = told.typical.parse().unwrap();
                let (canonical, _) = CanonicalBoard::of(&board);
                let own = |hole| Situation::of(hole, &canonical.board()).unwrap().0.hole() == hole;
                let deck = canonical.deck();
                let holes = deck.holes().filter(|&hole| own(hole));
                let holes: Vec<u32> = holes.map(|hole| hole.index() as u32).collect();
                let entries = table.starts[cluster] as usize..table.starts[cluster + 1] as usize;
                assert_eq!(table.holes[entries], holes);
            }
        }
    }
}

#[test]
fn sampled_equities_come_near_the_exact_ones() {
    let equities = made_hands();
    let sampling = Sampling { representatives: 1, equity_samples: 200 };
    let built = flop(1, Some(sampling), 2000, &equities);
    let Stored::Sparse(table) = &built.stored else { panic!("a sparse table") };
    // With more buckets than equities that differ, buckets order holes as their equities do.
    let (board, _) =
        CanonicalBoard::of(&built.report.clusters[0].typical.parse::<Board>().unwrap());
    let mut exact = vec![0; Deck::row_len(Street::Flop)];
    flop_row(board.set(), &mut exact, |turn, row| turn_row(turn.set(), row));
    let mut pairs: Vec<(u32, f64)> = Vec::new();
    for (&hole, &bucket) in table.holes.iter().zip(&table.buckets) {
        let slot = board.deck().slot(lethe_cards::Hole::from_index(hole as usize).unwrap());
        let equity = f64::from(exact[slot.unwrap()]) / f64::from(equity_scale(Street::Flop));
        pairs.push((bucket, equity));
    }
    let mean =
        |of: &dyn Fn(&(u32, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64;
    let (x, y) = (mean(&|p| f64::from(p.0)), mean(&|p| p.1));
    let covariance = mean(&|p| (f64::from(p.0) - x) * (p.1 - y));
    let (xx, yy) = (mean(&|p| (f64::from(p.0) - x).powi(2)), mean(&|p| (p.1 - y).powi(2)));
    assert!(covariance / (xx * yy).sqrt() > 0.95);
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let equities = made_hands();
    for sampled in [None, Some(Sampling { representatives: 2, equity_samples: 2 })] {
        let runs = [1, 2, 3].map(|threads| {
            let pool = lethe_compute::Pool::new(threads).unwrap();
            built(30, sampled, 20, &equities, 1, Job::new(&pool)).unwrap()
        });
        for run in &runs[1..] {
            assert_eq!(run.stored, runs[0].stored);
            assert_eq!(run.report, runs[0].report);
        }
    }
}

#[test]
fn more_clusters_than_textures_are_refused() {
    let equities = made_hands();
    let error = built(1_700, None, 10, &equities, 1, Job::default());
    let BuildError::TooManyClusters { street, wanted, distinct } = error.unwrap_err() else {
        panic!("too many clusters")
    };
    assert_eq!((street, wanted), (Street::Flop, 1_700));
    // Three ranks in three suit patterns, a pair in two, three of a kind in one.
    assert_eq!(distinct, 286 * 3 + 156 * 2 + 13);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "computes the exact equity of every flop: release only")]
fn complete_buckets_explain_nearly_all_of_equity_and_sampled_ones_far_less() {
    let equities = Equities::compute(Job::default()).unwrap().flop;
    let complete = flop(50, None, 50, &equities).report.quality;
    let sampling = Sampling { representatives: 1, equity_samples: 1000 };
    let sampled = flop(50, Some(sampling), 50, &equities).report.quality;
    assert!(complete.variance_explained > 0.99, "{complete:?}");
    assert!(sampled.variance_explained < 0.8, "{sampled:?}");
    assert!(sampled.fallback > 0.05, "{sampled:?}");
    assert!(complete.mean_spread < sampled.mean_spread);
}
