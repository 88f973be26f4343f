//! `Abstraction`: an artifact opened to look up buckets.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lethe_cards::{
    Board, CanonicalBoard, Deck, Hole, Matchups, River, Situation, StartingHand, Street, SuitMap,
    vs_random,
};
use lethe_rows::{Buckets, DeckMap, Row};

use super::error::OpenError;
use super::format::Part;
use super::metadata::{Metadata, read_reports};
use super::open::{OpenTable, read_metadata};
use crate::bucket_equities::BucketEquitiesRef;
use crate::method::Method;
use crate::plan::{PerStreet, Plan};
use crate::report::StreetReport;
use crate::table::{SparseRef, StoredRef, TableRef};

/// An abstraction on disk, opened: the bucket of any hole on any board.
///
/// Tables are mapped into memory, so opening costs microseconds, and a lookup one canonicalization
/// and one load. It can be shared between threads; a lookup allocates and changes nothing.
///
/// A bucket comes back as it is stored. [`verify`](super::verify) checks that all of them are below
/// [`buckets`](Abstraction::buckets); opening does not, so an index made of one should be checked.
///
/// ```no_run
/// use lethe_abstraction::Abstraction;
/// let abstraction = Abstraction::open("path/to/F500T500R500-histogram10-1a2b3c4d")?;
/// let bucket = abstraction.bucket("AsKs".parse()?, &"Th9h8c".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Abstraction {
    path: PathBuf,
    metadata: Metadata,
    /// The metadata's text, kept because the reports in it are read only when asked for.
    text: String,
    reports: OnceLock<Option<PerStreet<StreetReport>>>,
    tables: PerStreet<OpenTable>,
    equities: PerStreet<Option<OpenTable>>,
    bucket_equities: PerStreet<Option<OpenTable>>,
}

/// The bucket of a hole on a board, and how it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The bucket.
    pub bucket: u32,
    /// Whether it is the median of the board's cluster for want of an entry (the sampled texture
    /// method only).
    pub fallback: bool,
    /// The board's cluster, with the texture method.
    pub cluster: Option<u32>,
}

impl Abstraction {
    /// Opens the artifact in a directory.
    ///
    /// Checks what can be checked at once: the metadata's checksum, and of every table the magic,
    /// the version, the shape and the length. [`verify`](super::verify) checks every byte.
    pub fn open(dir: impl AsRef<Path>) -> Result<Abstraction, OpenError> {
        let path = dir.as_ref().to_owned();
        let (metadata, text) = read_metadata(&path)?;
        let buckets = |street| OpenTable::open_buckets(&path, street, &metadata);
        let part = |street, part| OpenTable::open(&path, street, part, &metadata);
        Ok(Abstraction {
            tables: PerStreet {
                flop: buckets(Street::Flop)?,
                turn: buckets(Street::Turn)?,
                river: buckets(Street::River)?,
            },
            equities: PerStreet {
                flop: part(Street::Flop, Part::Equity)?,
                turn: part(Street::Turn, Part::Equity)?,
                river: None,
            },
            bucket_equities: PerStreet {
                flop: part(Street::Flop, Part::BucketEquities)?,
                turn: part(Street::Turn, Part::BucketEquities)?,
                river: part(Street::River, Part::BucketEquities)?,
            },
            path,
            metadata,
            text,
            reports: OnceLock::new(),
        })
    }

    /// The directory it was opened from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the artifact says of itself.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The plan it was built by.
    pub fn plan(&self) -> &Plan {
        &self.metadata.plan
    }

    /// What the build said of a street: none before the flop, or if the report is of a shape that
    /// this version does not know ([`verify`](super::verify) says so).
    pub fn report(&self, street: Street) -> Option<&StreetReport> {
        self.reports.get_or_init(|| read_reports(&self.text).ok()).as_ref()?.get(street)
    }

    /// How many buckets a street has; before the flop the 169 classes.
    pub fn buckets(&self, street: Street) -> usize {
        let table = self.tables.get(street);
        table.map_or(StartingHand::COUNT, |table| table.header.buckets as usize)
    }

    /// The bucket of a hole on a board; none if they share a card.
    ///
    /// Before the flop it is the index of the hole's [class](StartingHand::index).
    #[inline]
    pub fn bucket(&self, hole: Hole, board: &Board) -> Option<u32> {
        let street = board.street();
        let Some(table) = self.tables.get(street) else {
            return Some(hole.class().index() as u32);
        };
        let (situation, _) = Situation::of(hole, board)?;
        Some(match table.stored() {
            StoredRef::Dense(table) => table.get(situation.index()),
            StoredRef::Sparse(table) => table.get(situation.board().index(), situation.hole()).0,
        })
    }

    /// The bucket of a hole on a board, and how it was found; none if they share a card.
    pub fn lookup(&self, hole: Hole, board: &Board) -> Option<Lookup> {
        let street = board.street();
        let Some(table) = self.tables.get(street) else {
            let bucket = hole.class().index() as u32;
            return Some(Lookup { bucket, fallback: false, cluster: None });
        };
        let (situation, _) = Situation::of(hole, board)?;
        Some(match table.stored() {
            StoredRef::Dense(table) => {
                let bucket = table.get(situation.index());
                Lookup { bucket, fallback: false, cluster: self.cluster_of(street, bucket) }
            }
            StoredRef::Sparse(table) => {
                let index = situation.board().index();
                let (bucket, fallback) = table.get(index, situation.hole());
                Lookup { bucket, fallback, cluster: Some(table.clusters[index]) }
            }
        })
    }

