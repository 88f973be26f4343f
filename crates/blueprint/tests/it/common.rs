//! A card abstraction that needs no artifact, and small games.

use lethe_blueprint::Buckets;
use lethe_cards::{Board, CanonicalBoard, Deck, Hole, Situation, Street};
use lethe_game::{Game, HandConfig, Tree};
use lethe_rows::FlopClusters;

/// Buckets by a hash of the situation up to suits: meaningless, and the same for suits that are
/// alike.
pub(crate) struct Hashed(pub(crate) usize);

impl Buckets for Hashed {
    fn count(&self, _: Street) -> usize {
        self.0
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        for (entry, hole) in row.iter_mut().zip(Deck::without(board.set()).holes()) {
            *entry = self.of(hole, board);
        }
    }

    fn of(&self, hole: Hole, board: &Board) -> u32 {
        if self.0 == 1 {
            return 0;
        }
        // All holes that the board's own symmetry makes alike must share a bucket: take the least.
        let (canonical, map) = CanonicalBoard::of(board);
        let hole = map.hole(hole);
        let images = canonical.symmetry().maps().map(|map| map.hole(hole).index());
        let least = images.min().expect("the identity") as u64;
        let mixed = (canonical.index() as u64 * 1326 + least).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        debug_assert!(Situation::of(hole, board).is_some() || map.hole(hole) != hole);
        ((mixed >> 40) % self.0 as u64) as u32
    }

    fn is_suit_invariant(&self) -> bool {
        true
    }
}

/// Four clusters of flops by how many ranks and suits they have, and hashed buckets in each.
pub(crate) struct Clustered {
    pub(crate) clusters: FlopClusters,
    within: Hashed,
}

impl Clustered {
    pub(crate) fn new(within: usize) -> Clustered {
        let of = CanonicalBoard::all(Street::Flop).map(|flop| {
            let lanes = flop.set().lanes();
            let ranks = lanes.iter().fold(0, |all, lane| all | lane).count_ones();
            let suits = lanes.iter().filter(|&&lane| lane != 0).count();
            2 * u8::from(ranks < 3) + u8::from(suits < 3)
        });
        let clusters = FlopClusters::new(of.collect(), vec![0, 0, 0, 2]).expect("clusters");
        Clustered { clusters, within: Hashed(within) }
    }
}

impl Buckets for Clustered {
    fn count(&self, _: Street) -> usize {
        self.clusters.count() * self.within.0
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        self.within.fill(board, row);
        let first = self.clusters.of_board(board).expect("a board") * self.within.0;
        row.iter_mut().for_each(|bucket| *bucket += first as u32);
    }

    fn of(&self, hole: Hole, board: &Board) -> u32 {
        let first = self.clusters.of_board(board).expect("a board") * self.within.0;
        first as u32 + self.within.of(hole, board)
    }

    fn is_suit_invariant(&self) -> bool {
        true
    }

    fn flop_clusters(&self) -> Option<&FlopClusters> {
        Some(&self.clusters)
    }
}

/// The tree of a game described in JSON.
pub(crate) fn tree(game: &str) -> Tree {
    let config: HandConfig = serde_json::from_str(game).expect("a game");
    Tree::build(Game::hand(&config).expect("a game"), Tree::NODE_LIMIT).expect("a small tree")
}

/// 10 big blinds: the small blind pushes or folds, the big blind calls or folds.
pub(crate) const PUSH_FOLD: &str = r#"{"stack":1000,"small_blind":50,"big_blind":100,
    "bet_sizes":{"preflop":{"sb":{"raise":"a"},"limp":false}}}"#;

/// Limped pots only, and one bet on each street.
pub(crate) const LIMPED: &str = r#"{"stack":900,"small_blind":50,"big_blind":100,"bet_sizes":{
    "flop":{"oop":{"bet":"100%"},"ip":{"bet":"100%","raise":"a"}},
    "turn":{"oop":{"bet":"a"},"ip":{"bet":"50%"}},
    "river":{"oop":{"bet":"50%","raise":"a"},"ip":{"bet":"100%"}}}}"#;

/// Limped pots only, one bet on each street: few enough lines for plain recursion.
pub(crate) const SMALL: &str = r#"{"stack":900,"small_blind":50,"big_blind":100,"bet_sizes":{
    "flop":{"ip":{"bet":"a"}}, "turn":{"oop":{"bet":"a"}}, "river":{"oop":{"bet":"100%"}}}}"#;

/// Limped and raised pots, one bet and an all-in raise on each street: as many lines as `quick` has.
pub(crate) const RAISED: &str = r#"{"stack":2000,"small_blind":50,"big_blind":100,"bet_sizes":{
    "preflop":{"sb":{"raise":"2.5x, a"},"bb":{"raise":"a"}},
    "flop":{"oop":{"bet":"50%","raise":"a"},"ip":{"bet":"50%","raise":"a"}},
    "turn":{"oop":{"bet":"75%","raise":"a"},"ip":{"bet":"75%","raise":"a"}},
    "river":{"oop":{"bet":"75%","raise":"a"},"ip":{"bet":"75%","raise":"a"}}}}"#;
