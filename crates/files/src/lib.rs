//! Files that are whole or refused: bounded reading, all-or-nothing writing, checksums by block.
//!
//! | what | where |
//! |---|---|
//! | [`read`], [`open`] | regular files only, never more than a limit |
//! | [`write()`], [`OutputFile`] | written beside, synced, renamed; [`remove_stale`] clears what killed processes left |
//! | [`MappedFile`], [`Blocks`] | a file in memory whose blocks are checked on first touch |
//! | [`Lines`], [`append_line`], [`write_line`] | files of JSON lines, each with a checksum |
//! | [`Units`] | work in units, a file for each that is finished |
//! | [`Container`], [`ContainerWriter`] | the layout of Lethe's binary files: a JSON header, data, a checksum for each block |
//!
//! The crate knows nothing of poker.
//!
//! ```
//! use std::io::Write;
//!
//! let dir = tempfile::tempdir()?;
//! let file = dir.path().join("notes.txt");
//! lethe_files::write(&file, |out| out.write_all(b"forty-two"))?;
//! assert_eq!(lethe_files::read(&file, 1 << 20)?, b"forty-two");
//! assert!(lethe_files::read(&file, 4).is_err());
//!
//! // An output that is also an input would destroy it.
//! assert!(lethe_files::check_output(&file, &[&file]).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(unsafe_code)]

mod blocks;
mod container;
mod error;
mod lines;
mod map;
mod output;
mod read;
mod stale;
mod units;

pub use blocks::{BLOCK, BlockHasher, Blocks, Damage, HASH, VerifyError};
pub use container::{Container, ContainerError, ContainerWriter, Fault};
pub use error::FileError;
pub use lines::{Lines, append_line, write_line};
pub use map::MappedFile;
pub use output::{OutputFile, check_output, sync_dir, write};
pub use read::{begins_with, check_directory, open, read};
pub use stale::{remove_stale, temporary_name};
pub use units::{Replace, Units, UnitsError, Work};
