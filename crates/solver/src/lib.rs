//! Postflop solving: CFR over whole ranges on the public tree, exact best responses, bucketed players.
//!
//! | item | what it is |
//! |---|---|
//! | [`Spot`] | what is solved: a board, two ranges, a betting tree, and [`Lock`]s on decisions |
//! | [`Solver`] | iterates by a [`Rule`] until a [`Stop`] is reached; reports [`Metrics`] and a [`Report`] |
//! | [`Options`] | rule, [`Precision`], symmetry, memory limit, [`Buckets`] of bucketed players |
//! | [`Evaluation`] | values, equities and best responses of a pair of strategies |
//! | [`Solution`] | the average strategies; saved to and opened from files |
//! | [`RootGadget`] | a choice that a player has before the spot begins, as in subgame solving |
//! | [`StartingStrategy`] | a strategy that a solve can start from |
//! | [`Position`] | a node of a solution or of a solver, reached by actions and dealt cards: [`HandView`], [`NodeView`] |
//! | [`Viewer`] | looks at a solver that another thread runs |
//!
//! Every computation that takes long runs on a [`Job`](lethe_compute::Job), which provides its threads
//! and can cancel it within a board. Results do not depend on the number of threads.
//!
//! A solve can be watched, paused and continued: see [`Solver::watch`] and [`Viewer`].
//!
//! ```
//! use std::sync::Arc;
//! use lethe_cards::{Board, Street};
//! use lethe_compute::Job;
//! use lethe_game::{BetSizes, Game, PlayerSizes, Sizes, StreetSizes, Tree, SpotConfig};
//! use lethe_solver::{Options, Solver, Spot, Stop};
//!
//! // Out of position holds the nuts or nothing and may shove; in position can only call.
//! let shove = PlayerSizes { bet: Sizes::parse_bets("a")?, ..PlayerSizes::default() };
//! let river = StreetSizes { oop: shove, ..StreetSizes::default() };
//! let config = SpotConfig {
//!     bet_sizes: BetSizes { river, ..BetSizes::default() },
//!     ..SpotConfig::new(100, 100)
//! };
//! let tree = Tree::build(Game::spot(&config, Street::River)?, Tree::NODE_LIMIT)?;
//! let board: Board = "2s3h4d6c7c".parse()?;
//! let spot = Spot::new(board, ["AsAh,QsQh".parse()?, "KsKh".parse()?], Arc::new(tree))?;
//!
//! let job = Job::default();
//! let mut solver = Solver::new(spot, Options::default(), job)?;
//! let stop = Stop { target: Some(1e-5), ..Stop::default() };
//! let report = solver.run(&stop, job, &mut |_| ());
//! assert!((report.evaluation.unwrap().ev[0] - 75.0).abs() < 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod boards;
mod bucketed;
mod cells;
mod engine;
mod gadget;
mod kernel;
mod lock;
mod pace;
mod plan;
mod profile;
mod query;
mod run;
mod save;
mod solver;
mod spot;
mod street;
#[cfg(test)]
mod symmetry_tests;
#[cfg(test)]
mod test_spots;
mod unit;
mod unit_cells;
mod update;
mod viewer;
mod warm;
#[cfg(test)]
mod watch_tests;

pub use cells::Precision;
pub use gadget::RootGadget;
pub use lethe_rows::Buckets;
pub use lock::{Lock, LockError, LockedStrategy};
pub use query::{HandView, HoleValues, NodeView, Position, ResolveError, Solution, WalkError};
pub use run::{Metrics, Report, Stop, StopReason};
pub use save::{Keep, MAGIC, SaveError};
pub use solver::{Evaluation, Memory, Options, SolveError, Solver};
pub use spot::{Spot, SpotError};
pub use update::{Rule, Step};
pub use viewer::{Requests, Viewer, viewer};
pub use warm::StartingStrategy;
