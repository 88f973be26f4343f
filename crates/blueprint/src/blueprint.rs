//! `Blueprint`: a trained strategy, opened for queries.

use std::path::{Path, PathBuf};

use lethe_abstraction::artifact::VerifyError;
use lethe_abstraction::{Abstraction, OpenError};
use lethe_cards::{Board, Hole, Street};
use lethe_compute::{Cancelled, Job};
use lethe_game::{ConfigError, Game, NodeId, Tree, TreeTooLarge};
use lethe_rows::{Buckets, FlopClusters};

use crate::checkpoint::{
    AbstractionRef, AdversaryRegrets, Cells, Checkpoint, CheckpointError, Header,
};
use crate::plan::Plan;
use crate::store::Weights;

/// Which checkpoint of a run.
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
    /// All of them.
    pub const ALL: [CheckpointKind; 3] =
        [CheckpointKind::Latest, CheckpointKind::BestExploitability, CheckpointKind::BestMatch];

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
/// The cells are mapped from the file as they are, so opening is fast and memory is shared between
/// processes; any number of threads can query a blueprint. A query checks the parts of the files
/// that it touches for the first time; [`Blueprint::verify`] checks all of them, for code that reads
/// everything.
///
/// ```no_run
/// use lethe_blueprint::{Blueprint, CheckpointKind};
/// let blueprint = Blueprint::open("runs/quick", CheckpointKind::Latest)?;
/// let node = blueprint.tree().find("r250 c /")?;
/// let frequencies = blueprint.frequencies(node, "AhKd".parse()?, &"Th9h8c".parse()?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Blueprint {
    plan: Plan,
    cards: CardModel,
    checkpoint: Checkpoint,
}

/// A blueprint every byte of which has been checked, with its abstraction: what plays, and what best
/// responses are computed to.
#[derive(Clone, Copy, Debug)]
pub struct VerifiedBlueprint<'a> {
    blueprint: &'a Blueprint,
    cells: Cells<'a>,
}

/// The buckets of a game: an abstraction, or nothing where the game ends before the flop.
#[derive(Debug)]
pub enum CardModel {
    /// Those of an abstraction.
    Abstraction(Box<Abstraction>),
    /// One bucket on every street after the preflop.
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

    /// Checks every bucket, after which all of them can be read without looking at errors.
    pub fn verify(&self, job: Job<'_>) -> Result<(), VerifyError> {
        self.abstraction().map_or(Ok(()), |abstraction| abstraction.verify_tables(job))
    }

    /// What a checkpoint of a run in this directory records about it.
    pub(crate) fn reference(&self, run: &Path) -> Option<AbstractionRef> {
        self.abstraction().map(|abstraction| AbstractionRef::new(abstraction, run))
    }

    /// The checksum of the bucket tables; `None` without an abstraction.
    pub fn checksum(&self) -> Option<String> {
        self.abstraction().map(AbstractionRef::checksum_of)
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

    fn is_suit_invariant(&self) -> bool {
        true
    }

    fn flop_clusters(&self) -> Option<&FlopClusters> {
        self.abstraction().and_then(Abstraction::flop_clusters)
    }

    fn group_sizes(&self, street: Street) -> [usize; 2] {
        self.abstraction().map_or([1; 2], |abstraction| abstraction.group_sizes(street))
    }
}

impl Blueprint {
    /// Opens a checkpoint of a run: the run's directory, or the checkpoint file itself.
    ///
    /// The abstraction is opened where it was: at the recorded absolute path, or at the recorded
    /// place relative to the run. If it has moved, find it by [`Blueprint::describe`] and pass it to
    /// [`Blueprint::open_with`].
    pub fn open(path: impl AsRef<Path>, kind: CheckpointKind) -> Result<Blueprint, BlueprintError> {
        let checkpoint = checkpoint(path.as_ref(), kind)?;
        let cards = match &checkpoint.header().abstraction {
            Some(recorded) => {
                let run = checkpoint.path().parent().unwrap_or(Path::new(""));
                CardModel::Abstraction(Box::new(find(recorded, run)?))
            }
            None => CardModel::Blank,
        };
        Blueprint::new(checkpoint, cards)
    }

    /// Opens a checkpoint of a run with the abstraction given, which must have the buckets that the
    /// run was trained on.
    pub fn open_with(
        path: impl AsRef<Path>,
        kind: CheckpointKind,
        cards: CardModel,
    ) -> Result<Blueprint, BlueprintError> {
        let checkpoint = checkpoint(path.as_ref(), kind)?;
        let recorded = &checkpoint.header().abstraction;
        let expected = recorded.as_ref().map(|recorded| recorded.checksum.clone());
        let found = cards.checksum();
        if expected != found {
            let [expected, found] = [expected, found].map(|sum| sum.unwrap_or("none".to_owned()));
            return Err(BlueprintError::OtherAbstraction { expected, found });
        }
        Blueprint::new(checkpoint, cards)
    }

