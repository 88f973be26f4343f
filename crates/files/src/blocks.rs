//! `Blocks`: data in a mapped file, with a checksum for each block.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::AnyBitPattern;
use lethe_compute::{Cancelled, Job};
use rayon::prelude::*;

use crate::{FileError, MappedFile};

/// The bytes of a block; the last one of a file may be shorter.
pub const BLOCK: usize = 1 << 16;
/// The bytes of a block's checksum: the first of its BLAKE3.
pub const HASH: usize = 16;
/// Bytes that are hashed between two checks for cancellation.
const STEP: usize = 16 << 20;

/// Data in a mapped file that is checked before it is seen, block by block.
///
/// A block is hashed when it is first touched; afterwards touching it costs one load. Code that
/// reads everything calls [`verify`](Blocks::verify) first, which hashes on all threads, and uses
/// the slice that it returns.
#[derive(Debug)]
pub struct Blocks {
    file: MappedFile,
    /// Where the data begin in the file, and how many bytes they have.
    start: usize,
    len: usize,
    /// The data's blocks are of two to this power.
    shift: u32,
    /// The checksum of each block, one after another, so many bytes each.
    hashes: Vec<u8>,
    width: usize,
    /// What was hashed before the first block.
    before: Vec<u8>,
    checked: Box<[AtomicBool]>,
    all: AtomicBool,
}

/// A part of a file that does not match its checksum.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bytes {} to {} do not match their checksum", bytes.start, bytes.end)]
pub struct Damage {
    /// Where it is in the file.
    pub bytes: Range<u64>,
}

