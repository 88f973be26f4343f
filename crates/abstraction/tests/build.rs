//! Whole builds: every slot where it belongs, whatever the threads.

use lethe_abstraction::method::{Distance, Horizon, Split, Strength};
use lethe_abstraction::table::{Stored, TableRef};
use lethe_abstraction::{
    BuildError, Builder, Built, Domain, KMeansSettings, Method, PerStreet, Plan, StreetPlan, build,
};
use lethe_cards::equity::all_vs_range;
use lethe_cards::vs_random::{equity_scale, river_row};
use lethe_cards::{Board, CanonicalBoard, Deck, Hole, Range, Situation, Street};
use lethe_compute::{Job, Pool};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

const RAW_DEALS: [u64; 3] = [22_100 * 1_176, 270_725 * 1_128, 2_598_960 * 1_081];

/// A method and its number of buckets.
type Wanted = (Method, usize);

fn histogram(buckets: usize) -> Wanted {
    let method = Method::Histogram { bins: 10, distance: Distance::CdfL2, horizon: Horizon::Next };
    (method, buckets)
}

fn plan(flop: Wanted, turn: Wanted, river: Wanted) -> Plan {
    let street = |street, (method, buckets)| StreetPlan::new(street, method, buckets).unwrap();
    let streets = PerStreet { flop, turn, river }.map(street);
    Plan::new(streets, KMeansSettings { max_iterations: 20, restarts: 1, seed: 7 }).unwrap()
}

fn table(built: &Built, street: Street) -> TableRef<'_> {
    match &built.streets.get(street).unwrap().stored {
        Stored::Dense(table) => table.view(),
        Stored::Sparse(_) => panic!("not a sparse table"),
    }
}

/// The shares of a hole's equities after each next card that lie below each bin's end, computed
/// hand by hand from the weighted sweep.
fn cumulative_shares(board: &Board, hole: Hole, bins: usize) -> Vec<f64> {
    let mut counts = vec![0u32; bins];
    for &card in Deck::without(board.set() | hole.set()).cards() {
        let tally = all_vs_range(&Range::full(), &board.with(card).unwrap())[hole.index()];
        let bin = (2 * tally.wins + tally.ties) * bins as u128 / (2 * tally.total);
        counts[(bin as usize).min(bins - 1)] += 1;
    }
    let total: u32 = counts.iter().sum();
    let sums = counts.iter().scan(0, |sum, n| {
        *sum += n;
        Some(f64::from(*sum) / f64::from(total))
    });
    sums.collect()
}

/// Squared distances to every centroid.
fn distances(centroids: &[Vec<f32>], point: &[f64]) -> Vec<f64> {
    let to = |c: &Vec<f32>| c.iter().zip(point).map(|(&c, p)| (f64::from(c) - p).powi(2)).sum();
    centroids.iter().map(to).collect()
}

#[test]
fn every_slot_lies_with_its_nearest_centroid_and_reports_add_up() {
    let built =
        build(&plan(histogram(100), histogram(120), histogram(150)), Job::default()).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (street, cases) in [(Street::Flop, 3), (Street::Turn, 200)] {
        let report = &built.streets.get(street).unwrap().report;
        for _ in 0..cases {
            let slot = rng.random_range(0..Situation::slots(street));
            let row_len = Deck::row_len(street);
            let board = CanonicalBoard::from_index(street, slot / row_len).unwrap();
            let hole = board.deck().hole(slot % row_len).unwrap();
            let point = cumulative_shares(&board.board(), hole, 10);
            let distances = distances(&report.centroids, &point);
            let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
            let own = distances[table(&built, street).get(slot) as usize];
            assert!(own <= least + 1e-5, "{hole} on {board}: {own} though {least} is near");
        }
    }
    for ((street, built_street), raw) in built.streets.iter().zip(RAW_DEALS) {
        let report = &built_street.report;
        assert_eq!(report.sizes.iter().sum::<u64>(), raw, "{street}");
        assert!(report.equities.is_sorted(), "{street}: buckets are numbered by equity");
        assert_eq!(report.quality.empty_buckets, 0);
        assert_eq!(report.quality.asymmetric_slots, 0);
        assert!(report.quality.variance_explained > 0.99, "{street}");
    }
    let mass = |street| built.streets.get(street).unwrap().report.quality.histogram_mass;
    assert_eq!(mass(Street::Flop), Some([47, 47]));
    assert_eq!(mass(Street::Turn), Some([46, 46]));
    assert_eq!(built.streets.flop.report.distinct, 77_548);
    assert_eq!(built.streets.turn.report.distinct, 137_577);
    assert_eq!(built.streets.river.report.distinct, 1_950);

    river_buckets_are_intervals_of_equity(&built);
    mean_equities_are_those_of_the_slots(&built);
}

