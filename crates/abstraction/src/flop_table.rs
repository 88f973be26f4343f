//! `FlopTable`: clusters of flops made from features, and their file.

use lethe_cards::{CanonicalBoard, Street};
use lethe_cluster::{ClusterError, Points, PointsError, ward};
use lethe_compute::Job;
use lethe_rows::{FlopClusters, FlopClustersError};
use serde::{Deserialize, Serialize};

/// Flops clustered by features, with how well each number of clusters does.
///
/// Its [text](FlopTable::to_text) is JSON: `made_by`, the command that made it; `explained`, the share
/// of the features' variance that lies between clusters, with one cluster, with two, and so on;
/// `parents` and `of`, the [clusters](FlopClusters).
#[derive(Clone, Debug, PartialEq)]
pub struct FlopTable {
    made_by: String,
    explained: Vec<f64>,
    clusters: FlopClusters,
}

/// A table as it is stored, before it is checked.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    made_by: String,
    explained: Vec<f64>,
    parents: Vec<u8>,
    of: Vec<u8>,
}

/// Why there is no table of flop clusters.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FlopTableError {
    /// Features that are not numbers of one dimension for each flop.
    #[error("features of {flops} flops are needed, found {found} numbers")]
    Features {
        /// The flops.
        flops: usize,
        /// The numbers found.
        found: usize,
    },
    /// Features that are no points.
    #[error("features of flops: {0}")]
    Points(#[from] PointsError),
    /// Flops that cannot be clustered, or on cancellation.
    #[error("clusters of flops: {0}")]
    Cluster(#[from] ClusterError),
    /// Numbers that are no clusters.
    #[error(transparent)]
    Clusters(#[from] FlopClustersError),
    /// A text that is no table.
    #[error("not a table of flop clusters: {0}")]
    Text(String),
}

impl FlopTable {
    /// Clusters the 1,755 canonical flops by features: one row of as many numbers for each, in the
    /// order of [`CanonicalBoard::all`].
    ///
    /// Flops are merged by Ward's criterion, each weighted by how often it is dealt. The result is
    /// the same for any number of threads. `made_by` says how the features were made.
    pub fn ward(
        features: &[f32],
        count: usize,
        made_by: String,
        job: Job<'_>,
    ) -> Result<FlopTable, FlopTableError> {
        let flops = CanonicalBoard::count(Street::Flop);
        if features.is_empty() || !features.len().is_multiple_of(flops) {
            return Err(FlopTableError::Features { flops, found: features.len() });
        }
        if !(1..=FlopClusters::MOST).contains(&count) {
            return Err(FlopClustersError::Count(count).into());
        }
        let points = Points::new(features, features.len() / flops)?;
        let deals = |flop: CanonicalBoard| u64::from(flop.multiplicity());
        let weights: Vec<u64> = CanonicalBoard::all(Street::Flop).map(deals).collect();
        let hierarchy = ward(points, &weights, job)?;
        let nested = hierarchy.nested(count)?;
        let bytes = |numbers: Vec<u32>| numbers.into_iter().map(|number| number as u8).collect();
        let clusters = FlopClusters::new(bytes(nested.labels), bytes(nested.parents))?;
        let explained = (1..=count).map(|level| hierarchy.explained(level)).collect();
        Ok(FlopTable { made_by, explained, clusters })
    }

    /// Reads the text of a table.
    pub fn from_text(text: &str) -> Result<FlopTable, FlopTableError> {
        let fields = serde_json::from_str(text);
        let fields: Fields = fields.map_err(|error| FlopTableError::Text(error.to_string()))?;
        let Fields { made_by, explained, parents, of } = fields;
        let clusters = FlopClusters::new(of, parents)?;
        let text = |reason: &str| Err(FlopTableError::Text(reason.to_owned()));
        if explained.len() != clusters.count() {
            return text("it does not say what each number of clusters explains");
        }
        if explained.iter().any(|share| !(-1e-9..=1.0 + 1e-9).contains(share)) {
            return text("a share of the variance explained is not between 0 and 1");
        }
        if made_by.chars().any(char::is_control) {
            return text("made_by has control characters");
        }
        Ok(FlopTable { made_by, explained, clusters })
    }

    /// The text of the table, one key a line.
    pub fn to_text(&self) -> String {
        // Four digits are plenty, and short lines are easier to read.
        let short = |share: &f64| (share * 1e4).round() / 1e4;
        let explained: Vec<f64> = self.explained.iter().map(short).collect();
        let clusters = serde_json::to_value(&self.clusters).expect("clusters are plain data");
        let made_by = serde_json::Value::from(self.made_by.as_str());
        format!(
            "{{\n\"made_by\": {made_by},\n\"explained\": {},\n\"parents\": {},\n\"of\": {}\n}}\n",
            serde_json::Value::from(explained),
            clusters["parents"],
            clusters["of"]
        )
    }

    /// How it was made.
    pub fn made_by(&self) -> &str {
        &self.made_by
    }

    /// The share of the features' variance that lies between clusters, with one cluster, two, ...
    pub fn explained(&self) -> &[f64] {
        &self.explained
    }

    /// The clusters.
    pub fn clusters(&self) -> &FlopClusters {
        &self.clusters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Features by ranks and suits, so that clusters mean something.
    fn features() -> Vec<f32> {
        let feature = |flop: CanonicalBoard| {
            let lanes = flop.set().lanes();
            let ranks = lanes.iter().fold(0, |all, lane| all | lane);
            let suited = lanes.iter().map(|lane| lane.count_ones()).max().unwrap_or(0);
            [ranks.ilog2() as f32 / 4.0, ranks.count_ones() as f32, suited as f32]
        };
        CanonicalBoard::all(Street::Flop).flat_map(feature).collect()
    }

    #[test]
    fn more_clusters_explain_more_and_the_text_comes_back() {
        let table = FlopTable::ward(&features(), 40, "a test".to_owned(), Job::default()).unwrap();
        assert_eq!(table.clusters().count(), 40);
        assert!(table.explained()[0].abs() < 1e-9);
        assert!(table.explained().windows(2).all(|pair| pair[0] <= pair[1]));
        assert!(table.explained()[39] > 0.9);
        let read = FlopTable::from_text(&table.to_text()).unwrap();
        assert_eq!(read.clusters(), table.clusters());
        assert_eq!(read.made_by(), "a test");
        // The same table cut is the one made of fewer clusters.
        let few = FlopTable::ward(&features(), 7, String::new(), Job::default()).unwrap();
        assert_eq!(few.clusters(), &table.clusters().cut(7).unwrap());
    }

    #[test]
    fn flops_count_as_often_as_they_are_dealt() {
        // One feature that is 1 on a set of flops: its mean over deals is their share.
        let rainbow = |flop: CanonicalBoard| flop.set().lanes().iter().all(|l| l.count_ones() < 2);
        let features: Vec<f32> = CanonicalBoard::all(Street::Flop)
            .map(|flop| f32::from(u8::from(rainbow(flop))))
            .collect();
        let table = FlopTable::ward(&features, 2, String::new(), Job::default()).unwrap();
        // 8,788 of the 22,100 deals are rainbow, so the others keep the number 0.
        let flops = table.clusters().flops(2);
        let deals = |flops: &[CanonicalBoard]| flops.iter().map(|f| f.multiplicity()).sum::<u32>();
        assert_eq!([deals(&flops[0]), deals(&flops[1])], [13_312, 8_788]);
        assert!((table.explained()[1] - 1.0).abs() < 1e-9);
    }

    #[test]
    fn features_and_texts_that_are_wrong_are_refused() {
        let ward = |features: &[f32], count| {
            FlopTable::ward(features, count, String::new(), Job::default()).unwrap_err().to_string()
        };
        assert_eq!(ward(&[1.0; 1756], 4), "features of 1755 flops are needed, found 1756 numbers");
        assert_eq!(ward(&[], 4), "features of 1755 flops are needed, found 0 numbers");
        assert_eq!(ward(&[1.0; 1755], 257), "flops have from 1 to 256 clusters, found 257");
        assert!(ward(&[f32::NAN; 1755], 4).contains("must be finite"));
        let table = FlopTable::ward(&features(), 3, "a test".to_owned(), Job::default()).unwrap();
        let text = table.to_text();
        let wrong = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            FlopTable::from_text(&text.replacen(from, to, 1)).unwrap_err().to_string()
        };
        assert!(wrong("\"of\"", "\"off\"").contains("unknown field `off`"));
        assert!(wrong("[0,0,", "[0,1,").contains("the parent of flop cluster 1 is 1"));
        assert!(wrong("\"explained\": [", "\"explained\": [0.5,").contains("does not say what"));
        assert!(wrong("a test", "a\\ntest").contains("control characters"));
        assert!(FlopTable::from_text("").is_err());
    }
}
