//! A configuration to a plan: defaults filled in, and what does not go together refused.

use lethe_abstraction::method::{Distance, Horizon, Method, Sampling, Split, Strength};
use lethe_abstraction::{FlopClusters, KMeansSettings, PerStreet, Plan, StreetPlan};
use lethe_cards::Street;

use super::super::ConfigError;
use super::super::flop_tables::flop_table;
use super::keys::{CLASSES, Key, MOST_BUCKETS, RIVER_EQUITIES, Value};
use super::{AbstractionConfig, Entry};

/// Buckets of a street if none are given.
const BUCKETS: usize = 500;
/// Board clusters, and buckets in each, if none are given.
const TEXTURE: PerStreet<usize> = PerStreet { flop: 50, turn: 100, river: 200 };

/// The plan of a configuration.
pub(super) fn plan(config: &AbstractionConfig) -> Result<Plan, ConfigError> {
    let street = |street| street_plan(config, street);
    let streets = PerStreet {
        flop: street(Street::Flop)?,
        turn: street(Street::Turn)?,
        river: street(Street::River)?,
    };
    let kmeans = KMeansSettings {
        max_iterations: config.count(Key::MaxIter, None, 100),
        restarts: config.count(Key::Restarts, None, 1),
        seed: config.number(Key::Seed, None).unwrap_or(0),
    };
    let plan = Plan::new(streets, kmeans).expect("each street has its own plan");
    match flop_clusters(config)? {
        Some(clusters) => with_flop_clusters(config, plan, clusters),
        None => Ok(plan),
    }
}

/// The clusters of flops that a configuration asks for, if it does.
fn flop_clusters(config: &AbstractionConfig) -> Result<Option<FlopClusters>, ConfigError> {
    let count = config.get(Key::FlopCount, None);
    let Some(table) = config.get(Key::FlopTable, None) else {
        let alone = |entry: &Entry| {
            entry
                .wrong("a table is needed too: write flop_clusters: {table: NAME, count: N}".into())
        };
        return count.map_or(Ok(None), |entry| Err(alone(entry)));
    };
    let Value::Text(name) = &table.value else { unreachable!("a table's name is text") };
    let clusters = flop_table(name).map_err(|message| table.wrong(message))?.clusters().clone();
    let Some(entry) = count else { return Ok(Some(clusters)) };
    let count = |street| config.count(Key::FlopCount, street, clusters.count());
    let cut = clusters.with_streets(Street::POSTFLOP.map(count));
    cut.map(Some).map_err(|error| entry.wrong(error.to_string()))
}

/// A plan with flop clusters, unless its buckets are then too many.
fn with_flop_clusters(
    config: &AbstractionConfig,
    plan: Plan,
    clusters: FlopClusters,
) -> Result<Plan, ConfigError> {
    let full = |street, buckets| clusters.on(street).saturating_mul(buckets) > MOST_BUCKETS;
    let over = plan.streets().iter().find(|&(street, plan)| full(street, plan.total_buckets()));
    if let Some((street, over)) = over {
        let count = clusters.on(street);
        let entry = config.get(Key::FlopCount, street).or_else(|| config.get(Key::FlopTable, None));
        let buckets = over.total_buckets();
        let message = format!(
            "{count} flop clusters of {buckets} buckets are {} on the {street}, above \
             {MOST_BUCKETS}, the most that fit the 20 bits of an information-set key; ask for at \
             most {} clusters, or for fewer buckets",
            count * buckets,
            MOST_BUCKETS / buckets
        );
        return Err(match entry {
            Some(entry) => entry.wrong(message),
            None => ConfigError::nowhere(message),
        });
    }
    plan.with_flop_clusters(clusters).map_err(ConfigError::nowhere)
}

/// Whether a key makes a difference to a plan.
pub(super) fn matters(key: Key, plan: &Plan) -> bool {
    let any = |wanted: fn(Street, &Method) -> bool| {
        plan.streets().iter().any(|(street, plan)| wanted(street, plan.method()))
    };
    match key {
        Key::Method | Key::Buckets | Key::MaxIter | Key::Restarts | Key::Seed => true,
        Key::FlopTable | Key::FlopCount => true,
        Key::HistogramBins | Key::Distance | Key::Horizon => any(|street, method| {
            street != Street::River && matches!(method, Method::Histogram { .. })
        }),
        Key::Feature | Key::Split => any(|_, method| matches!(method, Method::Ehs { .. })),
        Key::OchsClusters => any(|_, method| matches!(method, Method::Ochs { .. })),
        Key::BoardClusters | Key::EquitySamples | Key::Representatives => {
            any(|_, method| matches!(method, Method::Texture { .. }))
        }
    }
}

