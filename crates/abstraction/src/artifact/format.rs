//! The header that every table file begins with, and what a file of each kind must measure.
//!
//! ```text
//! offset  bytes  what
//!      0      8  magic, "LETHEABS"
//!      8      4  format version, 2
//!     12      1  street: 1 flop, 2 turn, 3 river
//!     13      1  kind: 1 dense buckets, 2 sparse buckets, 3 slot equities, 4 bucket equities
//!     14      1  width of a number in bytes: 2, 4 or 8
//!     15      1  zero
//!     16      8  rows
//!     24      8  row length
//!     32      8  buckets (0 in a file of equities)
//!     40      8  length of the payload in bytes
//!     48      8  plan hash, eight ASCII digits
//!     56      8  clusters (sparse only, else 0)
//!     64      8  entries (sparse only, else 0)
//!     72     24  zero
//!     96     32  BLAKE3 of this header with zeros here, then of the checksums of the blocks
//! ```
//!
//! All numbers are little-endian. The payload follows at byte 128, and then for each block of 65,536
//! bytes of it the first 16 bytes of its BLAKE3. Files of version 1 have no such checksums: bytes 96
//! to 128 are the BLAKE3 of the header with zeros there, then of the payload.

use lethe_cards::{CanonicalBoard, Deck, Street};
use lethe_files::{BLOCK, HASH};

use crate::table::fits_u16;

/// The version of the artifact format that this library writes, and the newest that it reads.
pub const FORMAT_VERSION: u32 = 2;
/// The bytes before the payload.
pub(crate) const HEADER_LEN: usize = 128;

/// What a table file begins with.
pub const MAGIC: &[u8; 8] = b"LETHEABS";
const CHECKSUM_AT: usize = 96;

/// What the numbers of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A bucket for every slot.
    Dense = 1,
    /// Buckets of the holes seen, cluster by cluster.
    Sparse = 2,
    /// The exact equity of every slot.
    Equity = 3,
    /// Sums and counts for every pair of buckets.
    BucketEquities = 4,
}

/// What part of a street a file holds; it gives the file its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Buckets,
    Equity,
    BucketEquities,
}

impl Part {
    pub(crate) const ALL: [Part; 3] = [Part::Buckets, Part::Equity, Part::BucketEquities];

    /// The name of the file that holds this part of a street.
    pub(crate) fn file_name(self, street: Street) -> String {
        let extension = match self {
            Part::Buckets => "buckets",
            Part::Equity => "equity",
            Part::BucketEquities => "pairs",
        };
        format!("{street}.{extension}")
    }

    /// Whether a file of this part may be of this kind.
    pub(crate) fn admits(self, kind: Kind) -> bool {
        match self {
            Part::Buckets => matches!(kind, Kind::Dense | Kind::Sparse),
            Part::Equity => kind == Kind::Equity,
            Part::BucketEquities => kind == Kind::BucketEquities,
        }
    }
}

/// The header of a table file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) version: u32,
    pub(crate) street: Street,
    pub(crate) kind: Kind,
    pub(crate) width: u8,
    pub(crate) rows: u64,
    pub(crate) row_len: u64,
    pub(crate) buckets: u64,
    pub(crate) payload: u64,
    pub(crate) plan_hash: [u8; 8],
    pub(crate) clusters: u64,
    pub(crate) entries: u64,
    pub(crate) checksum: [u8; 32],
}

/// What is wrong with a table file's header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderFault {
    /// It does not begin as every table file does.
    #[error("it does not begin with LETHEABS, so it is no table of an abstraction")]
    Magic,
    /// It was written by a later version.
    #[error("its format version is {0} and this program reads up to {FORMAT_VERSION}")]
    Newer(u32),
    /// Its version never existed.
    #[error("unknown format version {0}")]
    Version(u32),
    /// A field has a value that it cannot have.
    #[error("its header has {field} {found}; expected {expected}")]
    Field {
        /// The field.
        field: &'static str,
        /// Its value.
        found: u64,
        /// What it should be.
        expected: String,
    },
    /// Bytes that must be zero are not.
    #[error("unused bytes of its header are not zero")]
    Padding,
}

fn field(field: &'static str, found: u64, expected: impl ToString) -> HeaderFault {
    HeaderFault::Field { field, found, expected: expected.to_string() }
}

