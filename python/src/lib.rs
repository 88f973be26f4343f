//! Lethe as a Python module: the part that is written in Rust.
//!
//! The module is called `lethe._lethe` and takes arguments in one form each; the package around it, in
//! `lethe/`, accepts them as people write them.

#![deny(unsafe_code)]

mod abstraction;
mod agent;
mod arrow;
mod blueprint;
mod cards;
mod errors;
mod json;
mod lab;
mod mapped;
mod range;
mod solution;
mod table;
mod work;

/// What `import lethe._lethe` gives.
#[pyo3::pymodule]
mod _lethe {
    #[pymodule_export]
    use crate::abstraction::{Abstraction, build};
    #[pymodule_export]
    use crate::agent::Agent;
    #[pymodule_export]
    use crate::blueprint::{Blueprint, train};
    #[pymodule_export]
    use crate::cards::{
        board_index, canonical, canonical_boards, describe, equity, equity_rows, evaluate,
        read_cards, row_holes, situation_index, write_cards,
    };
    #[pymodule_export]
    use crate::lab::lab;
    #[pymodule_export]
    use crate::range::Range;
    #[pymodule_export]
    use crate::solution::{Solution, solve, tree};
    #[pymodule_export]
    use crate::table::Table;

    /// The version.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
