//! Reading: regular files only, never more than a limit.

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use crate::FileError;

/// Opens a regular file; anything else is refused without waiting for it.
///
/// A pipe nobody writes to would block the caller, a device may never end, and opening some devices
/// does something.
pub fn open(path: &Path) -> Result<(File, Metadata), FileError> {
    let check = |found: &Metadata| match found.is_file() {
        true => Ok(()),
        false => Err(FileError::NotAFile { path: path.to_owned(), kind: kind(found.file_type()) }),
    };
    check(&fs::metadata(path).map_err(FileError::read(path))?)?;
    let file = open_without_waiting(path).map_err(FileError::read(path))?;
    // The path may lead elsewhere by now.
    let metadata = file.metadata().map_err(FileError::read(path))?;
    check(&metadata)?;
    Ok((file, metadata))
}

#[cfg(unix)]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // Regular files ignore the flag.
    let flag = rustix::fs::OFlags::NONBLOCK.bits();
    OpenOptions::new().read(true).custom_flags(flag.cast_signed()).open(path)
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

/// What something that is not a regular file is.
pub(crate) fn kind(found: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if found.is_fifo() {
            return "a pipe";
        }
        if found.is_char_device() || found.is_block_device() {
            return "a device";
        }
        if found.is_socket() {
            return "a socket";
        }
    }
    match found {
        found if found.is_dir() => "a directory",
        found if found.is_file() => "a file",
        _ => "a special file",
    }
}

/// Checks that a directory is at a path, or nothing: that one can be made there.
pub fn check_directory(path: &Path) -> Result<(), FileError> {
    match fs::metadata(path) {
        Ok(found) if !found.is_dir() => {
            Err(FileError::NotADirectory { path: path.to_owned(), kind: kind(found.file_type()) })
        }
        _ => Ok(()),
    }
}

/// The bytes of a regular file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let (file, metadata) = open(path)?;
    let too_large = || FileError::TooLarge { path: path.to_owned(), limit };
    if metadata.len() > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    // A file may grow while it is read, and those under /proc claim to be empty.
    let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(FileError::read(path))?;
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    Ok(bytes)
}

/// Whether a path is a regular file that begins with these bytes.
pub fn begins_with(path: &Path, magic: &[u8]) -> bool {
    let Ok((file, _)) = open(path) else { return false };
    let mut begin = Vec::with_capacity(magic.len());
    file.take(magic.len() as u64).read_to_end(&mut begin).is_ok() && begin == magic
}
