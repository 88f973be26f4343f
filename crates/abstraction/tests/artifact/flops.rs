//! Buckets made of flop clusters: composed when looked up, stored with the plan.

use lethe_abstraction::artifact::verify;
use lethe_abstraction::{Abstraction, FlopClusters, PlanError};
use lethe_cards::{Board, CanonicalBoard, Deck, Hole, Street, SuitMap};
use lethe_compute::Job;
use lethe_rows::{AtLevel, Buckets, fill_checked};
use proptest::prelude::*;

use crate::sample::{BUCKETS, CLUSTERED, MIXED};
use crate::signed::change_metadata;

/// The abstraction with flop clusters and the same without, from one directory.
fn both(root: &std::path::Path) -> [Abstraction; 2] {
    [&CLUSTERED, &MIXED].map(|sample| Abstraction::open(sample.write(root, false)).unwrap())
}

#[test]
fn clusters_are_stored_with_the_plan_and_verified() {
    let root = tempfile::tempdir().unwrap();
    let [clustered, plain] = both(root.path());
    assert_eq!(clustered.plan(), &CLUSTERED.plan);
    assert_eq!(clustered.flop_clusters().map(FlopClusters::count), Some(5));
    assert_eq!(plain.flop_clusters(), None);
    assert!(clustered.metadata().name.contains("-flops5-"), "{}", clustered.metadata().name);
    assert_eq!(clustered.buckets(Street::Preflop), 169);
    for street in Street::POSTFLOP {
        assert_eq!(clustered.buckets(street), 5 * BUCKETS);
        assert_eq!(clustered.base_buckets(street), BUCKETS);
        assert_eq!(Buckets::count(&clustered, street), 5 * BUCKETS);
        assert!(clustered.report(street).is_some());
    }
    verify(clustered.path(), Job::default()).unwrap();
}

#[test]
fn clusters_are_part_of_the_hash_and_nothing_is_without_them() {
    let text = serde_json::to_string(&MIXED.plan).unwrap();
    assert!(!text.contains("flop_clusters"), "{text}");
    assert_ne!(CLUSTERED.plan.hash(), MIXED.plan.hash());
    let fewer = CLUSTERED.plan.flop_clusters().unwrap().cut(4).unwrap();
    let fewer = MIXED.plan.clone().with_flop_clusters(fewer).unwrap();
    assert_ne!(fewer.hash(), CLUSTERED.plan.hash());
}

#[test]
fn damaged_clusters_are_refused() {
    let root = tempfile::tempdir().unwrap();
    for (from, to, message) in [
        ("\"parents\":[0,0,1,2,0]", "\"parents\":[0,0,2,2,0]", "the parent of flop cluster 2 is 2"),
        ("\"parents\":[0,0,1,2,0]", "\"parents\":[0,0,1,2]", "and there are 4"),
        ("\"parents\":[0,0,1,2,0]", "\"parents\":[0,0,0,2,0]", "does not match the hash"),
        ("\"of\":[0,1,2", "\"of\":[0,1,3", "does not match the hash"),
        ("\"of\":[0,1,2", "\"of\":[0,1", "the clusters of 1755 flops, found 1754"),
        ("\"flop_clusters\"", "\"flop_custers\"", "does not match the hash"),
    ] {
        let dir = CLUSTERED.write(root.path(), true);
        change_metadata(&dir, |text| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        });
        let error = Abstraction::open(&dir).unwrap_err().to_string();
        assert!(error.contains(message), "{from} -> {to}: {error}");
        assert!(verify(&dir, Job::default()).is_err());
    }
}

#[test]
fn more_buckets_than_can_be_numbered_are_refused() {
    use lethe_abstraction::{KMeansSettings, Method, PerStreet, Plan, StreetPlan};
    let many = |street| {
        let method = Method::Texture { clusters: 1000, sampled: None };
        StreetPlan::new(street, method, 1_000_000).unwrap()
    };
    let streets = PerStreet {
        flop: many(Street::Flop),
        turn: many(Street::Turn),
        river: many(Street::River),
    };
    let plan = Plan::new(streets, KMeansSettings::default()).unwrap();
    let clusters = CLUSTERED.plan.flop_clusters().unwrap().clone();
    let error = plan.with_flop_clusters(clusters).unwrap_err();
    assert!(matches!(error, PlanError::TooManyFlopClusters { flop_clusters: 5, .. }), "{error}");
}

