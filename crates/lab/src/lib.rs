//! What a card abstraction loses in the real game.
//!
//! A [`Lab`] solves small games (a flop or a turn, uniform ranges, one bet a street) in which one
//! player sees only the buckets of an abstraction and the other sees everything, and then lets an
//! exact best response in real cards play against the bucketed player. The mean over both seats of
//! what the best response gains over the value of the game is the loss: [`Loss::epsilon`].
//!
//! Abstractions are clustered inside the game by a [`Recipe`], or are stored ones restricted to it.
//!
//! ```
//! use lethe_lab::{Alone, Betting, Effort, Lab, Results, Summary};
//!
//! let lab = Lab {
//!     roots: vec!["KsKh7s7h".parse()?],
//!     betting: Betting::default(),
//!     effort: Effort { iterations: 20, memory_limit: None },
//!     recipes: vec!["percentile".parse()?],
//!     buckets: vec![4, 40],
//!     seeds: vec![0],
//!     artifacts: Vec::new(),
//!     symmetric: false,
//! };
//! let mut results = Results::in_memory();
//! let estimate = lab.estimate(&results)?;
//! assert_eq!(estimate.cells, 3);
//! lab.run(&mut results, &estimate, &mut Alone)?;
//! let summary = Summary::of(&lab, &results);
//! assert!(summary.rows[0].epsilon > summary.rows[1].epsilon, "more buckets lose less");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod buckets;
mod build;
mod game;
mod lab;
mod measure;
mod recipe;
mod results;
mod root;
mod summary;

pub use buckets::GameBuckets;
pub use build::{Builder, ClusterError, KMEANS_ITERATIONS};
pub use game::{Betting, GameError};
pub use lab::{Alone, Estimate, Lab, LabError, Watcher};
pub use measure::{
    Effort, Loss, MeasureError, Profile, Tick, floor, loss, seconds_an_iteration, symmetric,
};
pub use recipe::{Recipe, RecipeError, Way};
pub use results::{Cell, Key, Outcome, RESULTS, Results, ResultsError, Subject, VERSION};
pub use root::{Root, RootError};
pub use summary::{BoardFigures, Each, Row, Summary};
