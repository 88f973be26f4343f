//! Blueprints: strategies for whole hands of no-limit hold'em, trained on a card abstraction.

mod deal;
mod exact;
mod exploitability;
mod kernel;
mod plan;
mod preflop;
mod random;
mod store;
mod train;

pub use deal::Buckets;
pub use exact::{Exact, FlopValues};
pub use exploitability::exploitability;
pub use plan::Plan;
pub use store::{Averages, Regrets, Store, Uniform, Weights};
pub use train::{Discount, Sampling, Trainer};
