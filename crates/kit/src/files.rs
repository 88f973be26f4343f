//! Files: reading that is bounded, writing that is all or nothing.
//!
//! ```
//! use std::io::Write;
//!
//! use lethe_kit::files;
//!
//! let dir = tempfile::tempdir()?;
//! let file = dir.path().join("notes.txt");
//! files::write(&file, |out| out.write_all(b"forty-two"))?;
//! assert_eq!(files::read(&file, 1 << 20)?, b"forty-two");
//! assert!(files::read(&file, 4).is_err());
//!
//! // An output that is also an input would destroy it.
//! assert!(files::check_output(&file, &[&file]).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file could not be read.
    #[error("cannot read {}: {why}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        why: io::Error,
    },
    /// The file could not be written.
    #[error("cannot write {}: {why}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        why: io::Error,
    },
    /// The file is larger than anything that could be meant.
    #[error("{}: larger than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The most that is read.
        limit: u64,
    },
    /// An output is also an input.
    #[error("{}: the output would overwrite its own input; write to another file", path.display())]
    OverwritesInput {
        /// The output.
        path: PathBuf,
    },
}

impl FileError {
    /// Whether the path that was given is at fault, rather than the disk.
    pub fn is_input(&self) -> bool {
        use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
        match self {
            FileError::OverwritesInput { .. } => true,
            FileError::Write { why, .. } => {
                matches!(why.kind(), IsADirectory | NotADirectory | NotFound)
            }
            _ => false,
        }
    }
}

/// The bytes of a file of at most `limit` bytes, whatever kind of file it is.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
        .map_err(|why| FileError::Read { path: path.to_owned(), why })?;
    if bytes.len() as u64 > limit {
        return Err(FileError::TooLarge { path: path.to_owned(), limit });
    }
    Ok(bytes)
}

/// Writes a file: beside its place, synced, then renamed. A failure leaves the old file as it was.
pub fn write(
    path: &Path,
    contents: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<(), FileError> {
    let mut output = OutputFile::create(path)?;
    output.write_with(contents)?;
    output.finish()
}

/// A file that is being written beside its place; dropped before [`OutputFile::finish`], it goes.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    beside: NamedTempFile,
}

impl OutputFile {
    /// Begins to write a file: fails at once if its directory cannot be written to.
    pub fn create(path: &Path) -> Result<OutputFile, FileError> {
        let failed = |why| FileError::Write { path: path.to_owned(), why };
        if path.is_dir() || path.file_name().is_none() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        // Said here, because a temporary file's error names the temporary file.
        fs::metadata(folder(path)).map_err(failed)?;
        let beside = NamedTempFile::new_in(folder(path)).map_err(failed)?;
        Ok(OutputFile { path: path.to_owned(), beside })
    }

    /// The file beside, to write to.
    pub fn file(&self) -> &File {
        self.beside.as_file()
    }

    /// Writes through a buffer.
    pub fn write_with(
        &mut self,
        contents: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
    ) -> Result<(), FileError> {
        let mut out = BufWriter::with_capacity(1 << 20, self.beside.as_file());
        contents(&mut out).and_then(|()| out.flush()).map_err(|why| self.failed(why))
    }

    /// Puts the file in its place.
    pub fn finish(self) -> Result<(), FileError> {
        let OutputFile { path, beside } = self;
        let failed = |why| FileError::Write { path: path.clone(), why };
        make_readable(beside.as_file()).map_err(failed)?;
        beside.as_file().sync_all().map_err(failed)?;
        beside.persist(&path).map_err(|error| failed(error.error))?;
        Ok(())
    }

    fn failed(&self, why: io::Error) -> FileError {
        FileError::Write { path: self.path.clone(), why }
    }
}

/// Refuses an output that is one of the inputs, by whatever path.
pub fn check_output(output: &Path, inputs: &[&Path]) -> Result<(), FileError> {
    let Ok(place) = fs::canonicalize(output) else { return Ok(()) };
    let same = |input: &&Path| fs::canonicalize(input).is_ok_and(|input| input == place);
    match inputs.iter().any(same) {
        true => Err(FileError::OverwritesInput { path: output.to_owned() }),
        false => Ok(()),
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Temporary files are private; what takes their place is a file like any other.
#[cfg(unix)]
fn make_readable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_: &File) -> io::Result<()> {
    Ok(())
}
