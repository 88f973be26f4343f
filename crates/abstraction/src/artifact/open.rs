//! Opening an artifact: metadata read, tables mapped, headers checked, payloads untouched.

use std::fs;
use std::io;
use std::path::Path;

use lethe_cards::Street;

use super::error::OpenError;
use super::format::{HEADER_LEN, Header, Kind, Part};
use super::map::MappedFile;
use super::metadata::{METADATA, Metadata, MetadataFault};
use crate::bucket_equities::BucketEquitiesRef;
use crate::table::{SparseRef, StoredRef, TableRef};

/// A table file whose header has been checked.
#[derive(Debug)]
pub(crate) struct OpenTable {
    pub(crate) header: Header,
    pub(crate) file: MappedFile,
}

/// The metadata of a directory and their text.
pub(crate) fn read_metadata(dir: &Path) -> Result<(Metadata, String), OpenError> {
    let none = |reason| OpenError::NotAnAbstraction { path: dir.to_owned(), reason };
    let path = dir.join(METADATA);
    let text = match fs::read(&path) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| OpenError::Metadata {
            path: path.clone(),
            reason: "it is not UTF-8 text".to_owned(),
        })?,
        Err(error) => {
            return Err(match (error.kind(), fs::metadata(dir)) {
                (_, Err(missing)) if missing.kind() == io::ErrorKind::NotFound => {
                    none("there is no such directory")
                }
                (_, Ok(found)) if !found.is_dir() => none("it is a file and not a directory"),
                (io::ErrorKind::NotFound, _) => none("there is no metadata.json in it"),
                _ => OpenError::read(&path, error),
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
        let file = match MappedFile::open(&path) {
            Ok(mapped) => mapped.map_err(length)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(OpenError::Missing { path });
            }
            Err(error) => return Err(OpenError::read(&path, error)),
        };
        let header =
            Header::decode(file.header()).map_err(|fault| OpenError::header(&path, fault))?;
        let found = file.bytes().len() as u64;
        if found != entry.bytes {
            return Err(length(found));
        }
        if found != header.file_len() {
            return Err(OpenError::Length {
                path: path.clone(),
                expected: header.file_len(),
                found,
            });
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
        let table = OpenTable { header, file };
        if table.header.kind == Kind::Sparse {
            check_sparse(table.sparse()).map_err(|reason| OpenError::Sparse { path, reason })?;
        }
        Ok(Some(table))
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

    /// The payload as buckets.
    #[inline]
    pub(crate) fn stored(&self) -> StoredRef<'_> {
        match (self.header.kind, self.header.width) {
            (Kind::Sparse, _) => StoredRef::Sparse(self.sparse()),
            (_, 2) => StoredRef::Dense(TableRef::U16(self.file.payload())),
            _ => StoredRef::Dense(TableRef::U32(self.file.payload())),
        }
    }

    fn sparse(&self) -> SparseRef<'_> {
        let [boards, clusters, entries] =
            [self.header.rows, self.header.clusters, self.header.entries].map(|n| n as usize);
        // The header was checked against the length of the file, so the parts lie within it.
        let numbers: &[u32] = self.file.payload();
        let (board_clusters, rest) = numbers.split_at(boards);
        let (medians, rest) = rest.split_at(clusters);
        let (starts, rest) = rest.split_at(clusters + 1);
        let (holes, buckets) = rest.split_at(entries);
        SparseRef { clusters: board_clusters, medians, starts, holes, buckets }
    }

    /// The payload as equities, by slot.
    #[inline]
    pub(crate) fn equities(&self) -> &[u32] {
        self.file.payload()
    }

    /// The payload as bucket equities.
    pub(crate) fn bucket_equities(&self) -> BucketEquitiesRef<'_> {
        let numbers: &[u64] = self.file.payload();
        let (sums, counts) = numbers.split_at(numbers.len() / 2);
        BucketEquitiesRef { buckets: self.header.buckets as usize, sums, counts }
    }

    /// The bytes of the payload.
    pub(crate) fn payload_bytes(&self) -> &[u8] {
        &self.file.bytes()[HEADER_LEN..]
    }
}

/// Checks all that looking up follows, so that no number in the file can lead it astray.
pub(crate) fn check_sparse(table: SparseRef<'_>) -> Result<(), &'static str> {
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
    Ok(())
}
