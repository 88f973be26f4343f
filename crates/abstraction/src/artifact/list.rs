//! The artifacts of a directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Abstraction;
use super::error::OpenError;
use super::metadata::Metadata;

/// An artifact, or what stands where one might.
#[derive(Debug)]
pub struct ArtifactEntry {
    /// The directory's name.
    pub name: String,
    /// The directory.
    pub path: PathBuf,
    /// The bytes of all its files.
    pub bytes: u64,
    /// What it says of itself, or why it does not open.
    pub metadata: Result<Metadata, OpenError>,
}

/// The artifacts in a directory by name; none if there is no such directory.
///
/// Directories that do not open are listed with the reason. Hidden ones are left out.
pub fn list(root: &Path) -> Result<Vec<ArtifactEntry>, OpenError> {
    let found = match fs::read_dir(root) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(OpenError::read(root, error)),
    };
    let mut entries = Vec::new();
    for entry in found {
        let entry = entry.map_err(|error| OpenError::read(root, error))?;
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        if name.starts_with('.') || !path.is_dir() {
            continue;
        }
        let metadata = Abstraction::open(&path).map(|open| open.metadata().clone());
        entries.push(ArtifactEntry { name, bytes: bytes_in(&path), metadata, path });
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// The bytes of a directory's own files, as far as they can be seen.
fn bytes_in(dir: &Path) -> u64 {
    let files = fs::read_dir(dir).into_iter().flatten().flatten();
    files
        .filter_map(|file| file.metadata().ok())
        .filter(|file| file.is_file())
        .map(|m| m.len())
        .sum()
}
