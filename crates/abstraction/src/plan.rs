//! What to build: a method, its parameters and a number of buckets for each street.

use lethe_cards::{CanonicalBoard, StartingHand, Street};
use lethe_cluster::KMeans;
use lethe_rows::FlopClusters;
use serde::{Deserialize, Serialize};

use crate::method::{MAX_OPPONENT_CLUSTERS, Method, Sampling};

/// The version of everything between a plan and its buckets. It is raised whenever a plan gives other
/// bytes than before, so that no old artifact is taken for a new one.
pub const ALGORITHM_VERSION: u32 = 2;

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
    /// The value of a street; `None` before the flop.
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

/// How k-means is run, on every street.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KMeansSettings {
    /// The most iterations of each start.
    #[serde(rename = "kmeans_max_iter")]
    pub max_iterations: usize,
    /// Independent starts, of which the best is kept.
    pub restarts: usize,
    /// The seed of all randomness.
    pub seed: u64,
}

impl Default for KMeansSettings {
    /// One start of at most 100 iterations, seed 0.
    fn default() -> KMeansSettings {
        KMeansSettings { max_iterations: 100, restarts: 1, seed: 0 }
    }
}

impl KMeansSettings {
    /// The iterations of all starts together, at most.
    pub(crate) fn iterations(&self) -> u64 {
        (self.restarts.max(1) as u64).saturating_mul(self.max_iterations as u64)
    }

    /// K-means with these settings.
    pub(crate) fn kmeans(&self, clusters: usize, distance: lethe_cluster::Distance) -> KMeans {
        KMeans {
            distance,
            max_iterations: self.max_iterations,
            restarts: self.restarts,
            seed: self.seed,
            ..KMeans::new(clusters)
        }
    }
}

/// A complete description of an abstraction: the same plan gives the same bytes.
///
/// ```
/// use lethe_abstraction::{KMeansSettings, Method, PerStreet, Plan, StreetPlan, method};
/// use lethe_cards::Street;
///
/// let histogram = Method::Histogram {
///     bins: 10,
///     distance: method::Distance::CdfL2,
///     horizon: method::Horizon::Next,
/// };
/// let plan = Plan::new(
///     PerStreet {
///         flop: StreetPlan::new(Street::Flop, histogram.clone(), 500)?,
///         turn: StreetPlan::new(Street::Turn, histogram, 500)?,
///         river: StreetPlan::new(Street::River, Method::Ochs { clusters: 8 }, 500)?,
///     },
///     KMeansSettings::default(),
/// )?;
/// assert!(plan.name().starts_with("F500T500R500-histogram10-ochs8-"));
/// assert!(StreetPlan::new(Street::Flop, Method::Ochs { clusters: 8 }, 500).is_err());
/// # Ok::<(), lethe_abstraction::PlanError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "PlanFields")]
pub struct Plan {
    streets: PerStreet<StreetPlan>,
    #[serde(flatten)]
    kmeans: KMeansSettings,
    /// Absent without flop clusters, so that plans without them have the hash they always had.
    #[serde(skip_serializing_if = "Option::is_none")]
    flop_clusters: Option<FlopClusters>,
}

/// What to build on one street.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreetPlan {
    #[serde(skip)]
    street: Street,
    method: Method,
    buckets: usize,
}

/// A plan as it is stored, before it is checked.
#[derive(Deserialize)]
struct PlanFields {
    streets: PerStreet<StreetFields>,
    #[serde(flatten)]
    kmeans: KMeansSettings,
    flop_clusters: Option<FlopClusters>,
}

#[derive(Deserialize)]
struct StreetFields {
    method: Method,
    buckets: usize,
}

impl TryFrom<PlanFields> for Plan {
    type Error = PlanError;

    fn try_from(fields: PlanFields) -> Result<Plan, PlanError> {
        let PlanFields { streets, kmeans, flop_clusters } = fields;
        let street =
            |street, fields: StreetFields| StreetPlan::new(street, fields.method, fields.buckets);
        let streets = PerStreet {
            flop: street(Street::Flop, streets.flop)?,
            turn: street(Street::Turn, streets.turn)?,
            river: street(Street::River, streets.river)?,
        };
        let plan = Plan::new(streets, kmeans)?;
        match flop_clusters {
            Some(clusters) => plan.with_flop_clusters(clusters),
            None => Ok(plan),
        }
    }
}

/// Why a plan cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A plan for the street before the flop, which has no board.
    #[error(
        "before the flop the buckets are the 169 starting hands; plan the flop, turn and river"
    )]
    Preflop,
    /// A street's plan in another street's place.
    #[error("the plan given for the {place} is one for the {found}")]
    WrongStreet {
        /// The street it was given for.
        place: Street,
        /// The street it was made for.
        found: Street,
    },
    /// No buckets.
    #[error("{street}: at least one bucket is needed")]
    NoBuckets {
        /// The street.
        street: Street,
    },
    /// More buckets than can be numbered.
    #[error("{street}: {clusters} board clusters of {buckets} buckets are more than 2^32 in all")]
    TooManyBuckets {
        /// The street.
        street: Street,
        /// The clusters of boards; 1 without texture.
        clusters: usize,
        /// The buckets of each.
        buckets: usize,
    },
    /// More buckets in all flop clusters than can be numbered.
    #[error(
        "{street}: {flop_clusters} flop clusters of {buckets} buckets are more than 2^32 in all"
    )]
    TooManyFlopClusters {
        /// The street.
        street: Street,
        /// The clusters of flops.
        flop_clusters: usize,
        /// The buckets in each.
        buckets: usize,
    },
    /// Equities against clusters of opponents before the river.
    #[error("{street}: the method ochs is for the river only")]
    OchsBeforeRiver {
        /// The street.
        street: Street,
    },
    /// A number that the method cannot have.
    #[error("{street}: {name} must be from {low} to {high}, found {found}")]
    OutOfRange {
        /// The street.
        street: Street,
        /// What the number is.
        name: &'static str,
        /// The number.
        found: usize,
        /// The least it may be.
        low: usize,
        /// The greatest it may be.
        high: usize,
    },
}

