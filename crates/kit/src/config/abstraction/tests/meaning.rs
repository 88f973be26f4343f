use lethe_abstraction::method::{Distance, Horizon, Sampling, Split, Strength};
use lethe_abstraction::{BuildError, KMeansSettings, Method, PerStreet, Plan, StreetPlan};
use lethe_cards::Street;

use super::{HISTOGRAM_EXAMPLE, TEXTURE_EXAMPLE, buckets, config, methods, plan};
use crate::config::AbstractionConfig;

const HISTOGRAM: Method =
    Method::Histogram { bins: 10, distance: Distance::CdfL2, horizon: Horizon::Next };

#[test]
fn histogram_example_of_the_documents_loads_as_it_is() {
    let streets = PerStreet { flop: (), turn: (), river: () };
    let streets = streets.map(|street, ()| StreetPlan::new(street, HISTOGRAM, 500).unwrap());
    let expected = Plan::new(streets, KMeansSettings::default()).unwrap();
    assert_eq!(plan(HISTOGRAM_EXAMPLE), expected);
    assert_eq!(plan(""), expected);
    assert_eq!(plan("# nothing but a comment\n"), expected);
}

#[test]
fn texture_example_of_the_documents_loads_as_it_is() {
    let plan = plan(TEXTURE_EXAMPLE);
    assert_eq!(buckets(&plan), [50, 100, 200]);
    let sampled = Some(Sampling { representatives: 1, equity_samples: 1000 });
    let texture = |clusters| Method::Texture { clusters, sampled };
    let expected = PerStreet { flop: texture(50), turn: texture(100), river: texture(200) };
    assert_eq!(methods(&plan), expected);
    assert!(plan.name().starts_with("F50T100R200-C50C100C200-s1000-texture-"), "{}", plan.name());
}

