//! Local best response to a blueprint: what `lethe exploitability --lbr` tells.

use std::io::{self, Write};

use lethe_blueprint::{LocalBestResponse, Mean, Policy, Winnings};
use lethe_cards::Street;
use lethe_game::Tree;
use serde::Serialize;

use super::match_play::write_seats;
use crate::error::Stopped;
use crate::output::{Output, Report, thousands};
use lethe_compute::Job;

/// What the local best response wins from a blueprint: a lower bound on its exploitability.
#[derive(Debug, Serialize)]
pub(crate) struct LbrReport {
    /// Hands played, two a deal.
    pub(crate) hands: u64,
    /// The seed of the deals.
    pub(crate) seed: u64,
    /// The mean over both seats: the lower bound.
    pub(crate) lbr_mbb: f64,
    /// Half the width of the 95 % interval.
    pub(crate) interval_mbb: Option<f64>,
    /// As the small blind.
    pub(crate) sb: Mean,
    /// As the big blind.
    pub(crate) bb: Mean,
}

impl From<(Winnings, u64)> for LbrReport {
    fn from((won, seed): (Winnings, u64)) -> LbrReport {
        let Winnings { deals, overall, seats: [bb, sb] } = won;
        let Mean { mbb: lbr_mbb, interval_mbb } = overall;
        LbrReport { hands: 2 * deals, seed, lbr_mbb, interval_mbb, sb, bb }
    }
}

impl Report for LbrReport {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        writeln!(out, "local best response, {} hands\n", thousands(self.hands.into()))?;
        let overall = Mean { mbb: self.lbr_mbb, interval_mbb: self.interval_mbb };
        write_seats(out, &overall, [&self.bb, &self.sb])?;
        writeln!(out, "\nA best response wins at least this much")
    }
}

/// Measures a strategy over so many hands, two a deal.
pub(crate) fn run(
    tree: &Tree,
    policy: &dyn Policy,
    hands: u64,
    seed: u64,
    job: Job<'_>,
) -> Result<LbrReport, Stopped> {
    let lbr = LocalBestResponse { tree, policy, bets_from: Street::Preflop };
    let won = lbr.play(hands.div_ceil(2), seed, job);
    Ok((won.map_err(|_| Stopped("local best response has no result"))?, seed).into())
}
