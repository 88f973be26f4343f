//! Solution files: written all or nothing, and checked whole when opened.
//!
//! # Format
//! A [container](lethe_files::Container) of the kind `LETHESOL`, format version 2: a JSON header
//! (board, betting, start, locks, report, what was kept), a checksum for each block, and as data, all
//! numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 2 x 1,326 x 4 | both ranges: 32-bit weights by hole index |
//! | ... | the boards, depth first; for each, `oop` then `ip` |
//!
//! A board has, for each player, one 32-bit scale for every action row and then the rows of 16-bit
//! frequencies (times their scale). Where the boards below were left out, the values of each
//! player's hands at the nodes where the next card is dealt follow as 32-bit numbers.
//!
//! Files of version 1 have the same header and data, and one checksum:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `LETHESOL` |
//! | 4 | format version, 1 |
//! | 4 | length *h* of the header |
//! | *h* | header, JSON |
//! | ... | data, as above |
//! | 32 | BLAKE3 of everything before |

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lethe_cards::{Board, Card, Hole, Street};
use lethe_compute::{Cancelled, Job};
use lethe_files::{Container, ContainerWriter, Fault, FileError, MappedFile, VerifyError};
use lethe_game::{Game, NodeId, Player, SpotConfig, Tree};
use serde::{Deserialize, Serialize};

use crate::boards::{BoardNode, SuitClasses};
use crate::cells::{BoardData, Precision, Table};
use crate::engine::{Captured, Engine, TraverserMode};
use crate::lock::{Lock, LockedStrategy};
use crate::plan::{self, Level};
use crate::query::Solution;
use crate::run::{Report, StopReason};
use crate::solver::Evaluation;
use crate::spot::Spot;

/// What a solution file begins with.
pub const MAGIC: &[u8; 8] = b"LETHESOL";
/// The version that is written.
const VERSION: u32 = 2;
/// The least bytes that an action of a decision takes: a scale, and one lane of frequencies.
const LEAST: u64 = 4;

/// Which streets a saved solution keeps. [`crate::Position::resolve`] solves the others again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// All streets.
    #[default]
    Everything,
    /// The flop and the turn, without the river.
    ThroughTurn,
    /// The flop alone.
    ThroughFlop,
}

impl Keep {
    /// How many levels are kept; the first always is.
    fn levels(self, levels: &[Level]) -> usize {
        let last = match self {
            Keep::Everything => Street::River,
            Keep::ThroughTurn => Street::Turn,
            Keep::ThroughFlop => Street::Flop,
        };
        let first = levels[0].street;
        levels.iter().filter(|level| level.street <= last || level.street == first).count()
    }
}

#[derive(Serialize, Deserialize)]
struct Header {
    board: String,
    street: String,
    betting: SpotConfig,
    nodes: usize,
    start: u32,
    locks: Vec<SavedLock>,
    symmetry: [u8; 4],
    keep: Keep,
    iterations: u32,
    seconds: f64,
    reason: StopReason,
    /// `None` where the solve was cancelled before it was measured.
    evaluation: Option<Evaluation>,
    #[serde(default)]
    exploitability: Option<f64>,
}

#[derive(Serialize, Deserialize)]
struct SavedLock {
    node: u32,
    dealt: Vec<String>,
    range: Option<Vec<f64>>,
    hands: Option<BTreeMap<String, Vec<f64>>>,
}

impl Solution {
    /// Writes the solution to a file; `betting` is what its tree was built from.
    ///
    /// A file that opens is complete: it is written beside and then renamed.
    pub fn save(
        &self,
        path: &Path,
        betting: &SpotConfig,
        keep: Keep,
        job: Job<'_>,
    ) -> Result<(), SaveError> {
        let tree = self.spot.tree();
        let street = tree.game().street();
        if Game::spot(betting, street).ok().as_ref() != Some(tree.game()) {
            return Err(SaveError::OtherBetting);
        }
        let header = Header {
            board: self.spot.board().to_string(),
            street: street.name().to_owned(),
            betting: betting.clone(),
            nodes: tree.len(),
            start: self.spot.start().index() as u32,
            locks: self.spot.locks().iter().map(SavedLock::from).collect(),
            symmetry: self.engine.suits.classes(),
            keep,
            iterations: self.report.iterations,
            seconds: self.report.elapsed.as_secs_f64(),
            reason: self.report.reason,
            evaluation: self.report.evaluation,
            exploitability: self.report.exploitability,
        };
        let header = serde_json::to_vec(&header).map_err(|e| SaveError::Header(e.to_string()))?;
        let kept = keep.levels(&self.engine.levels);
        let captured = [(); 2].map(|()| Captured::leaves(kept.saturating_sub(1)));
        if kept < self.engine.levels.len() {
            for (player, captured) in Player::BOTH.into_iter().zip(&captured) {
                self.profile(job).capture(player, TraverserMode::Average, captured)?;
            }
        }
        let mut out = ContainerWriter::create(path, MAGIC, VERSION, header)?;
        self.write(&mut out, kept, &captured)
            .map_err(|why| FileError::Write { path: path.to_owned(), why })?;
        Ok(out.finish()?)
    }

