//! `lethe lookup`: the bucket of a hand, or of every hand that comes in.

use std::io::{self, Write};
use std::path::PathBuf;

use lethe_abstraction::Abstraction;
use lethe_cards::{Board, Hole, Street};
use lethe_kit::abstractions::{LookupView, NearBucket, answer_lines};
use lethe_kit::text::{percent, thousands};

use super::artifact::DIR_HELP;
use super::input::read_cards;
use crate::error::InputError;
use crate::output::{Output, Report};

/// The bucket of a hand in an abstraction: its equity, its size, and similar hands
///
/// With - in place of the hole, hands are read from standard input, one per line: two cards, then
/// those of the board, if any. Each is answered by one line: hole, board, bucket and the bucket's
/// mean equity separated by tabs, or with --json one object. The first bad line ends it.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe lookup default AsKs Th9h8c
  lethe lookup F500T500R500-histogram10 'Qd Jd' 'Td 9s 2c 3h' --json
  lethe lookup default - < hands.txt
  echo AsKs Th9h8c | lethe lookup default - --json")]
pub(crate) struct Args {
    #[arg(value_name = "DIR", help = DIR_HELP)]
    pub(crate) dir: PathBuf,
    /// Two cards, such as AsKs; - reads hands from standard input
    #[arg(value_name = "HOLE")]
    pub(crate) hole: String,
    /// Three to five cards, such as Th9h8c [default: before the flop]
    #[arg(value_name = "BOARD")]
    pub(crate) board: Option<String>,
}

impl Args {
    /// Reads the cards; `None` if they are to be read from standard input.
    fn resolve(&self) -> Result<Option<(Hole, Board)>, InputError> {
        if self.hole == "-" {
            return match &self.board {
                None => Ok(None),
                Some(board) => Err(InputError::new(format_args!(
                    "the board {board:?} was given with -; write it on each line of the input"
                ))),
            };
        }
        Ok(Some(read_cards(&self.hole, self.board.as_deref())?))
    }
}

/// Prints the bucket of the hand asked for, or of every hand that comes in.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let cards = args.resolve()?;
    let open = out.data().open_abstraction(&args.dir)?;
    match cards {
        Some((hole, board)) => {
            let view = LookupView::of(&open, hole, &board)?;
            if view.fell_back() {
                warn(&open, &format!("1 on the {}", board.street()), out)?;
            }
            out.show(&view)
        }
        None => {
            let json = out.is_json();
            let summary = answer_lines(&open, io::stdin(), out, json)?;
            let counts = Street::ALL.into_iter().zip(summary.fallbacks).filter(|(_, n)| *n > 0);
            let counts: Vec<String> = counts.map(|(s, n)| format!("{n} on the {s}")).collect();
            if !counts.is_empty() {
                warn(&open, &format!("{} of {} hands", counts.join(", "), summary.lines), out)?;
            }
            Ok(())
        }
    }
}

/// Says that hands were not in a sampled table.
fn warn(open: &Abstraction, counts: &str, out: &mut Output<'_>) -> io::Result<()> {
    out.note(format_args!(
        "warning: some hands have no entry and got the median bucket of their board's cluster: \
         {counts}; {} is built from sampled boards",
        open.metadata().name,
    ))
}

impl Report for LookupView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let place = match &self.board {
            None => "before the flop".to_owned(),
            Some(board) => format!("on {}", out.cards(board.cards())),
        };
        writeln!(out, "{} {place} in {}\n", out.card_set(self.hole.set()), self.name)?;
        let number = out.bold(self.bucket);
        let fallback = if self.fell_back() { "  (no entry: the cluster's median)" } else { "" };
        let spread = self.spread.map_or(String::new(), |s| format!("  spread {}", percent(s, 2)));
        let share = percent(self.bucket_size as f64 / self.deals as f64, 2);
        let mut pairs = vec![
            ("bucket", format!("{number} of {}{fallback}", thousands(self.buckets))),
            ("equity", format!("{}  exact, against a random hand", percent(self.equity, 2))),
            ("bucket equity", format!("{}{spread}", percent(self.bucket_equity, 2))),
            ("bucket size", format!("{} deals  {share}", thousands(self.bucket_size))),
        ];
        if let Some(cluster) = &self.cluster_text {
            pairs.push(("board cluster", cluster.clone()));
        }
        if let Some((cluster, base)) = self.flop_cluster.zip(self.base_bucket)
            && let Some(flop) = self.board.and_then(|board| board.flop())
        {
            let each = self.buckets / self.flop_clusters;
            let base = format!("{base} of {} in its flop cluster", thousands(each));
            let flop = out.cards(flop.cards());
            let cluster = format!("{cluster} of {}, by the flop {flop}", self.flop_clusters);
            pairs.splice(1..1, [("base bucket", base), ("flop cluster", cluster)]);
        }
        let similar = &self.similar;
        if !similar.neighbours.is_empty() {
            let near = |near: &NearBucket| format!("{} ({})", near.bucket, percent(near.equity, 1));
            let texts: Vec<String> = similar.neighbours.iter().map(near).collect();
            pairs.push(("nearest buckets", texts.join("  ")));
        }
        if !similar.here.is_empty() {
            let shown: Vec<String> =
                similar.here.iter().take(8).map(|hole| out.card_set(hole.set())).collect();
            let more = similar.here.len().saturating_sub(shown.len());
            let more = if more > 0 { format!("  and {more} more") } else { String::new() };
            pairs.push(("same bucket here", shown.join(" ") + &more));
        }
        if !similar.elsewhere.is_empty() {
            let hand = |(hole, board): &(Hole, Board)| {
                format!("{} on {}", out.card_set(hole.set()), out.cards(board.cards()))
            };
            let hands: Vec<String> = similar.elsewhere.iter().map(hand).collect();
            pairs.push(("and elsewhere", hands.join(", ")));
        }
        out.pairs(&pairs)
    }
}
