//! Files mapped into memory: the crate's only unsafe code.

#![allow(unsafe_code)]

use std::ops::Deref;
use std::path::{Path, PathBuf};

use memmap2::{Mmap, MmapMut};
use rayon::prelude::*;

use crate::FileError;
use crate::read::open;

/// A regular file in memory, read-only.
#[derive(Debug)]
pub struct MappedFile {
    path: PathBuf,
    map: Mmap,
}

impl MappedFile {
    /// Maps a file.
    pub fn open(path: &Path) -> Result<MappedFile, FileError> {
        let (file, _) = open(path)?;
        // SAFETY: the map is read-only and private to this value, and only plain numbers are read
        // from it, for which all bytes are valid. Lethe never writes a finished file in place: it
        // writes beside and renames, which leaves mapped files as they are. Should another program
        // change a file all the same, a reader sees other numbers, or, if the file was cut short,
        // the process is ended by a signal.
        let map = unsafe { Mmap::map(&file) }.map_err(FileError::read(path))?;
        Ok(MappedFile { path: path.to_owned(), map })
    }

    /// Copies the file into memory of its own, in huge pages where the system has them, so that a
    /// read at random waits for one page less. The copy is made on all threads of the pool that this
    /// runs in.
    pub fn make_resident(&mut self) -> Result<(), FileError> {
        /// A huge page, so that no two threads fill the same one.
        const PIECE: usize = 2 << 20;
        let copy = || {
            let mut copy = MmapMut::map_anon(self.map.len().max(1))?;
            // Advice that the system does not take costs speed alone.
            #[cfg(target_os = "linux")]
            let _ = copy.advise(memmap2::Advice::HugePage);
            copy.par_chunks_mut(PIECE)
                .zip(self.map.par_chunks(PIECE))
                .for_each(|(to, from)| to[..from.len()].copy_from_slice(from));
            copy.make_read_only()
        };
        self.map = copy().map_err(FileError::read(&self.path))?;
        Ok(())
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.map
    }
}