impl Header {
    /// The header of a table of one row a board: buckets or equities.
    pub(crate) fn slots(street: Street, kind: Kind, width: u8, buckets: u64) -> Header {
        let (rows, row_len) = (CanonicalBoard::count(street) as u64, Deck::row_len(street) as u64);
        Header { rows, row_len, ..Header::blank(street, kind, width, buckets) }.measured()
    }

    /// The header of a sparse table.
    pub(crate) fn sparse(street: Street, buckets: u64, clusters: u64, entries: u64) -> Header {
        let rows = CanonicalBoard::count(street) as u64;
        let blank = Header::blank(street, Kind::Sparse, 4, buckets);
        Header { rows, row_len: 1, clusters, entries, ..blank }.measured()
    }

    /// The header of a table of bucket equities.
    pub(crate) fn bucket_equities(street: Street, buckets: u64) -> Header {
        let blank = Header::blank(street, Kind::BucketEquities, 8, buckets);
        Header { rows: buckets, row_len: buckets, ..blank }.measured()
    }

    fn blank(street: Street, kind: Kind, width: u8, buckets: u64) -> Header {
        Header {
            version: FORMAT_VERSION,
            street,
            kind,
            width,
            rows: 0,
            row_len: 0,
            buckets,
            payload: 0,
            plan_hash: [0; 8],
            clusters: 0,
            entries: 0,
            checksum: [0; 32],
        }
    }

    fn measured(self) -> Header {
        let payload = self.expected_payload().unwrap_or(u64::MAX);
        Header { payload, ..self }
    }

    /// The bytes that the payload takes, unless they are too many to count.
    fn expected_payload(&self) -> Option<u64> {
        let numbers = match self.kind {
            Kind::Dense | Kind::Equity => self.rows.checked_mul(self.row_len)?,
            Kind::BucketEquities => self.rows.checked_mul(self.row_len)?.checked_mul(2)?,
            Kind::Sparse => {
                let clusters = self.clusters.checked_mul(2)?.checked_add(1)?;
                let entries = self.entries.checked_mul(2)?;
                self.rows.checked_add(clusters)?.checked_add(entries)?
            }
        };
        numbers.checked_mul(self.width.into())
    }

    /// The header as it stands in the file.
    pub(crate) fn encode(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(0, MAGIC);
        put(8, &self.version.to_le_bytes());
        put(12, &[self.street.index() as u8, self.kind as u8, self.width]);
        let numbers = [self.rows, self.row_len, self.buckets, self.payload];
        for (place, number) in numbers.into_iter().enumerate() {
            put(16 + 8 * place, &number.to_le_bytes());
        }
        put(48, &self.plan_hash);
        put(56, &self.clusters.to_le_bytes());
        put(64, &self.entries.to_le_bytes());
        put(CHECKSUM_AT, &self.checksum);
        bytes
    }

    /// Reads a header and checks everything in it that can be checked without the file.
    pub(crate) fn decode(bytes: &[u8; HEADER_LEN]) -> Result<Header, HeaderFault> {
        let number = |at: usize| {
            u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes of the header"))
        };
        if bytes[..8] != *MAGIC {
            return Err(HeaderFault::Magic);
        }
        let version =
            u32::from_le_bytes(bytes[8..12].try_into().expect("four bytes of the header"));
        match version {
            1..=FORMAT_VERSION => {}
            0 => return Err(HeaderFault::Version(version)),
            newer => return Err(HeaderFault::Newer(newer)),
        }
        let street = match bytes[12] {
            1 => Street::Flop,
            2 => Street::Turn,
            3 => Street::River,
            other => return Err(field("street", other.into(), "1, 2 or 3")),
        };
        let kind = match bytes[13] {
            1 => Kind::Dense,
            2 => Kind::Sparse,
            3 => Kind::Equity,
            4 => Kind::BucketEquities,
            other => return Err(field("kind", other.into(), "1, 2, 3 or 4")),
        };
        if bytes[15] != 0 || bytes[72..CHECKSUM_AT].iter().any(|&byte| byte != 0) {
            return Err(HeaderFault::Padding);
        }
        let header = Header {
            version,
            street,
            kind,
            width: bytes[14],
            rows: number(16),
            row_len: number(24),
            buckets: number(32),
            payload: number(40),
            plan_hash: bytes[48..56].try_into().expect("eight bytes of the header"),
            clusters: number(56),
            entries: number(64),
            checksum: bytes[CHECKSUM_AT..].try_into().expect("the last 32 bytes of the header"),
        };
        header.check()?;
        Ok(header)
    }

