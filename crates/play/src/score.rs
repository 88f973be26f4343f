//! `SessionScore`: what was won, as players count it.

use lethe_blueprint::Mean;
use serde::Serialize;

use crate::aivat::Score;

/// Winnings in big blinds per 100 hands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// The mean.
    pub bb100: f64,
    /// Half the width of the 95 % interval, where there are enough hands for one.
    pub interval_bb100: Option<f64>,
}

/// What a player won over some hands, in big blinds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SessionScore {
    /// The hands.
    pub hands: u64,
    /// What was won over all of them.
    pub won_bb: f64,
    /// The rate; `None` without hands.
    pub raw: Option<Rate>,
    /// The same with luck removed, where there are values to do it with.
    pub luck_removed: Option<Rate>,
    /// By which factor that shrinks the standard deviation.
    pub shrink: Option<f64>,
}

impl From<Mean> for Rate {
    fn from(mean: Mean) -> Rate {
        // A thousandth of a big blind per hand is a tenth of one per 100 hands.
        let interval = mean.interval_mbb.map(|half| half / 10.0);
        Rate { bb100: mean.mbb / 10.0, interval_bb100: interval }
    }
}

impl From<Score> for SessionScore {
    fn from(score: Score) -> SessionScore {
        SessionScore {
            hands: score.hands,
            won_bb: score.raw.mbb * score.hands as f64 / 1000.0,
            raw: (score.hands > 0).then(|| score.raw.into()),
            luck_removed: score.luck_removed.map(Rate::from),
            shrink: score.shrink,
        }
    }
}
