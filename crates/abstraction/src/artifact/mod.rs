//! The artifact: an abstraction on disk.
//!
//! A directory with `metadata.json` and raw little-endian tables, each behind a header of 128 bytes and
//! before a checksum for each of its blocks:
//! `<street>.buckets` for every street, `<street>.equity` for flop and turn, and, once they are
//! computed, `<street>.pairs`. `docs/artifact.md` specifies every byte.

mod abstraction;
mod add;
mod census;
mod error;
mod format;
mod list;
mod metadata;
mod open;
mod staging;
mod verify;
mod write;

pub use abstraction::{Abstraction, Lookup};
pub use add::add_bucket_equities;
pub use error::{OpenError, WriteError};
pub use format::{FORMAT_VERSION, HeaderFault, MAGIC};
pub use list::{ArtifactEntry, list};
pub use metadata::{BuildSummary, FileEntry, Metadata};
pub use verify::{VerifyError, VerifyProblem, VerifyReport, file_names, verify};
pub use write::{ArtifactWriter, CreateOutcome};