fn river_buckets_are_intervals_of_equity(built: &Built) {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut bucket_of = vec![None; 1981];
    let mut row = vec![0u16; Deck::row_len(Street::River)];
    for _ in 0..3_000 {
        let index = rng.random_range(0..CanonicalBoard::count(Street::River));
        let board = CanonicalBoard::from_index(Street::River, index).unwrap();
        river_row(board.set(), &mut row);
        for (slot, &q) in row.iter().enumerate() {
            let bucket = table(built, Street::River).row(Street::River, index).get(slot);
            assert_eq!(*bucket_of[q as usize].get_or_insert(bucket), bucket, "q = {q}");
        }
    }
    let seen: Vec<u32> = bucket_of.into_iter().flatten().collect();
    assert!(seen.len() > 1_500);
    assert!(seen.is_sorted());
}

fn mean_equities_are_those_of_the_slots(built: &Built) {
    let street = Street::Flop;
    let report = &built.streets.flop.report;
    let row_len = Deck::row_len(street);
    let mut sums = vec![(0.0, 0.0); report.buckets];
    for (slot, &equity) in built.equities.flop.iter().enumerate() {
        let board = CanonicalBoard::from_index(street, slot / row_len).unwrap();
        let weight = f64::from(board.multiplicity());
        let sum = &mut sums[table(built, street).get(slot) as usize];
        *sum = (sum.0 + weight, sum.1 + weight * f64::from(equity));
    }
    for ((weight, sum), mean) in sums.into_iter().zip(&report.equities) {
        assert!((sum / weight / f64::from(equity_scale(street)) - mean).abs() < 1e-9);
    }
}

#[test]
fn the_same_plan_gives_the_same_bytes_for_any_number_of_threads() {
    let ehs = Method::Ehs { feature: Strength::Ehs, split: Split::Percentile };
    let plan = plan(histogram(40), (ehs, 30), histogram(20));
    let bytes = |threads| {
        let pool = Pool::new(threads).unwrap();
        let built = build(&plan, Job::new(&pool)).unwrap();
        let hash = |street| blake3::hash(table(&built, street).bytes());
        Street::POSTFLOP.map(hash)
    };
    let one = bytes(1);
    assert_eq!(one, bytes(2));
    assert_eq!(one, bytes(3));
}

/// The buckets of a board's holes, built for the boards below it alone.
fn row_below(board: &str, method: Method, buckets: usize) -> Vec<(Hole, u32)> {
    let board: Board = board.parse().unwrap();
    let domain = Domain::below(&board, Job::default()).unwrap();
    let plan = StreetPlan::new(board.street(), method, buckets).unwrap();
    let kmeans = KMeansSettings::default();
    let built = Builder::default().street(&plan, kmeans, &domain, Job::default()).unwrap();
    let row = built.row(domain.boards(board.street()).unwrap(), 0);
    let (canonical, _) = CanonicalBoard::of(&board);
    canonical.deck().holes().zip(row).collect()
}

#[test]
fn percentile_buckets_are_of_like_size() {
    let percentile = |feature| (Method::Ehs { feature, split: Split::Percentile }, 20);
    let built = build(
        &plan(percentile(Strength::Ehs2), percentile(Strength::Ehs), percentile(Strength::Ehs)),
        Job::default(),
    )
    .unwrap();
    for ((street, built), raw) in built.streets.iter().zip(RAW_DEALS) {
        for &size in &built.report.sizes {
            let share = size as f64 / raw as f64;
            assert!((0.04..0.06).contains(&share), "{street}: {share}");
        }
        assert_eq!(built.report.quality.asymmetric_slots, 0);
    }
}

#[test]
fn squares_reward_potential() {
    // The same suits as its canonical form: spades, then hearts.
    let board = CanonicalBoard::of(&"Ts4s2h".parse().unwrap()).0;
    let rows = [Strength::Ehs, Strength::Ehs2].map(|feature| {
        row_below(&board.to_string(), Method::Ehs { feature, split: Split::Percentile }, 100)
    });
    let suit = board.board().cards()[0].suit();
    let ranks: Vec<_> = board.set().iter().map(|card| card.rank()).collect();
    let cards = |hole: Hole| [hole.low(), hole.high()];
    let draw =
        |hole: Hole| cards(hole).iter().all(|c| c.suit() == suit && !ranks.contains(&c.rank()));
    let pair = |hole: Hole| {
        !draw(hole)
            && (hole.class().is_pair() || cards(hole).iter().any(|c| ranks.contains(&c.rank())))
    };
    let both: Vec<(Hole, u32, u32)> =
        rows[0].iter().zip(&rows[1]).map(|(a, b)| (a.0, a.1, b.1)).collect();
    // Some flush draw is below some pair by equity and above it by squared equity; never otherwise.
    let (mut rewarded, mut punished) = (0, 0);
    for (_, draw_mean, draw_square) in both.iter().filter(|(hole, ..)| draw(*hole)) {
        for (_, pair_mean, pair_square) in both.iter().filter(|(hole, ..)| pair(*hole)) {
            rewarded += u32::from(draw_mean < pair_mean && draw_square > pair_square);
            punished += u32::from(draw_mean > pair_mean && draw_square < pair_square);
        }
    }
    assert!(rewarded > 20 && 10 * punished < rewarded, "{rewarded} {punished}");
}

