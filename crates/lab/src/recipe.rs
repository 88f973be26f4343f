//! Recipes: which method buckets which street, as text.

use std::fmt;
use std::str::FromStr;

use lethe_abstraction::method::{
    Distance, Horizon, MAX_OPPONENT_CLUSTERS, Method, Split, Strength,
};
use lethe_abstraction::{BoardSet, PerStreet, PlanError, StreetPlan, distinct_textures};
use lethe_cards::{StartingHand, Street};

/// How the situations of a street are put into buckets.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StreetRecipe {
    /// By a method that also builds whole abstractions. With texture, its clusters of boards share
    /// the buckets.
    Method(Method),
    /// By texture, with about as many clusters of boards as buckets in each.
    SquareTexture,
    /// At random.
    Random,
    /// Every situation on its own.
    Lossless,
}

const fn ehs(feature: Strength, split: Split) -> StreetRecipe {
    StreetRecipe::Method(Method::Ehs { feature, split })
}

/// The recipes without a number, by name.
const NAMED: [(&str, StreetRecipe); 8] = [
    ("percentile", ehs(Strength::Ehs, Split::Percentile)),
    ("ehs", ehs(Strength::Ehs, Split::Kmeans)),
    ("ehs2", ehs(Strength::Ehs2, Split::Kmeans)),
    ("ehs2-percentile", ehs(Strength::Ehs2, Split::Percentile)),
    ("texture", StreetRecipe::SquareTexture),
    ("classes", StreetRecipe::Method(Method::Classes)),
    ("random", StreetRecipe::Random),
    ("lossless", StreetRecipe::Lossless),
];

impl StreetRecipe {
    /// Whether the seed matters on a street.
    fn is_seeded(&self, street: Street) -> bool {
        match self {
            StreetRecipe::Method(Method::Histogram { .. }) => street != Street::River,
            StreetRecipe::Method(Method::Ehs { .. } | Method::Classes) => false,
            StreetRecipe::Method(_) | StreetRecipe::SquareTexture | StreetRecipe::Random => true,
            StreetRecipe::Lossless => false,
        }
    }

    /// Whether the number of buckets is its own.
    fn is_fixed(&self) -> bool {
        matches!(self, StreetRecipe::Method(Method::Classes) | StreetRecipe::Lossless)
    }

    /// The plan that makes at most `buckets` buckets of some boards; `None` for what is not a method
    /// of whole abstractions.
    pub(crate) fn plan(
        &self,
        boards: &BoardSet,
        buckets: usize,
    ) -> Option<Result<StreetPlan, PlanError>> {
        let texture = |clusters: usize| {
            let clusters = clusters.min(buckets).min(distinct_textures(boards));
            (
                Method::Texture { clusters, sampled: None },
                buckets.checked_div(clusters).unwrap_or(0),
            )
        };
        let (method, buckets) = match self {
            StreetRecipe::Method(Method::Texture { clusters, .. }) => texture(*clusters),
            StreetRecipe::SquareTexture => texture(buckets.isqrt()),
            StreetRecipe::Method(Method::Classes) => (Method::Classes, StartingHand::COUNT),
            StreetRecipe::Method(method) => (method.clone(), buckets),
            StreetRecipe::Random | StreetRecipe::Lossless => return None,
        };
        Some(StreetPlan::new(boards.street(), method, buckets))
    }
}

impl fmt::Display for StreetRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = NAMED.iter().find(|(_, recipe)| recipe == self) {
            return f.write_str(name);
        }
        match self {
            StreetRecipe::Method(Method::Texture { clusters, .. }) => {
                write!(f, "texture{clusters}")
            }
            StreetRecipe::Method(method) => method.fmt(f),
            _ => unreachable!("all others are named"),
        }
    }
}

impl FromStr for StreetRecipe {
    type Err = RecipeError;

