//! Finished flops of a measurement, kept in files so that one that was stopped can resume.
//!
//! Each flop is a unit of some work in a directory.

use lethe_blueprint::FlopValues;
use lethe_cards::CanonicalBoard;
use lethe_files::{Units, UnitsError};
use serde::Serialize;

use crate::measure::Search;

/// The version of what the files mean.
const VERSION: u32 = 3;

/// The finished flops of one strategy or agent in a directory.
#[derive(Clone, Debug)]
pub struct Finished {
    units: Units,
    key: Key,
}

/// What determines the values of a flop.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Key {
    version: u32,
    /// The checksum of the blueprint, or what else is played.
    strategy: String,
    #[serde(flatten)]
    search: Option<Search>,
}

impl Finished {
    /// The finished flops among some units, of a strategy that this checksum names, or of the agent that
    /// searches so under it.
    pub fn new(units: Units, strategy: &str, search: Option<Search>) -> Finished {
        let key = Key { version: VERSION, strategy: strategy.to_owned(), search };
        Finished { units, key }
    }

    /// The unit of a flop.
    pub fn name(flop: CanonicalBoard) -> String {
        flop.board().to_string()
    }

    /// The values of a flop with so many betting lines, if it is finished.
    ///
    /// # Errors
    /// If its file belongs to something else.
    pub fn get(
        &self,
        flop: CanonicalBoard,
        lines: usize,
    ) -> Result<Option<[FlopValues; 2]>, FinishedError> {
        let values: Option<[FlopValues; 2]> = self.units.get(&Finished::name(flop), &self.key)?;
        let searches = self.key.search.is_some();
        let fits = |values: &FlopValues| {
            let FlopValues { best, own, river, turn, versus, checked_down } = values;
            // Without rake one seat's own value is the other's loss, and only an agent has an opponent.
            let sized = |row: &[f64], optional: bool| {
                row.len() == lines * 169 || (optional && row.is_empty())
            };
            let finite = |row: &Vec<f64>| row.iter().all(|x| x.is_finite());
            [best, river, turn, checked_down].iter().all(|row| sized(row, false))
                && sized(own, !searches)
                && sized(versus, !searches)
                && [best, own, river, turn, versus, checked_down].into_iter().all(finite)
        };
        Ok(values.filter(|values| values.iter().all(fits)))
    }

    /// Keeps the values of a flop, on disk before this returns.
    pub fn add(&self, flop: CanonicalBoard, values: &[FlopValues; 2]) -> Result<(), FinishedError> {
        self.units.put(&Finished::name(flop), &self.key, values)
    }
}

/// Why finished flops cannot be used.
pub type FinishedError = UnitsError;
