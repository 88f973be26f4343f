//! What configurations mean, and how they are refused.

mod errors;
mod meaning;
mod presets;
mod properties;

use lethe_abstraction::{Method, PerStreet, Plan};

use super::AbstractionConfig;

/// The example of the imperfect-recall design document.
const HISTOGRAM_EXAMPLE: &str = "\
num_flop_buckets: 500
num_turn_buckets: 500
num_river_buckets: 500
histogram_bins: 10
kmeans_max_iter: 100
";

/// The example of the board-texture design document.
const TEXTURE_EXAMPLE: &str = "\
# Example: default.yaml
board_clusters:
  flop: 50
  turn: 100
  river: 200

buckets:
  flop: 50
  turn: 100
  river: 200

equity_samples: 1000
representatives_per_cluster: 1
";

fn config(text: &str) -> AbstractionConfig {
    AbstractionConfig::from_yaml(text, "my.yaml").unwrap_or_else(|error| panic!("{error}"))
}

fn plan(text: &str) -> Plan {
    config(text).resolve().unwrap_or_else(|error| panic!("{error}"))
}

fn buckets(plan: &Plan) -> [usize; 3] {
    let PerStreet { flop, turn, river } = plan.streets();
    [flop, turn, river].map(|street| street.buckets())
}

fn methods(plan: &Plan) -> PerStreet<Method> {
    plan.streets().clone().map(|_, street| street.method().clone())
}
