//! The buckets of a street: one for each slot, or only for hands that were seen.

mod sparse;
mod stored;

use lethe_cards::{Deck, Street};

pub use sparse::{SparseRef, SparseTable};
pub use stored::{BucketRows, Stored, StoredRef};

/// The bucket of every slot of a street, in as few bytes as the number of buckets allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Table {
    /// At most 65,536 buckets.
    U16(Vec<u16>),
    /// More.
    U32(Vec<u32>),
}

/// A view of a [`Table`], or of one in a file.
#[derive(Clone, Copy, Debug)]
pub enum TableRef<'a> {
    /// At most 65,536 buckets.
    U16(&'a [u16]),
    /// More.
    U32(&'a [u32]),
}

/// A number that can hold a bucket.
pub(crate) trait BucketId: Copy + Send + Sync + Default + bytemuck::Pod {
    /// The number for a bucket, which must fit.
    fn new(bucket: u32) -> Self;
    /// The bucket.
    fn bucket(self) -> u32;
    /// A table of such numbers.
    fn table(values: Vec<Self>) -> Table;
}

impl BucketId for u16 {
    fn new(bucket: u32) -> u16 {
        bucket as u16
    }
    fn bucket(self) -> u32 {
        self.into()
    }
    fn table(values: Vec<u16>) -> Table {
        Table::U16(values)
    }
}

impl BucketId for u32 {
    fn new(bucket: u32) -> u32 {
        bucket
    }
    fn bucket(self) -> u32 {
        self
    }
    fn table(values: Vec<u32>) -> Table {
        Table::U32(values)
    }
}

/// Whether the numbers of this many buckets fit 16 bits.
pub(crate) const fn fits_u16(buckets: usize) -> bool {
    buckets <= 1 << 16
}

impl Table {
    /// The table as a view.
    pub fn view(&self) -> TableRef<'_> {
        match self {
            Table::U16(values) => TableRef::U16(values),
            Table::U32(values) => TableRef::U32(values),
        }
    }
}

impl<'a> TableRef<'a> {
    /// The bucket in a slot.
    ///
    /// # Panics
    /// If there is no such slot.
    #[inline]
    pub fn get(self, slot: usize) -> u32 {
        match self {
            TableRef::U16(values) => values[slot].into(),
            TableRef::U32(values) => values[slot],
        }
    }

    /// The number of slots.
    pub fn len(self) -> usize {
        match self {
            TableRef::U16(values) => values.len(),
            TableRef::U32(values) => values.len(),
        }
    }

    /// Whether there is no slot.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Bytes a bucket takes: 2 or 4.
    pub fn width(self) -> usize {
        match self {
            TableRef::U16(_) => 2,
            TableRef::U32(_) => 4,
        }
    }

    /// The row of a canonical board.
    ///
    /// # Panics
    /// If the street has no board of this index.
    pub fn row(self, street: Street, board_index: usize) -> TableRef<'a> {
        let len = Deck::row_len(street);
        let slots = board_index * len..(board_index + 1) * len;
        match self {
            TableRef::U16(values) => TableRef::U16(&values[slots]),
            TableRef::U32(values) => TableRef::U32(&values[slots]),
        }
    }

    /// The bytes, little-endian as in a file.
    pub fn bytes(self) -> &'a [u8] {
        match self {
            TableRef::U16(values) => bytemuck::cast_slice(values),
            TableRef::U32(values) => bytemuck::cast_slice(values),
        }
    }
}
