//! What was written is what is looked up.

use lethe_abstraction::artifact::{add_bucket_equities, list, verify};
use lethe_abstraction::bucket_equities::BucketEquities;
use lethe_abstraction::table::StoredRef;
use lethe_abstraction::{Abstraction, Lookup};
use lethe_cards::{Board, Deck, Hole, Situation, Street, equity};
use lethe_compute::Job;
use proptest::prelude::*;

use crate::sample::{BUCKETS, MIXED, PER_CLUSTER, SMALL};

fn board(text: &str) -> Board {
    text.parse().unwrap()
}

fn hole(text: &str) -> Hole {
    text.parse().unwrap()
}

#[test]
fn an_artifact_opens_and_verifies_as_written() {
    let root = tempfile::tempdir().unwrap();
    let dir = MIXED.write(root.path(), false);
    assert_eq!(dir, root.path().join(MIXED.plan.name()));
    let abstraction = Abstraction::open(&dir).unwrap();
    assert_eq!(abstraction.plan(), &MIXED.plan);
    assert_eq!(abstraction.metadata().plan_hash, MIXED.plan.hash());
    assert_eq!(abstraction.buckets(Street::Preflop), 169);
    for street in Street::POSTFLOP {
        assert_eq!(abstraction.buckets(street), BUCKETS);
        assert_eq!(abstraction.report(street), MIXED.summary.reports.get(street));
    }
    assert_eq!(abstraction.report(Street::Preflop), None);
    let report = verify(&dir, Job::default()).unwrap();
    assert_eq!(report.files.len(), 5);
    assert!(report.extra.is_empty());
    std::fs::write(dir.join("notes.txt"), "mine").unwrap();
    assert_eq!(verify(&dir, Job::default()).unwrap().extra, ["notes.txt"]);
}

#[test]
fn lookups_read_the_slot_of_the_situation() {
    let root = tempfile::tempdir().unwrap();
    let abstraction = Abstraction::open(MIXED.write(root.path(), false)).unwrap();
    let Some(StoredRef::Dense(table)) = abstraction.table(Street::Flop, Job::default()).unwrap()
    else {
        panic!("the flop is dense")
    };
    let flop = board("Th9h8c");
    for hole in Deck::without(flop.set()).holes() {
        let slot = Situation::of(hole, &flop).unwrap().0.index();
        assert_eq!(abstraction.bucket(hole, &flop).unwrap(), Some(table.get(slot)));
        let bucket = table.get(slot);
        let cluster = Some(bucket / PER_CLUSTER as u32);
        let found = abstraction.lookup(hole, &flop).unwrap();
        assert_eq!(
            found,
            Some(Lookup { bucket, base: bucket, flop_cluster: None, fallback: false, cluster })
        );
    }
    assert_eq!(abstraction.bucket(hole("ThAc"), &flop).unwrap(), None);
    assert_eq!(abstraction.lookup(hole("ThAc"), &flop).unwrap(), None);
    assert_eq!(abstraction.equity(hole("ThAc"), &flop).unwrap(), None);
    assert_eq!(abstraction.bucket(hole("AsKs"), &Board::EMPTY).unwrap(), Some(1));
}

#[test]
fn many_hands_are_looked_up_as_one_is_wherever_the_tables_are() {
    let root = tempfile::tempdir().unwrap();
    let mut abstraction = Abstraction::open(MIXED.write(root.path(), false)).unwrap();
    let boards = ["Th9h8c", "2c2d2h", "Th9h8c2d", "AsAhKsKh", "Th9h8c2d3s"].map(board);
    let mut hands = Vec::new();
    for (place, board) in boards.into_iter().chain([Board::EMPTY]).enumerate() {
        // Those that share a card with the board too.
        hands.extend(Hole::all().skip(place).step_by(23).map(|hole| (hole, board)));
    }
    let one_by_one: Vec<_> =
        hands.iter().map(|(hole, board)| abstraction.lookup(*hole, board).unwrap()).collect();
    assert!(one_by_one.contains(&None));
    let mut found = Vec::new();
    abstraction.lookup_all(&hands, &mut found).unwrap();
    assert_eq!(found, one_by_one);
    abstraction.make_resident(Job::default()).unwrap();
    abstraction.lookup_all(&hands, &mut found).unwrap();
    assert_eq!(found, one_by_one);
    let buckets: Vec<_> =
        hands.iter().map(|(hole, board)| abstraction.bucket(*hole, board).unwrap()).collect();
    let expected: Vec<_> = found.iter().map(|found| found.map(|found| found.bucket)).collect();
    assert_eq!(buckets, expected);
}

#[test]
fn fallbacks_are_reported() {
    let root = tempfile::tempdir().unwrap();
    let abstraction = Abstraction::open(SMALL.write(root.path(), false)).unwrap();
    let turn = board("Th9h8c2d");
    let deck = Deck::without(turn.set());
    let found: Vec<Lookup> =
        deck.holes().map(|h| abstraction.lookup(h, &turn).unwrap().unwrap()).collect();
    let fallbacks = found.iter().filter(|found| found.fallback).count();
    assert!(fallbacks > 0 && fallbacks < 1_128);
    let mut row = vec![0; 1_128];
    assert_eq!(abstraction.row_into(&turn, &mut row).unwrap(), fallbacks);
    assert!(row.iter().eq(found.iter().map(|found| &found.bucket)));
    assert_eq!(row, *abstraction.row(&turn).unwrap());
    assert!(found.iter().all(|found| found.cluster == Some(found.bucket / PER_CLUSTER as u32)));
}

