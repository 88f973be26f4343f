//! `lethe review`: the decisions of hand histories, judged by an agent.

use std::io::{self, Write};
use std::path::PathBuf;

use lethe_kit::text::{counted, or_dash, percent, thousands};
use lethe_kit::{Error, files};
use lethe_play::{ReviewError, ReviewTotal, ReviewView, ReviewedView, read_records, review};

use super::agents::{AgentArgs, with_agent};
use super::input::count_in;
use super::training;
use crate::error::{InputError, Stopped};
use crate::output::{Output, Report};

/// The largest file that is read.
const MAX_BYTES: u64 = 256 << 20;

/// Judges the decisions of hand histories: what was done, what the agent would do, and what the difference
/// is worth
///
/// Reads PHH (one hand, or a table for each) and logs of the ACPC dealer, which say nothing of blinds and
/// stacks: those of the run are taken. Hands of two players with the run's blinds, up to a factor, and
/// stacks up to the run's are judged, with bets of any size. Decisions of players whose cards are not
/// known are counted and not judged.
///
/// The loss of a decision is the value of the best action less that of what was done, by the agent's own
/// strategy; before the flop it needs stored values (`lethe values`). A size that the agent does not have is
/// valued by the two beside it.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe review hands.phhs --run quick --search none
  lethe review hands.phhs --run quick --player you --search none --json
  lethe review match.log --run quick --iterations 40")]
pub(crate) struct Args {
    /// The hands: PHH or a log of the ACPC dealer
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The blueprint: a run's directory, its name in the data directory, or a checkpoint file [default:
    /// quickstart, or the only run]
    #[arg(long, value_name = "RUN")]
    run: Option<PathBuf>,
    /// Judge the decisions of this player only
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// How many decisions to print, the costliest first; --json prints all
    #[arg(long, value_name = "N", default_value = "20", value_parser = count_in(0, 1_000_000))]
    top: u32,
    /// What bets between two sizes of the blueprint are drawn by
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    agent: AgentArgs,
}

/// Judges the hands.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let bytes = files::read(&args.file, MAX_BYTES).map_err(Error::from)?;
    let name = args.file.display();
    let text = String::from_utf8(bytes)
        .map_err(|_| InputError::new(format_args!("{name}: not a text in UTF-8")))?;
    let run = match &args.run {
        Some(run) => run.clone(),
        None => out.data().default_run().map_err(Error::from)?,
    };
    let blueprint = training::open(&run, args.agent.checkpoint, out)?;
    let game = &blueprint.header().config.game;
    let hands = read_records(&text, game)
        .map_err(|error| InputError::new(format_args!("{name}: {error}")))?;
    let config = args.agent.config(args.seed);
    with_agent(&blueprint, config, out, |agent, _, job, out| {
        let view = review(&hands, args.player.as_deref(), game, agent, job);
        let view = view.map_err(|error| match error {
            ReviewError::Cancelled => Stopped("there is no review").into(),
            error => anyhow::Error::from(InputError::new(format_args!("{name}: {error}"))),
        })?;
        out.show(&Shown { view: &view, top: args.top as usize })
    })
}

/// A review of which the text shows a part.
#[derive(serde::Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    view: &'a ReviewView,
    #[serde(skip)]
    top: usize,
}

impl Report for Shown<'_> {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let ReviewView { hands, decisions, unknown, streets, kinds, players } = self.view;
        let hands = counted(*hands as usize, "hand");
        writeln!(out, "{hands}, {} judged", counted(decisions.len(), "decision"))?;
        if *unknown > 0 {
            let unknown = counted(*unknown as usize, "decision");
            writeln!(out, "{unknown} of players whose cards are not known")?;
        }
        let mut costly: Vec<&ReviewedView> = decisions
            .iter()
            .filter(|one| one.judged.loss_bb.is_some_and(|loss| loss > 0.0))
            .collect();
        let loss = |one: &ReviewedView| one.judged.loss_bb.unwrap_or(0.0);
        costly.sort_by(|a, b| loss(b).total_cmp(&loss(a)));
        if self.top > 0 && !costly.is_empty() {
            writeln!(out, "\nthe costliest decisions")?;
            let rows = costly.iter().take(self.top).map(|one| row(one));
            let head = [
                "hand",
                "player",
                "cards",
                "board",
                "pot",
                "done",
                "so often",
                "best",
                "EV lost, bb",
            ];
            out.table(&head, rows.collect::<Vec<_>>())?;
        }
        for (title, totals) in [("street", streets), ("kind", kinds), ("player", players)] {
            writeln!(out)?;
            write_totals(title, totals, out)?;
        }
        Ok(())
    }
}

fn row(one: &ReviewedView) -> Vec<String> {
    let judged = &one.judged;
    let advice = &judged.advice;
    let best = advice.frequencies.iter().filter(|share| share.ev.is_some());
    let best = best.max_by(|a, b| a.ev.unwrap_or(0.0).total_cmp(&b.ev.unwrap_or(0.0)));
    vec![
        thousands(one.number),
        one.player.clone(),
        advice.hand.clone(),
        if advice.board.is_empty() { "-".to_owned() } else { advice.board.clone() },
        advice.pot.to_string(),
        judged.done.text.clone(),
        percent(judged.frequency, 1),
        or_dash(best, |share| share.action.text.clone()),
        or_dash(judged.loss_bb, |loss| format!("{loss:.3}")),
    ]
}

fn write_totals(title: &str, totals: &[ReviewTotal], out: &mut Output<'_>) -> io::Result<()> {
    let rows = totals.iter().map(|total| {
        let known = total.valued > 0;
        vec![
            total.name.clone(),
            thousands(total.decisions),
            percent(total.frequency, 1),
            or_dash(known.then_some(total.loss_bb), |loss| format!("{loss:.2}")),
            or_dash(known.then_some(total.loss_mbb_per_hand), |loss| format!("{loss:.1}")),
        ]
    });
    out.table(&[title, "decisions", "as the agent", "EV lost, bb", "mbb/hand"], rows)
}
