//! `Blueprint`: a trained strategy, opened to be asked.

use std::path::{Path, PathBuf};

use lethe_abstraction::{Abstraction, OpenError};
use lethe_cards::{Board, Hole, Street};
use lethe_game::{ConfigError, Game, NodeId, Tree, TreeTooLarge};

use crate::checkpoint::{Cards, Checkpoint, CheckpointError, Header};
use crate::deal::Buckets;
use crate::plan::Plan;
use crate::store::Weights;

/// CheckpointKind checkpoint of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckpointKind {
    /// The last one written.
    #[default]
    Latest,
    /// The one with the lowest estimate of exploitability.
    BestExploitability,
    /// The one that beat all before it.
    BestMatch,
}

impl CheckpointKind {
    /// The name of the checkpoint's file in the run's directory.
    pub const fn file(self) -> &'static str {
        match self {
            CheckpointKind::Latest => "latest.blueprint",
            CheckpointKind::BestExploitability => "best-exploitability.blueprint",
            CheckpointKind::BestMatch => "best-match.blueprint",
        }
    }
}

/// A trained strategy for whole hands: the frequencies of all actions at any decision.
///
/// The cells are mapped from the file as they are, so opening is quick and memory is shared between
/// processes; a blueprint can be asked from any number of threads.
///
/// ```no_run
/// use lethe_blueprint::{Blueprint, CheckpointKind};
/// let blueprint = Blueprint::open("runs/quick", CheckpointKind::Latest)?;
/// let node = blueprint.tree().find("r250 c /")?;
/// let frequencies = blueprint.frequencies(node, "AhKd".parse()?, &"Th9h8c".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Blueprint {
    plan: Plan,
    cards: CardModel,
    checkpoint: Checkpoint,
}

/// The buckets of a game: an abstraction, or nothing at all where no flop is ever bet on.
#[derive(Debug)]
pub enum CardModel {
    /// Those of an abstraction.
    Abstraction(Box<Abstraction>),
    /// All hands after the flop are one.
    Blank,
}

impl CardModel {
    /// The abstraction, if there is one.
    pub fn abstraction(&self) -> Option<&Abstraction> {
        match self {
            CardModel::Abstraction(abstraction) => Some(abstraction),
            CardModel::Blank => None,
        }
    }

    /// What a checkpoint keeps of it.
    pub fn cards(&self) -> Option<Cards> {
        self.abstraction().map(cards_of)
    }

    /// The buckets on flop, turn and river.
    pub(crate) fn counts(&self) -> [usize; 3] {
        Street::POSTFLOP.map(|street| self.count(street))
    }
}

impl Buckets for CardModel {
    fn count(&self, street: Street) -> usize {
        self.abstraction().map_or(1, |abstraction| Buckets::count(abstraction, street))
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        match self {
            CardModel::Abstraction(abstraction) => abstraction.fill(board, row),
            CardModel::Blank => row.fill(0),
        }
    }

    fn of(&self, hole: Hole, board: &Board) -> u32 {
        self.abstraction().map_or(0, |abstraction| abstraction.of(hole, board))
    }
}

impl Blueprint {
    /// Opens a run's directory, or a checkpoint file itself.
    pub fn open(
        path: impl AsRef<Path>,
        which: CheckpointKind,
    ) -> Result<Blueprint, BlueprintError> {
        let path = path.as_ref();
        let file = if path.is_dir() { path.join(which.file()) } else { path.to_owned() };
        if !file.is_file() {
            return Err(BlueprintError::NotThere { path: path.to_owned(), which });
        }
        let checkpoint = Checkpoint::open(file)?;
        let header = checkpoint.header();
        let cards = match &header.cards {
            Some(cards) => CardModel::Abstraction(Box::new(open_cards(cards)?)),
            None => CardModel::Blank,
        };
        let tree = Tree::build(Game::hand(&header.config.game)?, Tree::NODE_LIMIT)?;
        let plan = Plan::new(tree, cards.counts());
        if plan.cells() as u64 != header.cells {
            return Err(BlueprintError::Cells { path: checkpoint.path().to_owned() });
        }
        Ok(Blueprint { plan, cards, checkpoint })
    }

    /// The betting tree.
    pub fn tree(&self) -> &Tree {
        self.plan.tree()
    }

    /// The betting and its cells.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The card abstraction it was trained on; none in a game that ends before the flop.
    pub fn abstraction(&self) -> Option<&Abstraction> {
        self.cards.abstraction()
    }

    /// The buckets of all holes.
    pub fn buckets(&self) -> &CardModel {
        &self.cards
    }

    /// What the checkpoint says of itself.
    pub fn header(&self) -> &Header {
        self.checkpoint.header()
    }