    /// What a checkpoint says about itself, without opening its abstraction or building its tree.
    pub fn describe(
        path: impl AsRef<Path>,
        kind: CheckpointKind,
    ) -> Result<Header, BlueprintError> {
        Ok(checkpoint(path.as_ref(), kind)?.header().clone())
    }

    fn new(checkpoint: Checkpoint, cards: CardModel) -> Result<Blueprint, BlueprintError> {
        let header = checkpoint.header();
        let game = Game::hand(&header.config.game)?;
        // Counted before anything is allocated: the file is as long as its cells.
        let counts = game.counts(Tree::NODE_LIMIT)?;
        let recorded = header.abstraction.as_ref().map(|recorded| recorded.buckets);
        let fits = recorded.is_none_or(|buckets| buckets == cards.counts());
        if !fits || Plan::count_cells(&counts, cards.counts()) != header.cells {
            return Err(BlueprintError::Cells { path: checkpoint.path().to_owned() });
        }
        let plan = Plan::new(Tree::build(game, Tree::NODE_LIMIT)?, cards.counts());
        if plan.cells() as u64 != header.cells {
            return Err(BlueprintError::Cells { path: checkpoint.path().to_owned() });
        }
        Ok(Blueprint { plan, cards, checkpoint })
    }

    /// Checks every byte of the checkpoint and of the bucket tables. Progress is in bytes.
    pub fn verify(&self, job: Job<'_>) -> Result<VerifiedBlueprint<'_>, BlueprintError> {
        self.cards.verify(job)?;
        Ok(VerifiedBlueprint { blueprint: self, cells: self.checkpoint.verify(job)? })
    }

    /// The betting tree.
    pub fn tree(&self) -> &Tree {
        self.plan.tree()
    }

    /// The betting and its cells.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The card abstraction it was trained on; `None` in a game that ends before the flop.
    pub fn abstraction(&self) -> Option<&Abstraction> {
        self.cards.abstraction()
    }

    /// The buckets of all holes.
    pub fn buckets(&self) -> &CardModel {
        &self.cards
    }

    /// What the checkpoint says about itself.
    pub fn header(&self) -> &Header {
        self.checkpoint.header()
    }

    /// The file.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The frequencies of a decision's actions for a bucket of its street, or a class before the
    /// flop; `None` if the node is not a decision or there is no such bucket. They are equal where
    /// training never went.
    ///
    /// # Errors
    /// If the part of the checkpoint that holds them is damaged.
    pub fn bucket_frequencies(
        &self,
        node: NodeId,
        bucket: u32,
    ) -> Result<Option<Vec<f64>>, BlueprintError> {
        let Some(cells) = self.plan.cells_of(node, bucket) else { return Ok(None) };
        let weights = self.checkpoint.averages(cells)?;
        let total: f64 = weights.iter().map(|&w| f64::from(w)).sum();
        let even = 1.0 / weights.len() as f64;
        let share = |&w: &u32| if total > 0.0 { f64::from(w) / total } else { even };
        Ok(Some(weights.iter().map(share).collect()))
    }

    /// The bucket of a hole on a board; `None` if they share a card.
    ///
    /// # Errors
    /// If the part of the abstraction that holds it is damaged.
    pub fn bucket(&self, hole: Hole, board: &Board) -> Result<Option<u32>, BlueprintError> {
        match (board.street(), &self.cards) {
            (Street::Preflop, _) => Ok(Some(class_of(hole))),
            (_, CardModel::Abstraction(abstraction)) => Ok(abstraction.bucket(hole, board)?),
            (_, CardModel::Blank) => Ok((!hole.set().intersects(board.set())).then_some(0)),
        }
    }

    /// The frequencies of a decision's actions for a hole on a board; `None` if the node is not a
    /// decision, the board is of another street, or hole and board share a card.
    ///
    /// # Errors
    /// If a part of a file that it reads is damaged.
    pub fn frequencies(
        &self,
        node: NodeId,
        hole: Hole,
        board: &Board,
    ) -> Result<Option<Vec<f64>>, BlueprintError> {
        if self.tree().node(node).street() != board.street() {
            return Ok(None);
        }
        match self.bucket(hole, board)? {
            Some(bucket) => self.bucket_frequencies(node, bucket),
            None => Ok(None),
        }
    }
}

impl<'a> VerifiedBlueprint<'a> {
    /// How the adversary of its training plays before the flop, where the checkpoint has that.
    pub fn adversary(&self) -> Option<AdversaryRegrets<'a>> {
        self.cells.adversary()
    }

