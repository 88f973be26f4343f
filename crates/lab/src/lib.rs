//! What a card abstraction loses in the real game.
//!
//! A [`Lab`] solves small games (a flop or a turn, uniform ranges, one bet per street) in which one
//! player sees only the buckets of an abstraction and the other sees everything, and then lets an
//! exact best response in real cards play against the bucketed player. The mean over both seats of
//! what the best response gains over the value of the game is the loss: [`Loss::epsilon`].
//!
//! Abstractions are built inside the game by a [`Recipe`], with the methods of whole abstractions, or
//! are stored ones restricted to it.
//!
//! | item | what it is |
//! |---|---|
//! | [`Lab`] | a grid of roots, recipes, numbers of buckets and seeds; [`Lab::run`] measures it |
//! | [`Root`], [`Betting`] | the board a game starts on, and its chips and bet sizes |
//! | [`Recipe`] | which method on which street, as text: `histogram10+ochs8` |
//! | [`Loss`], [`Profile`] | what is measured |
//! | [`Outline`], [`Results`], [`Summary`] | the cells of a grid, those finished on disk, and their means |
//!
//! ```
//! use lethe_collective::Share;
//! use lethe_compute::Job;
//! use lethe_lab::{Betting, Effort, Lab, Results, Summary};
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
//! lab.run(&mut results, Share::alone(), Job::default(), &mut |_| ())?;
//! let summary = Summary::of(&lab.outline(), &results);
//! assert!(summary.rows[0].epsilon > summary.rows[1].epsilon, "more buckets lose less");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod buckets;
mod game;
mod lab;
mod measure;
mod recipe;
mod results;
mod root;
mod summary;

pub use buckets::BucketsError;
pub use game::{Betting, GameError};
pub use lab::{Estimate, Lab, LabError, Outline};
pub use measure::{Effort, Loss, Profile};
pub use recipe::{Recipe, RecipeError, StreetRecipe};
pub use results::{Cell, KIND, Key, Outcome, RESULTS, Results, ResultsError, Subject, VERSION};
pub use root::{Root, RootError};
pub use summary::{BoardFigures, Each, Row, Summary};
