//! Tables of some boards against pairwise loops, and what must hold of any table.

use lethe_cards::vs_random::strength_row;
use lethe_cards::{Board, CanonicalBoard, CardSet, Deck, Situation, Street};
use proptest::prelude::*;

use super::*;
use lethe_compute::Job;

/// Buckets by a hash of the situation, so that holes alike on a board share theirs.
struct Hashed(u64);

impl BucketRows for Hashed {
    fn bucket_row(&self, street: Street, board_index: usize, row: &mut [u32]) {
        let board = CanonicalBoard::from_index(street, board_index).unwrap();
        for (entry, hole) in row.iter_mut().zip(board.deck().holes()) {
            let (situation, _) = Situation::of(hole, &board.board()).unwrap();
            let hash = (situation.index() as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
            // The smaller of two: low buckets are larger, as real ones are unequal too.
            *entry = (hash % self.0).min(hash / self.0 % self.0) as u32;
        }
    }
}

fn canonical(board: &str) -> CanonicalBoard {
    CanonicalBoard::of(&board.parse::<Board>().unwrap()).0
}

fn table(boards: &[CanonicalBoard], buckets: usize) -> BucketEquities {
    let street = boards[0].street();
    let pairs =
        sum_boards(boards, street, buckets, &Hashed(buckets as u64), Job::default()).unwrap();
    check_identities(&pairs, boards);
    pairs
}

/// What holds of every table: both halves agree and every pair is counted.
fn check_identities(pairs: &BucketEquities, boards: &[CanonicalBoard]) {
    let n = pairs.buckets;
    for a in 0..n {
        for b in 0..n {
            let (ab, ba) = (a * n + b, b * n + a);
            assert_eq!(pairs.counts[ab], pairs.counts[ba]);
            assert_eq!(pairs.sums[ab] + pairs.sums[ba], 2 * pairs.counts[ab]);
        }
    }
    let (holes, others, runouts) = match boards[0].street() {
        Street::Flop => (1_176, 1_081, 990),
        Street::Turn => (1_128, 1_035, 44),
        _ => (1_081, 990, 1),
    };
    let raw: u64 = boards.iter().map(|board| u64::from(board.multiplicity())).sum();
    assert_eq!(pairs.counts.iter().sum::<u64>(), raw * holes * others * runouts);
}

/// The river boards that may follow, one by one.
fn rivers(board: CardSet) -> Vec<CardSet> {
    let mut boards = vec![board];
    while boards[0].len() < 5 {
        let mut next: Vec<CardSet> = boards
            .iter()
            .flat_map(|&board| (!board).iter().map(move |card| board | card.into()))
            .collect();
        next.sort_unstable();
        next.dedup();
        boards = next;
    }
    boards
}

/// The table of the first `few` buckets by comparing every two holes on every river board.
fn pairwise(boards: &[CanonicalBoard], buckets: usize, few: u32) -> BucketEquities {
    let mut sums = vec![0; buckets * buckets];
    let mut counts = vec![0; buckets * buckets];
    for &board in boards {
        let mut row = vec![0; Deck::row_len(board.street())];
        Hashed(buckets as u64).bucket_row(board.street(), board.index(), &mut row);
        let holes: Vec<_> =
            board.deck().holes().zip(row).filter(|&(_, bucket)| bucket < few).collect();
        let weight = u64::from(board.multiplicity());
        let mut strengths = vec![0; Deck::row_len(Street::River)];
        for river in rivers(board.set()) {
            strength_row(river, &mut strengths);
            let deck = Deck::without(river);
            let live: Vec<_> = holes
                .iter()
                .filter_map(|&(hole, b)| Some((hole.set(), b, strengths[deck.slot(hole)?])))
                .collect();
            for &(h, a, strength) in &live {
                for &(other, b, weaker) in &live {
                    if !h.intersects(other) {
                        let place = a as usize * buckets + b as usize;
                        counts[place] += weight;
                        sums[place] +=
                            weight * (u64::from(strength > weaker) + u64::from(strength >= weaker));
                    }
                }
            }
        }
    }
    BucketEquities { buckets, sums, counts }
}

/// Compares the first `few` buckets with pairwise loops.
fn check_pairwise(boards: &[CanonicalBoard], buckets: usize, few: usize) {
    let found = table(boards, buckets);
    let expected = pairwise(boards, buckets, few as u32);
    for a in 0..few {
        let row = a * buckets..a * buckets + few;
        assert_eq!(found.counts[row.clone()], expected.counts[row.clone()], "{boards:?}");
        assert_eq!(found.sums[row.clone()], expected.sums[row], "{boards:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn river_tables_are_what_comparing_every_two_holes_gives(
        boards in prop::collection::vec(0..CanonicalBoard::count(Street::River), 1..3),
        buckets in 1usize..90,
    ) {
        let board = |index| CanonicalBoard::from_index(Street::River, index).unwrap();
        let boards: Vec<_> = boards.into_iter().map(board).collect();
        check_pairwise(&boards, buckets, buckets);
    }
}

#[test]
fn river_boards_with_flushes_straights_and_quads_are_counted_right() {
    for board in ["AsKsQsJsTs", "9s8s7s2s2h", "2s2h2d2cAs", "AsKhQdJcTs", "As7s4s3h3d"] {
        check_pairwise(&[canonical(board)], 40, 40);
    }
}

#[test]
fn turn_tables_sum_all_44_rivers() {
    // Without any symmetry, and with three suits alike.
    check_pairwise(&[canonical("Ks9s4h2d")], 30, 6);
    check_pairwise(&[canonical("Qs7s5s2s")], 30, 6);
}

#[test]
fn flop_tables_sum_all_990_runouts() {
    for board in ["QsQh7s", "Ts9s8s"] {
        check_pairwise(&[canonical(board)], 300, 12);
    }
}

#[test]
fn one_bucket_against_itself_is_even() {
    for board in ["As7s4s3h3d", "Ks9s4h2d", "8s8h8d"] {
        let board = canonical(board);
        let pairs = table(&[board], 1);
        assert_eq!(pairs.sums, pairs.counts);
    }
}

#[test]
fn buckets_without_holes_never_meet() {
    let boards = [canonical("As7s4s3h3d")];
    let pairs = sum_boards(&boards, Street::River, 5, &Hashed(3), Job::default()).unwrap();
    for b in 0..5 {
        assert_eq!((pairs.counts[5 * 4 + b], pairs.sums[5 * 4 + b]), (0, 0));
        assert_eq!(pairs.view().equity(4, b as u32), Some(0.5));
    }
}

#[test]
fn stronger_buckets_win() {
    /// Two buckets: with an ace on an ace-high board, and without.
    struct Aces;
    impl BucketRows for Aces {
        fn bucket_row(&self, street: Street, board_index: usize, row: &mut [u32]) {
            let board = CanonicalBoard::from_index(street, board_index).unwrap();
            for (entry, hole) in row.iter_mut().zip(board.deck().holes()) {
                *entry = u32::from(hole.high().rank().index() == 12);
            }
        }
    }
    let board = canonical("AsKhQd7c2s");
    let pairs = sum_boards(&[board], Street::River, 2, &Aces, Job::default()).unwrap();
    check_identities(&pairs, &[board]);
    assert!(pairs.view().equity(1, 0).unwrap() > 0.8);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let boards: Vec<_> = CanonicalBoard::all(Street::River).step_by(2_000).collect();
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| table(&boards, 50))
    };
    assert_eq!(with(1), with(4));
}

#[test]
fn too_many_buckets_are_refused_with_their_size() {
    let error = compute(Street::River, 40_000, &Hashed(3), Job::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "river: the equities of 40000 buckets against one another would take 24415 MiB; the limit \
         is 4096 buckets, 256 MiB"
    );
    let error = compute(Street::Preflop, 169, &Hashed(3), Job::default()).unwrap_err();
    assert_eq!(error, BucketEquitiesError::Preflop);
}

#[test]
fn a_bucket_out_of_range_is_an_error() {
    let boards = [canonical("As7s4s3h3d")];
    let error = sum_boards(&boards, Street::River, 2, &Hashed(3), Job::default()).unwrap_err();
    assert!(
        matches!(error, BucketEquitiesError::NoSuchBucket { bucket: 2, buckets: 2, .. }),
        "{error}"
    );
}

#[test]
fn a_watcher_can_stop_it() {
    struct Stop;
    impl lethe_compute::Progress for Stop {
        fn begin(&self, _: &str, _: u64) {}
        fn advance(&self, _: u64) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    let error = compute(Street::Flop, 3, &Hashed(3), Job::default().watched_by(&Stop)).unwrap_err();
    assert_eq!(error, BucketEquitiesError::Cancelled(lethe_compute::Cancelled));
}
