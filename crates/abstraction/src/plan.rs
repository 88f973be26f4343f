//! What to build: a method, its parameters and a number of buckets for each street.

use std::fmt;

use lethe_cards::Street;
use serde::{Deserialize, Serialize};

/// One value for each street with a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerStreet<T> {
    /// The flop's.
    pub flop: T,
    /// The turn's.
    pub turn: T,
    /// The river's.
    pub river: T,
}

impl<T> PerStreet<T> {
    /// The value of a street; none before the flop.
    pub fn get(&self, street: Street) -> Option<&T> {
        match street {
            Street::Preflop => None,
            Street::Flop => Some(&self.flop),
            Street::Turn => Some(&self.turn),
            Street::River => Some(&self.river),
        }
    }

    /// The values with their streets, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Street, &T)> {
        Street::POSTFLOP.into_iter().zip([&self.flop, &self.turn, &self.river])
    }

    /// What `f` makes of each street's value.
    pub fn map<U>(self, mut f: impl FnMut(Street, T) -> U) -> PerStreet<U> {
        PerStreet {
            flop: f(Street::Flop, self.flop),
            turn: f(Street::Turn, self.turn),
            river: f(Street::River, self.river),
        }
    }
}

/// A complete description of an abstraction: the same plan gives the same bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What to do on each street, independently of the others.
    pub streets: PerStreet<StreetPlan>,
    /// Iterations of k-means at most.
    pub kmeans_max_iter: usize,
    /// Independent starts of k-means, of which the best is kept.
    pub restarts: usize,
    /// The seed of all randomness.
    pub seed: u64,
}

/// What to build on one street.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StreetPlan {
    /// How situations are told apart.
    pub method: Method,
    /// How many buckets; with texture, in each cluster of boards.
    pub buckets: usize,
}

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
    /// Every situation on its own; never stored.
    Lossless,
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
            Method::Lossless => "lossless",
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
            Method::Classes | Method::Lossless => Ok(()),
            Method::Texture { .. } => Ok(()),
        }
    }
}

impl Plan {
    /// The first eight hexadecimal digits of the hash that tells plans apart.
    pub fn hash(&self) -> String {
        let bytes = serde_json::to_vec(self).expect("a plan is plain data");
        blake3::hash(&bytes).to_hex()[..8].to_owned()
    }

    /// The name of the directory an artifact of this plan is kept in, such as
    /// `F500T500R500-histogram10-1a2b3c4d`.
    ///
    /// Streets with the same method name it once; texture adds the clusters and samples, as in
    /// `F50T100R200-C50C100C200-s1000-texture-1a2b3c4d`.
    pub fn name(&self) -> String {
        let letters = ["F", "T", "R"];
        let mut parts = vec![String::new()];
        let mut methods: Vec<String> = Vec::new();
        let (mut clusters, mut samples) = (String::new(), String::new());
        for ((_, street), letter) in self.streets.iter().zip(letters) {
            parts[0] += &format!("{letter}{}", street.buckets);
            if let Method::Texture { clusters: count, sampled } = &street.method {
                clusters += &format!("C{count}");
                if let Some(sampling) = sampled {
                    samples = format!("s{}", sampling.equity_samples);
                }
            }
            let method = street.method.to_string();
            if !methods.contains(&method) {
                methods.push(method);
            }
        }
        parts.extend([clusters, samples].into_iter().filter(|part| !part.is_empty()));
        parts.extend(methods);
        parts.push(self.hash());
        parts.join("-")
    }
}
