//! Files mapped into memory: the crate's only unsafe code.

use std::fs::File;
use std::io;
use std::path::Path;

use bytemuck::AnyBitPattern;
use memmap2::Mmap;

use super::format::HEADER_LEN;

/// A table file in memory: at least a header, then the payload.
#[derive(Debug)]
pub(crate) struct MappedFile(Mmap);

impl MappedFile {
    /// Maps a file; none, with its length, if it is shorter than a header.
    pub(crate) fn open(path: &Path) -> io::Result<Result<MappedFile, u64>> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        if len < HEADER_LEN as u64 {
            return Ok(Err(len));
        }
        // SAFETY: the map is read-only and private to this value. Finished artifacts are never
        // written in place: builds write elsewhere and rename, which leaves mapped files as they
        // are. Should another program change a file all the same, a reader sees other numbers, all
        // of which are valid for the plain integers read here, or, if the file was cut short, the
        // process is ended by a signal.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Ok(MappedFile(map)))
    }

    /// The whole file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The header.
    pub(crate) fn header(&self) -> &[u8; HEADER_LEN] {
        self.0.first_chunk().expect("files shorter than a header are not mapped")
    }

    /// The payload as numbers; a rest shorter than a number is left off.
    #[inline]
    pub(crate) fn payload<T: AnyBitPattern>(&self) -> &[T] {
        let bytes = &self.0[HEADER_LEN..];
        let whole = bytes.len() - bytes.len() % size_of::<T>();
        // Maps begin on a page and the header is a multiple of every width, so this is aligned.
        bytemuck::cast_slice(&bytes[..whole])
    }
}