/// Why data was not verified.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// Something does not match its checksum.
    #[error(transparent)]
    Damaged(#[from] Damage),
    /// The job was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl Blocks {
    /// Data of a file with a checksum for each block of [`BLOCK`] bytes, as a [`BlockHasher`] made
    /// them. The checksums themselves must have been checked.
    ///
    /// # Panics
    /// If the data is not within the file, or there is not one checksum for each block.
    pub fn new(file: MappedFile, data: Range<usize>, hashes: Vec<u8>) -> Blocks {
        assert!(data.start <= data.end && data.end <= file.len(), "data within the file");
        let blocks = data.len().div_ceil(BLOCK);
        assert_eq!(hashes.len(), blocks * HASH, "a checksum for each block");
        Blocks::with(file, data, BLOCK.trailing_zeros(), hashes, Vec::new(), HASH)
    }

    /// Data of a file with one checksum, the BLAKE3 of `before` and then of the data: what files of
    /// the first format have.
    ///
    /// # Panics
    /// If the data is not within the file.
    pub fn whole(file: MappedFile, data: Range<usize>, before: Vec<u8>, hash: [u8; 32]) -> Blocks {
        assert!(data.start <= data.end && data.end <= file.len(), "data within the file");
        Blocks::with(file, data, usize::BITS - 1, hash.to_vec(), before, hash.len())
    }

    fn with(
        file: MappedFile,
        data: Range<usize>,
        shift: u32,
        hashes: Vec<u8>,
        before: Vec<u8>,
        width: usize,
    ) -> Blocks {
        let blocks = hashes.len() / width;
        let checked = (0..blocks).map(|_| AtomicBool::new(false)).collect();
        let (start, len) = (data.start, data.len());
        Blocks {
            file,
            start,
            len,
            shift,
            hashes,
            width,
            before,
            checked,
            all: AtomicBool::new(false),
        }
    }

    /// The file.
    pub fn file(&self) -> &MappedFile {
        &self.file
    }

    /// Copies the file into memory of its own: see [`MappedFile::make_resident`].
    pub fn make_resident(&mut self) -> Result<(), FileError> {
        self.file.make_resident()
    }

    /// The bytes of the data.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no data.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// One number; `at` counts numbers of its type.
    ///
    /// # Panics
    /// If it is not within the data.
    #[inline]
    pub fn number<T: AnyBitPattern>(&self, at: usize) -> Result<T, Damage> {
        let first = at * size_of::<T>();
        assert!(first + size_of::<T>() <= self.len, "a number of the data");
        // A number lies within one block, whose length is a multiple of every width.
        let block = first >> self.shift;
        if !self.checked[block].load(Ordering::Relaxed) {
            self.check_block(block)?;
        }
        let bytes = &self.file[self.start + first..][..size_of::<T>()];
        Ok(bytemuck::pod_read_unaligned(bytes))
    }

    /// Some numbers; `range` counts numbers of their type.
    ///
    /// # Panics
    /// If they are not within the data, or the data is not aligned for them.
    #[inline]
    pub fn slice<T: AnyBitPattern>(&self, range: Range<usize>) -> Result<&[T], Damage> {
        self.check(range.start * size_of::<T>()..range.end * size_of::<T>())?;
        Ok(&self.numbers()[range])
    }

    /// All of it as numbers; a rest shorter than a number is left off. Hashes what has not been
    /// touched yet on this thread alone.
    ///
    /// # Panics
    /// If the data is not aligned for them.
    #[inline]
    pub fn all<T: AnyBitPattern>(&self) -> Result<&[T], Damage> {
        if !self.all.load(Ordering::Relaxed) {
            self.check(0..self.len())?;
            self.all.store(true, Ordering::Relaxed);
        }
        Ok(self.numbers())
    }

    /// Hashes all blocks that have not been touched on the job's threads, and returns the data as
    /// numbers. Progress is in bytes; the caller begins the phase.
    ///
    /// # Panics
    /// If the data is not aligned for them.
    pub fn verify<T: AnyBitPattern>(&self, job: Job<'_>) -> Result<&[T], VerifyError> {
        if !self.all.load(Ordering::Relaxed) {
            if self.checked.len() == 1 {
                self.verify_whole(job)?;
            } else {
                job.install(|| {
                    (0..self.checked.len()).into_par_iter().try_for_each(|block| {
                        job.check()?;
                        if !self.checked[block].load(Ordering::Relaxed) {
                            self.check_block(block)?;
                        }
                        job.advance(self.bytes_of(block).len() as u64);
                        Ok::<(), VerifyError>(())
                    })
                })?;
            }
            self.all.store(true, Ordering::Relaxed);
        }
        Ok(self.numbers())
    }

    fn verify_whole(&self, job: Job<'_>) -> Result<(), VerifyError> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.before);
        for part in self.data().chunks(STEP) {
            job.check()?;
            job.install(|| hasher.update_rayon(part));
            job.advance(part.len() as u64);
        }
        Ok(self.compare(0, &hasher.finalize())?)
    }

    /// Checks every block that these bytes of the data touch.
    #[inline]
    fn check(&self, bytes: Range<usize>) -> Result<(), Damage> {
        if bytes.is_empty() || self.all.load(Ordering::Relaxed) {
            return Ok(());
        }
        for block in bytes.start >> self.shift..=(bytes.end - 1) >> self.shift {
            if !self.checked[block].load(Ordering::Relaxed) {
                self.check_block(block)?;
            }
        }
        Ok(())
    }

    #[cold]
    fn check_block(&self, block: usize) -> Result<(), Damage> {
        let mut hasher = blake3::Hasher::new();
        if block == 0 {
            hasher.update(&self.before);
        }
        hasher.update(&self.data()[self.bytes_of(block)]);
        self.compare(block, &hasher.finalize())
    }

    fn compare(&self, block: usize, found: &blake3::Hash) -> Result<(), Damage> {
        let width = self.width;
        if found.as_bytes()[..width] != self.hashes[block * width..(block + 1) * width] {
            let Range { start, end } = self.bytes_of(block);
            let bytes = (self.start + start) as u64..(self.start + end) as u64;
            return Err(Damage { bytes });
        }
        // Nothing else was written, so nothing needs to be ordered.
        self.checked[block].store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The bytes of a block, counted from the data's first.
    fn bytes_of(&self, block: usize) -> Range<usize> {
        match self.checked.len() {
            1 => 0..self.len(),
            _ => block << self.shift..((block + 1) << self.shift).min(self.len()),
        }
    }

    fn data(&self) -> &[u8] {
        &self.file[self.start..][..self.len]
    }

    #[inline]
    fn numbers<T: AnyBitPattern>(&self) -> &[T] {
        let bytes = self.data();
        bytemuck::cast_slice(&bytes[..bytes.len() - bytes.len() % size_of::<T>()])
    }
}

/// Hashes data block by block while it is written.
#[derive(Debug, Default)]
pub struct BlockHasher {
    hasher: blake3::Hasher,
    /// Bytes in the block that is not full yet.
    filled: usize,
    hashes: Vec<u8>,
}

impl BlockHasher {
    /// One that has seen nothing.
    pub fn new() -> BlockHasher {
        BlockHasher::default()
    }

    /// Hashes what follows; large parts on all threads of the pool that this runs in.
    pub fn update(&mut self, mut bytes: &[u8]) {
        if self.filled > 0 {
            bytes = self.fill(bytes);
        }
        let (blocks, rest) = bytes.split_at(bytes.len() - bytes.len() % BLOCK);
        let hashes = blocks.par_chunks(BLOCK).map(|block| first(blake3::hash(block)));
        self.hashes.par_extend(hashes.flatten_iter());
        self.fill(rest);
    }

    /// Adds to the block that is not full; returns what did not fit.
    fn fill<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (own, rest) = bytes.split_at(bytes.len().min(BLOCK - self.filled));
        self.hasher.update(own);
        self.filled += own.len();
        if self.filled == BLOCK {
            self.close();
        }
        rest
    }

    fn close(&mut self) {
        self.hashes.extend(first(self.hasher.finalize()));
        self.hasher.reset();
        self.filled = 0;
    }

    /// The checksums of all blocks, one after another.
    pub fn finish(mut self) -> Vec<u8> {
        if self.filled > 0 {
            self.close();
        }
        self.hashes
    }
}

fn first(hash: blake3::Hash) -> [u8; HASH] {
    *hash.as_bytes().first_chunk().expect("a hash has more bytes")
}
