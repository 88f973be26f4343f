//! A configuration to a plan: defaults filled in, and what does not go together refused.

use lethe_abstraction::method::{Distance, Horizon, Method, Sampling, Split, Strength};
use lethe_abstraction::{KMeansSettings, PerStreet, Plan, StreetPlan};
use lethe_cards::Street;

use super::super::ConfigError;
use super::AbstractionConfig;
use super::keys::{CLASSES, Key, MOST_BUCKETS, RIVER_EQUITIES, Value};

/// Buckets of a street if none are given.
const BUCKETS: u64 = 500;
/// Board clusters, and buckets in each, if none are given.
const TEXTURE: PerStreet<u64> = PerStreet { flop: 50, turn: 100, river: 200 };

/// The plan of a configuration.
pub(super) fn plan(config: &AbstractionConfig) -> Result<Plan, ConfigError> {
    let street = |street| street_plan(config, street);
    let streets = PerStreet {
        flop: street(Street::Flop)?,
        turn: street(Street::Turn)?,
        river: street(Street::River)?,
    };
    let kmeans = KMeansSettings {
        max_iterations: size(general(config, Key::MaxIter, 100)),
        restarts: size(general(config, Key::Restarts, 1)),
        seed: general(config, Key::Seed, 0),
    };
    Ok(Plan::new(streets, kmeans).expect("each street has its own plan"))
}

/// Whether a key makes a difference to a plan.
pub(super) fn matters(key: Key, plan: &Plan) -> bool {
    let any = |wanted: fn(Street, &Method) -> bool| {
        plan.streets().iter().any(|(street, plan)| wanted(street, plan.method()))
    };
    match key {
        Key::Method | Key::Buckets | Key::MaxIter | Key::Restarts | Key::Seed => true,
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
    let textured = config.general(Key::BoardClusters).is_some();
    let default = if textured { "texture" } else { "histogram" };
    let (method, default_buckets) = match word(config, Key::Method, street, default) {
        "ehs" => {
            let feature = match word(config, Key::Feature, street, "ehs") {
                "ehs2" => Strength::Ehs2,
                _ => Strength::Ehs,
            };
            let split = match word(config, Key::Split, street, "kmeans") {
                "percentile" => Split::Percentile,
                _ => Split::Kmeans,
            };
            (Method::Ehs { feature, split }, BUCKETS)
        }
        "ochs" => {
            let clusters = size(general(config, Key::OchsClusters, 8));
            (Method::Ochs { clusters }, BUCKETS)
        }
        "classes" => (Method::Classes, CLASSES),
        "texture" => {
            let clusters = size(number(config, Key::BoardClusters, street, texture));
            (Method::Texture { clusters, sampled: sampling(config) }, texture)
        }
        _ => (histogram(config, street), BUCKETS),
    };
    let buckets = number(config, Key::Buckets, street, default_buckets);
    check(config, street, &method, buckets)?;
    let plan = StreetPlan::new(street, method, size(buckets));
    Ok(plan.expect("the bounds of keys are within those of plans"))
}

fn histogram(config: &AbstractionConfig, street: Street) -> Method {
    Method::Histogram {
        bins: size(number(config, Key::HistogramBins, street, 10)),
        distance: match word(config, Key::Distance, street, "cdf-l2") {
            "emd" => Distance::Emd,
            _ => Distance::CdfL2,
        },
        horizon: match word(config, Key::Horizon, street, "next") {
            "river" => Horizon::River,
            _ => Horizon::Next,
        },
    }
}

/// How boards are sampled, if either of the two keys asks for it.
fn sampling(config: &AbstractionConfig) -> Option<Sampling> {
    let keys = [Key::EquitySamples, Key::Representatives];
    keys.iter().any(|&key| config.general(key).is_some()).then(|| Sampling {
        representatives: size(general(config, Key::Representatives, 1)),
        equity_samples: size(general(config, Key::EquitySamples, 1000)),
    })
}

/// Refuses a method the street does not have, and bucket counts it cannot fill.
fn check(
    config: &AbstractionConfig,
    street: Street,
    method: &Method,
    buckets: u64,
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
        && buckets * clusters as u64 > MOST_BUCKETS
        && let Some(entry) = given.or_else(|| config.get(Key::BoardClusters, street))
    {
        let clusters = clusters as u64;
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

fn number(config: &AbstractionConfig, key: Key, street: Street, default: u64) -> u64 {
    whole(config.get(key, street).map(|entry| entry.value), default)
}

fn general(config: &AbstractionConfig, key: Key, default: u64) -> u64 {
    whole(config.general(key).map(|entry| entry.value), default)
}

fn whole(value: Option<Value>, default: u64) -> u64 {
    match value {
        Some(Value::Whole(number)) => number,
        _ => default,
    }
}

fn word(
    config: &AbstractionConfig,
    key: Key,
    street: Street,
    default: &'static str,
) -> &'static str {
    match config.get(key, street).map(|entry| entry.value) {
        Some(Value::Word(word)) => word,
        _ => default,
    }
}

/// A count as the plan has it.
fn size(number: u64) -> usize {
    usize::try_from(number).expect("the bounds of every count fit 32 bits")
}