#[test]
fn the_classes_baseline_forgets_the_board() {
    let classes = || (Method::Classes, 169);
    let built = build(&plan(classes(), classes(), classes()), Job::default()).unwrap();
    let bucket = |hole: &str, board: &str| {
        let (situation, _) = Situation::of(hole.parse().unwrap(), &board.parse().unwrap()).unwrap();
        table(&built, Street::Flop).get(situation.index())
    };
    assert_eq!(bucket("AsKs", "Ts9s8c"), bucket("AhKh", "Ts9s8c"));
    assert_ne!(bucket("AsKs", "Ts9s8c"), bucket("AhKs", "Ts9s8c"));
    for (street, built) in built.streets.iter() {
        let explained = built.report.quality.variance_explained;
        assert!(explained < 0.5, "{street}: {explained}");
    }
}

#[test]
fn opponent_clusters_cover_every_deal() {
    let ochs = (Method::Ochs { clusters: 8 }, 30);
    let built = build(&plan(histogram(5), histogram(5), ochs), Job::default()).unwrap();
    let report = &built.streets.river.report;
    assert_eq!(report.sizes.iter().sum::<u64>(), RAW_DEALS[2]);
    assert_eq!(report.quality.asymmetric_slots, 0);
    assert_eq!(report.quality.empty_buckets, 0);
    assert!(report.equities.is_sorted());
    assert!(report.fitted_on.is_some());
    assert!(report.quality.variance_explained > 0.9);
}

#[test]
fn opponent_clusters_separate_what_equity_alone_does_not() {
    let board = "Ks7h2d9s3c";
    let ochs = row_below(board, Method::Ochs { clusters: 8 }, 100);
    let mut equities = vec![0u16; Deck::row_len(Street::River)];
    river_row(CanonicalBoard::of(&board.parse().unwrap()).0.set(), &mut equities);
    let parted = |(i, a): (usize, &(Hole, u32))| {
        (0..i).any(|j| equities[i] == equities[j] && a.1 != ochs[j].1)
    };
    let parted = ochs.iter().enumerate().filter(|&at| parted(at)).count();
    assert!(parted > 20, "{parted} holes differ from another of the same equity");
    // Buckets by equity never do.
    let ehs = row_below(board, Method::Ehs { feature: Strength::Ehs, split: Split::Kmeans }, 100);
    for (i, a) in ehs.iter().enumerate() {
        assert!((0..i).all(|j| equities[i] != equities[j] || a.1 == ehs[j].1));
    }
}

#[test]
fn more_buckets_than_features_are_refused_with_both_numbers() {
    let error =
        build(&plan(histogram(100_000), histogram(5), histogram(5)), Job::default()).unwrap_err();
    assert!(
        matches!(
            error,
            BuildError::TooManyBuckets { street: Street::Flop, wanted: 100_000, distinct: 77_548 }
        ),
        "{error}"
    );
}

#[test]
fn boards_below_a_root_are_cut_by_their_own_weights() {
    let root: Board = "Ks7h2d9s".parse().unwrap();
    let domain = Domain::below(&root, Job::default()).unwrap();
    let rivers = domain.boards(Street::River).unwrap();
    let ehs = Method::Ehs { feature: Strength::Ehs, split: Split::Percentile };
    let plan = StreetPlan::new(Street::River, ehs, 10).unwrap();
    let kmeans = KMeansSettings::default();
    let built = Builder::default().street(&plan, kmeans, &domain, Job::default()).unwrap();
    let total = 48 * 1_081;
    assert_eq!(built.report.sizes.iter().sum::<u64>(), total);
    assert!(built.report.sizes.iter().all(|&size| size > total / 12 && size < total / 8));
    let mut row = vec![0u16; 1_081];
    let mut bounds = [(u16::MAX, 0); 10];
    for position in 0..rivers.len() {
        river_row(rivers.board(position).set(), &mut row);
        for (&q, bucket) in row.iter().zip(built.row(rivers, position)) {
            let bound = &mut bounds[bucket as usize];
            *bound = (bound.0.min(q), bound.1.max(q));
        }
    }
    assert!(bounds.windows(2).all(|pair| pair[0].1 < pair[1].0), "{bounds:?}");
}

#[test]
fn some_boards_get_fewer_buckets_where_features_are_few() {
    let root: Board = "AsAhAdAc".parse().unwrap();
    let domain = Domain::below(&root, Job::default()).unwrap();
    for (method, most) in [
        (Method::Ehs { feature: Strength::Ehs2, split: Split::Kmeans }, 100),
        (histogram(1).0, 100),
        (Method::Classes, 169),
        (Method::Texture { clusters: 7, sampled: None }, 700),
    ] {
        let buckets = if method == Method::Classes { 169 } else { 100 };
        let plan = StreetPlan::new(Street::Turn, method.clone(), buckets).unwrap();
        let kmeans = KMeansSettings::default();
        let built = Builder::default().street(&plan, kmeans, &domain, Job::default()).unwrap();
        let report = &built.report;
        let used = report.sizes.iter().filter(|&&size| size > 0).count();
        assert!(used > 5 && used <= 144 && report.buckets <= most, "{method}: {used}");
        assert_eq!(report.sizes.iter().sum::<u64>(), 1_128);
    }
}
