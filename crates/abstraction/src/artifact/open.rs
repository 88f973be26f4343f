//! Opening an artifact: metadata read, tables mapped, headers checked. Sparse tables, which are small,
//! are checked whole; of dense ones each block when it is first touched.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use lethe_cards::{Hole, Street, vs_random};
use lethe_compute::Job;
use lethe_files::{Blocks, Damage, MappedFile};
use rayon::prelude::*;

use super::error::OpenError;
use super::format::{HEADER_LEN, Header, Kind, Part};
use super::metadata::{METADATA, Metadata, MetadataFault};
use super::verify::{VerifyError, VerifyProblem};
use crate::bucket_equities::BucketEquitiesRef;
use crate::table::{SparseRef, StoredRef, TableRef};

/// Metadata are never larger.
const MAX_METADATA: u64 = 1 << 30;

/// A table file whose header has been checked.
#[derive(Debug)]
pub(crate) struct OpenTable {
    pub(crate) header: Header,
    pub(crate) data: Blocks,
    /// What every bucket or equity in it is below.
    limit: u64,
    /// Whether all of them are known to be.
    in_range: AtomicBool,
}

/// The metadata of a directory and their text.
pub(crate) fn read_metadata(dir: &Path) -> Result<(Metadata, String), OpenError> {
    let none = |reason| OpenError::NotAnAbstraction { path: dir.to_owned(), reason };
    let path = dir.join(METADATA);
    let text = match lethe_files::read(&path, MAX_METADATA) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| OpenError::Metadata {
            path: path.clone(),
            reason: "it is not UTF-8 text".to_owned(),
        })?,
        Err(error) => {
            return Err(match fs::metadata(dir) {
                Err(missing) if missing.kind() == io::ErrorKind::NotFound => {
                    none("there is no such directory")
                }
                Ok(found) if !found.is_dir() => none("it is a file and not a directory"),
                _ if error.is_missing() => none("there is no metadata.json in it"),
                _ => error.into(),
            });
        }
    };
    match Metadata::from_text(&text) {
        Ok(metadata) => Ok((metadata, text)),
        Err(MetadataFault::Newer(found)) => Err(OpenError::Newer { path, found }),
        Err(MetadataFault::Damaged(reason)) => Err(OpenError::Metadata { path, reason }),
    }
}

impl OpenTable {
    /// Maps a part of a street and checks it against the metadata; none if they do not list it.
    pub(crate) fn open(
        dir: &Path,
        street: Street,
        part: Part,
        metadata: &Metadata,
    ) -> Result<Option<OpenTable>, OpenError> {
        let name = part.file_name(street);
        let Some(entry) = metadata.file(&name) else { return Ok(None) };
        let path = dir.join(name);
        let length = |found| OpenError::Length { path: path.clone(), expected: entry.bytes, found };
        let mismatch = |what| OpenError::Mismatch { path: path.clone(), what };
        let file = MappedFile::open(&path).map_err(|error| match error {
            error if error.is_missing() => OpenError::Missing { path: path.clone() },
            error => error.into(),
        })?;
        let found = file.len() as u64;
        let header = file.first_chunk().ok_or_else(|| length(found))?;
        let header = Header::decode(header).map_err(|fault| OpenError::header(&path, fault))?;
        if found != entry.bytes {
            return Err(length(found));
        }
        if found != header.file_len() {
            let expected = header.file_len();
            return Err(OpenError::Length { path: path.clone(), expected, found });
        }
        if header.street != street {
            return Err(mismatch("street"));
        }
        if !part.admits(header.kind) {
            return Err(mismatch("kind of table"));
        }
        if header.plan_hash != metadata.plan_hash.as_bytes() {
            return Err(mismatch("plan"));
        }
        if blake3::Hash::from_bytes(header.checksum).to_hex().as_str() != entry.checksum {
            return Err(mismatch("checksum"));
        }
        let planned = metadata.plan.streets().get(street).map_or(0, |plan| plan.total_buckets());
        if header.buckets > planned as u64 {
            return Err(mismatch("number of buckets"));
        }
        let table = OpenTable::new(header, file).ok_or_else(|| OpenError::Content {
            path: path.clone(),
            reason: "the checksums of its blocks do not match its header".to_owned(),
        })?;
        if table.header.kind == Kind::Sparse {
            let checked = table
                .sparse()
                .map_err(|damage| OpenError::Damaged { path: path.clone(), damage })?;
            check_sparse(checked, table.header.buckets)
                .map_err(|reason| OpenError::Content { path, reason: reason.to_owned() })?;
            table.in_range.store(true, Ordering::Relaxed);
        }
        Ok(Some(table))
    }