    /// The file.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The frequencies of a decision's actions for a bucket of its street, or a class before the
    /// flop; none if the node is no decision or there is no such bucket. Where training never came
    /// they are even.
    pub fn bucket_frequencies(&self, node: NodeId, bucket: u32) -> Option<Vec<f64>> {
        let cells = self.plan.cells_of(node, bucket)?;
        let weights = &self.checkpoint.averages()[cells];
        let total: f64 = weights.iter().map(|&w| f64::from(w)).sum();
        let even = 1.0 / weights.len() as f64;
        let share = |&w: &u32| if total > 0.0 { f64::from(w) / total } else { even };
        Some(weights.iter().map(share).collect())
    }

    /// The bucket of a hole on a board; none if they share a card.
    pub fn bucket(&self, hole: Hole, board: &Board) -> Option<u32> {
        match board.street() {
            Street::Preflop => Some(class_of(hole)),
            _ if hole.set().intersects(board.set()) => None,
            _ => Some(self.cards.of(hole, board)),
        }
    }

    /// The frequencies of a decision's actions for a hole on a board; none if the node is no
    /// decision, the board not of its street, or the hole on the board.
    pub fn frequencies(&self, node: NodeId, hole: Hole, board: &Board) -> Option<Vec<f64>> {
        if self.tree().node(node).street() != board.street() {
            return None;
        }
        self.bucket_frequencies(node, self.bucket(hole, board)?)
    }
}

impl Weights for Blueprint {
    #[inline]
    fn weight(&self, cell: usize) -> f32 {
        self.checkpoint.weight(cell)
    }
}

/// What a checkpoint keeps of an abstraction.
fn cards_of(abstraction: &Abstraction) -> Cards {
    let metadata = abstraction.metadata();
    let mut hasher = blake3::Hasher::new();
    for file in &metadata.files {
        // Equity tables may be added later and change no bucket.
        if !file.name.contains("pairs") {
            hasher.update(file.name.as_bytes()).update(file.checksum.as_bytes());
        }
    }
    Cards {
        name: metadata.name.clone(),
        path: abstraction.path().to_owned(),
        checksum: hasher.finalize().to_hex()[..16].to_owned(),
        buckets: [Street::Flop, Street::Turn, Street::River]
            .map(|street| Buckets::count(abstraction, street)),
    }
}

/// Opens the abstraction that a checkpoint was trained on, where it was or among the others.
fn open_cards(cards: &Cards) -> Result<Abstraction, BlueprintError> {
    let beside = Path::new("data/abstractions").join(&cards.name);
    let path = if cards.path.is_dir() { cards.path.clone() } else { beside };
    let abstraction = Abstraction::open(&path).map_err(|source| BlueprintError::Cards {
        name: cards.name.clone(),
        source: Box::new(source),
    })?;
    let found = cards_of(&abstraction);
    if found.checksum != cards.checksum {
        return Err(BlueprintError::OtherCards {
            path,
            expected: cards.checksum.clone(),
            found: found.checksum,
        });
    }
    Ok(abstraction)
}

/// The number of the class of a hole, its bucket before the flop.
pub(crate) fn class_of(hole: Hole) -> u32 {
    hole.class().index() as u32
}

/// A blueprint that cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BlueprintError {
    /// There is none.
    #[error(
        "{}: no blueprint there{}; `lethe train --out {}` makes one",
        path.display(),
        match which { CheckpointKind::Latest => "", _ => " of that kind (none was found best yet)" },
        path.display()
    )]
    NotThere {
        /// The directory or file.
        path: PathBuf,
        /// CheckpointKind checkpoint was asked for.
        which: CheckpointKind,
    },
    /// The checkpoint cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The abstraction cannot be opened.
    #[error(
        "the blueprint was trained on the abstraction {name}, which cannot be opened: {source}"
    )]
    Cards {
        /// The abstraction's name.
        name: String,
        /// Why.
        source: Box<OpenError>,
    },
    /// The abstraction is not the one it was trained on.
    #[error(
        "{}: these are not the buckets that the blueprint was trained on (checksum {found}, trained on {expected}); build the abstraction again as it was",
        path.display()
    )]
    OtherCards {
        /// The abstraction.
        path: PathBuf,
        /// The checksum of the one it was trained on.
        expected: String,
        /// The checksum of the one that is there.
        found: String,
    },
    /// The game is none.
    #[error(transparent)]
    Game(#[from] ConfigError),
    /// The tree is too large.
    #[error(transparent)]
    Tree(#[from] TreeTooLarge),
    /// The tree does not fit the cells.
    #[error("{}: its cells do not fit its betting tree; it was written by another version", path.display())]
    Cells {
        /// The file.
        path: PathBuf,
    },
}
