//! The methods: ways of putting situations into buckets, and their parameters.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The most clusters of opponents: a sweep carries one counter for each.
pub const MAX_OPPONENT_CLUSTERS: usize = 16;

/// A way of putting situations into buckets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
pub enum Method {
    /// By expected hand strength, one number.
    Ehs {
        /// Which number.
        feature: Strength,
        /// How the numbers are cut into buckets.
        split: Split,
    },
    /// By the histogram of equities that can follow; on the river by the equity itself.
    Histogram {
        /// Equal bins over an equity of 0 to 1.
        bins: usize,
        /// The distance of histograms.
        distance: Distance,
        /// How far ahead the equities lie.
        horizon: Horizon,
    },
    /// By equities against clusters of opponents' holes (the river only).
    Ochs {
        /// How many clusters of the 169 preflop classes.
        clusters: usize,
    },
    /// By the 169 preflop classes, whatever the board: a baseline that is wrong on purpose.
    Classes,
    /// By clusters of board texture, and inside each by equity.
    Texture {
        /// How many clusters of boards.
        clusters: usize,
        /// Sampled from representative boards; from every board if absent.
        sampled: Option<Sampling>,
    },
}

/// Which number stands for a hand's strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// The mean equity.
    Ehs,
    /// The mean of the squared equity on the river.
    Ehs2,
}

/// How numbers are cut into buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// Buckets of the same weight.
    Percentile,
    /// The globally optimal one-dimensional k-means.
    Kmeans,
}

/// The distance of two histograms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distance {
    /// The L2 distance of their cumulative sums (Cramér).
    CdfL2,
    /// The earth mover's distance: the L1 distance of their cumulative sums.
    Emd,
}

/// How far ahead the equities of a histogram lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Horizon {
    /// On the next street.
    Next,
    /// On the river.
    River,
}

/// How the sampled texture method looks at boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampling {
    /// Boards taken from each cluster.
    pub representatives: usize,
    /// Monte Carlo samples for each hand's equity.
    pub equity_samples: usize,
}

impl Method {
    /// The method's name.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Ehs { .. } => "ehs",
            Method::Histogram { .. } => "histogram",
            Method::Ochs { .. } => "ochs",
            Method::Classes => "classes",
            Method::Texture { .. } => "texture",
        }
    }
}

impl fmt::Display for Method {
    /// The method with what sets it apart, fit for a file's name: `histogram10`, `histogram50-emd`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Method::Ehs { feature, split } => {
                let square = if *feature == Strength::Ehs2 { "2" } else { "" };
                let percentile = if *split == Split::Percentile { "-percentile" } else { "" };
                write!(f, "{square}{percentile}")
            }
            Method::Histogram { bins, distance, horizon } => {
                let emd = if *distance == Distance::Emd { "-emd" } else { "" };
                let river = if *horizon == Horizon::River { "-river" } else { "" };
                write!(f, "{bins}{emd}{river}")
            }
            Method::Ochs { clusters } => write!(f, "{clusters}"),
            Method::Classes | Method::Texture { .. } => Ok(()),
        }
    }
}
