//! Flop clusters: what is accepted, and that levels are nested.

use lethe_cards::{Board, CanonicalBoard, Hole, Street};
use lethe_rows::{AtLevel, Buckets, FlopClusters, FlopClustersError};

/// Five clusters: flop `i` in cluster `i % 5`, cut down through 4 -> 1, 3 -> 2, 2 -> 0, 1 -> 0.
fn five() -> FlopClusters {
    let of = (0..1755).map(|flop| (flop % 5) as u8).collect();
    FlopClusters::new(of, vec![0, 0, 0, 2, 1]).unwrap()
}

/// Seven buckets by the ranks of hole and board, in each of five clusters.
struct Toy(FlopClusters);

impl Buckets for Toy {
    fn count(&self, street: Street) -> usize {
        7 * self.0.on(street)
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        let ranks = |cards: &[lethe_cards::Card]| {
            cards.iter().map(|card| card.rank().index() as u32).sum::<u32>()
        };
        let cluster = self.0.of_board(board).unwrap_or(0) as u32;
        for (bucket, hole) in row.iter_mut().zip(lethe_cards::Deck::without(board.set()).holes()) {
            let sum = ranks(board.cards()) + ranks(&[hole.high(), hole.low()]);
            *bucket = cluster * 7 + sum % 7;
        }
    }

    fn is_suit_invariant(&self) -> bool {
        true
    }

    fn flop_clusters(&self) -> Option<&FlopClusters> {
        Some(&self.0)
    }
}

#[test]
fn numbers_that_are_no_clusters_are_refused() {
    let of = || vec![0; 1755];
    let error = |of, parents| FlopClusters::new(of, parents).unwrap_err();
    assert_eq!(error(of(), vec![]), FlopClustersError::Count(0));
    assert_eq!(error(of(), vec![0; 257]), FlopClustersError::Count(257));
    assert_eq!(error(vec![0; 1754], vec![0]), FlopClustersError::Flops(1754));
    assert_eq!(error(of(), vec![0, 0, 2]), FlopClustersError::Parent { cluster: 2, parent: 2 });
    assert_eq!(error(of(), vec![1]), FlopClustersError::Parent { cluster: 0, parent: 1 });
    assert_eq!(error(of(), vec![0, 0]), FlopClustersError::Empty(1));
    let mut beyond = of();
    beyond[9] = 1;
    let message = error(beyond, vec![0]).to_string();
    let ninth = CanonicalBoard::from_index(Street::Flop, 9).unwrap();
    assert_eq!(message, format!("flop {ninth} is in cluster 1, and there are 1"));
}

#[test]
fn two_hundred_and_fifty_six_clusters_fit() {
    let of = (0..1755).map(|flop| (flop % 256) as u8).collect();
    let parents = (0..256).map(|cluster| (cluster / 2) as u8).collect();
    let clusters = FlopClusters::new(of, parents).unwrap();
    assert_eq!(clusters.count(), 256);
    assert_eq!(clusters.at_level(255, 1), 0);
    assert_eq!(clusters.at_level(255, 128), 127);
}

#[test]
fn each_level_merges_one_cluster_of_the_level_above() {
    let clusters = five();
    for level in 1..clusters.count() {
        for flop in CanonicalBoard::all(Street::Flop) {
            let finer = clusters.at_level(clusters.of(flop), level + 1);
            let coarser = clusters.at_level(clusters.of(flop), level);
            let expected = if finer == level { clusters.parent(level).unwrap() } else { finer };
            assert_eq!(coarser, expected);
            assert_eq!(clusters.cut(level).unwrap().of(flop), coarser);
        }
        let flops = clusters.flops(level);
        assert_eq!(flops.len(), level);
        assert_eq!(flops.iter().map(Vec::len).sum::<usize>(), 1755);
    }
    assert_eq!(clusters.cut(5).unwrap(), clusters);
    let message = clusters.cut(6).unwrap_err().to_string();
    assert_eq!(message, "6 flop clusters, but the table has 5; ask for 1 to 5");
    assert!(clusters.cut(0).is_err());
}