    /// A checksum of the strategy: of the game, the buckets and all cells. Blueprints with the same one
    /// play the same.
    pub fn checksum(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.header().game_hash.as_bytes());
        hasher.update(self.buckets().checksum().unwrap_or_default().as_bytes());
        hasher.update(bytemuck::cast_slice(self.cells.averages()));
        hasher.finalize().to_hex()[..16].to_owned()
    }
}

impl std::ops::Deref for VerifiedBlueprint<'_> {
    type Target = Blueprint;

    fn deref(&self) -> &Blueprint {
        self.blueprint
    }
}

impl Weights for VerifiedBlueprint<'_> {
    #[inline]
    fn weight(&self, cell: usize) -> f32 {
        self.cells.weight(cell)
    }
}

fn checkpoint(path: &Path, kind: CheckpointKind) -> Result<Checkpoint, BlueprintError> {
    let file = if path.is_dir() { path.join(kind.file()) } else { path.to_owned() };
    if !file.is_file() {
        return Err(BlueprintError::NotFound { path: path.to_owned(), kind });
    }
    Ok(Checkpoint::open(file)?)
}

/// Opens the abstraction that a run in this directory was trained on, where it was.
fn find(recorded: &AbstractionRef, run: &Path) -> Result<Abstraction, BlueprintError> {
    let places = recorded.places(run);
    let mut found = None;
    for path in places.iter().filter(|path| path.is_dir()) {
        let abstraction = match Abstraction::open(path) {
            Ok(abstraction) => abstraction,
            Err(source) => {
                found = found.or(Some(BlueprintError::Abstraction(Box::new(source))));
                continue;
            }
        };
        let checksum = AbstractionRef::checksum_of(&abstraction);
        if checksum == recorded.checksum {
            return Ok(abstraction);
        }
        let expected = recorded.checksum.clone();
        found = Some(BlueprintError::OtherAbstraction { expected, found: checksum });
    }
    Err(found.unwrap_or_else(|| {
        let abstraction = Box::new(recorded.clone());
        BlueprintError::AbstractionNotFound { abstraction, tried: places }
    }))
}

/// The number of the class of a hole, its bucket before the flop.
pub(crate) fn class_of(hole: Hole) -> u32 {
    hole.class().index() as u32
}

/// A blueprint that cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BlueprintError {
    /// There is no such checkpoint.
    #[error(
        "{}: no blueprint there{}",
        path.display(),
        match kind { CheckpointKind::Latest => "", _ => " of that kind: no evaluation has chosen one yet" },
    )]
    NotFound {
        /// The directory or file.
        path: PathBuf,
        /// The checkpoint asked for.
        kind: CheckpointKind,
    },
    /// The checkpoint cannot be read.
    #[error(transparent)]
    Checkpoint(CheckpointError),
    /// The abstraction is not where it was.
    #[error(
        "the blueprint was trained on the abstraction {} (checksum {}), which is not at {}; \
         open the blueprint with the abstraction from where it is now, or build it again",
        abstraction.name,
        abstraction.checksum,
        tried.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" or ")
    )]
    AbstractionNotFound {
        /// What was recorded about it.
        abstraction: Box<AbstractionRef>,
        /// Where it was looked for.
        tried: Vec<PathBuf>,
    },
    /// The abstraction cannot be opened, or the part that was read is damaged.
    #[error("the abstraction that the blueprint was trained on cannot be used: {0}")]
    Abstraction(#[from] Box<OpenError>),
    /// The abstraction is damaged.
    #[error("the abstraction that the blueprint was trained on cannot be used: {0}")]
    Verify(VerifyError),
    /// The job was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The abstraction is not the one that the blueprint was trained on.
    #[error(
        "the abstraction is not the one that the blueprint was trained on: expected bucket tables \
         with checksum {expected}, found {found}; open the blueprint with its own abstraction, or \
         build that again"
    )]
    OtherAbstraction {
        /// The checksum of the one it was trained on, or `none`.
        expected: String,
        /// The checksum of the one that was found, or `none`.
        found: String,
    },
    /// The game is invalid.
    #[error(transparent)]
    Game(#[from] ConfigError),
    /// The tree is too large.
    #[error(transparent)]
    Tree(#[from] TreeTooLarge),
    /// The tree does not fit the cells.
    #[error("{}: its cells do not match its betting tree; it was written by another version", path.display())]
    Cells {
        /// The file.
        path: PathBuf,
    },
}

impl From<VerifyError> for BlueprintError {
    fn from(error: VerifyError) -> BlueprintError {
        match error {
            VerifyError::Cancelled(cancelled) => cancelled.into(),
            error => BlueprintError::Verify(error),
        }
    }
}

impl From<CheckpointError> for BlueprintError {
    fn from(error: CheckpointError) -> BlueprintError {
        match error {
            CheckpointError::Cancelled(cancelled) => cancelled.into(),
            error => BlueprintError::Checkpoint(error),
        }
    }
}