impl StreetPlan {
    /// The plan of a street: a method and its number of buckets, with texture in each cluster of
    /// boards.
    pub fn new(street: Street, method: Method, buckets: usize) -> Result<StreetPlan, PlanError> {
        let within =
            |name, found: usize, low: usize, high: usize| match (low..=high).contains(&found) {
                true => Ok(()),
                false => Err(PlanError::OutOfRange { street, name, found, low, high }),
            };
        if street == Street::Preflop {
            return Err(PlanError::Preflop);
        }
        if buckets == 0 {
            return Err(PlanError::NoBuckets { street });
        }
        let mut clusters = 1;
        match method {
            Method::Ehs { .. } => {}
            // On the river nothing follows, and the bins are not used.
            Method::Histogram { bins, .. } => within("histogram bins", bins, 2, 255)?,
            Method::Ochs { .. } if street != Street::River => {
                return Err(PlanError::OchsBeforeRiver { street });
            }
            Method::Ochs { clusters } => {
                within("clusters of opponents", clusters, 1, MAX_OPPONENT_CLUSTERS)?;
            }
            Method::Classes => {
                within(
                    "buckets of starting hands",
                    buckets,
                    StartingHand::COUNT,
                    StartingHand::COUNT,
                )?;
            }
            Method::Texture { clusters: boards, sampled } => {
                within("clusters of boards", boards, 1, CanonicalBoard::count(street))?;
                clusters = boards;
                if let Some(Sampling { representatives, equity_samples }) = sampled {
                    within("boards per cluster", representatives, 1, usize::MAX)?;
                    within("equity samples", equity_samples, 1, 1 << 30)?;
                }
            }
        }
        match clusters.checked_mul(buckets) {
            Some(all) if u32::try_from(all - 1).is_ok() => {
                Ok(StreetPlan { street, method, buckets })
            }
            _ => Err(PlanError::TooManyBuckets { street, clusters, buckets }),
        }
    }

    /// The street.
    pub fn street(&self) -> Street {
        self.street
    }

    /// The method.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The number of buckets; with texture, in each cluster of boards.
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// The number of buckets in all.
    pub fn total_buckets(&self) -> usize {
        match self.method {
            Method::Texture { clusters, .. } => clusters * self.buckets,
            _ => self.buckets,
        }
    }
}

impl Plan {
    /// A plan for all streets.
    pub fn new(streets: PerStreet<StreetPlan>, kmeans: KMeansSettings) -> Result<Plan, PlanError> {
        let misplaced = streets.iter().find(|(place, plan)| plan.street != *place);
        if let Some((place, plan)) = misplaced {
            return Err(PlanError::WrongStreet { place, found: plan.street });
        }
        Ok(Plan { streets, kmeans, flop_clusters: None })
    }

    /// The same plan with the buckets of every street once for each cluster of flops that it
    /// distinguishes.
    pub fn with_flop_clusters(self, clusters: FlopClusters) -> Result<Plan, PlanError> {
        for (street, plan) in self.streets.iter() {
            let (flop_clusters, buckets) = (clusters.on(street), plan.total_buckets());
            let all = flop_clusters.checked_mul(buckets);
            if all.is_none_or(|all| u32::try_from(all).is_err()) {
                return Err(PlanError::TooManyFlopClusters { street, flop_clusters, buckets });
            }
        }
        Ok(Plan { flop_clusters: Some(clusters), ..self })
    }

    /// The clusters of flops that buckets are made of, if they are.
    pub fn flop_clusters(&self) -> Option<&FlopClusters> {
        self.flop_clusters.as_ref()
    }

    /// What to do on each street, independently of the others.
    pub fn streets(&self) -> &PerStreet<StreetPlan> {
        &self.streets
    }

    /// How k-means is run.
    pub fn kmeans(&self) -> KMeansSettings {
        self.kmeans
    }

    /// The first eight hexadecimal digits of the hash that distinguishes plans, and what the same
    /// plan gave by other algorithms.
    pub fn hash(&self) -> String {
        self.hash_by(ALGORITHM_VERSION)
    }

    /// The hash of this plan where the algorithms were of another version.
    pub fn hash_by(&self, algorithm: u32) -> String {
        let mut bytes = serde_json::to_vec(self).expect("a plan is plain data");
        // The first version was not hashed.
        if algorithm > 1 {
            bytes.extend(format!("algorithm {algorithm}").bytes());
        }
        blake3::hash(&bytes).to_hex()[..8].to_owned()
    }

    /// The name of the directory an artifact of this plan is kept in, such as
    /// `F500T500R500-histogram10-1a2b3c4d`.
    ///
    /// Streets with the same method name it once; texture adds the clusters and samples, as in
    /// `F50T100R200-C50C100C200-s1000-texture-1a2b3c4d`, and flop clusters their number, as in
    /// `F500T500R500-flops16-histogram10-1a2b3c4d`.
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
        let flops = self.flop_clusters.as_ref();
        let flops = flops.map_or(String::new(), |flops| {
            let mut counts = Street::POSTFLOP.map(|street| flops.on(street).to_string()).to_vec();
            counts.dedup();
            format!("flops{}", counts.join("-"))
        });
        parts.extend([clusters, samples, flops].into_iter().filter(|part| !part.is_empty()));
        parts.extend(methods);
        parts.push(self.hash());
        parts.join("-")
    }
}
