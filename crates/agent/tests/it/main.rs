//! Tests of subgame solving: published figures of small games, brute-force oracles, the guarantee.

mod agents;
mod flops;
#[path = "../../../solver/tests/it/leduc.rs"]
mod leduc;
mod small_cfr;
mod small_games;
mod subgames;
mod values;