#[test]
fn equities_are_exact_with_and_without_a_table() {
    let root = tempfile::tempdir().unwrap();
    let small = Abstraction::open(SMALL.write(root.path(), false)).unwrap();
    let everything = lethe_cards::Range::full();
    for (hand, text) in [("AsKs", "Th9h8c"), ("7c2d", "Th9h8c2h"), ("QhJh", "Th9h8c2h3d")] {
        let (hand, board) = (hole(hand), board(text));
        let exact = equity::hole_vs_range(hand, &everything, &board).unwrap().equity().unwrap();
        assert_eq!(small.equity(hand, &board).unwrap(), Some(exact), "{hand} on {text}");
    }
    assert!((small.equity(hole("AsAh"), &Board::EMPTY).unwrap().unwrap() - 0.852).abs() < 0.001);

    let mixed = Abstraction::open(MIXED.write(root.path(), false)).unwrap();
    let (hand, board) = (hole("AsKs"), board("Th9h8c"));
    let slot = Situation::of(hand, &board).unwrap().0.index();
    let stored = f64::from(MIXED.flop_equities.as_ref().unwrap()[slot]);
    assert_eq!(mixed.equity(hand, &board).unwrap(), Some(stored / (1980.0 * 46.0 * 47.0)));
    assert_eq!(
        mixed.equity_table(Street::Flop, Job::default()).unwrap(),
        MIXED.flop_equities.as_deref()
    );
    assert_eq!(mixed.equity_table(Street::Turn, Job::default()).unwrap(), None);
}

#[test]
fn bucket_equities_join_a_finished_artifact() {
    let root = tempfile::tempdir().unwrap();
    let dir = SMALL.write(root.path(), false);
    let before = Abstraction::open(&dir).unwrap();
    let reports = before.report(Street::River).cloned();
    let mut equities = BucketEquities {
        buckets: BUCKETS,
        sums: vec![1; BUCKETS * BUCKETS],
        counts: vec![1; BUCKETS * BUCKETS],
    };
    add_bucket_equities(&dir, Street::River, &equities, Job::default()).unwrap();
    add_bucket_equities(&dir, Street::River, &equities, Job::default()).unwrap();
    (equities.sums[1], equities.sums[BUCKETS]) = (2, 0);
    add_bucket_equities(&dir, Street::River, &equities, Job::default()).unwrap();
    assert!(before.bucket_equities(Street::River).unwrap().is_none());
    let after = Abstraction::open(&dir).unwrap();
    assert_eq!(after.report(Street::River).cloned(), reports);
    let found = after.bucket_equities(Street::River).unwrap().unwrap();
    assert_eq!((found.equity(0, 1), found.equity(1, 0)), (Some(1.0), Some(0.0)));
    assert_eq!(verify(&dir, Job::default()).unwrap().extra, [""; 0]);
    equities.buckets = 2;
    assert!(add_bucket_equities(&dir, Street::River, &equities, Job::default()).is_err());
    let names = || root.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names().collect::<Vec<_>>(), [dir.file_name().unwrap()], "no lock is left");
}

#[test]
fn listing_tells_what_opens_and_what_does_not() {
    let root = tempfile::tempdir().unwrap();
    assert!(list(&root.path().join("nowhere")).unwrap().is_empty());
    let dir = SMALL.write(root.path(), false);
    std::fs::create_dir(root.path().join("broken")).unwrap();
    let entries = list(root.path()).unwrap();
    let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, [SMALL.plan.name().as_str(), "broken"]);
    assert_eq!(entries[0].metadata.as_ref().unwrap().plan, SMALL.plan);
    let table = std::fs::metadata(dir.join("river.buckets")).unwrap().len();
    assert!(entries[0].bytes > table);
    assert!(entries[1].metadata.as_ref().unwrap_err().to_string().contains("no metadata.json"));
}

#[test]
fn an_abstraction_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Abstraction>();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn rows_hold_the_buckets_of_single_lookups(cards in proptest::sample::subsequence(
        (0..52usize).collect::<Vec<_>>(), 5,
    ).prop_shuffle(), len in 3..=5usize) {
        static OPEN: std::sync::LazyLock<(tempfile::TempDir, Abstraction)> =
            std::sync::LazyLock::new(|| {
                let root = tempfile::tempdir().unwrap();
                let abstraction = Abstraction::open(MIXED.write(root.path(), false)).unwrap();
                (root, abstraction)
            });
        let cards: Vec<_> =
            cards.iter().map(|&card| lethe_cards::Card::from_index(card).unwrap()).collect();
        let board = Board::new(&cards[..len]).unwrap();
        for (hole, &bucket) in OPEN.1.row(&board).unwrap().holes() {
            prop_assert_eq!(OPEN.1.bucket(hole, &board).unwrap(), Some(bucket));
        }
    }
}
