//! `lethe diff`: how differently two abstractions group hands.

use std::io::{self, Write};
use std::path::PathBuf;

use lethe_kit::abstractions::{DiffView, Side, Split, StreetDiff};
use lethe_kit::text::{percent, thousands};

use super::artifact::{DIR_HELP, streets};
use super::boards::BoardStreet;
use super::watched;
use crate::output::{Output, Report};

/// How differently two abstractions group hands, street by street
///
/// The adjusted Rand index compares, over all pairs of deals, how often both put a pair into one
/// bucket with how often they would by chance: 1 if their buckets are the same up to their numbers,
/// about 0 if they are unrelated. Every deal of every street is counted. The best match of a bucket
/// is the bucket of the other abstraction that holds most of its deals.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe diff default blueprint
  lethe diff F500T500R500-histogram10 fine --street flop --json")]
pub(crate) struct Args {
    #[arg(value_name = "A", help = DIR_HELP)]
    a: PathBuf,
    /// The other abstraction, named likewise
    #[arg(value_name = "B")]
    b: PathBuf,
    /// Compare this street only
    #[arg(long, value_name = "STREET")]
    street: Option<BoardStreet>,
}

/// A figure of a side: its name and its text.
type Figure = (&'static str, fn(&Side) -> String);

impl Report for DiffView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        out.pairs(&[("a", self.a.clone()), ("b", self.b.clone())])?;
        writeln!(out)?;
        let headings = self.streets.iter().map(|(street, _)| street.name());
        let headings: Vec<&str> = [""].into_iter().chain(headings).collect();
        let row = |name: &str, cell: &dyn Fn(&StreetDiff) -> String| {
            [vec![name.to_owned()], self.streets.values().map(cell).collect()].concat()
        };
        let mut rows = vec![
            row("deals", &|s| thousands(s.deals)),
            row("adjusted Rand index", &|s| format!("{:.4}", s.adjusted_rand_index)),
        ];
        let figures: [Figure; 7] = [
            ("method", |side| side.method.clone()),
            ("buckets", |side| thousands(side.buckets)),
            ("deals, smallest bucket", |side| thousands(side.sizes[0])),
            ("deals, largest bucket", |side| thousands(side.sizes[2])),
            ("variance explained", |side| percent(side.variance_explained, 3)),
            ("spread within buckets", |side| percent(side.spread_within, 2)),
            ("deals in best match", |side| percent(side.matched, 2)),
        ];
        for (name, figure) in figures {
            rows.push(row(&format!("{name}, a"), &|street| figure(&street.a)));
            rows.push(row(&format!("{name}, b"), &|street| figure(&street.b)));
        }
        out.table(&headings, rows)?;
        for (street, diff) in self.streets.iter() {
            let split = |side: &str, split: &Split| {
                vec![
                    format!("{side} {}", split.bucket),
                    thousands(split.size),
                    percent(split.equity, 2),
                    split.parts.to_string(),
                    split.best_match.to_string(),
                    percent(split.matched, 2),
                ]
            };
            let a = diff.a.most_different.iter().map(|s| split("a", s));
            let mut rows = a.chain(diff.b.most_different.iter().map(|s| split("b", s))).peekable();
            if rows.peek().is_some() {
                writeln!(out, "{}", out.bold(format_args!("\n{street} buckets that differ most")))?;
                out.table(&["bucket", "deals", "equity", "parts", "best match", "holds"], rows)?;
            }
        }
        Ok(())
    }
}

/// Prints how two abstractions differ.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let [a, b] = [&args.a, &args.b].map(|dir| out.data().open_abstraction(dir));
    let (a, b, streets) = (a?, b?, streets(args.street));
    let diff =
        watched("the comparison was not finished", out, |job| DiffView::of(&a, &b, &streets, job))?;
    out.show(&diff)
}
