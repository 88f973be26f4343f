//! `Container`: the layout of Lethe's binary files.
//!
//! ```text
//! offset        bytes  what
//!      0            8  magic: what kind of file it is
//!      8            4  format version
//!     12            4  length h of the header
//!     16            8  length d of the data
//!     24            4  length of a block, 65,536
//!     28            4  zero
//!     32           32  BLAKE3 of the 32 bytes before, the header and the checksums of the blocks
//!     64            h  header, JSON, padded with blanks so that the data is aligned to 64 bytes
//! 64 + h            d  data
//! 64+h+d  16 a block  the first 16 bytes of each block's BLAKE3
//! ```
//!
//! All numbers are little-endian. Opening checks all but the data; the data is checked by [`Blocks`].

use std::fmt;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::blocks::{BLOCK, BlockHasher, Blocks, Damage, HASH};
use crate::{FileError, MappedFile, OutputFile};

const PRELUDE: usize = 64;
const SUM_AT: usize = 32;
/// What the data is aligned to.
const ALIGNMENT: usize = 64;
/// No header is longer.
const MAX_HEADER: usize = 16 << 20;
/// Bytes that are written at once.
const BUFFER: usize = 1 << 20;

/// A file with a header, data and a checksum for each block of it.
#[derive(Debug)]
pub struct Container {
    header: Vec<u8>,
    data: Blocks,
}

/// Why a container cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is not as it was written.
    #[error("{}: {fault}", path.display())]
    Fault {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        fault: Fault,
    },
}

/// What is wrong with a container.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// It is of another kind.
    Magic,
    /// It is of another version.
    Version {
        /// The version of the file.
        found: u32,
        /// The version that was expected.
        expected: u32,
    },
    /// Its length is not the one that it was written with.
    Length,
    /// Its header does not match its checksum.
    Header,
    /// Some of its data does not match its checksum.
    Data(Damage),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Magic => f.write_str("it is a file of another kind, or was truncated"),
            Fault::Version { found, expected } => {
                write!(f, "unknown format version {found}; expected {expected}")
            }
            Fault::Length => f.write_str("its length does not match its header"),
            Fault::Header => f.write_str("its header does not match its checksum"),
            Fault::Data(damage) => damage.fmt(f),
        }
    }
}

/// The magic and the version that every file of Lethe begins with; `None` if it is too short.
pub(crate) fn version(bytes: &[u8]) -> Option<(&[u8; 8], u32)> {
    let (magic, rest) = bytes.split_first_chunk()?;
    Some((magic, u32::from_le_bytes(*rest.first_chunk()?)))
}

impl Container {
    /// The format version of a mapped file of this kind, whatever its layout.
    pub fn version(file: &MappedFile, magic: &[u8; 8]) -> Result<u32, Fault> {
        match version(file) {
            Some((found, version)) if found == magic => Ok(version),
            _ => Err(Fault::Magic),
        }
    }

    /// Opens a mapped file of this kind and version: checks everything but the data.
    pub fn open(file: MappedFile, magic: &[u8; 8], expected: u32) -> Result<Container, Fault> {
        let found = Container::version(&file, magic)?;
        if found != expected {
            return Err(Fault::Version { found, expected });
        }
        let prelude: &[u8; PRELUDE] = file.first_chunk().ok_or(Fault::Length)?;
        let word = |at: usize| u32::from_le_bytes(*prelude[at..].first_chunk().expect("a word"));
        let long = u64::from_le_bytes(*prelude[16..].first_chunk().expect("a long word"));
        let header = word(12) as usize;
        let fits = header <= MAX_HEADER && (PRELUDE + header).is_multiple_of(ALIGNMENT);
        if !fits || word(24) as usize != BLOCK || word(28) != 0 {
            return Err(Fault::Header);
        }
        let data = usize::try_from(long).map_err(|_| Fault::Length)?;
        let start = PRELUDE + header;
        let end = start.checked_add(data).ok_or(Fault::Length)?;
        let table = data.div_ceil(BLOCK) * HASH;
        if end.checked_add(table) != Some(file.len()) {
            return Err(Fault::Length);
        }
        if sum(&prelude[..SUM_AT], &file[PRELUDE..start], &file[end..]) != prelude[SUM_AT..] {
            return Err(Fault::Header);
        }
        let header = file[PRELUDE..start].to_vec();
        let hashes = file[end..].to_vec();
        Ok(Container { header, data: Blocks::new(file, start..end, hashes) })
    }

    /// The header's text.
    pub fn header(&self) -> &[u8] {
        &self.header
    }

    /// The data.
    pub fn data(&self) -> &Blocks {
        &self.data
    }

    /// The data alone.
    pub fn into_data(self) -> Blocks {
        self.data
    }
}

fn sum(prelude: &[u8], header: &[u8], table: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(prelude).update(header).update(table);
    *hasher.finalize().as_bytes()
}

/// A container that is being written: everything written to it is data.
///
/// Nothing is in its place before [`ContainerWriter::finish`].
#[derive(Debug)]
pub struct ContainerWriter {
    output: OutputFile,
    prelude: [u8; SUM_AT],
    header: Vec<u8>,
    blocks: BlockHasher,
    buffer: Vec<u8>,
    data: u64,
}

impl ContainerWriter {
    /// Begins to write a file with this header.
    pub fn create(
        path: &Path,
        magic: &[u8; 8],
        version: u32,
        mut header: Vec<u8>,
    ) -> Result<ContainerWriter, FileError> {
        header.resize((PRELUDE + header.len()).next_multiple_of(ALIGNMENT) - PRELUDE, b' ');
        let mut prelude = [0; SUM_AT];
        prelude[..8].copy_from_slice(magic);
        prelude[8..12].copy_from_slice(&version.to_le_bytes());
        prelude[12..16].copy_from_slice(&(header.len() as u32).to_le_bytes());
        prelude[24..28].copy_from_slice(&(BLOCK as u32).to_le_bytes());
        let output = OutputFile::create(path)?;
        let failed = FileError::write(path);
        if header.len() > MAX_HEADER {
            return Err(failed(io::Error::other("its header is too long")));
        }
        let mut out = output.file();
        out.write_all(&[0; PRELUDE]).and_then(|()| out.write_all(&header)).map_err(failed)?;
        let (blocks, buffer) = (BlockHasher::new(), Vec::with_capacity(BUFFER));
        Ok(ContainerWriter { output, prelude, header, blocks, buffer, data: 0 })
    }

    /// Puts the file in its place.
    pub fn finish(mut self) -> Result<(), FileError> {
        self.close().map_err(FileError::write(self.output.path()))?;
        self.output.finish()
    }

    fn close(&mut self) -> io::Result<()> {
        self.flush()?;
        let table = std::mem::take(&mut self.blocks).finish();
        self.prelude[16..24].copy_from_slice(&self.data.to_le_bytes());
        let mut out = self.output.file();
        out.write_all(&table)?;
        out.seek(SeekFrom::Start(0))?;
        out.write_all(&self.prelude)?;
        out.write_all(&sum(&self.prelude, &self.header, &table))
    }
}

impl Write for ContainerWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.blocks.update(&self.buffer);
        self.data += self.buffer.len() as u64;
        self.output.file().write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}
