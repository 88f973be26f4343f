//! Scores over many hands: as they were, and with luck removed.

use lethe_agent::Agent;
use lethe_blueprint::{Mean, Sample, ValuesError};
use lethe_compute::Job;
use lethe_game::Player;
use serde::Serialize;

use super::{Baseline, Trace, TraceError, View};
use crate::record::PlayedHand;

/// What a player won over some hands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The hands.
    pub hands: u64,
    /// What was won.
    pub raw: Mean,
    /// The same with luck removed, where there are values to do it with.
    pub luck_removed: Option<Mean>,
    /// By which factor that shrinks the standard deviation.
    pub shrink: Option<f64>,
}

impl Score {
    /// The score of the other player.
    pub fn opponent(self) -> Score {
        let negative = |mean: Mean| Mean { mbb: -mean.mbb, ..mean };
        Score { raw: negative(self.raw), luck_removed: self.luck_removed.map(negative), ..self }
    }
}

/// A score as it adds up.
///
/// ```no_run
/// # fn score(
/// #     agent: &lethe_agent::Agent<'_>, baseline: &lethe_play::Baseline<'_>,
/// #     hands: &[lethe_play::PlayedHand],
/// # ) -> Result<(), lethe_play::ScoreError> {
/// use lethe_compute::Job;
/// use lethe_game::Player;
/// use lethe_play::{ScoreTally, View};
///
/// let mut tally = ScoreTally::new(View::Both);
/// for hand in hands {
///     // What the agent won as the big blind.
///     tally.add(hand, Player::Oop, agent, Some(baseline), Job::default())?;
/// }
/// println!("{:.1} mbb/hand for the other player", tally.score().opponent().raw.mbb);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ScoreTally {
    view: View,
    raw: Sample,
    luck_removed: Sample,
}

impl ScoreTally {
    /// No hands yet.
    pub fn new(view: View) -> ScoreTally {
        ScoreTally { view, raw: Sample::default(), luck_removed: Sample::default() }
    }

    /// Adds a finished hand that an agent played in a seat. With a baseline, luck is removed; either all
    /// hands have one or none.
    ///
    /// # Errors
    /// As [`Trace::of_agent`], and if values are damaged. Nothing is added then.
    pub fn add(
        &mut self,
        hand: &PlayedHand,
        own: Player,
        agent: &Agent<'_>,
        baseline: Option<&Baseline<'_>>,
        job: Job<'_>,
    ) -> Result<(), ScoreError> {
        let raw = hand.payoffs().ok_or(TraceError::Unfinished)?[own.index()] as f64;
        let unit = 1000.0 / f64::from(hand.big_blind);
        if let Some(baseline) = baseline {
            let trace = Trace::of_agent(baseline.tree(), hand, own, self.view, agent, job)?;
            self.luck_removed.add(baseline.luck_removed(&trace)? * unit);
        }
        self.raw.add(raw * unit);
        Ok(())
    }

    /// Adds a hand whose scores are known, in mbb.
    pub fn add_scores(&mut self, raw: f64, luck_removed: Option<f64>) {
        self.raw.add(raw);
        if let Some(score) = luck_removed {
            self.luck_removed.add(score);
        }
    }

    /// The score so far.
    pub fn score(&self) -> Score {
        let hands = self.raw.count();
        let raw = self.raw.mean();
        let luck_removed =
            (hands > 0 && self.luck_removed.count() == hands).then(|| self.luck_removed.mean());
        Score { hands, raw, luck_removed, shrink: luck_removed.and_then(|less| shrink(raw, less)) }
    }
}

/// The factor between the standard deviations of two means of equally many hands.
pub(crate) fn shrink(raw: Mean, less: Mean) -> Option<f64> {
    let factor = raw.interval_mbb? / less.interval_mbb?;
    factor.is_finite().then_some(factor)
}

/// A hand that cannot be scored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScoreError {
    /// Its luck cannot be computed.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// Values that cannot be read.
    #[error(transparent)]
    Values(#[from] ValuesError),
}