    fn from_str(text: &str) -> Result<StreetRecipe, RecipeError> {
        let unknown = || RecipeError::Unknown(text.to_owned());
        if let Some((_, recipe)) = NAMED.iter().find(|(name, _)| *name == text) {
            return Ok(recipe.clone());
        }
        let number = |digits: &str, default: usize, low: usize, high: usize| {
            let number = if digits.is_empty() { Some(default) } else { digits.parse().ok() };
            match number.ok_or_else(unknown)? {
                number if (low..=high).contains(&number) => Ok(number),
                _ => Err(RecipeError::Number { text: text.to_owned(), low, high }),
            }
        };
        let method = if let Some(rest) = text.strip_prefix("histogram") {
            let (rest, horizon) = match rest.strip_suffix("-river") {
                Some(rest) => (rest, Horizon::River),
                None => (rest, Horizon::Next),
            };
            let (rest, distance) = match rest.strip_suffix("-emd") {
                Some(rest) => (rest, Distance::Emd),
                None => (rest, Distance::CdfL2),
            };
            Method::Histogram { bins: number(rest, 10, 2, 200)?, distance, horizon }
        } else if let Some(rest) = text.strip_prefix("ochs") {
            Method::Ochs { clusters: number(rest, 8, 1, MAX_OPPONENT_CLUSTERS)? }
        } else if let Some(rest) = text.strip_prefix("texture") {
            Method::Texture { clusters: number(rest, 1, 1, 10_000)?, sampled: None }
        } else {
            return Err(unknown());
        };
        Ok(StreetRecipe::Method(method))
    }
}

/// A recipe for each street.
///
/// As text, one for all streets (`percentile`), one for the streets before the river and one for the
/// river (`histogram10+ochs8`), or one for each (`histogram50+histogram10+percentile`).
///
/// ```
/// use lethe_lab::Recipe;
/// let recipe: Recipe = "histogram+ochs".parse()?;
/// assert_eq!(recipe.to_string(), "histogram10+ochs8");
/// assert_eq!("histogram10+histogram10+ochs8".parse::<Recipe>()?, recipe);
/// assert!("ochs8".parse::<Recipe>().is_err());
/// # Ok::<(), lethe_lab::RecipeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe(PerStreet<StreetRecipe>);

impl Recipe {
    /// The names of street recipes, for a message.
    pub const NAMES: &str = "percentile, ehs, ehs2, ehs2-percentile, histogramN, histogramN-emd, \
                             histogramN-river, histogramN-emd-river, ochsN (river), texture, \
                             textureN, classes, random, lossless";

    /// The recipe of a street with a board.
    ///
    /// # Panics
    /// Before the flop.
    pub fn street(&self, street: Street) -> &StreetRecipe {
        self.0.get(street).expect("a street with a board")
    }

    /// Whether the seed matters on one of these streets.
    pub fn is_seeded(&self, mut streets: impl Iterator<Item = Street>) -> bool {
        streets.any(|street| self.street(street).is_seeded(street))
    }

    /// Whether the number of buckets is its own on all of these streets.
    pub fn is_fixed(&self, mut streets: impl Iterator<Item = Street>) -> bool {
        streets.all(|street| self.street(street).is_fixed())
    }
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
        let parts: Vec<StreetRecipe> = text.split('+').map(str::parse).collect::<Result<_, _>>()?;
        let [flop, turn, river] = match &parts[..] {
            [all] => [all, all, all],
            [early, river] => [early, early, river],
            [flop, turn, river] => [flop, turn, river],
            _ => return Err(RecipeError::Parts(text.to_owned())),
        };
        if [flop, turn].iter().any(|r| matches!(r, StreetRecipe::Method(Method::Ochs { .. }))) {
            return Err(RecipeError::RiverOnly(text.to_owned()));
        }
        Ok(Recipe(PerStreet { flop: flop.clone(), turn: turn.clone(), river: river.clone() }))
    }
}

/// Why a text is not a recipe.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// An unknown name.
    #[error("unknown method '{0}'; the methods are {names}", names = Recipe::NAMES)]
    Unknown(String),
    /// A number out of range.
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
    fn bad_texts_are_refused() {
        let message = |text: &str| text.parse::<Recipe>().unwrap_err().to_string();
        assert!(message("ehs3").starts_with("unknown method 'ehs3'; the methods are percentile"));
        assert!(message("").starts_with("unknown method ''"));
        assert_eq!(message("histogram1"), "histogram1: the number must be from 2 to 200");
        assert!(message("ochs8").contains("for the river only"));
        assert!(message("ehs+ehs+ehs+ehs").contains("at most three"));
        assert!(message("percentile+ochs17").contains("from 1 to 16"));
    }

    #[test]
    fn only_random_choices_depend_on_the_seed() {
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