    fn write(
        &self,
        out: &mut ContainerWriter,
        kept: usize,
        captured: &[Captured; 2],
    ) -> io::Result<()> {
        for player in Player::BOTH {
            put_numbers(out, self.spot.weights(player))?;
        }
        self.write_board(out, &self.engine.root, &self.data, 0, kept, captured)
    }

    fn write_board(
        &self,
        out: &mut ContainerWriter,
        board: &BoardNode,
        data: &BoardData,
        depth: usize,
        kept: usize,
        captured: &[Captured; 2],
    ) -> io::Result<()> {
        let level = &self.engine.levels[depth];
        for p in 0..2 {
            let (rows, stride) = (level.rows[p], board.hands[p].stride());
            let mut table = vec![0i16; rows * stride];
            let mut scales = vec![0.0f32; rows];
            let (mut decoded, mut played) = (Vec::new(), Vec::new());
            for (row, actions) in level.decisions(p) {
                decoded.resize(actions * stride, 0.0);
                played.resize(actions * stride, 0.0);
                match &self.averages[p] {
                    Some(tables) => {
                        let count = tables[depth].len() / rows;
                        let table = &tables[depth][row * count..(row + actions) * count];
                        crate::kernel::expand(&mut played, table, &board.buckets[p]);
                    }
                    None => {
                        let sums = data.cells[p].sum.get().read(row, actions, stride, &mut decoded);
                        lethe_rows::matching::frequencies(sums, &mut played, stride);
                    }
                }
                let range = row * stride..(row + actions) * stride;
                let scales = &mut scales[row..row + actions];
                crate::cells::encode(&played, stride, &mut table[range], scales);
            }
            put_numbers(out, &scales)?;
            for part in table.chunks(1 << 14) {
                let bytes: Vec<u8> = part.iter().flat_map(|x| x.to_le_bytes()).collect();
                out.write_all(&bytes)?;
            }
        }
        if depth + 1 < kept {
            for (child, data) in board.children.iter().zip(&data.children) {
                self.write_board(out, &child.node, data, depth + 1, kept, captured)?;
            }
        } else if !board.children.is_empty() {
            for (p, captured) in captured.iter().enumerate() {
                let rows = match data.stored(p) {
                    Some(stored) => stored.to_vec(),
                    None => captured.take(board).unwrap_or_default(),
                };
                put_numbers(out, &rows)?;
            }
        }
        Ok(())
    }

    /// Opens a solution file and checks all of it.
    pub fn open(path: &Path, job: Job<'_>) -> Result<Solution, SaveError> {
        let file = MappedFile::open(path)?;
        match Container::version(&file, MAGIC)? {
            1 => {
                let (header, data) = first_version(&file)?;
                Solution::read(header, data, job)
            }
            VERSION => {
                let container = Container::open(file, MAGIC, VERSION)?;
                let data = container.data().verify(job.silent()).map_err(|error| match error {
                    VerifyError::Cancelled(cancelled) => cancelled.into(),
                    _ => SaveError::Checksum,
                })?;
                Solution::read(container.header(), data, job)
            }
            got => Err(SaveError::Version { expected: VERSION, got }),
        }
    }