    /// Checks the geometry against that of the street.
    fn check(&self) -> Result<(), HeaderFault> {
        let same = |name, found: u64, expected: u64| {
            if found == expected { Ok(()) } else { Err(field(name, found, expected)) }
        };
        let boards = CanonicalBoard::count(self.street) as u64;
        let (rows, row_len) = match self.kind {
            Kind::Dense | Kind::Equity => (boards, Deck::row_len(self.street) as u64),
            Kind::Sparse => (boards, 1),
            Kind::BucketEquities => (self.buckets, self.buckets),
        };
        same("rows", self.rows, rows)?;
        same("row length", self.row_len, row_len)?;
        let widths: &[u8] = match self.kind {
            Kind::Dense if fits_u16(self.buckets as usize) => &[2, 4],
            Kind::Dense | Kind::Sparse | Kind::Equity => &[4],
            Kind::BucketEquities => &[8],
        };
        if !widths.contains(&self.width) {
            return Err(field("width", self.width.into(), widths[0]));
        }
        match self.kind {
            Kind::Equity => same("buckets", self.buckets, 0)?,
            _ if self.buckets == 0 || self.buckets > u64::from(u32::MAX) => {
                return Err(field("buckets", self.buckets, "1 to 4,294,967,295"));
            }
            _ => {}
        }
        if self.kind != Kind::Sparse {
            same("clusters", self.clusters, 0)?;
            same("entries", self.entries, 0)?;
        } else if self.clusters == 0 || self.clusters > boards {
            return Err(field("clusters", self.clusters, format!("1 to {boards}")));
        }
        match self.expected_payload() {
            Some(expected) => same("payload length", self.payload, expected),
            None => Err(field("entries", self.entries, "a number that fits a file")),
        }
    }

    /// A hasher that has read this header, with zeros for the checksum.
    pub(crate) fn hasher(&self) -> blake3::Hasher {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&Header { checksum: [0; 32], ..self.clone() }.encode());
        hasher
    }

    /// The length of the checksums of all blocks.
    fn hashes_len(&self) -> u64 {
        match self.version {
            1 => 0,
            _ => self.payload.div_ceil(BLOCK as u64).saturating_mul(HASH as u64),
        }
    }

    /// The length of the whole file.
    pub(crate) fn file_len(&self) -> u64 {
        self.payload.saturating_add(HEADER_LEN as u64).saturating_add(self.hashes_len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back_as_they_were_written() {
        let mut header = Header::sparse(Street::River, 400, 20, 12_345);
        header.plan_hash = *b"01234567";
        header.checksum = [7; 32];
        assert_eq!(Header::decode(&header.encode()), Ok(header));
        let header = Header::slots(Street::Flop, Kind::Dense, 2, 500);
        assert_eq!(header.file_len(), 128 + 2 * 2_063_880 + 16 * 63);
        assert_eq!(Header::decode(&header.encode()), Ok(header));
        let header = Header::bucket_equities(Street::Turn, 500);
        assert_eq!(header.file_len(), 128 + 16 * 250_000 + 16 * 62);
        assert_eq!(Header::decode(&header.encode()), Ok(header));
    }

    #[test]
    fn no_single_byte_of_a_header_can_change_its_shape_unseen() {
        let header = Header::slots(Street::Turn, Kind::Equity, 4, 0);
        let bytes = header.encode();
        let free = |at: usize| (48..56).contains(&at) || at >= CHECKSUM_AT;
        for at in (0..HEADER_LEN).filter(|&at| !free(at)) {
            for flip in 1..=u8::MAX {
                let mut damaged = bytes;
                damaged[at] ^= flip;
                // Version 1 has another length and another checksum.
                let unseen = Header::decode(&damaged).is_ok_and(|found| found.version != 1);
                assert!(!unseen, "byte {at} changed by {flip}");
            }
        }
    }

    #[test]
    fn sizes_that_overflow_are_refused() {
        let header = Header::bucket_equities(Street::River, u64::from(u32::MAX));
        let header = Header { payload: u64::MAX, ..header };
        assert!(Header::decode(&header.encode()).is_err());
        let header = Header::sparse(Street::River, 1, 1, u64::MAX / 2);
        assert!(Header::decode(&header.encode()).is_err());
    }
}
