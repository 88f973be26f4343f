//! Exports: the strategies of a solution or a blueprint as a table, row by row.
//!
//! ```
//! use lethe_compute::Job;
//! use lethe_kit::export::{SolutionRows, Table, TableFormat};
//! use lethe_kit::solution::{self, SolveOptions};
//! use lethe_kit::spot::SpotFile;
//!
//! let text = "board: 2s3h4d6c7c\noop_range: AsAh,QsQh\nip_range: KsKh\npot: 100\nstack: 100\n\
//!             bet_sizes: {river: {oop: {bet: a}}}\n";
//! let spot = SpotFile::parse("river.yaml", text)?.spot()?;
//! let solution = solution::solve(spot, &SolveOptions::default(), Job::default(), &mut |_| ())?;
//! let mut csv = Vec::new();
//! let rows = SolutionRows::new(&solution, "", None)?;
//! rows.write(Table::stream(TableFormat::Csv, &SolutionRows::SCHEMA, Box::new(&mut csv))?, Job::default())?;
//! assert!(String::from_utf8(csv)?.contains("\n,2s3h4d6c7c,oop,AsAh,"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blueprint;
#[cfg(feature = "parquet")]
mod parquet_file;
mod solution;
mod table;

use std::io;

use lethe_blueprint::BlueprintError;
use lethe_cards::Street;
use lethe_compute::Cancelled;
use lethe_game::KeyError;
use lethe_solver::WalkError;

pub use self::blueprint::BlueprintRows;
pub use self::solution::SolutionRows;
pub use self::table::{Column, Kind, Schema, Table, TableFormat, TakeRow, Value};
use crate::action::ActionView;
use crate::files::FileError;
use crate::line::LineError;
use crate::solution::SolutionError;

/// The columns of an action: those of [`crate::action::ActionShare`].
const ACTION: &[Column] = &[
    ("action", Kind::Text),
    ("chips", Kind::Whole),
    ("pot_fraction", Kind::Number),
    ("text", Kind::Text),
    ("frequency", Kind::Number),
    ("ev", Kind::Number),
];

/// The values of an action but for its EV.
fn action_values(action: &ActionView, frequency: f64) -> Vec<Value<'_>> {
    vec![
        Value::Text(action.action),
        action.chips.map_or(Value::Empty, |chips| Value::Whole(chips.into())),
        action.pot_fraction.into(),
        Value::Text(&action.text),
        Value::Number(frequency),
    ]
}

/// Rows that cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A build without Parquet.
    #[error(
        "this build is without Parquet: build it with 'cargo build --release --features parquet', \
         or write CSV or JSON"
    )]
    NoParquet,
    /// Parquet to a stream.
    #[error("Parquet is written to a file, not to a stream")]
    ParquetStream,
    /// The stream cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The blueprint is damaged.
    #[error(transparent)]
    Blueprint(#[from] BlueprintError),
    /// The Parquet library refuses.
    #[cfg(feature = "parquet")]
    #[error(transparent)]
    Parquet(#[from] parquet::errors::ParquetError),
    /// A line that is not in the tree or the solution.
    #[error(transparent)]
    Solution(#[from] SolutionError),
    /// A street that was left out of the solution.
    #[error(
        "the solution was saved without the {0}; end the export on an earlier street, or solve \
         again and save everything"
    )]
    NotSaved(Street),
    /// No decision to write.
    #[error("nobody acts{} after the line '{}'",
            street.map_or(String::new(), |street| format!(" on the {street}")), line.escape_debug())]
    NoDecision {
        /// The line.
        line: String,
        /// The street asked for.
        street: Option<Street>,
    },
    /// An information set without a key.
    #[error(transparent)]
    Key(#[from] KeyError),
}

/// Errors of walking a solution are errors of the solution.
macro_rules! from_solution {
    ($($error:ty),*) => {$(
        impl From<$error> for ExportError {
            fn from(error: $error) -> ExportError {
                ExportError::Solution(error.into())
            }
        }
    )*};
}

from_solution!(LineError, WalkError, Cancelled);