fn street_plan(config: &AbstractionConfig, street: Street) -> Result<StreetPlan, ConfigError> {
    let texture = *TEXTURE.get(street).expect("a plan is for streets with a board");
    let textured = config.get(Key::BoardClusters, None).is_some();
    let (method, default_buckets) = match config.word(Key::Method, street) {
        "ehs" => {
            let feature = match config.word(Key::Feature, street) {
                "ehs2" => Strength::Ehs2,
                _ => Strength::Ehs,
            };
            let split = match config.word(Key::Split, street) {
                "percentile" => Split::Percentile,
                _ => Split::Kmeans,
            };
            (Method::Ehs { feature, split }, BUCKETS)
        }
        "ochs" => (Method::Ochs { clusters: config.count(Key::OchsClusters, None, 8) }, BUCKETS),
        "classes" => (Method::Classes, CLASSES),
        method if method == "texture" || method.is_empty() && textured => {
            let clusters = config.count(Key::BoardClusters, street, texture);
            (Method::Texture { clusters, sampled: sampling(config) }, texture)
        }
        _ => (histogram(config, street), BUCKETS),
    };
    let buckets = config.count(Key::Buckets, street, default_buckets);
    check(config, street, &method, buckets)?;
    let plan = StreetPlan::new(street, method, buckets);
    Ok(plan.expect("the bounds of keys are within those of plans"))
}

fn histogram(config: &AbstractionConfig, street: Street) -> Method {
    Method::Histogram {
        bins: config.count(Key::HistogramBins, street, 10),
        distance: match config.word(Key::Distance, street) {
            "emd" => Distance::Emd,
            _ => Distance::CdfL2,
        },
        horizon: match config.word(Key::Horizon, street) {
            "river" => Horizon::River,
            _ => Horizon::Next,
        },
    }
}

/// How boards are sampled, if either of the two keys asks for it.
fn sampling(config: &AbstractionConfig) -> Option<Sampling> {
    let keys = [Key::EquitySamples, Key::Representatives];
    keys.iter().any(|&key| config.get(key, None).is_some()).then(|| Sampling {
        representatives: config.count(Key::Representatives, None, 1),
        equity_samples: config.count(Key::EquitySamples, None, 1000),
    })
}

/// Refuses a method the street does not have, and bucket counts it cannot fill.
fn check(
    config: &AbstractionConfig,
    street: Street,
    method: &Method,
    buckets: usize,
) -> Result<(), ConfigError> {
    if let Method::Ochs { .. } = method
        && street != Street::River
        && let Some(entry) = config.get(Key::Method, street)
    {
        return Err(entry.wrong(format!(
            "ochs is only for the river, not for the {street}; write `method: {{river: ochs}}` and \
             choose ehs, histogram, classes or texture for the other streets"
        )));
    }
    let by_equity =
        matches!(method, Method::Ehs { .. } | Method::Histogram { .. } | Method::Texture { .. });
    let given = config.get(Key::Buckets, street);
    if let Some(entry) = given {
        if *method == Method::Classes && buckets != CLASSES {
            return Err(entry.wrong(format!(
                "{buckets} buckets, but method classes has exactly {CLASSES} on the {street}; write \
                 {CLASSES} or leave it out"
            )));
        }
        if street == Street::River && by_equity && buckets > RIVER_EQUITIES {
            return Err(entry.wrong(format!(
                "{buckets} is above {RIVER_EQUITIES}, the number of distinct river equities; ask \
                 for at most {RIVER_EQUITIES}, or use `method: {{river: ochs}}`"
            )));
        }
    }
    if let &Method::Texture { clusters, .. } = method
        && buckets * clusters > MOST_BUCKETS
        && let Some(entry) = given.or_else(|| config.get(Key::BoardClusters, street))
    {
        return Err(entry.wrong(format!(
            "{buckets} buckets in each of {clusters} board clusters are {} on the {street}, above \
             {MOST_BUCKETS}, the most that fit the 20 bits of an information-set key; ask for at \
             most {}, or for fewer clusters",
            buckets * clusters,
            MOST_BUCKETS / clusters
        )));
    }
    Ok(())
}