    /// The cluster of boards that a bucket belongs to, with the texture method.
    fn cluster_of(&self, street: Street, bucket: u32) -> Option<u32> {
        let plan = self.plan().streets().get(street)?;
        match plan.method() {
            Method::Texture { .. } => bucket.checked_div(plan.buckets() as u32),
            _ => None,
        }
    }

    /// Writes the buckets of all holes of a board, in the order of its own deck:
    /// [`Deck::without(board.set()).holes()`](Deck::holes). Returns how many of them fell back to a
    /// median (only the sampled texture method does).
    ///
    /// # Panics
    /// If the row does not have [`Deck::row_len`] entries.
    pub fn row_into(&self, board: &Board, row: &mut [u32]) -> usize {
        let street = board.street();
        assert_eq!(row.len(), Deck::row_len(street), "a row has an entry for every hole");
        let deck = Deck::without(board.set());
        let Some(table) = self.tables.get(street) else {
            for (entry, hole) in row.iter_mut().zip(deck.holes()) {
                *entry = hole.class().index() as u32;
            }
            return 0;
        };
        let (canonical, map) = CanonicalBoard::of(board);
        match table.stored() {
            StoredRef::Dense(table) => {
                match table.row(street, canonical.index()) {
                    TableRef::U16(stored) => dense_row(stored, canonical, map, &deck, row),
                    TableRef::U32(stored) => dense_row(stored, canonical, map, &deck, row),
                }
                0
            }
            StoredRef::Sparse(table) => sparse_row(table, canonical, board, &deck, row),
        }
    }

    /// The buckets of all holes of a board, as [`row_into`](Abstraction::row_into) writes them.
    pub fn row(&self, board: &Board) -> Row<u32> {
        let mut row = Row::new(board.set(), 0);
        self.row_into(board, &mut row);
        row
    }

    /// The exact equity of a hole on a board against a uniform opponent; none if they share a card.
    ///
    /// On flop and turn it is read from the artifact; where that holds none, computed.
    pub fn equity(&self, hole: Hole, board: &Board) -> Option<f64> {
        let street = board.street();
        let (situation, _) = Situation::of(hole, board)?;
        let (canonical, hole) = (situation.board(), situation.hole());
        let stored = self.equity_table(street).map(|equities| equities[situation.index()]);
        let sum = match (street, stored) {
            (_, Some(sum)) => sum,
            (Street::Preflop, None) => {
                return Matchups::shipped().against(hole, &[1; Hole::COUNT]).equity();
            }
            (Street::River, None) => River::new(canonical.set()).equity(hole)?.into(),
            (Street::Turn, None) => {
                let mut row = [0; Deck::row_len(Street::Turn)];
                vs_random::turn_row(canonical.set(), &mut row);
                row[canonical.deck().slot(hole)?]
            }
            (Street::Flop, None) => {
                let mut row = [0; Deck::row_len(Street::Flop)];
                let turn =
                    |turn: CanonicalBoard, row: &mut [u32]| vs_random::turn_row(turn.set(), row);
                vs_random::flop_row(canonical.set(), &mut row, turn);
                row[canonical.deck().slot(hole)?]
            }
        };
        Some(f64::from(sum) / f64::from(vs_random::equity_scale(street)))
    }

    /// The equity of every slot of the flop or the turn in units of [`vs_random::equity_scale`]; none
    /// on other streets, or if the artifact holds none.
    pub fn equity_table(&self, street: Street) -> Option<&[u32]> {
        self.equities.get(street)?.as_ref().map(OpenTable::equities)
    }

    /// The equities of a street's buckets against one another, if the artifact holds them.
    pub fn bucket_equities(&self, street: Street) -> Option<BucketEquitiesRef<'_>> {
        self.bucket_equities.get(street)?.as_ref().map(OpenTable::bucket_equities)
    }

    /// The buckets of a street as they are stored; none before the flop.
    pub fn table(&self, street: Street) -> Option<StoredRef<'_>> {
        self.tables.get(street).map(OpenTable::stored)
    }
}

impl Buckets for Abstraction {
    fn count(&self, street: Street) -> usize {
        self.buckets(street)
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        self.row_into(board, row);
    }

    fn of(&self, hole: Hole, board: &Board) -> u32 {
        self.bucket(hole, board).expect("the hole holds no card of the board")
    }

    fn is_suit_invariant(&self) -> bool {
        true
    }
}

impl fmt::Debug for Abstraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Abstraction").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Reorders the stored row of a canonical board for another board that it stands for.
fn dense_row<T: Copy + Into<u32>>(
    stored: &[T],
    canonical: CanonicalBoard,
    map: SuitMap,
    deck: &Deck,
    row: &mut [u32],
) {
    if map == SuitMap::IDENTITY {
        for (entry, &bucket) in row.iter_mut().zip(stored) {
            *entry = bucket.into();
        }
        return;
    }
    let map = DeckMap::new(deck, &canonical.deck(), map);
    map.for_each_hole(row, |entry, slot| *entry = stored[slot].into());
}

/// Looks up every hole of a board in a sparse table; returns how many fell back.
fn sparse_row(
    table: SparseRef<'_>,
    canonical: CanonicalBoard,
    board: &Board,
    deck: &Deck,
    row: &mut [u32],
) -> usize {
    let index = canonical.index();
    let mut fallbacks = 0;
    for (entry, hole) in row.iter_mut().zip(deck.holes()) {
        let (situation, _) = Situation::of(hole, board).expect("the deck is without the board");
        let (bucket, fallback) = table.get(index, situation.hole());
        *entry = bucket;
        fallbacks += usize::from(fallback);
    }
    fallbacks
}
