//! `lethe sweep`: a spot solved on many flops.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use lethe_kit::export::TableFormat;
use lethe_kit::limits;
use lethe_kit::merge::PartView;
use lethe_kit::sweep::{ActionResult, Flops, Sweep, SweepError, SweepView};
use serde::Serialize;

use super::solving::{How, chips, explain, percent};
use crate::error::{InputError, Stopped};
use crate::output::{Output, Report, thousands};
use crate::progress::{Bars, bar};
use crate::ranks::PartArgs;

/// Solves a spot on many flops and reports frequencies, EV and equity of each
///
/// The spot begins on the flop; its board is replaced by each flop in turn. Flops are solved one
/// after the other, each result is a file in the directory, and the same command resumes a sweep
/// that was stopped. Frequencies are those of OOP's first decision, and of IP after a check.
///
/// A list of flops has one per line or between commas, with a weight after a colon: Ks7h2d:0.5. A
/// number takes about so many flops, spread over all textures, each weighted by how many it stands
/// for.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe sweep spots/4bet-flop.yaml --flops 3 --target 2% --out sweeps/4bet
  lethe sweep spots/srp-flop.yaml --flops all --target 0.5% --out srp --format csv
  lethe sweep spots/srp-flop.yaml --flops all --out srp --part 3/64    one of 64 processes")]
pub(crate) struct Args {
    /// The spot file
    #[arg(value_name = "SPOT")]
    spot: PathBuf,
    /// Which flops: all, a number, or a file with a list
    #[arg(long, value_name = "FLOPS", default_value = "25")]
    flops: String,
    /// The directory of the sweep
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The exploitability to reach on every flop, in percent of the pot
    #[arg(long, value_name = "PERCENT", value_parser = limits::percent, default_value = "0.5%")]
    target: f64,
    /// Also write the report as a table into the directory
    #[arg(long, value_name = "FORMAT")]
    format: Option<FileFormat>,
    #[command(flatten)]
    part: PartArgs,
    #[command(flatten)]
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FileFormat {
    /// A row for each action
    Csv,
    /// A line for each flop
    Json,
    /// A row for each action, by columns
    Parquet,
}

impl FileFormat {
    fn table(self) -> (TableFormat, &'static str) {
        match self {
            FileFormat::Csv => (TableFormat::Csv, "report.csv"),
            FileFormat::Json => (TableFormat::Json, "report.jsonl"),
            FileFormat::Parquet => (TableFormat::Parquet, "report.parquet"),
        }
    }
}

/// The report, and the file it was written to.
#[derive(Serialize)]
pub(super) struct Swept {
    #[serde(flatten)]
    pub(super) view: SweepView,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
}

impl Report for Swept {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let view = &self.view;
        let mixes = |actions: &[ActionResult]| -> Vec<String> {
            actions.iter().map(|action| percent(action.frequency)).collect()
        };
        let Some(mean) = &view.mean else { return writeln!(out, "no flop is finished") };
        let named = |player: &str, actions: &[ActionResult]| -> Vec<String> {
            actions.iter().map(|action| format!("{player} {}", action.text)).collect()
        };
        let names = [named("oop", &mean.oop), named("ip", &mean.ip)].concat();
        let mut headings = vec!["flop", "weight", "EV oop", "equity oop"];
        headings.extend(names.iter().map(String::as_str));
        let cells = |name: String, weight: f64, ev: f64, equity: f64, mix: [Vec<String>; 2]| {
            let mut cells = vec![name, format!("{weight:.0}"), chips(ev), percent(equity)];
            cells.extend(mix.concat());
            cells
        };
        let mut rows: Vec<Vec<String>> = Vec::new();
        for row in &view.flops {
            let r = &row.result;
            let mix = [mixes(&r.oop), mixes(&r.ip)];
            rows.push(cells(r.flop.clone(), r.weight, r.ev[0], r.equity[0], mix));
        }
        let mix = [mixes(&mean.oop), mixes(&mean.ip)];
        rows.push(cells("mean".to_owned(), mean.weight, mean.ev[0], mean.equity[0], mix));
        out.table(&headings, rows)?;
        if let Some(file) = &self.file {
            writeln!(out, "\n{file}: {} flops", thousands(view.flops.len()))?;
        }
        Ok(())
    }
}

fn flops(text: &str) -> Result<Flops, InputError> {
    let list = Path::new(text);
    let read = match list.is_file() {
        true => &std::fs::read_to_string(list)
            .map_err(|error| InputError::new(format_args!("{text}: {error}")))?,
        false => text,
    };
    Flops::parse(read).map_err(InputError::new)
}

/// Solves and prints the report.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    if let Some(format) = args.format {
        format.table().0.check(true).map_err(InputError::new)?;
    }
    let text = std::fs::read_to_string(&args.spot)
        .map_err(|error| InputError::new(format_args!("{}: {error}", args.spot.display())))?;
    let sweep = Sweep::create(&args.out, &text, &flops(&args.flops)?, args.target);
    let sweep = sweep.map_err(InputError::new)?;
    let (bars, pool) = (Bars::new(), out.pool()?);
    let line = bar(1, "{msg}");
    let how = args.how.to_target(args.target);
    let share = args.part.share(out);
    let ended = sweep.run(&how, share, bars.job_on(&pool).silent(), &mut |now| {
        let iteration = now.metrics.map_or(0, |metrics| metrics.iteration);
        let (done, total) = (now.done + 1, now.total);
        line.set_message(format!("flop {done} of {total}: {}  iteration {iteration}", now.flop));
    });
    line.finish_and_clear();
    match ended {
        Err(error) if error.is_cancelled() => {
            return Err(Stopped("finished flops are kept; the same command resumes").into());
        }
        Err(SweepError::Solution(error)) => return Err(explain(error)),
        Err(SweepError::Share(error)) => return Err(error.into()),
        Err(SweepError::Units(error)) => return Err(lethe_kit::Error::from(error).into()),
        ended => ended.map_err(InputError::new)?,
    }
    if let Some(part) = args.part.part() {
        let units =
            [share.units(sweep.total()).len(), sweep.finished(share).map_err(InputError::new)?];
        return out.show(&PartView::new(part, [units[0], units[1], sweep.total()], &args.out));
    }
    if !share.leads() {
        return Ok(());
    }
    sweep.check_complete().map_err(InputError::new)?;
    let view = sweep.view().map_err(InputError::new)?;
    let file = match args.format {
        None => None,
        Some(format) => {
            let (format, name) = format.table();
            let path = args.out.join(name);
            view.write_file(format, &path).map_err(InputError::new)?;
            Some(path.display().to_string())
        }
    };
    out.show(&Swept { view, file })
}
