//! `Abstraction`: an artifact opened to look up buckets.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lethe_cards::{
    Board, CanonicalBoard, Deck, Hole, Matchups, Situation, StartingHand, Street, SuitMap,
    vs_random,
};
use lethe_compute::Job;
use lethe_rows::{Buckets, DeckMap, FlopClusters, Row};

use super::error::OpenError;
use super::format::{Kind, Part};
use super::metadata::{Metadata, read_reports};
use super::open::{OpenTable, read_metadata};
use super::verify::VerifyError;
use crate::bucket_equities::BucketEquitiesRef;
use crate::method::Method;
use crate::plan::{PerStreet, Plan, StreetPlan};
use crate::report::StreetReport;
use crate::table::{SparseRef, StoredRef, TableRef};

/// An abstraction on disk, opened: the bucket of any hole on any board.
///
/// Tables are mapped into memory, so opening costs microseconds, and a lookup one canonicalization
/// and two loads. It can be shared between threads.
///
/// Nothing that is damaged is returned: a lookup checks the block of the table that it touches for
/// the first time, and that the bucket is below [`buckets`](Abstraction::buckets). Code that reads
/// everything, through [`Buckets`] for instance, calls [`verify_tables`](Abstraction::verify_tables)
/// first, which checks all blocks on all threads.
///
/// If the plan has [flop clusters](Abstraction::flop_clusters), a bucket is composed when it is looked
/// up: the cluster of the board's first three cards times [`base_buckets`](Abstraction::base_buckets),
/// plus the *base bucket*, which is stored and does not depend on which cards were the flop. Reports,
/// tables and bucket equities are those of base buckets.
///
/// ```no_run
/// use lethe_abstraction::Abstraction;
/// let abstraction = Abstraction::open("path/to/F500T500R500-histogram10-1a2b3c4d")?;
/// let bucket = abstraction.bucket("AsKs".parse()?, &"Th9h8c".parse()?)?;
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
    /// The bucket within the cluster of the flop; without flop clusters the bucket itself.
    pub base: u32,
    /// The cluster of the flop, if the abstraction has flop clusters and the board a flop.
    pub flop_cluster: Option<u32>,
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
    /// the version, the shape, the length and the checksums of its blocks.
    /// [`verify`](super::verify) checks every byte.
    pub fn open(dir: impl AsRef<Path>) -> Result<Abstraction, OpenError> {
        let path = dir.as_ref().to_owned();
        let (metadata, text) = read_metadata(&path)?;
        let buckets = |street| OpenTable::open_buckets(&path, street, &metadata);
        let part = |street, part| OpenTable::open(&path, street, part, &metadata);
        let open = Abstraction {
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
        };
        for (street, equities) in open.bucket_equities.iter() {
            if let Some(equities) = equities
                && equities.header.buckets != open.base_buckets(street) as u64
            {
                let path = open.path.join(Part::BucketEquities.file_name(street));
                return Err(OpenError::Mismatch { path, what: "number of buckets" });
            }
        }
        Ok(open)
    }

    /// Checks every byte of the bucket tables, and that every bucket exists. Progress is in bytes.
    ///
    /// # Errors
    /// If anything is damaged.
    pub fn verify_tables(&self, job: Job<'_>) -> Result<(), VerifyError> {
        if self.tables.iter().all(|(_, table)| table.is_verified()) {
            return Ok(());
        }
        job.begin("check sums", self.tables.iter().map(|(_, table)| table.header.payload).sum());
        self.tables.iter().try_for_each(|(_, table)| table.verify(job).map(drop))
    }

    /// Copies the bucket tables into memory, in huge pages where the system has them, after checking
    /// them as [`verify_tables`](Abstraction::verify_tables) does.
    ///
    /// It takes as much memory as the tables have bytes and up to a second, and saves up to a third of
    /// a look-up on a random river, depending on how the system cached the file. For many hands at
    /// once [`lookup_all`](Abstraction::lookup_all) saves more, and needs nothing.
    ///
    /// # Errors
    /// If there is not enough memory, or if anything is damaged.
    pub fn make_resident(&mut self, job: Job<'_>) -> Result<(), VerifyError> {
        let PerStreet { flop, turn, river } = &mut self.tables;
        for table in [flop, turn, river] {
            job.check()?;
            job.install(|| table.data.make_resident()).map_err(OpenError::from)?;
        }
        self.verify_tables(job)
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
        let reports = self.reports.get_or_init(|| {
            let fits = |reports: &PerStreet<StreetReport>| {
                reports.iter().all(|(street, report)| report.fits(self.base_buckets(street)))
            };
            read_reports(&self.text).ok().filter(fits)
        });
        reports.as_ref()?.get(street)
    }

    /// How many buckets a street has, those of all flop clusters together; before the flop the 169
    /// classes.
    pub fn buckets(&self, street: Street) -> usize {
        self.flop_clusters().map_or(1, |clusters| clusters.on(street)) * self.base_buckets(street)
    }

    /// How many buckets a street has within each flop cluster: those that are stored.
    pub fn base_buckets(&self, street: Street) -> usize {
        let table = self.tables.get(street);
        table.map_or(StartingHand::COUNT, |table| table.header.buckets as usize)
    }

    /// The clusters of flops that buckets are made of, if they are.
    pub fn flop_clusters(&self) -> Option<&FlopClusters> {
        self.plan().flop_clusters()
    }

    /// The cluster of a board's flop and the first of its buckets; none without clusters or a flop.
    #[inline]
    fn flop_cluster(&self, board: &Board) -> Option<(u32, u32)> {
        let cluster = self.flop_clusters()?.of_board(board)? as u32;
        Some((cluster, cluster * self.base_buckets(board.street()) as u32))
    }

    /// The bucket of a hole on a board; none if they share a card.
    ///
    /// Before the flop it is the index of the hole's [class](StartingHand::index).
    ///
    /// # Errors
    /// If the part of the table that holds it is damaged.
    #[inline]
    pub fn bucket(&self, hole: Hole, board: &Board) -> Result<Option<u32>, Box<OpenError>> {
        let Some(table) = self.tables.get(board.street()) else {
            return Ok(Some(hole.class().index() as u32));
        };
        if table.header.kind == Kind::Sparse {
            return Ok(self.lookup(hole, board)?.map(|found| found.bucket));
        }
        let Some(slot) = Situation::slot_of(hole, board) else { return Ok(None) };
        let first = self.flop_cluster(board).map_or(0, |(_, first)| first);
        table.get(slot).map(|bucket| Some(first + bucket))
    }

    /// The bucket of a hole on a board, and how it was found; none if they share a card.
    ///
    /// # Errors
    /// If the part of the table that holds it is damaged.
    pub fn lookup(&self, hole: Hole, board: &Board) -> Result<Option<Lookup>, Box<OpenError>> {
        let street = board.street();
        let Some(table) = self.tables.get(street) else {
            let (bucket, flop_cluster) = (hole.class().index() as u32, None);
            let (fallback, cluster) = (false, None);
            return Ok(Some(Lookup { bucket, base: bucket, flop_cluster, fallback, cluster }));
        };
        if table.header.kind == Kind::Sparse {
            let Some((situation, _)) = Situation::of(hole, board) else { return Ok(None) };
            let sparse = table.sparse().map_err(|damage| table.damaged(damage))?;
            let index = situation.board().index();
            let (bucket, fallback) = sparse.get(index, situation.hole());
            let cluster = Some(sparse.clusters[index]);
            return Ok(Some(self.found(bucket, board, fallback, cluster)));
        }
        let Some(slot) = Situation::slot_of(hole, board) else { return Ok(None) };
        Ok(Some(self.found_dense(table.get(slot)?, board)))
    }

    /// What is found on a board if its dense table has this base bucket.
    fn found_dense(&self, base: u32, board: &Board) -> Lookup {
        self.found(base, board, false, self.cluster_of(board.street(), base))
    }

    fn found(&self, base: u32, board: &Board, fallback: bool, cluster: Option<u32>) -> Lookup {
        let (flop_cluster, first) = self.flop_cluster(board).unzip();
        let bucket = first.unwrap_or(0) + base;
        Lookup { bucket, base, flop_cluster, fallback, cluster }
    }

    /// Looks up many hands in order, each as [`lookup`](Abstraction::lookup) does.
    ///
    /// On random boards it is several times as fast as one after another: one look-up waits for
    /// memory, and here the waits overlap.
    ///
    /// # Errors
    /// If the part of a table that holds a bucket is damaged: `found` has the hands before it.
    pub fn lookup_all(
        &self,
        hands: &[(Hole, Board)],
        found: &mut Vec<Option<Lookup>>,
    ) -> Result<(), Box<OpenError>> {
        /// Hands whose buckets are loaded together: more than memory serves at a time.
        const TOGETHER: usize = 64;
        found.clear();
        found.reserve(hands.len());
        let is_dense = |table: &OpenTable| table.header.kind != Kind::Sparse;
        for hands in hands.chunks(TOGETHER) {
            let (mut slots, mut buckets) = ([None; TOGETHER], [const { Ok(None) }; TOGETHER]);
            for ((hole, board), slot) in hands.iter().zip(&mut slots) {
                *slot = Situation::slot_of(*hole, board);
            }
            // Nothing but loads, so that as many as possible are on their way.
            for (((_, board), &slot), bucket) in hands.iter().zip(&slots).zip(&mut buckets) {
                let table = self.tables.get(board.street()).filter(|table| is_dense(table));
                if let (Some(slot), Some(table)) = (slot, table) {
                    *bucket = table.get(slot).map(Some);
                }
            }
            for (&(hole, ref board), bucket) in hands.iter().zip(buckets) {
                found.push(match self.tables.get(board.street()) {
                    Some(table) if is_dense(table) => {
                        bucket?.map(|base| self.found_dense(base, board))
                    }
                    _ => self.lookup(hole, board)?,
                });
            }
        }
        Ok(())
    }

    /// The cluster of boards that a base bucket belongs to, with the texture method.
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
    /// # Errors
    /// If the part of the table that holds them is damaged.
    ///
    /// # Panics
    /// If the row does not have [`Deck::row_len`] entries.
    pub fn row_into(&self, board: &Board, row: &mut [u32]) -> Result<usize, Box<OpenError>> {
        let fallbacks = self.base_row_into(board, row)?;
        if let Some((_, first @ 1..)) = self.flop_cluster(board) {
            row.iter_mut().for_each(|bucket| *bucket += first);
        }
        Ok(fallbacks)
    }

    /// Writes the buckets of all holes of a board within its flop's cluster, as
    /// [`row_into`](Abstraction::row_into) writes the buckets themselves.
    ///
    /// # Errors
    /// If the part of the table that holds them is damaged.
    ///
    /// # Panics
    /// If the row does not have [`Deck::row_len`] entries.
    pub fn base_row_into(&self, board: &Board, row: &mut [u32]) -> Result<usize, Box<OpenError>> {
        let street = board.street();
        assert_eq!(row.len(), Deck::row_len(street), "a row has an entry for every hole");
        let deck = Deck::without(board.set());
        let Some(table) = self.tables.get(street) else {
            for (entry, hole) in row.iter_mut().zip(deck.holes()) {
                *entry = hole.class().index() as u32;
            }
            return Ok(0);
        };
        let (canonical, map) = CanonicalBoard::of(board);
        if table.header.kind == Kind::Sparse {
            let sparse = table.sparse().map_err(|damage| table.damaged(damage))?;
            return Ok(sparse_row(sparse, canonical, board, &deck, row));
        }
        let first = canonical.index() * row.len();
        match table.slots(first..first + row.len())? {
            TableRef::U16(stored) => dense_row(stored, canonical, map, &deck, row),
            TableRef::U32(stored) => dense_row(stored, canonical, map, &deck, row),
        }
        Ok(0)
    }

    /// The buckets of all holes of a board, as [`row_into`](Abstraction::row_into) writes them.
    ///
    /// # Errors
    /// If the part of the table that holds them is damaged.
    pub fn row(&self, board: &Board) -> Result<Row<u32>, Box<OpenError>> {
        let mut row = Row::new(board.set(), 0);
        self.row_into(board, &mut row)?;
        Ok(row)
    }

    /// The exact equity of a hole on a board against a uniform opponent; none if they share a card.
    ///
    /// On flop and turn it is read from the artifact; where that holds none, computed.
    ///
    /// # Errors
    /// If the part of the table that holds it is damaged.
    pub fn equity(&self, hole: Hole, board: &Board) -> Result<Option<f64>, Box<OpenError>> {
        let street = board.street();
        let Some((situation, _)) = Situation::of(hole, board) else { return Ok(None) };
        let sum = match self.equities.get(street).and_then(Option::as_ref) {
            Some(table) => Some(table.get(situation.index())?),
            None if street == Street::Preflop => {
                return Ok(Matchups::shipped().against(hole, &[1; Hole::COUNT]).equity());
            }
            None => computed_equity(situation),
        };
        Ok(sum.map(|sum| f64::from(sum) / f64::from(vs_random::equity_scale(street))))
    }

    /// Writes the equity of every hole of a canonical board of flop or turn into its row, in units of
    /// [`vs_random::equity_scale`]; false, and nothing written, if the artifact holds none.
    ///
    /// # Errors
    /// If the part of the table that holds them is damaged.
    ///
    /// # Panics
    /// If the row does not have [`Deck::row_len`] entries.
    pub fn equity_row(
        &self,
        board: CanonicalBoard,
        row: &mut [u32],
    ) -> Result<bool, Box<OpenError>> {
        let Some(Some(table)) = self.equities.get(board.street()) else { return Ok(false) };
        assert_eq!(row.len(), Deck::row_len(board.street()), "a row has an entry for every hole");
        let first = board.index() * row.len();
        match table.slots(first..first + row.len())? {
            TableRef::U32(stored) => row.copy_from_slice(stored),
            TableRef::U16(_) => unreachable!("equities have 32 bits"),
        }
        Ok(true)
    }

    /// Whether the artifact holds the equities of a street.
    pub fn has_equities(&self, street: Street) -> bool {
        self.equities.get(street).is_some_and(Option::is_some)
    }

    /// The equity of every slot of the flop or the turn in units of [`vs_random::equity_scale`]; none
    /// on other streets, or if the artifact holds none. All of them are checked.
    ///
    /// # Errors
    /// If any of them is damaged.
    pub fn equity_table(
        &self,
        street: Street,
        job: Job<'_>,
    ) -> Result<Option<&[u32]>, VerifyError> {
        let Some(Some(table)) = self.equities.get(street) else { return Ok(None) };
        table.verify(job)?;
        table.verify_numbers(job).map(Some)
    }

    /// The equities of a street's buckets against one another, if the artifact holds them.
    ///
    /// # Errors
    /// If the table is damaged.
    pub fn bucket_equities(
        &self,
        street: Street,
    ) -> Result<Option<BucketEquitiesRef<'_>>, Box<OpenError>> {
        let table = self.bucket_equities.get(street).and_then(Option::as_ref);
        table.map(OpenTable::bucket_equities).transpose()
    }

    /// The buckets of a street as they are stored; none before the flop. All of them are checked.
    ///
    /// # Errors
    /// If any of them is damaged.
    pub fn table(
        &self,
        street: Street,
        job: Job<'_>,
    ) -> Result<Option<StoredRef<'_>>, VerifyError> {
        self.tables.get(street).map(|table| table.verify(job)).transpose()
    }
}

