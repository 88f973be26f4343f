//! The text of a bucket.

use std::io::{self, Write};

use lethe_kit::abstractions::{BucketHand, BucketView, NearBucket};
use lethe_kit::text::{figure, percent, thousands};

use crate::output::{Output, Report};

impl Report for BucketView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let title = out.bold(format_args!("{} {}", self.street, self.bucket));
        writeln!(out, "{title} of {} buckets", self.buckets)?;
        let deals = thousands(self.size);
        out.pairs(&[
            ("deals", format!("{deals}, {} of the {}", percent(self.share, 3), self.street)),
            ("situations", thousands(self.situations)),
            ("equity", percent(self.equity, 2)),
            ("spread", percent(self.spread, 2)),
        ])?;
        if let Some(centroid) = &self.centroid {
            let note = "\nequities that follow, in the mean of the bucket (per mille)";
            writeln!(out, "{}", out.dim(note))?;
            let bins = centroid.len();
            let label = |bin: usize| format!("{:.0} %", 100.0 * bin as f64 / bins as f64);
            let bar = |(bin, share): (usize, &f64)| (label(bin), (share * 1000.0).round() as u64);
            out.bars(&centroid.iter().enumerate().map(bar).collect::<Vec<_>>())?;
        }
        let kinds =
            [("typical", &self.typical), ("lowest", &self.lowest), ("highest", &self.highest)];
        for (kind, hands) in kinds {
            writeln!(out, "{}", out.bold(format_args!("\n{kind} hands")))?;
            for hand in hands {
                write_hand(hand, out)?;
            }
        }
        writeln!(out, "{}", out.bold("\nnearest buckets"))?;
        let deals = |n: &NearBucket| thousands(n.size).len();
        let width = self.neighbours.iter().map(deals).max().unwrap_or(0);
        for near in &self.neighbours {
            let NearBucket { bucket, size, equity, spread, distance, against } = near;
            let size = thousands(*size);
            let (equity, spread) = (percent(*equity, 2), percent(*spread, 2));
            let distance = figure(*distance);
            let against = against
                .map_or_else(String::new, |equity| format!("  {} against it", percent(equity, 2)));
            writeln!(
                out,
                "{bucket:>6}  {size:>width$} deals  equity {equity:>8}  spread {spread:>7}  \
                 distance {distance}{against}"
            )?;
        }
        Ok(())
    }
}

fn write_hand(hand: &BucketHand, out: &mut Output<'_>) -> io::Result<()> {
    let (hole, board) = (out.card_set(hand.hole.set()), out.cards(hand.board.cards()));
    let equity = percent(hand.equity, 2);
    write!(out, "  {hole} on {board}  {equity:>8}")?;
    if let Some(distance) = hand.distance {
        write!(out, "{}", out.dim(format_args!("  distance {}", figure(distance))))?;
    }
    writeln!(out)
}