    /// The payload of a file whose length is that of its header; none if the checksums of its blocks
    /// do not match the checksum in the header.
    fn new(header: Header, file: MappedFile) -> Option<OpenTable> {
        let end = HEADER_LEN + header.payload as usize;
        let payload = HEADER_LEN..end;
        let mut hasher = header.hasher();
        let data = if header.version == 1 {
            let before = Header { checksum: [0; 32], ..header.clone() }.encode().to_vec();
            Blocks::whole(file, payload, before, header.checksum)
        } else {
            let hashes = file[end..].to_vec();
            if hasher.update(&hashes).finalize() != header.checksum {
                return None;
            }
            Blocks::new(file, payload, hashes)
        };
        let limit = match header.kind {
            Kind::Equity => u64::from(vs_random::equity_scale(header.street)) + 1,
            _ => header.buckets,
        };
        Some(OpenTable { header, data, limit, in_range: AtomicBool::new(false) })
    }

    /// Maps the buckets of a street, which every artifact has.
    pub(crate) fn open_buckets(
        dir: &Path,
        street: Street,
        metadata: &Metadata,
    ) -> Result<OpenTable, OpenError> {
        let table = OpenTable::open(dir, street, Part::Buckets, metadata)?;
        table.ok_or_else(|| OpenError::Metadata {
            path: dir.join(METADATA),
            reason: format!("it lists no buckets of the {street}"),
        })
    }

    /// The bucket or equity in a slot of a dense table.
    #[inline]
    pub(crate) fn get(&self, slot: usize) -> Result<u32, Box<OpenError>> {
        let number = match self.header.width {
            2 => self.data.number::<u16>(slot).map(u32::from),
            _ => self.data.number::<u32>(slot),
        };
        match number {
            Ok(number) if u64::from(number) < self.limit => Ok(number),
            Ok(number) => Err(self.too_large(number)),
            Err(damage) => Err(self.damaged(damage)),
        }
    }

