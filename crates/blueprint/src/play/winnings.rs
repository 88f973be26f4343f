//! What a player won, with its confidence interval.

use serde::Serialize;

/// The mean of a sample and its 95 % interval, in mbb/hand.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// The mean.
    pub mbb: f64,
    /// Half the width of the interval; `None` for a sample of one.
    pub interval_mbb: Option<f64>,
}

/// What a player won over a number of deals, each played in both seats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Winnings {
    /// The deals; twice as many hands were played.
    pub deals: u64,
    /// Over both seats. A deal counts as the mean of its two hands.
    pub overall: Mean,
    /// As the big blind and as the small blind.
    pub seats: [Mean; 2],
}

/// A mean and its deviation as they add up; samples can be merged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Sample {
    /// Adds a number.
    pub fn add(&mut self, x: f64) {
        self.count += 1.0;
        let off = x - self.mean;
        self.mean += off / self.count;
        self.squares += off * (x - self.mean);
    }

    /// Adds another sample.
    pub fn merge(&mut self, other: &Sample) {
        let count = self.count + other.count;
        if other.count > 0.0 {
            let off = other.mean - self.mean;
            self.mean += off * (other.count / count);
            self.squares += other.squares + off * off * (self.count * other.count / count);
            self.count = count;
        }
    }

    /// How many numbers were added.
    pub fn count(&self) -> u64 {
        self.count as u64
    }

    /// The mean with its interval.
    pub fn mean(&self) -> Mean {
        /// 95 % of a normal distribution lies within this many standard deviations.
        const DEVIATIONS: f64 = 1.959_964;
        let error = (self.squares / (self.count - 1.0) / self.count).sqrt();
        let interval_mbb = (self.count > 1.0).then_some(DEVIATIONS * error);
        Mean { mbb: self.mean, interval_mbb }
    }
}

/// Winnings as they add up: overall, as the big blind and as the small blind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    samples: [Sample; 3],
}

impl Tally {
    /// Adds a deal: what was won as the big blind and as the small blind, in mbb.
    pub fn add(&mut self, [big, small]: [f64; 2]) {
        for (sample, x) in self.samples.iter_mut().zip([(big + small) / 2.0, big, small]) {
            sample.add(x);
        }
    }

    /// Adds deals after these, always in one order: sums of floats depend on it.
    pub fn merge(mut self, other: Tally) -> Tally {
        for (sample, other) in self.samples.iter_mut().zip(&other.samples) {
            sample.merge(other);
        }
        self
    }

    /// The means so far.
    pub fn winnings(&self) -> Winnings {
        let [overall, big, small] = self.samples.map(|sample| sample.mean());
        Winnings { deals: self.samples[0].count as u64, overall, seats: [big, small] }
    }
}