/// A board of three to five cards by a number, dealt in a random order.
fn dealt() -> impl Strategy<Value = Board> {
    let cards = Just((0..52).collect::<Vec<usize>>()).prop_shuffle();
    (cards, 3..=5usize).prop_map(|(cards, len)| {
        let card = |&index: &usize| lethe_cards::Card::from_index(index).unwrap();
        Board::new(&cards[..len].iter().map(card).collect::<Vec<_>>()).unwrap()
    })
}

#[test]
fn buckets_are_the_cluster_of_the_flop_and_the_bucket_of_the_board() {
    let root = tempfile::tempdir().unwrap();
    let [clustered, plain] = both(root.path());
    let clusters = clustered.flop_clusters().unwrap();
    proptest!(|(board in dealt(), suits in 0..24usize, swap in 0..3usize, level in 1..=5usize)| {
        let cluster = clusters.of_board(&board).unwrap() as u32;
        let mut row = vec![0; Deck::row_len(board.street())];
        fill_checked(&clustered, &board, &mut row).unwrap();
        let base = plain.row(&board).unwrap();
        let coarse = AtLevel::new(&clustered, level).unwrap();
        let coarse_cluster = clusters.at_level(cluster as usize, level) as u32;
        let coarse_row = coarse.row(&board);
        for ((hole, &base), &bucket) in base.holes().zip(&row) {
            prop_assert_eq!(bucket, cluster * BUCKETS as u32 + base);
            prop_assert_eq!(coarse_row[hole], coarse_cluster * BUCKETS as u32 + base);
        }
        // Single lookups agree with rows.
        for hole in Deck::without(board.set()).holes().step_by(97) {
            let found = clustered.lookup(hole, &board).unwrap().unwrap();
            prop_assert_eq!((found.base, found.flop_cluster), (base[hole], Some(cluster)));
            prop_assert_eq!(found.bucket, cluster * BUCKETS as u32 + base[hole]);
            prop_assert_eq!(clustered.bucket(hole, &board).unwrap(), Some(found.bucket));
            prop_assert_eq!(Buckets::of(&clustered, hole, &board), found.bucket);
            prop_assert_eq!(coarse.of(hole, &board), coarse_row[hole]);
        }
        // The order of the flop's cards and the names of suits do not matter.
        let map = SuitMap::all().nth(suits).unwrap();
        let mut cards: Vec<_> = board.cards().iter().map(|&card| map.card(card)).collect();
        cards.swap(swap, (swap + 1) % 3);
        let renamed = clustered.row(&Board::new(&cards).unwrap()).unwrap();
        for (hole, &bucket) in Deck::without(board.set()).holes().zip(&row) {
            prop_assert_eq!(renamed[map.hole(hole)], bucket);
        }
    });
}

#[test]
fn which_cards_were_the_flop_matters() {
    let root = tempfile::tempdir().unwrap();
    let [clustered, _] = both(root.path());
    let hole: Hole = "AhQd".parse().unwrap();
    let turns = ["Ts9h4d2c", "Ts9h2c4d", "Ts4d2c9h", "9h4d2c Ts"];
    let mut seen: Vec<u32> = turns
        .iter()
        .map(|turn| clustered.bucket(hole, &turn.parse().unwrap()).unwrap().unwrap())
        .collect();
    let bases: Vec<u32> = seen.iter().map(|bucket| bucket % BUCKETS as u32).collect();
    assert!(bases.iter().all(|&base| base == bases[0]), "the board is one");
    seen.dedup();
    assert!(seen.len() > 1, "its flops are not");
    let flop = CanonicalBoard::of(&"Ts9h4d".parse().unwrap()).0;
    assert_eq!(seen[0] as usize / BUCKETS, flop.index() % 5);
}