#[test]
fn the_flop_is_the_first_three_cards_in_any_order() {
    let clusters = five();
    let of = |board: &str| clusters.of_board(&board.parse().unwrap());
    assert_eq!(clusters.of_board(&Board::EMPTY), None);
    assert_eq!(of("Ts9h4d"), of("4d9hTs"));
    assert_eq!(of("Ts9h4d"), of("9c4hTd2s2c"));
    let others = ["2sTs9h4d", "4d2s9h8hTs"].map(of);
    assert!(others.iter().any(|&other| other != of("Ts9h4d2s")), "the flop matters");
}

#[test]
fn text_comes_back_and_damaged_text_is_refused() {
    let text = serde_json::to_string(&five()).unwrap();
    assert_eq!(serde_json::from_str::<FlopClusters>(&text).unwrap(), five());
    let error = serde_json::from_str::<FlopClusters>(&text.replace("0,0,0,2,1", "0,0,0,3,1"));
    let message = error.unwrap_err().to_string();
    assert!(message.starts_with("the parent of flop cluster 3 is 3"), "{message}");
    assert!(serde_json::from_str::<FlopClusters>(&text.replace("0,0,0,2,1", "0,0,0,2")).is_err());
}

#[test]
fn streets_may_distinguish_fewer_clusters() {
    let clusters = five().with_streets([4, 2, 1]).unwrap();
    assert_eq!(clusters.count(), 4);
    assert_eq!(Street::ALL.map(|street| clusters.on(street)), [1, 4, 2, 1]);
    for board in ["AsKd2h9c9d", "7h7d2cAcAd", "2s3s4s5s7h"] {
        let river: Board = board.parse().unwrap();
        let finest = five().of_board(&river).unwrap();
        for street in Street::POSTFLOP {
            let board = Board::new(&river.cards()[..street.board_len()]).unwrap();
            let expected = five().at_level(finest, clusters.on(street));
            assert_eq!(clusters.of_board(&board), Some(expected), "{board}");
        }
    }
    assert_eq!(five().with_streets([5; 3]).unwrap(), five());
    let text = serde_json::to_string(&clusters).unwrap();
    assert!(text.contains(r#""streets":[4,2,1]"#), "{text}");
    assert_eq!(serde_json::from_str::<FlopClusters>(&text).unwrap(), clusters);
    for wrong in ["[3,2,1]", "[5,2,1]", "[4,0,1]"] {
        let wrong = text.replace("[4,2,1]", wrong);
        assert!(serde_json::from_str::<FlopClusters>(&wrong).is_err(), "{wrong}");
    }
    // Three clusters of a stage are three on the flop, two on the turn and one on the river.
    let toy = Toy(clusters);
    let coarse = AtLevel::new(&toy, 3).unwrap();
    for (board, level) in [("7h7d2c", 3), ("7h7d2cAc", 2), ("7h7d2cAcAd", 1)] {
        let board: Board = board.parse().unwrap();
        let cluster = five().at_level(five().of_board(&board).unwrap(), level) as u32;
        assert!(coarse.row(&board).iter().all(|bucket| bucket / 7 == cluster), "{board}");
    }
}

#[test]
fn a_level_moves_buckets_to_the_cluster_they_are_part_of() {
    let toy = Toy(five());
    let boards = ["AsKd2h", "7h7d2c", "QsJsTs4h", "2c9c4hTd2s", "8h8d3c3s2c"];
    for level in 1..=5 {
        let coarse = AtLevel::new(&toy, level).unwrap();
        assert_eq!(coarse.count(Street::Turn), 35);
        for board in boards.map(|board| board.parse::<Board>().unwrap()) {
            let (fine, row) = (toy.row(&board), coarse.row(&board));
            let cluster = toy.0.at_level(toy.0.of_board(&board).unwrap(), level) as u32;
            for (fine, coarse) in fine.iter().zip(row.iter()) {
                assert_eq!(*coarse, cluster * 7 + fine % 7);
            }
            let hole: Hole = "AhQd".parse().unwrap();
            assert_eq!(coarse.of(hole, &board), row[hole]);
        }
    }
    assert!(AtLevel::new(&toy, 0).is_err());
    assert!(AtLevel::new(&toy, 6).is_err());
}
