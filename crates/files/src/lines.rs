//! Files of lines, each a JSON object with a checksum of its own, that are only appended to.
//!
//! The checksum is the object's last key, `"check"`: the first 16 hexadecimal digits of the BLAKE3 of
//! the line before it. Files of older versions have lines without one.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::{FileError, read};

const KEY: &str = ",\"check\":\"";
const DIGITS: usize = 16;
/// The bytes of the key, the checksum and the end of a line.
const TAIL: usize = KEY.len() + DIGITS + 2;
/// No file of lines is larger.
const MAX_BYTES: u64 = 1 << 30;

/// The lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Those that are as they were written, with their numbers from 1.
    pub whole: Vec<(usize, Vec<u8>)>,
    /// The numbers of those that are not.
    pub damaged: Vec<usize>,
}

impl Lines {
    /// Reads a file. Half a line at its end, left by a process that was killed, does not count.
    ///
    /// `parses` says whether a line without a checksum is what the file is made of.
    pub fn read(path: &Path, parses: impl Fn(&[u8]) -> bool) -> Result<Lines, FileError> {
        Ok(Lines::of(&read(path, MAX_BYTES)?, parses))
    }

    fn of(bytes: &[u8], parses: impl Fn(&[u8]) -> bool) -> Lines {
        let mut lines = Lines::default();
        let (whole, rest) = bytes.split_at(end_of_lines(bytes));
        let mut sealed = false;
        for (number, line) in (1..).zip(whole.split(|&byte| byte == b'\n')) {
            if line.is_empty() {
                continue;
            }
            let holds = holds(line);
            sealed |= holds == Some(true);
            match holds {
                Some(true) => lines.whole.push((number, line.to_vec())),
                None if parses(line) => lines.whole.push((number, line.to_vec())),
                // Older versions ended the half line of a killed process and went on.
                None if !sealed && !line.ends_with(b"}") => {}
                _ => lines.damaged.push(number),
            }
        }
        // A whole line whose last byte is not the end of a line.
        if let Some((_, line)) = rest.split_last()
            && holds(line) == Some(true)
        {
            lines.damaged.push(1 + whole.iter().filter(|&&byte| byte == b'\n').count());
        }
        lines
    }
}

/// Whether a line matches its checksum; `None` if it has none.
fn holds(line: &[u8]) -> Option<bool> {
    let (begin, end) = line.split_at_checked(line.len().checked_sub(TAIL)?)?;
    let same = end.iter().zip(tail(begin).bytes()).filter(|&(&a, b)| a == b).count();
    // One that is damaged in its key still has the digits.
    let has_one = same > TAIL / 2 || line.windows(KEY.len()).any(|part| part == KEY.as_bytes());
    has_one.then_some(same == TAIL)
}

/// The key, the checksum and the end of a line.
fn tail(begin: &[u8]) -> String {
    format!("{KEY}{}\"}}", &blake3::hash(begin).to_hex()[..DIGITS])
}

/// The bytes of all lines that have an end.
fn end_of_lines(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1)
}

/// Appends a JSON object to a file of lines in one write, on disk when this returns; creates the file
/// if it does not exist. Half a line at its end is removed first.
///
/// # Panics
/// If the text is not a JSON object with a key.
pub fn append_line(path: &Path, object: &str) -> Result<(), FileError> {
    let line = sealed(object);
    let open = OpenOptions::new().create(true).read(true).append(true).open(path);
    let written = open.and_then(|mut file| {
        drop_half_line(&mut file)?;
        file.write_all(line.as_bytes())?;
        file.sync_data()
    });
    written.map_err(FileError::write(path))
}

/// Writes a file of one line, whole or not at all.
///
/// # Panics
/// If the text is not a JSON object with a key.
pub fn write_line(path: &Path, object: &str) -> Result<(), FileError> {
    let line = sealed(object);
    crate::write(path, |out| out.write_all(line.as_bytes()))
}

/// An object with its checksum, as a line.
fn sealed(object: &str) -> String {
    let begin = object.strip_suffix('}').filter(|begin| begin.len() > 1 && !begin.contains('\n'));
    let begin = begin.expect("an object on one line");
    format!("{begin}{}\n", tail(begin.as_bytes()))
}

/// Removes what follows the last end of a line.
fn drop_half_line(file: &mut File) -> io::Result<()> {
    const STEP: u64 = 1 << 16;
    let mut start = file.seek(SeekFrom::End(0))?;
    let mut rest = Vec::new();
    while start > 0 && !rest.contains(&b'\n') {
        let from = start.saturating_sub(STEP);
        let mut piece = vec![0; (start - from) as usize];
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut piece)?;
        piece.append(&mut rest);
        (rest, start) = (piece, from);
    }
    let keep = end_of_lines(&rest);
    if keep == rest.len() {
        return Ok(());
    }
    file.set_len(start + keep as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parses(line: &[u8]) -> bool {
        line.starts_with(b"{\"n\":") && line.ends_with(b"}")
    }

    #[test]
    fn every_flipped_bit_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lines");
        for n in 0..5 {
            append_line(&path, &format!("{{\"n\":{n},\"x\":1.5}}")).unwrap();
        }
        let bytes = std::fs::read(&path).unwrap();
        let before = Lines::of(&bytes, parses);
        assert_eq!((before.whole.len(), before.damaged.len()), (5, 0));
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(!Lines::of(&flipped, parses).damaged.is_empty(), "bit {bit}");
        }
    }

    #[test]
    fn half_a_line_is_dropped_and_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lines");
        append_line(&path, "{\"n\":1}").unwrap();
        let whole = std::fs::read(&path).unwrap();
        for cut in 1..whole.len() {
            std::fs::write(&path, [&whole[..], &whole[..cut]].concat()).unwrap();
            let found = Lines::read(&path, parses).unwrap();
            assert_eq!((found.whole.len(), found.damaged.len()), (1, 0), "{cut}");
            append_line(&path, "{\"n\":2}").unwrap();
            let found = Lines::read(&path, parses).unwrap();
            assert_eq!((found.whole.len(), found.damaged.len()), (2, 0), "{cut}");
        }
        let long = format!("{{\"n\":\"{}\"}}", "x".repeat(200_000));
        append_line(&path, &long).unwrap();
        std::fs::write(&path, [&whole[..], long.as_bytes()].concat()).unwrap();
        append_line(&path, "{\"n\":2}").unwrap();
        assert_eq!(Lines::read(&path, parses).unwrap().whole.len(), 2);
    }

    #[test]
    fn lines_of_older_versions_are_read() {
        let old = b"{\"n\":1}\n{\"n\"\n{\"n\":2}\n{\"n\":";
        let found = Lines::of(old, parses);
        assert_eq!(found.whole.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 3]);
        assert!(found.damaged.is_empty());
        assert_eq!(Lines::of(b"{\"m\":1}\n", parses).damaged, [1]);
    }
}
