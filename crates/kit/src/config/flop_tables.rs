//! The tables of flop clusters that come with Lethe, and those in files.

use std::path::Path;

use lethe_abstraction::FlopTable;

use super::preset::{Preset, preset};

/// A table has 1,755 small numbers and little else.
const MOST_BYTES: u64 = 1 << 20;

/// The tables of flop clusters that come with Lethe: names for the key `flop_clusters` of an
/// abstraction's configuration. Each says which command made it.
pub fn flop_tables() -> &'static [Preset] {
    const { &[preset("quick", include_str!("../../flop-clusters/quick.json"))] }
}

/// The table with this name, or in this file.
///
/// # Errors
/// A message if there is neither, or if it is not a table.
pub fn flop_table(name: &str) -> Result<FlopTable, String> {
    if let Some(known) = flop_tables().iter().find(|table| table.name == name) {
        return FlopTable::from_text(known.text).map_err(|error| error.to_string());
    }
    let bytes = lethe_files::read(Path::new(name), MOST_BYTES).map_err(|error| {
        let known: Vec<&str> = flop_tables().iter().map(|table| table.name).collect();
        format!(
            "no table of that name and no such file: {error}; the tables are {}, and lethe \
             cluster-flops makes others",
            known.join(", ")
        )
    })?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{name} is not UTF-8 text"))?;
    FlopTable::from_text(&text).map_err(|error| format!("{name}: {error}"))
}
