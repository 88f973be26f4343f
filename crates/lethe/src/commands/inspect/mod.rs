//! `lethe inspect`: what an abstraction is like.

mod board;
mod bucket;
mod overview;

use std::path::PathBuf;

use lethe_cards::Street;
use lethe_kit::abstractions::{BoardView, BucketView, Overview, page};

use super::artifact::{DIR_HELP, streets};
use super::boards::BoardStreet;
use super::{check_outputs, input, watched, write_page};
use crate::error::InputError;
use crate::output::Output;

pub(super) use overview::write_table;

/// What an abstraction is like: its buckets, their sizes and equities, and how good they are
///
/// Without an option: a table of all streets, with small charts. The equity of a bucket is the mean
/// over its deals, its spread their standard deviation; the variance explained is the share of the
/// variance of equity that lies between buckets, and coverage the share of deals whose bucket was
/// computed rather than guessed.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe inspect default                        an abstraction by its preset
  lethe inspect F200T200R200 --street turn     or by the beginning of its name
  lethe inspect default --bucket flop:37       a bucket's shape, typical and extreme hands
  lethe inspect default --board Th9h8c         the buckets of all hands on a board, as a grid
  lethe inspect default --html report.html")]
pub(crate) struct Args {
    #[arg(value_name = "DIR", help = DIR_HELP)]
    dir: PathBuf,
    /// Describe this street only
    #[arg(long, value_name = "STREET")]
    street: Option<BoardStreet>,
    /// Describe one bucket, such as flop:37
    #[arg(long, value_name = "STREET:BUCKET", conflicts_with_all = ["street", "board", "html"])]
    bucket: Option<String>,
    /// Describe all hands on a board, such as Th9h8c
    #[arg(long, value_name = "BOARD", conflicts_with_all = ["street", "html"])]
    board: Option<String>,
    /// Write a page with plots to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Prints what was asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    // Bad input is refused before anything is opened.
    let bucket = args.bucket.as_deref().map(read_bucket).transpose()?;
    let board = args.board.as_deref().map(input::read).transpose()?;
    let abstraction = out.data().open_abstraction(&args.dir)?;
    check_outputs(&[args.html.as_deref()], &[abstraction.path()])?;
    if let Some((street, bucket)) = bucket {
        let view = watched("the scan was not finished", out, |job| {
            BucketView::of(&abstraction, street, bucket, job)
        })?;
        return out.show(&view);
    }
    if let Some(board) = board {
        return out.show(&BoardView::of(&abstraction, board)?);
    }
    let overview = Overview::of(&abstraction, &streets(args.street))?;
    match &args.html {
        Some(file) => write_page(file, &page(&overview), out),
        None => out.show(&overview),
    }
}

/// Reads a bucket, such as `flop:37`.
fn read_bucket(text: &str) -> Result<(Street, u32), InputError> {
    let form = || {
        InputError::new(format_args!(
            "'{}' is not a bucket: write a street and a number, such as flop:37",
            text.escape_debug()
        ))
    };
    let (street, bucket) = text.split_once(':').ok_or_else(form)?;
    let street: Street = street.trim().parse().map_err(|_| form())?;
    let bucket = bucket.trim().parse().map_err(|_| form())?;
    match street {
        Street::Preflop => Err(InputError::new(
            "before the flop the buckets are the 169 starting hands; name a bucket of the flop, the \
             turn or the river",
        )),
        _ => Ok((street, bucket)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_named_by_street_and_number() {
        assert_eq!(read_bucket("flop:37").unwrap(), (Street::Flop, 37));
        assert_eq!(read_bucket("Flop: 37").unwrap(), (Street::Flop, 37));
        for text in ["", "flop", "flop:", "flop:-1", "37", "street:3", "flop:37:1", "flop:\u{1b}"] {
            let message = read_bucket(text).unwrap_err().to_string();
            assert!(message.contains("such as flop:37"), "{message}");
            assert!(!message.contains('\u{1b}'));
        }
        assert!(read_bucket("preflop:3").unwrap_err().to_string().contains("169"));
    }
}