    /// Reads a solution whose bytes are those that were written.
    fn read(header: &[u8], data: &[u8], job: Job<'_>) -> Result<Solution, SaveError> {
        let header: Header =
            serde_json::from_slice(header).map_err(|e| SaveError::Header(e.to_string()))?;
        let mut input = Input(data);
        let weights = [input.numbers(Hole::COUNT)?, input.numbers(Hole::COUNT)?];
        let spot = header.spot(weights, data.len() as u64)?;
        let hands = Player::BOTH.map(|p| spot.weights(p).iter().filter(|&&w| w > 0.0).count());
        let levels = plan::levels(spot.tree(), spot.start(), hands[0].max(hands[1]));
        let suits = SuitClasses::from_classes(header.symmetry, &spot).ok_or_else(bad_header)?;
        let mut root = BoardNode::build(&spot, &levels, suits, job)?;
        root.lock(&spot, &levels);
        let kept = header.keep.levels(&levels);
        let data = read_board(&mut input, &root, &levels, kept)?;
        if !input.0.is_empty() {
            return Err(SaveError::Truncated);
        }
        let seconds = header.seconds;
        let elapsed = Duration::try_from_secs_f64(seconds).map_err(|_| bad_header())?;
        let report = Report {
            evaluation: header.evaluation,
            exploitability: header
                .exploitability
                .or(header.evaluation.map(|found| found.exploitability)),
            iterations: header.iterations,
            elapsed,
            reason: header.reason,
        };
        let engine = Arc::new(Engine::new(levels, root, suits));
        Ok(Solution::new(spot, engine, data, [None, None], report, None))
    }
}

fn bad_header() -> SaveError {
    SaveError::Header("its fields contradict each other".to_owned())
}

impl Header {
    /// The spot of a file with so many bytes of data.
    fn spot(&self, weights: [Vec<f32>; 2], bytes: u64) -> Result<Spot, SaveError> {
        let wrong = |e: &dyn std::fmt::Display| SaveError::Header(e.to_string());
        let board: Board = self.board.parse().map_err(|e| wrong(&e))?;
        let street: Street = self.street.parse().map_err(|e| wrong(&e))?;
        let game = Game::spot(&self.betting, street).map_err(|e| wrong(&e))?;
        // Counted before anything is allocated: a small file has no large tree.
        let counts = game.counts(Tree::NODE_LIMIT).map_err(|e| wrong(&e))?;
        let actions = counts.of(street).actions;
        let stored = if self.start == 0 { actions.saturating_mul(LEAST) } else { 0 };
        if counts.nodes() != self.nodes as u64 || stored > bytes {
            return Err(bad_header());
        }
        let tree = Tree::build(game, Tree::NODE_LIMIT).map_err(|e| wrong(&e))?;
        if tree.len() != self.nodes || self.start as usize >= tree.len() {
            return Err(bad_header());
        }
        let start = NodeId::new(self.start);
        let tree = Arc::new(tree);
        let mut spot = Spot::with_weights(board, weights, tree, start).map_err(|e| wrong(&e))?;
        for lock in &self.locks {
            if lock.node as usize >= self.nodes {
                return Err(bad_header());
            }
            // Older files may lock hands outside the range, which does nothing.
            let lock = lock.lock()?.within(&spot);
            spot = spot.with_lock(lock).map_err(|e| wrong(&e))?;
        }
        Ok(spot)
    }
}

impl From<&Lock> for SavedLock {
    fn from(lock: &Lock) -> SavedLock {
        let (range, hands) = match &lock.strategy {
            LockedStrategy::Range(frequencies) => (Some(frequencies.clone()), None),
            LockedStrategy::Hands(hands) => {
                let named = hands.iter().map(|(hole, f)| (hole.to_string(), f.clone()));
                (None, Some(named.collect()))
            }
        };
        let dealt = lock.dealt.iter().map(Card::to_string).collect();
        SavedLock { node: lock.node.index() as u32, dealt, range, hands }
    }
}

impl SavedLock {
    fn lock(&self) -> Result<Lock, SaveError> {
        let wrong = |e: &dyn std::fmt::Display| SaveError::Header(e.to_string());
        let dealt: Result<Vec<Card>, _> = self.dealt.iter().map(|text| text.parse()).collect();
        let strategy = match (&self.range, &self.hands) {
            (Some(range), _) => LockedStrategy::Range(range.clone()),
            (None, hands) => {
                let mut map = BTreeMap::new();
                for (hole, frequencies) in hands.iter().flatten() {
                    let hole: Hole = hole.parse().map_err(|e| wrong(&e))?;
                    map.insert(hole, frequencies.clone());
                }
                LockedStrategy::Hands(map)
            }
        };
        let dealt = dealt.map_err(|e| wrong(&e))?;
        Ok(Lock { node: NodeId::new(self.node), dealt, strategy })
    }
}

