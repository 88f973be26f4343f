//! Spots for the tests.

use std::sync::Arc;

use lethe_cards::{Board, Range};
use lethe_compute::Job;
use lethe_game::{BetSizes, Game, PlayerSizes, Sizes, SpotConfig, StreetSizes, Tree};
use lethe_solver::{Options, Report, Solver, Spot, Stop};

pub(crate) fn player(bet: &str, raise: &str) -> PlayerSizes {
    PlayerSizes {
        bet: Sizes::parse_bets(bet).unwrap(),
        raise: Sizes::parse_raises(raise).unwrap(),
        donk: None,
    }
}

pub(crate) fn street(bet: &str, raise: &str) -> StreetSizes {
    StreetSizes { oop: player(bet, raise), ip: player(bet, raise), max_raises: None }
}

/// The same sizes on every street.
pub(crate) fn sizes(bet: &str, raise: &str) -> BetSizes {
    BetSizes { flop: street(bet, raise), turn: street(bet, raise), river: street(bet, raise) }
}

pub(crate) fn config(pot: u32, stack: u32, bet_sizes: BetSizes) -> SpotConfig {
    SpotConfig { bet_sizes, ..SpotConfig::new(pot, stack) }
}

pub(crate) fn spot(board: &str, oop: &str, ip: &str, config: &SpotConfig) -> Spot {
    let board: Board = board.parse().unwrap();
    let ranges = [oop, ip].map(|text| text.parse::<Range>().unwrap());
    let game = Game::spot(config, board.street()).unwrap();
    Spot::new(board, ranges, Arc::new(Tree::build(game, Tree::NODE_LIMIT).unwrap())).unwrap()
}

/// A solver after some iterations.
pub(crate) fn iterated(spot: Spot, options: Options, iterations: u32) -> (Solver, Report) {
    iterated_on(Job::default(), spot, options, iterations)
}

pub(crate) fn iterated_on(
    job: Job<'_>,
    spot: Spot,
    options: Options,
    iterations: u32,
) -> (Solver, Report) {
    let mut solver = Solver::new(spot, options, job).unwrap();
    let stop = Stop { iterations: Some(iterations), ..Stop::default() };
    let report = solver.run(&stop, job, &mut |_| ());
    (solver, report)
}

/// The published 3-bet pot on `QsJh2h`.
pub(crate) fn published_flop() -> Spot {
    let oop = "88+,A8s+,A5s-A2s:0.5,AJo+,ATo:0.75,K9s+,KQo,KJo:0.75,KTo:0.25,Q9s+,QJo:0.5,J8s+,\
        JTo:0.25,T8s+,T7s:0.45,97s+,96s:0.45,87s,86s:0.75,85s:0.45,75s+:0.75,74s:0.45,65s:0.75,\
        64s:0.5,63s:0.45,54s:0.75,53s:0.5,52s:0.45,43s:0.5,42s:0.45,32s:0.45";
    let ip = "AA:0.25,99-22,AJs-A2s,AQo-A8o,K2s+,K9o+,Q2s+,Q9o+,J6s+,J9o+,T6s+,T9o,96s+,95s:0.5,\
        98o,86s+,85s:0.5,75s+,74s:0.5,64s+,63s:0.5,54s,53s:0.5,43s";
    let bet_sizes = BetSizes {
        flop: street("52%", "45%"),
        turn: street("55%", "45%"),
        river: street("70%", "45%"),
    };
    spot("QsJh2h", oop, ip, &config(180, 910, bet_sizes))
}