/// Nothing here can say that a table is damaged: call
/// [`verify_tables`](Abstraction::verify_tables) first.
///
/// # Panics
/// If a part of a table that was not verified is damaged.
impl Buckets for Abstraction {
    fn count(&self, street: Street) -> usize {
        self.buckets(street)
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        self.row_into(board, row).unwrap_or_else(|error| panic!("{error}"));
    }

    fn of(&self, hole: Hole, board: &Board) -> u32 {
        let bucket = self.bucket(hole, board).unwrap_or_else(|error| panic!("{error}"));
        bucket.expect("the hole holds no card of the board")
    }

    fn is_suit_invariant(&self) -> bool {
        true
    }

    fn flop_clusters(&self) -> Option<&FlopClusters> {
        Abstraction::flop_clusters(self)
    }

    fn group_sizes(&self, street: Street) -> [usize; 2] {
        let all = self.base_buckets(street);
        let within = self.plan().streets().get(street).map_or(all, StreetPlan::buckets);
        // With textures the buckets of each follow one another.
        [all, if all.is_multiple_of(within) { within } else { all }]
    }
}

impl fmt::Debug for Abstraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Abstraction").field("path", &self.path).finish_non_exhaustive()
    }
}

/// The equity of a situation after the preflop, by counting.
fn computed_equity(situation: Situation) -> Option<u32> {
    let (board, hole) = (situation.board(), situation.hole());
    match board.street() {
        Street::Preflop => None,
        Street::River => {
            let tally = vs_random::river_hole(board.set(), hole)?;
            Some((2 * tally.wins + tally.ties) as u32)
        }
        Street::Turn => {
            let mut row = [0; Deck::row_len(Street::Turn)];
            vs_random::turn_row(board.set(), &mut row);
            Some(row[board.deck().slot(hole)?])
        }
        Street::Flop => {
            let mut row = [0; Deck::row_len(Street::Flop)];
            let turn = |turn: CanonicalBoard, row: &mut [u32]| vs_random::turn_row(turn.set(), row);
            vs_random::flop_row(board.set(), &mut row, turn);
            Some(row[board.deck().slot(hole)?])
        }
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
