//! The flop, solved to a limited depth: every hole by itself in the betting of the flop, and values of pairs
//! of holes where that ends.

mod leaves;
mod play;
mod solve;

pub use leaves::{FlopLeaves, LeafKind, Leaves, UnknownLeaf};
pub(crate) use play::is_rake_free;
pub use solve::{FlopSolved, FlopSubgame};