#[test]
fn texture_is_complete_unless_a_key_of_sampling_is_given() {
    let sampled = |more: &str| {
        let text = format!("board_clusters: {{flop: 7}}\n{more}");
        match plan(&text).streets().flop.method() {
            Method::Texture { clusters: 7, sampled } => *sampled,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(sampled(""), None);
    let (one, thousand) = (1, 1000);
    assert_eq!(
        sampled("equity_samples: 50"),
        Some(Sampling { representatives: one, equity_samples: 50 })
    );
    assert_eq!(
        sampled("representatives_per_cluster: 3"),
        Some(Sampling { representatives: 3, equity_samples: thousand })
    );
}

#[test]
fn a_value_is_for_all_streets_or_for_one() {
    let per_street = plan(
        "method: {flop: ehs, river: ochs}\nhistogram_bins: {turn: 30}\ndistance: emd\n\
         horizon: {turn: river}\nfeature: ehs2\nsplit: {flop: percentile}\nochs_clusters: 5\n\
         buckets: {turn: 60}\n",
    );
    let expected = PerStreet {
        flop: Method::Ehs { feature: Strength::Ehs2, split: Split::Percentile },
        turn: Method::Histogram { bins: 30, distance: Distance::Emd, horizon: Horizon::River },
        river: Method::Ochs { clusters: 5 },
    };
    assert_eq!(methods(&per_street), expected);
    assert_eq!(buckets(&per_street), [500, 60, 500]);
    assert_eq!(buckets(&plan("buckets: 40")), [40, 40, 40]);
}

#[test]
fn streets_without_a_method_are_texture_where_boards_are_clustered() {
    let plan = plan("board_clusters: 9\nmethod: {river: ochs}\n");
    let texture = Method::Texture { clusters: 9, sampled: None };
    let expected =
        PerStreet { flop: texture.clone(), turn: texture, river: Method::Ochs { clusters: 8 } };
    assert_eq!(methods(&plan), expected);
}

#[test]
fn counts_that_are_not_given_suit_the_method() {
    assert_eq!(buckets(&plan("method: classes")), [169, 169, 169]);
    assert_eq!(buckets(&plan("method: {flop: classes}\nnum_flop_buckets: 169")), [169, 500, 500]);
    assert_eq!(buckets(&plan("method: texture")), [50, 100, 200]);
}

#[test]
fn numbers_may_be_written_as_yaml_writes_them() {
    let plan = plan("seed: 18446744073709551615\nrestarts: 0x10\nkmeans_max_iter: 1e3\n");
    let expected = KMeansSettings { max_iterations: 1000, restarts: 16, seed: u64::MAX };
    assert_eq!(plan.kmeans(), expected);
}

#[test]
fn anchors_and_aliases_are_followed() {
    assert_eq!(buckets(&plan("buckets: {flop: &n 30, turn: *n, river: 3}")), [30, 30, 3]);
}

#[test]
fn bucket_counts_at_their_bounds_are_taken() {
    assert_eq!(buckets(&plan("buckets: {flop: 1048576, river: 1950}"))[2], 1950);
    assert_eq!(buckets(&plan("num_river_buckets: 5000\nmethod: {river: ochs}"))[2], 5000);
    assert_eq!(buckets(&plan("board_clusters: 1024\nbuckets: 1024")), [1024; 3]);
}

#[test]
fn overrides_replace_what_the_file_says() {
    let mut config = config(HISTOGRAM_EXAMPLE);
    for assignment in ["num_flop_buckets=200", "buckets.turn=50", "method.river = ochs", "seed=7"] {
        config.set(assignment).unwrap();
    }
    let plan = config.resolve().unwrap();
    assert_eq!(buckets(&plan), [200, 50, 500]);
    assert_eq!(*plan.streets().river.method(), Method::Ochs { clusters: 8 });
    assert_eq!(plan.kmeans().seed, 7);
    config.set("buckets=30").unwrap();
    config.set("method={flop: ehs, turn: histogram}").unwrap();
    config.set("method.river=histogram").unwrap();
    let plan = config.resolve().unwrap();
    assert_eq!(buckets(&plan), [30, 30, 30]);
    assert_eq!(plan.streets().flop.method().name(), "ehs");
    assert_eq!(*plan.streets().river.method(), HISTOGRAM);
}

#[test]
fn a_refused_override_changes_nothing() {
    let mut config = config(HISTOGRAM_EXAMPLE);
    let before = config.resolve().unwrap();
    config.set("buckets={flop: 3, turn: 0}").unwrap_err();
    assert_eq!(config.resolve().unwrap(), before);
}

#[test]
fn errors_about_bucket_counts_are_located() {
    let mut config = config("num_flop_buckets: 5\nmethod: ehs\nnum_river_buckets:   70\n");
    let place = |config: &AbstractionConfig, street| {
        config.at_buckets(street, std::fmt::Error).ok().map(|error| error.to_string())
    };
    assert!(place(&config, Street::Flop).unwrap().starts_with("my.yaml:1:19: "));
    assert!(place(&config, Street::River).unwrap().starts_with("my.yaml:3:22: "));
    assert_eq!(place(&config, Street::Turn), None);
    config.set("buckets.turn=9").unwrap();
    assert!(place(&config, Street::Turn).unwrap().contains("\n  buckets.turn=9\n"));
}

#[test]
fn a_build_that_fails_is_blamed_on_a_line() {
    let config = config("buckets:\n  flop: 90000\n");
    let error = |street| BuildError::TooManyBuckets { street, wanted: 90_000, distinct: 77_548 };
    assert_eq!(
        config.blame(&error(Street::Flop)).unwrap().to_string(),
        "my.yaml:2:9: buckets.flop: 90000 is above 77548, the number of distinct features on the \
         flop; ask for at most 77548, or for more histogram bins\n\
         \x20 2 |   flop: 90000\n\
         \x20   |         ^^^^^"
    );
    assert!(config.blame(&error(Street::Turn)).is_none());
    assert!(config.blame(&BuildError::Cancelled(lethe_compute::Cancelled)).is_none());
}

#[test]
fn keys_without_effect_are_listed() {
    let config = config("method: ehs\nhistogram_bins: 20\nbuckets: 9\nochs_clusters: 4\n");
    let plan = config.resolve().unwrap();
    assert_eq!(config.unused(&plan), ["my.yaml:2:17 histogram_bins", "my.yaml:4:16 ochs_clusters"]);
}
