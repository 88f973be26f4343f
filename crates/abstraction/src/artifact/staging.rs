//! Where an artifact is written: the lock, the directory beside, and the rename into place.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use lethe_files::temporary_name;

use super::error::WriteError;

/// The right to write one artifact, held until it is dropped or the process ends.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    file: Option<File>,
}

impl Lock {
    /// Takes the lock of the artifact called `name` in `root`.
    pub(crate) fn take(root: &Path, name: &str) -> Result<Lock, WriteError> {
        let path = root.join(format!(".{name}.lock"));
        loop {
            let mut options = File::options();
            let file = options.write(true).create(true).truncate(false).open(&path);
            let file = file.map_err(WriteError::io("create", &path))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(WriteError::Locked { path: root.join(name) });
                }
                Err(TryLockError::Error(error)) => {
                    return Err(WriteError::io("lock", &path)(error));
                }
            }
            // A holder removes the file before letting go of it. Whoever then gets the lock of the
            // removed file has locked nothing.
            if is_at(&file, &path) {
                return Ok(Lock { path, file: Some(file) });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if cfg!(unix) {
            // If it stays it is in nobody's way: the next build takes it over.
            let _ = fs::remove_file(&self.path);
        }
        drop(self.file.take());
    }
}

/// Whether the path still leads to the file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// A directory that is removed with all it holds unless it is installed.
#[derive(Debug)]
pub(crate) struct StagingDir {
    path: PathBuf,
}

impl StagingDir {
    /// Makes an empty directory for the artifact called `name` beside it in `root`, and removes
    /// what killed builds of the same name left there. The caller holds the lock.
    pub(crate) fn create(root: &Path, name: &str) -> Result<StagingDir, WriteError> {
        remove_leftovers(root, &format!(".{name}.tmp-"))?;
        let path = root.join(temporary_name(name.as_ref()));
        fs::create_dir(&path).map_err(WriteError::io("create", &path))?;
        Ok(StagingDir { path })
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the directory its final name; what has that name now is replaced.
    ///
    /// Dropping `self` afterwards removes what was replaced.
    pub(crate) fn install(self, target: &Path) -> Result<(), WriteError> {
        sync_dir(&self.path)?;
        let failed = WriteError::io("rename into place", target);
        if target.exists() {
            exchange(&self.path, target).map_err(failed)?;
        } else {
            fs::rename(&self.path, target).map_err(failed)?;
        }
        sync_dir(target.parent().unwrap_or(Path::new(".")))
    }
}

impl Drop for StagingDir {
    fn drop(&mut self) {
        // Should this fail, the next build of the same name tries again.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes the entries of a directory whose names begin with `prefix`.
pub(crate) fn remove_leftovers(dir: &Path, prefix: &str) -> Result<(), WriteError> {
    for path in entries(dir, prefix)? {
        let removed =
            if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.map_err(WriteError::io("remove what a stopped build left:", &path))?;
    }
    Ok(())
}

fn entries(dir: &Path, prefix: &str) -> Result<Vec<PathBuf>, WriteError> {
    let listed = fs::read_dir(dir).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()
    });
    let mut paths = listed.map_err(WriteError::io("list", dir))?;
    paths.retain(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(prefix)));
    Ok(paths)
}

/// Makes names given in a directory last through a loss of power.
pub(crate) fn sync_dir(dir: &Path) -> Result<(), WriteError> {
    lethe_files::sync_dir(dir).map_err(WriteError::io("save", dir))
}

/// Swaps two directories, at once where the system can.
fn exchange(new: &Path, target: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, new, CWD, target, RenameFlags::EXCHANGE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
            done => return done.map_err(io::Error::from),
        }
    }
    let old = old_name(target);
    fs::rename(target, &old)?;
    if let Err(error) = fs::rename(new, target) {
        fs::rename(&old, target)?;
        return Err(error);
    }
    fs::rename(&old, new)
}

/// Where [`exchange`] keeps the old directory for a moment if it cannot swap at once.
fn old_name(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.old"))
}

/// Brings back an artifact whose replacement was stopped between two renames, or removes it if the
/// replacement took place.
pub(crate) fn recover(root: &Path, name: &str) -> Result<(), WriteError> {
    let target = root.join(name);
    let old = old_name(&target);
    if !old.exists() {
        return Ok(());
    }
    if target.exists() {
        fs::remove_dir_all(&old).map_err(WriteError::io("remove", &old))
    } else {
        fs::rename(&old, &target).map_err(WriteError::io("bring back", &target))
    }
}
