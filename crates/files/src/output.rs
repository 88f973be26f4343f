//! Writing that is all or nothing: beside the file's place, synced, then renamed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::read::kind;
use crate::{FileError, temporary_name};

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
    /// Where it goes: `path`, or what that links to.
    place: PathBuf,
    beside: PathBuf,
    file: File,
}

impl OutputFile {
    /// Begins to write a file: fails at once if its directory cannot be written to, or if something
    /// other than a regular file has its name.
    pub fn create(path: &Path) -> Result<OutputFile, FileError> {
        let failed = FileError::write(path);
        if path.file_name().is_none() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        let mut place = path.to_owned();
        if let Ok(found) = fs::metadata(path) {
            if !found.is_file() {
                let kind = kind(found.file_type());
                return Err(FileError::NotAFile { path: path.to_owned(), kind });
            }
            // A link stays a link.
            place = fs::canonicalize(path).map_err(&failed)?;
        }
        // Said here, because a temporary file's error names the temporary file.
        fs::metadata(folder(&place)).map_err(&failed)?;
        let name = place.file_name().unwrap_or_default();
        let beside = place.with_file_name(temporary_name(name));
        let file = File::options().read(true).write(true).create_new(true).open(&beside);
        let output =
            OutputFile { path: path.to_owned(), place, beside, file: file.map_err(&failed)? };
        // Whoever removes what killed processes left sees that this one lives. Where locks do not
        // work its number says so.
        let _ = output.file.try_lock();
        if let Ok(old) = fs::metadata(&output.place) {
            output.file.set_permissions(old.permissions()).map_err(&failed)?;
        }
        Ok(output)
    }

    /// The file beside, to write to.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The file's place.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes through a buffer.
    pub fn write_with(
        &mut self,
        contents: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
    ) -> Result<(), FileError> {
        let mut out = BufWriter::with_capacity(1 << 20, &self.file);
        contents(&mut out).and_then(|()| out.flush()).map_err(FileError::write(&self.path))
    }

    /// Puts the file in its place, for good when this returns.
    pub fn finish(self) -> Result<(), FileError> {
        let failed = FileError::write(&self.path);
        self.file.sync_all().map_err(&failed)?;
        fs::rename(&self.beside, &self.place).map_err(&failed)?;
        sync_dir(folder(&self.place)).map_err(failed)
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        // After the rename there is nothing of this name; should it fail otherwise,
        // `remove_stale` tries again.
        let _ = fs::remove_file(&self.beside);
    }
}

/// Makes names given in a directory last through a loss of power.
pub fn sync_dir(dir: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}

/// Refuses an output that is one of the inputs, by whatever path or link, or inside one that is a
/// directory.
pub fn check_output(output: &Path, inputs: &[&Path]) -> Result<(), FileError> {
    let place = fs::canonicalize(output)
        .ok()
        .or_else(|| Some(fs::canonicalize(folder(output)).ok()?.join(output.file_name()?)));
    for input in inputs {
        if is_same(output, input) {
            return Err(FileError::OverwritesInput { path: output.to_owned() });
        }
        let inside =
            |dir: PathBuf| dir.is_dir() && place.as_ref().is_some_and(|p| p.starts_with(dir));
        if fs::canonicalize(input).is_ok_and(inside) {
            let (path, input) = (output.to_owned(), (*input).to_owned());
            return Err(FileError::InsideInput { path, input });
        }
    }
    Ok(())
}

/// Whether two paths lead to one file, perhaps by links.
#[cfg(unix)]
fn is_same(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |path| fs::metadata(path).map(|found| (found.dev(), found.ino())).ok();
    place(a).is_some_and(|a| place(b) == Some(a))
}

#[cfg(not(unix))]
fn is_same(a: &Path, b: &Path) -> bool {
    let place = |path| fs::canonicalize(path).ok();
    place(a).is_some_and(|a| place(b) == Some(a))
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}
