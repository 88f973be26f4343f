//! Abstractions: build or open, look up, describe, compare.
//!
//! | | |
//! |---|---|
//! | [`Build`] | builds what a configuration asks for, unless it is there; [`Forecast`] first |
//! | [`LookupView`], [`answer_lines`] | the bucket of a hand, and of every hand of a stream |
//! | [`Overview`], [`BucketView`], [`BoardView`] | what an abstraction is like |
//! | [`DiffView`] | how differently two abstractions group hands |
//! | [`cluster_flops`], [`FlopClustersView`] | clusters of flops, by what hands win on them |
//! | [`ListView`], [`add_equity_tables`] | those there are; added tables |
//!
//! ```no_run
//! use lethe_compute::Job;
//! use lethe_kit::abstractions::{Build, LookupView};
//! use lethe_kit::config::AbstractionConfig;
//! use lethe_kit::data::DataDir;
//!
//! let data = DataDir::locate(None);
//! let build = Build::new(AbstractionConfig::preset("default")?, data.abstractions())?;
//! println!("about {:.0} s", build.forecast(2).seconds);
//! let built = build.run(Job::default())?;
//! let abstraction = lethe_abstraction::Abstraction::open(&built.path)?;
//! let hand = LookupView::of(&abstraction, "AsKs".parse()?, &"Th9h8c".parse()?)?;
//! println!("bucket {} of equity {}", hand.bucket, hand.bucket_equity);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod board;
mod bucket;
mod build;
mod diff;
mod flops;
mod list;
mod lookup;
mod overview;
mod page;
mod rows;
mod similar;
mod stream;
mod streets;

pub use board::{BoardClass, BoardView};
pub use bucket::{BucketHand, BucketView, NearBucket};
pub use build::{
    BriefReport, Build, BuildView, Built, EquityTable, EquityTablesView, Forecast, Phase,
    add_equity_tables,
};
pub use diff::{DiffView, Side, Split, StreetDiff};
pub use flops::{FlopClusterView, FlopClustersView, FlopFeatures, cluster_flops, flop_profiles};
pub use list::{ListItem, ListState, ListView, older_algorithm};
pub use lookup::LookupView;
pub use overview::{Overview, StreetView, Summary};
pub use page::page;
pub use similar::Similar;
pub use stream::{StreamSummary, answer_lines};
pub use streets::Streets;

use lethe_abstraction::{Abstraction, StreetReport};
use lethe_cards::Street;

use crate::error::Error;

/// What the build reported of a street; an error unless it is of the street's buckets. With flop
/// clusters these are the buckets within each of them.
pub fn report(abstraction: &Abstraction, street: Street) -> Result<&StreetReport, Error> {
    let buckets = abstraction.base_buckets(street);
    let fits = |report: &&StreetReport| {
        let lists = [report.sizes.len(), report.equities.len(), report.spreads.len()];
        buckets > 0 && lists == [buckets; 3]
    };
    let report = abstraction.report(street).filter(fits);
    report.ok_or_else(|| Error::NoReport(abstraction.path().to_owned(), street))
}
