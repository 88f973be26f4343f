//! `Score`: what was won, by the hand.

use lethe_game::Chips;
use serde::Serialize;

/// Winnings in big blinds per 100 hands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// The mean.
    pub bb100: f64,
    /// Half the width of the 95 % interval; `None` below two hands.
    pub interval_bb100: Option<f64>,
}

/// What was won in a number of hands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The hands.
    pub hands: usize,
    /// What was won, in big blinds.
    pub won_bb: f64,
    /// The winnings per hand.
    pub raw: Option<Rate>,
    /// The same with luck removed, where it was computed for every hand.
    pub adjusted: Option<Rate>,
}

impl Score {
    /// The score of hands: what each won in chips, and the same with luck removed.
    pub fn of(hands: impl Iterator<Item = (f64, Option<f64>)>, big_blind: Chips) -> Score {
        let hands: Vec<(f64, Option<f64>)> = hands.collect();
        let unit = f64::from(big_blind);
        let raw: Vec<f64> = hands.iter().map(|(won, _)| won / unit).collect();
        let adjusted: Option<Vec<f64>> =
            hands.iter().map(|(_, adjusted)| Some((*adjusted)? / unit)).collect();
        Score {
            hands: hands.len(),
            won_bb: raw.iter().sum(),
            raw: Rate::of(&raw),
            adjusted: adjusted.as_deref().and_then(Rate::of),
        }
    }
}

impl Rate {
    /// The rate of winnings in big blinds; `None` without hands.
    pub fn of(won: &[f64]) -> Option<Rate> {
        let n = won.len() as f64;
        if won.is_empty() {
            return None;
        }
        let mean = won.iter().sum::<f64>() / n;
        let squares: f64 = won.iter().map(|x| (x - mean).powi(2)).sum();
        let interval = (won.len() > 1).then(|| 1.96 * (squares / (n - 1.0) / n).sqrt());
        Some(Rate { bb100: 100.0 * mean, interval_bb100: interval.map(|half| 100.0 * half) })
    }
}
