//! What the fuzz targets share.
//!
//! Files with checksums would turn away almost every input, so their targets have inputs of parts
//! (see [`Parts`]) from which they make a file whose checksums are right.

mod allocator;

use std::fmt::{Debug, Display};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::LazyLock;
use std::{env, fs, hint, process};

use lethe_files::ContainerWriter;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a text. What was read can be written, and reads back the same; what was refused has a
/// message.
pub fn read<T>(text: &str) -> Option<T>
where
    T: FromStr<Err: Display> + Display + PartialEq + Debug,
{
    match text.parse::<T>() {
        Ok(value) => {
            let written = value.to_string();
            match written.parse::<T>() {
                Ok(again) => assert_eq!(again, value, "{text:?} is written as {written:?}"),
                Err(error) => panic!("{text:?} is written as {written:?}: {error}"),
            }
            Some(value)
        }
        Err(error) => {
            refused(&error);
            None
        }
    }
}

/// Writes the message of an error.
pub fn refused(error: &impl Display) {
    assert!(!hint::black_box(error.to_string()).is_empty(), "an error without a message");
}

/// Checks that a value that files keep as JSON reads back the same.
pub fn check_json<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let text = serde_json::to_string(value).expect("plain data");
    match serde_json::from_str::<T>(&text) {
        Ok(again) => assert_eq!(again, *value, "{text}"),
        Err(error) => panic!("{error}: {text}"),
    }
}

/// An input of parts: how to make the file, the text of its header, and what to change in its data.
///
/// The first byte is the [`Form`]; the text ends at a zero byte. Of what follows each eight bytes
/// replace a 32-bit word of the data: four say which, four are the word.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// How to make the file.
    pub form: Form,
    /// The text; all of the input where the form is raw.
    pub text: &'a [u8],
    /// What to change.
    pub changes: &'a [u8],
}

/// How an input becomes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `r`: the text is the file.
    Raw,
    /// `1`: in the first format, with the checksums that belong there.
    First,
    /// `2` and all others: in today's format, with the checksums that belong there.
    Current,
    /// `3`: as `2`, from the other of two examples.
    Other,
}

impl<'a> Parts<'a> {
    /// The parts of an input.
    pub fn of(input: &'a [u8]) -> Option<Parts<'a>> {
        let (first, rest) = input.split_first()?;
        let form = match first {
            b'r' => return Some(Parts { form: Form::Raw, text: rest, changes: &[] }),
            b'1' => Form::First,
            b'3' => Form::Other,
            _ => Form::Current,
        };
        let end = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
        let changes = rest.get(end + 1..).unwrap_or_default();
        Some(Parts { form, text: &rest[..end], changes })
    }

    /// The text, or this one where there is none.
    pub fn text_or(&self, example: &'a [u8]) -> &'a [u8] {
        if self.text.is_empty() { example } else { self.text }
    }

    /// The data with the changes.
    pub fn apply(&self, data: &[u8]) -> Vec<u8> {
        changed(data, self.changes)
    }
}

/// The data with some of its 32-bit words replaced.
pub fn changed(data: &[u8], changes: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    let words = data.len() / 4;
    for change in changes.chunks_exact(8).filter(|_| words > 0) {
        let place = u32::from_le_bytes([change[0], change[1], change[2], change[3]]);
        let at = place as usize % words * 4;
        data[at..at + 4].copy_from_slice(&change[4..]);
    }
    data
}

/// A header and data, as a file of the first format holds them.
#[derive(Debug)]
pub struct Example {
    /// The header's text.
    pub header: Vec<u8>,
    /// The data.
    pub data: Vec<u8>,
}

impl Example {
    /// The parts of a file of the repository in the first format, whose header begins at `prelude`
    /// and whose data ends 32 bytes before its end.
    pub fn of(path: &str, prelude: usize) -> Example {
        let bytes = fs::read(repository(path)).expect("a file of the repository");
        let length = u32::from_le_bytes(*bytes[12..].first_chunk().expect("a length")) as usize;
        let (header, rest) = bytes[prelude..].split_at(length);
        Example { header: header.to_vec(), data: rest[..rest.len() - 32].to_vec() }
    }
}

/// Writes a container with the checksums that belong to its header and data.
pub fn write_container(path: &Path, magic: &[u8; 8], version: u32, header: &[u8], data: &[u8]) {
    let mut out = ContainerWriter::create(path, magic, version, header.to_vec()).expect("scratch");
    out.write_all(data).expect("scratch");
    out.finish().expect("scratch");
}

/// A file or directory of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// A directory of this process: in `TMPDIR`, or else in memory where the system has such a place.
pub fn scratch() -> &'static Path {
    static DIR: LazyLock<PathBuf> = LazyLock::new(|| {
        let memory = Path::new("/dev/shm");
        let above = match env::var_os("TMPDIR") {
            None if memory.is_dir() => memory.to_owned(),
            _ => env::temp_dir(),
        };
        let dir = above.join(format!("lethe-fuzz-{}", process::id()));
        fs::create_dir_all(&dir).expect("a scratch directory");
        dir
    });
    &DIR
}