fn read_board(
    input: &mut Input<'_>,
    board: &BoardNode,
    levels: &[Level],
    kept: usize,
) -> Result<BoardData, SaveError> {
    if kept == 0 {
        return Ok(BoardData::new(board, levels, Precision::F32, false, [true, true]));
    }
    let mut data = BoardData::empty();
    for p in 0..2 {
        let (rows, stride) = (levels[0].rows[p], board.hands[p].stride());
        let scales = input.numbers(rows)?;
        let bytes = input.take(rows * stride * 2)?;
        let table = bytes.chunks_exact(2).map(|x| i16::from_le_bytes([x[0], x[1]])).collect();
        let table: Vec<i16> = table;
        // Frequencies are from 0 to 1.
        let possible = scales.iter().all(|scale| (0.0..=1.0).contains(scale));
        if !possible || table.iter().any(|&x| x < 0) {
            return Err(SaveError::Header("impossible frequencies".to_owned()));
        }
        if rows > 0 {
            data.cells[p].sum = Table::I16(table, scales);
        }
    }
    for child in &board.children {
        data.children.push(read_board(input, &child.node, &levels[1..], kept - 1)?);
    }
    if kept == 1 && !board.children.is_empty() {
        for p in 0..2 {
            data.values[p] = input.numbers(levels[0].leaves.len() * board.hands[p].stride())?;
            if data.values[p].iter().any(|value| !value.is_finite()) {
                return Err(SaveError::Header("impossible values".to_owned()));
            }
        }
    }
    Ok(data)
}

/// Bytes yet to be read.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], SaveError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(SaveError::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, SaveError> {
        let bytes = self.take(4)?.try_into().expect("four bytes");
        Ok(u32::from_le_bytes(bytes))
    }

    fn numbers(&mut self, count: usize) -> Result<Vec<f32>, SaveError> {
        let bytes = self.take(count.checked_mul(4).ok_or(SaveError::Truncated)?)?;
        let numbers = bytes.chunks_exact(4);
        Ok(numbers.map(|x| f32::from_le_bytes([x[0], x[1], x[2], x[3]])).collect())
    }
}

fn put_numbers(out: &mut ContainerWriter, numbers: &[f32]) -> io::Result<()> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    out.write_all(&bytes)
}

/// The header and the data of a file of the first version, whose bytes match its checksum.
fn first_version(bytes: &[u8]) -> Result<(&[u8], &[u8]), SaveError> {
    let (body, hash) = bytes.split_last_chunk::<32>().ok_or(SaveError::Truncated)?;
    if blake3::hash(body).as_bytes() != hash {
        return Err(SaveError::Checksum);
    }
    let mut input = Input(body.get(12..).ok_or(SaveError::Truncated)?);
    let length = input.number()? as usize;
    Ok((input.take(length)?, input.0))
}

/// A solution that cannot be written or read.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(Arc<FileError>),
    /// A betting configuration that the solution was not made from.
    #[error("the betting given is not the one that the solution was made from")]
    OtherBetting,
    /// A file of another kind.
    #[error("not a solution file: it does not begin with LETHESOL")]
    NoSolution,
    /// A file of another version.
    #[error("the file has format version {got}; this program reads up to version {expected}")]
    Version {
        /// The version that can be read.
        expected: u32,
        /// The version of the file.
        got: u32,
    },
    /// A file that is too short or too long for what its header says.
    #[error("the length of the file does not match its header; it may have been truncated")]
    Truncated,
    /// Damaged bytes.
    #[error("the file's checksum does not match: it is damaged; copy it again or solve again")]
    Checksum,
    /// A header that makes no sense.
    #[error("invalid header: {0}")]
    Header(String),
    /// The job was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl From<FileError> for SaveError {
    fn from(error: FileError) -> SaveError {
        SaveError::File(Arc::new(error))
    }
}

impl From<Fault> for SaveError {
    fn from(fault: Fault) -> SaveError {
        match fault {
            Fault::Magic => SaveError::NoSolution,
            Fault::Version { found, expected } => SaveError::Version { expected, got: found },
            Fault::Length => SaveError::Truncated,
            _ => SaveError::Checksum,
        }
    }
}
