//! Recipes: which method buckets which street.

use std::fmt;
use std::str::FromStr;

use lethe_abstraction::PerStreet;
use lethe_abstraction::method::{Distance, Horizon, MAX_OPPONENT_CLUSTERS, Split, Strength};
use lethe_cards::Street;

/// A way of putting the situations of a street into buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Way {
    /// By one number.
    Scalar {
        /// Which.
        feature: Strength,
        /// How the numbers are cut.
        split: Split,
    },
    /// By the histogram of the equities that can follow; on the river by the optimal cut of the
    /// equity.
    Histogram {
        /// Equal bins over an equity of 0 to 1.
        bins: usize,
        /// The distance of histograms.
        distance: Distance,
        /// How far ahead the equities lie.
        horizon: Horizon,
    },
    /// By the equities against clusters of opponents' holes (the river only).
    Ochs {
        /// How many clusters.
        clusters: usize,
    },
    /// By clusters of boards that look alike, and inside each by equal shares of equity.
    Texture {
        /// How many clusters; the square root of the buckets if absent.
        clusters: Option<usize>,
    },
    /// By the 169 preflop classes, whatever the board.
    Classes,
    /// By lot.
    Random,
    /// Every situation on its own.
    Lossless,
}

/// Equal shares of equity.
const PERCENTILE: Way = Way::Scalar { feature: Strength::Ehs, split: Split::Percentile };

impl Way {
    /// Whether the seed matters on a street.
    fn is_seeded(self, street: Street) -> bool {
        match self {
            Way::Histogram { .. } => street != Street::River,
            Way::Ochs { .. } | Way::Texture { .. } | Way::Random => true,
            Way::Scalar { .. } | Way::Classes | Way::Lossless => false,
        }
    }

    /// Whether the number of buckets is its own.
    fn is_fixed(self) -> bool {
        matches!(self, Way::Classes | Way::Lossless)
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::Scalar { feature, split } => f.write_str(match (feature, split) {
                (Strength::Ehs, Split::Percentile) => "percentile",
                (Strength::Ehs, Split::Kmeans) => "ehs",
                (Strength::Ehs2, Split::Percentile) => "ehs2-percentile",
                (Strength::Ehs2, Split::Kmeans) => "ehs2",
            }),
            Way::Histogram { bins, distance, horizon } => {
                let emd = if *distance == Distance::Emd { "-emd" } else { "" };
                let river = if *horizon == Horizon::River { "-river" } else { "" };
                write!(f, "histogram{bins}{emd}{river}")
            }
            Way::Ochs { clusters } => write!(f, "ochs{clusters}"),
            Way::Texture { clusters: None } => f.write_str("texture"),
            Way::Texture { clusters: Some(clusters) } => write!(f, "texture{clusters}"),
            Way::Classes => f.write_str("classes"),
            Way::Random => f.write_str("random"),
            Way::Lossless => f.write_str("lossless"),
        }
    }
}

impl FromStr for Way {
    type Err = RecipeError;

    fn from_str(text: &str) -> Result<Way, RecipeError> {
        let unknown = || RecipeError::Unknown(text.to_owned());
        let known = [
            PERCENTILE,
            Way::Scalar { feature: Strength::Ehs, split: Split::Kmeans },
            Way::Scalar { feature: Strength::Ehs2, split: Split::Percentile },
            Way::Scalar { feature: Strength::Ehs2, split: Split::Kmeans },
            Way::Texture { clusters: None },
            Way::Classes,
            Way::Random,
            Way::Lossless,
        ];
        if let Some(&way) = known.iter().find(|way| way.to_string() == text) {
            return Ok(way);
        }
        let number = |digits: &str, default: usize, range: std::ops::RangeInclusive<usize>| {
            let number = if digits.is_empty() { Some(default) } else { digits.parse().ok() };
            let number = number.ok_or_else(unknown)?;
            match range.contains(&number) {
                true => Ok(number),
                false => Err(RecipeError::Number {
                    text: text.to_owned(),
                    low: *range.start(),
                    high: *range.end(),
                }),
            }
        };
        if let Some(rest) = text.strip_prefix("histogram") {
            let (rest, horizon) = match rest.strip_suffix("-river") {
                Some(rest) => (rest, Horizon::River),
                None => (rest, Horizon::Next),
            };
            let (rest, distance) = match rest.strip_suffix("-emd") {
                Some(rest) => (rest, Distance::Emd),
                None => (rest, Distance::CdfL2),
            };
            return Ok(Way::Histogram { bins: number(rest, 10, 2..=200)?, distance, horizon });
        }
        if let Some(rest) = text.strip_prefix("ochs") {
            return Ok(Way::Ochs { clusters: number(rest, 8, 1..=MAX_OPPONENT_CLUSTERS)? });
        }
        if let Some(rest) = text.strip_prefix("texture") {
            return Ok(Way::Texture { clusters: Some(number(rest, 1, 1..=10_000)?) });
        }
        Err(unknown())
    }
}