    /// Some slots of a dense table.
    pub(crate) fn slots(
        &self,
        slots: std::ops::Range<usize>,
    ) -> Result<TableRef<'_>, Box<OpenError>> {
        let table = match self.header.width {
            2 => self.data.slice(slots).map(TableRef::U16),
            _ => self.data.slice(slots).map(TableRef::U32),
        };
        let table = table.map_err(|damage| self.damaged(damage))?;
        if !self.in_range.load(Ordering::Relaxed) {
            let highest = match table {
                TableRef::U16(values) => values.iter().copied().max().map_or(0, u32::from),
                TableRef::U32(values) => values.iter().copied().max().unwrap_or(0),
            };
            if u64::from(highest) >= self.limit {
                return Err(self.too_large(highest));
            }
        }
        Ok(table)
    }

    /// All buckets or equities, every one of them checked. Progress is in bytes.
    pub(crate) fn verify(&self, job: Job<'_>) -> Result<StoredRef<'_>, VerifyError> {
        let stored = match (self.header.kind, self.header.width) {
            (Kind::Sparse, _) => {
                StoredRef::Sparse(self.sparse().map_err(|damage| *self.damaged(damage))?)
            }
            (_, 2) => StoredRef::Dense(TableRef::U16(self.verify_numbers(job)?)),
            _ => StoredRef::Dense(TableRef::U32(self.verify_numbers(job)?)),
        };
        if !self.in_range.load(Ordering::Relaxed)
            && let StoredRef::Dense(table) = stored
        {
            let highest = job.install(|| match table {
                TableRef::U16(values) => values.par_iter().copied().max().map_or(0, u32::from),
                TableRef::U32(values) => values.par_iter().copied().max().unwrap_or(0),
            });
            if u64::from(highest) >= self.limit {
                return Err(VerifyError::Open(*self.too_large(highest)));
            }
            self.in_range.store(true, Ordering::Relaxed);
        }
        Ok(stored)
    }

    /// Whether every bucket or equity has been checked.
    pub(crate) fn is_verified(&self) -> bool {
        self.in_range.load(Ordering::Relaxed)
    }

    /// The payload as numbers, every one of them checked.
    pub(crate) fn verify_numbers<T: bytemuck::AnyBitPattern>(
        &self,
        job: Job<'_>,
    ) -> Result<&[T], VerifyError> {
        use lethe_files::VerifyError::{Cancelled, Damaged};
        self.data.verify(job).map_err(|error| match error {
            Cancelled(cancelled) => cancelled.into(),
            Damaged(damage) => VerifyError::Open(*self.damaged(damage)),
            other => VerifyError::Open(OpenError::Content {
                path: self.data.file().path().to_owned(),
                reason: other.to_string(),
            }),
        })
    }

    /// The problem of a table that is not as it was written, if its payload is not.
    pub(crate) fn problem(
        &self,
        file: String,
        job: Job<'_>,
    ) -> Result<Option<VerifyProblem>, VerifyError> {
        match self.verify_numbers::<u8>(job) {
            Ok(_) => Ok(None),
            Err(VerifyError::Open(OpenError::Damaged { damage, .. })) => {
                Ok(Some(VerifyProblem::Checksum { file, damage }))
            }
            Err(error) => Err(error),
        }
    }

    pub(crate) fn sparse(&self) -> Result<SparseRef<'_>, Damage> {
        let [boards, clusters, entries] =
            [self.header.rows, self.header.clusters, self.header.entries].map(|n| n as usize);
        // The header was checked against the length of the file, so the parts lie within it.
        let numbers: &[u32] = self.data.all()?;
        let (board_clusters, rest) = numbers.split_at(boards);
        let (medians, rest) = rest.split_at(clusters);
        let (starts, rest) = rest.split_at(clusters + 1);
        let (holes, buckets) = rest.split_at(entries);
        Ok(SparseRef { clusters: board_clusters, medians, starts, holes, buckets })
    }

    /// The payload as bucket equities.
    pub(crate) fn bucket_equities(&self) -> Result<BucketEquitiesRef<'_>, Box<OpenError>> {
        let numbers: &[u64] = self.data.all().map_err(|damage| self.damaged(damage))?;
        let (sums, counts) = numbers.split_at(numbers.len() / 2);
        Ok(BucketEquitiesRef { buckets: self.header.buckets as usize, sums, counts })
    }

    #[cold]
    pub(crate) fn damaged(&self, damage: Damage) -> Box<OpenError> {
        Box::new(OpenError::Damaged { path: self.data.file().path().to_owned(), damage })
    }

    #[cold]
    fn too_large(&self, number: u32) -> Box<OpenError> {
        let what = if self.header.kind == Kind::Equity { "equity" } else { "bucket" };
        let reason = format!("it has {what} {number}; the largest possible is {}", self.limit - 1);
        Box::new(OpenError::Content { path: self.data.file().path().to_owned(), reason })
    }
}

/// Checks all that looking up follows, so that no number in the file can lead it astray.
pub(crate) fn check_sparse(table: SparseRef<'_>, buckets: u64) -> Result<(), &'static str> {
    let clusters = table.medians.len();
    if table.starts.len() != clusters + 1 || table.holes.len() != table.buckets.len() {
        return Err("its parts do not fit one another");
    }
    if table.starts[0] != 0 || table.starts[clusters] as usize != table.holes.len() {
        return Err("its clusters do not share out its entries");
    }
    if table.starts.windows(2).any(|pair| pair[0] > pair[1]) {
        return Err("its clusters overlap");
    }
    // Without a branch a comparison, so that a river's 134,459 boards take microseconds.
    let highest = table.clusters.iter().fold(0, |highest, &cluster| highest.max(cluster));
    if highest as usize >= clusters {
        return Err("a board is in a cluster that does not exist");
    }
    let highest = table.medians.iter().chain(table.buckets).fold(0, |high, &b| high.max(b));
    if u64::from(highest) >= buckets {
        return Err("it has a bucket that does not exist");
    }
    if table.holes.iter().any(|&hole| hole as usize >= Hole::COUNT) {
        return Err("it has an entry for a hole that does not exist");
    }
    let unsorted = table.starts.windows(2).any(|bounds| {
        let holes = &table.holes[bounds[0] as usize..bounds[1] as usize];
        holes.windows(2).any(|pair| pair[0] >= pair[1])
    });
    if unsorted {
        return Err("the holes of a cluster are not in ascending order");
    }
    Ok(())
}
