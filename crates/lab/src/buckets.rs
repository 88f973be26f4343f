//! The buckets of the boards of one game: built there, or taken from a stored abstraction.

use std::collections::HashMap;

use lethe_abstraction::artifact::VerifyError;
use lethe_abstraction::{
    Abstraction, BoardSet, BuildError, Builder, Domain, KMeansSettings, PerStreet, PlanError,
};
use lethe_cards::{Board, CanonicalBoard, Deck, Situation, Street};
use lethe_cluster::hash;
use lethe_compute::Job;
use lethe_rows::{Buckets, DeckMap};

use crate::recipe::{Recipe, StreetRecipe};
use crate::root::Root;

/// An abstraction restricted to the boards of one game: the buckets that occur there, numbered
/// from 0 without gaps.
#[derive(Clone, Debug, Default)]
pub(crate) struct GameBuckets {
    streets: PerStreet<StreetBuckets>,
}

/// The buckets of a street: a row for each canonical board that can occur.
#[derive(Clone, Debug, Default)]
struct StreetBuckets {
    rows: HashMap<usize, Vec<u32>>,
    count: usize,
}

impl StreetBuckets {
    /// Renumbers the rows of some boards by the order in which their numbers first occur.
    fn new(boards: &BoardSet, row: impl Fn(usize) -> Vec<u32>) -> StreetBuckets {
        let mut numbers = HashMap::new();
        let mut rows = HashMap::with_capacity(boards.len());
        for position in 0..boards.len() {
            let mut row = row(position);
            for bucket in &mut row {
                let next = numbers.len() as u32;
                *bucket = *numbers.entry(*bucket).or_insert(next);
            }
            rows.insert(boards.board(position).index(), row);
        }
        StreetBuckets { rows, count: numbers.len() }
    }
}

/// Why the buckets of a game could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BucketsError {
    /// No buckets, or too many.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The build failed or was cancelled.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The abstraction is damaged.
    #[error(transparent)]
    Artifact(VerifyError),
}

impl From<VerifyError> for BucketsError {
    fn from(error: VerifyError) -> BucketsError {
        match error {
            VerifyError::Cancelled(cancelled) => BuildError::from(cancelled).into(),
            error => BucketsError::Artifact(error),
        }
    }
}

impl GameBuckets {
    /// Builds the buckets of a game by a recipe: at most `buckets` on each street, and fewer where
    /// fewer situations differ.
    pub(crate) fn build(
        builder: &Builder,
        root: &Root,
        recipe: &Recipe,
        buckets: usize,
        seed: u64,
        job: Job<'_>,
    ) -> Result<GameBuckets, BucketsError> {
        let domain = Domain::below(&root.board(), job).map_err(BuildError::from)?;
        let kmeans = KMeansSettings { seed, ..KMeansSettings::default() };
        GameBuckets::collect(root, |street, boards| {
            if buckets == 0 {
                return Err(PlanError::NoBuckets { street }.into());
            }
            let recipe = recipe.street(street);
            let Some(plan) = recipe.plan(boards, buckets) else {
                return Ok(by_situation(boards, |situation| match recipe {
                    StreetRecipe::Random => (hash(hash(seed) ^ situation) % buckets as u64) as u32,
                    _ => situation as u32,
                }));
            };
            let built = builder.street(&plan?, kmeans, &domain, job)?;
            Ok(StreetBuckets::new(boards, |position| built.row(boards, position)))
        })
    }

    /// A stored abstraction restricted to a game, after checking its tables.
    ///
    /// # Errors
    /// If the abstraction is damaged, or on cancellation.
    pub(crate) fn of_artifact(
        root: &Root,
        abstraction: &Abstraction,
        job: Job<'_>,
    ) -> Result<GameBuckets, BucketsError> {
        abstraction.verify_tables(job.silent())?;
        GameBuckets::collect(root, |_, boards: &BoardSet| {
            // Below one flop there is one flop cluster: the buckets within it are all that differs.
            let base = |position| {
                let board = boards.board(position).board();
                let mut row = vec![0; Deck::row_len(board.street())];
                let filled = abstraction.base_row_into(&board, &mut row);
                filled.unwrap_or_else(|error| panic!("a verified table is damaged: {error}"));
                row
            };
            Ok(StreetBuckets::new(boards, base))
        })
    }

    /// What `street` makes of the boards of each street of a game.
    fn collect<E>(
        root: &Root,
        mut street: impl FnMut(Street, &BoardSet) -> Result<StreetBuckets, E>,
    ) -> Result<GameBuckets, E> {
        let mut streets = PerStreet::default();
        for played in root.streets() {
            let place = match played {
                Street::Flop => &mut streets.flop,
                Street::Turn => &mut streets.turn,
                _ => &mut streets.river,
            };
            *place = street(played, &root.boards(played))?;
        }
        Ok(GameBuckets { streets })
    }

    /// How many buckets occur on each street; 0 on streets before the game starts.
    pub(crate) fn occurring(&self) -> PerStreet<usize> {
        let PerStreet { flop, turn, river } = &self.streets;
        PerStreet { flop: flop.count, turn: turn.count, river: river.count }
    }

    fn street(&self, street: Street) -> &StreetBuckets {
        self.streets.get(street).expect("a game has a board")
    }
}

/// What `number` makes of the index of each slot's situation, the same for situations alike.
fn by_situation(boards: &BoardSet, number: impl Fn(u64) -> u32) -> StreetBuckets {
    StreetBuckets::new(boards, |position| {
        let board = boards.board(position);
        let of = |hole| Situation::of(hole, &board.board()).expect("a hole of the board's deck").0;
        board.deck().holes().map(|hole| number(of(hole).index() as u64)).collect()
    })
}

impl Buckets for GameBuckets {
    fn count(&self, street: Street) -> usize {
        self.street(street).count
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        let (canonical, suits) = CanonicalBoard::of(board);
        let stored = &self.street(board.street()).rows[&canonical.index()];
        let map = DeckMap::new(&Deck::without(board.set()), &canonical.deck(), suits);
        map.for_each_hole(row, |bucket, slot| *bucket = stored[slot]);
    }

    fn is_suit_invariant(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

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
        GameBuckets::build(&BUILDER, &root, &recipe, buckets, seed, Job::default()).unwrap()
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
        // All are used where there are enough features.
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
            let row = |(board, _): (CanonicalBoard, u64)| made.row(&board.board()).to_vec();
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
        let board = "KsKc7s".parse::<Board>().unwrap();
        let holes = ["AhAs", "AdAs"].map(|text| text.parse().unwrap());
        for name in ALL.into_iter().filter(|name| *name != "lossless") {
            let made = build("KsKc7s", name, 20, 1);
            let [first, second] = holes.map(|hole| made.of(hole, &board));
            assert_eq!(first, second, "{name}");
        }
    }

    #[test]
    fn classes_that_cannot_be_dealt_are_left_out() {
        // No ace is left.
        assert_eq!(build("AsAhAdAc", "classes", 1, 0).occurring().turn, 12 * 12);
    }

    #[test]
    fn no_buckets_are_refused() {
        let (root, recipe) = ("Ks7h2d9s".parse().unwrap(), "ehs".parse().unwrap());
        let made = GameBuckets::build(&Builder::default(), &root, &recipe, 0, 0, Job::default());
        assert_eq!(made.unwrap_err().to_string(), "turn: at least one bucket is needed");
    }
}