/// A way for each street.
///
/// As text, one way for all streets (`percentile`), one for the streets before the river and one
/// for the river (`histogram10+ochs8`), or one for each (`histogram50+histogram10+percentile`).
///
/// ```
/// use lethe_lab::Recipe;
/// let recipe: Recipe = "histogram+ochs".parse()?;
/// assert_eq!(recipe.to_string(), "histogram10+ochs8");
/// assert_eq!("histogram10+histogram10+ochs8".parse::<Recipe>()?, recipe);
/// assert!("ochs8".parse::<Recipe>().is_err());
/// # Ok::<(), lethe_lab::RecipeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe(PerStreet<Way>);

impl Recipe {
    /// Every situation on its own.
    pub const LOSSLESS: Recipe =
        Recipe(PerStreet { flop: Way::Lossless, turn: Way::Lossless, river: Way::Lossless });

    /// The way of a street with a board.
    ///
    /// # Panics
    /// Before the flop.
    pub fn way(&self, street: Street) -> Way {
        *self.0.get(street).expect("a street with a board")
    }

    /// Whether the seed matters on one of these streets.
    pub fn is_seeded(&self, mut streets: impl Iterator<Item = Street>) -> bool {
        streets.any(|street| self.way(street).is_seeded(street))
    }

    /// Whether the number of buckets is its own on all of these streets.
    pub fn is_fixed(&self, mut streets: impl Iterator<Item = Street>) -> bool {
        streets.all(|street| self.way(street).is_fixed())
    }

    /// The names of ways, for a message.
    pub const NAMES: &str = "percentile, ehs, ehs2, ehs2-percentile, histogramN, histogramN-emd, \
                             histogramN-river, histogramN-emd-river, ochsN (river), texture, \
                             textureN, classes, random, lossless";
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PerStreet { flop, turn, river } = &self.0;
        match (flop == turn, turn == river) {
            (true, true) => write!(f, "{flop}"),
            (true, false) => write!(f, "{flop}+{river}"),
            _ => write!(f, "{flop}+{turn}+{river}"),
        }
    }
}

impl FromStr for Recipe {
    type Err = RecipeError;

    fn from_str(text: &str) -> Result<Recipe, RecipeError> {
        let ways: Vec<Way> = text.split('+').map(str::parse).collect::<Result<_, _>>()?;
        let streets = match ways[..] {
            [all] => PerStreet { flop: all, turn: all, river: all },
            [early, river] => PerStreet { flop: early, turn: early, river },
            [flop, turn, river] => PerStreet { flop, turn, river },
            _ => return Err(RecipeError::Parts(text.to_owned())),
        };
        let early = [streets.flop, streets.turn];
        if early.iter().any(|way| matches!(way, Way::Ochs { .. })) {
            return Err(RecipeError::RiverOnly(text.to_owned()));
        }
        Ok(Recipe(streets))
    }
}

/// A text that names no recipe.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// A name that no method has.
    #[error("unknown method '{0}'; the methods are {names}", names = Recipe::NAMES)]
    Unknown(String),
    /// A number that the method cannot have.
    #[error("{text}: the number must be from {low} to {high}")]
    Number {
        /// The text.
        text: String,
        /// The least.
        low: usize,
        /// The greatest.
        high: usize,
    },
    /// Too many parts.
    #[error("{0}: at most three methods joined by +, for flop, turn and river")]
    Parts(String),
    /// A method of the river on another street.
    #[error("{0}: ochs is for the river only; write it last, as in histogram10+ochs8")]
    RiverOnly(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for name in [
            "percentile",
            "ehs",
            "ehs2",
            "ehs2-percentile",
            "histogram10",
            "histogram50-emd-river",
            "histogram20-river+ochs8",
            "percentile+ochs4",
            "texture",
            "texture7",
            "classes",
            "random",
            "lossless",
            "histogram10+ehs+percentile",
        ] {
            assert_eq!(name.parse::<Recipe>().unwrap().to_string(), name);
        }
    }

    #[test]
    fn what_names_nothing_is_refused() {
        let message = |text: &str| text.parse::<Recipe>().unwrap_err().to_string();
        assert!(message("ehs3").starts_with("unknown method 'ehs3'; the methods are percentile"));
        assert!(message("").starts_with("unknown method ''"));
        assert_eq!(message("histogram1"), "histogram1: the number must be from 2 to 200");
        assert!(message("ochs8").contains("for the river only"));
        assert!(message("ehs+ehs+ehs+ehs").contains("at most three"));
        assert!(message("percentile+ochs17").contains("from 1 to 16"));
    }

    #[test]
    fn only_what_is_drawn_by_lot_depends_on_the_seed() {
        let seeded = |text: &str, first: Street| {
            let recipe: Recipe = text.parse().unwrap();
            recipe.is_seeded(Street::POSTFLOP.into_iter().filter(|&street| street >= first))
        };
        assert!(!seeded("percentile", Street::Flop));
        assert!(seeded("histogram10", Street::Turn));
        assert!(!seeded("histogram10+percentile+percentile", Street::Turn));
        assert!(seeded("percentile+ochs8", Street::Flop));
    }
}
