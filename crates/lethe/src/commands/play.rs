//! `lethe play`: a person against the agent, in the terminal.

use std::borrow::Cow;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::Context;
use lethe_game::Chips;
use lethe_kit::Error;
use lethe_kit::data::DataDir;
use lethe_kit::text::{counted, or_dash, percent};
use lethe_play::{
    Driver, JudgedView, PlayError, PlayedHand, Reply, Session, SessionConfig, TableText,
    write_hands,
};

use super::advise::write_actions;
use super::agents::{AgentArgs, with_agent};
use super::input::count_in;
use super::{check_outputs, training, write_file};
use crate::error::InputError;
use crate::output::Output;
use crate::progress::is_stopped;

/// Plays against you in the terminal
///
/// You and the agent play heads-up hands in the game of a run; seats alternate and stacks start anew. Act as
/// players write it: f, x, c, b 300, r 750, r 2.5x, 50%, half pot, pot, allin. Other words: hint shows what the
/// agent would do in your place, with values; after a hand, review lists what each of your decisions cost;
/// score, help and quit do what they say.
///
/// The agent plays the blueprint until the turn and solves the rest of each hand from there on. The score is
/// in big blinds per 100 hands, raw and, where values are stored (`lethe values`), with luck removed. Ctrl-C
/// ends the session. Finished hands are saved as PHH, for `lethe review`.
///
/// Input may come from a file or another program as well, one word or action per line; with --json every
/// answer is a line of JSON.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe play quick
  lethe play quick --seed 7 --hands 100
  printf 'c\\nc\\nquit\\n' | lethe play quick --seed 7 --search none")]
pub(crate) struct Args {
    /// The blueprint: a run's directory, its name in the data directory, or a checkpoint file [default:
    /// quickstart, or the only run]
    #[arg(value_name = "RUN")]
    blueprint: Option<PathBuf>,
    /// What cards are dealt and choices are drawn by [default: a random number]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// End after so many hands
    #[arg(long, value_name = "N", value_parser = count_in(1, 1_000_000_000))]
    hands: Option<u32>,
    /// The file for finished hands [default: a new one in the data directory, under sessions]
    #[arg(long, value_name = "FILE")]
    phh: Option<PathBuf>,
    /// The stacks, in chips, up to those of the blueprint [default: those of the blueprint]
    #[arg(long, value_name = "CHIPS")]
    stack: Option<Chips>,
    #[command(flatten)]
    agent: AgentArgs,
}

/// Plays until the person or the input ends it.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let name = match &args.blueprint {
        Some(name) => name.clone(),
        None => out.data().default_run().map_err(Error::from)?,
    };
    let blueprint = training::open(&name, args.agent.checkpoint, out)?;
    let seed = match args.seed {
        Some(seed) => seed,
        None => u64::from(getrandom::u32().context("no random seed; give one with --seed")?),
    };
    let config = SessionConfig { seed, stack: args.stack, ..SessionConfig::default() };
    let session = Session::new(&blueprint.header().config.game, config).map_err(InputError::new)?;
    let file = args.phh.clone().unwrap_or_else(|| new_file(out.data(), &name, seed));
    if let (None, Some(dir)) = (&args.phh, file.parent()) {
        std::fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
    }
    check_outputs(&[Some(&file)], &[&name])?;
    out.note(format_args!("{}, seed {seed}; help lists what can be typed", name.display()))?;
    let mut driver = Driver::new(session);
    let mut text = TableText::default();
    let input = lines();
    let ended =
        with_agent(&blueprint, args.agent.config(seed), out, |agent, baseline, job, out| {
            let mut saved = 0;
            let mut replies = driver.deal(agent, baseline, job.silent())?;
            loop {
                let finished = driver.session().finished();
                if finished.len() > saved {
                    saved = finished.len();
                    let hands: Vec<PlayedHand> =
                        finished.iter().map(|done| done.hand.clone()).collect();
                    write_file(&file, &write_hands(&hands, 1)?)?;
                }
                replies.iter().try_for_each(|reply| show(reply, &mut text, out))?;
                if driver.is_between_hands()
                    && args.hands.is_some_and(|hands| saved >= hands as usize)
                {
                    return Ok(());
                }
                let Some(line) = next_line(&input, driver.is_between_hands(), out)? else {
                    return Ok(());
                };
                match driver.line(&line, agent, baseline, job.silent())? {
                    Some(said) => replies = said,
                    None => return Ok(()),
                }
            }
        });
    match ended {
        Err(error) if !error.downcast_ref().is_some_and(PlayError::is_cancelled) => {
            return Err(error);
        }
        _ => show(&Reply::Score(driver.session().score()), &mut text, out)?,
    }
    let saved = driver.session().finished().len();
    if saved > 0 {
        out.note(format_args!("{} saved in {}", counted(saved, "hand"), file.display()))?;
    }
    Ok(())
}

/// A file for the hands of a session that is not there yet.
fn new_file(data: &DataDir, run: &Path, seed: u64) -> PathBuf {
    let run = run.file_stem().map_or(Cow::Borrowed("session"), |name| name.to_string_lossy());
    let name = |n: u64| match n {
        1 => format!("{run}-{seed}.phhs"),
        n => format!("{run}-{seed}-{n}.phhs"),
    };
    let files = (1..).map(|n| data.sessions().join(name(n)));
    files.into_iter().find(|file| !file.exists()).expect("one of all numbers is free")
}

/// The lines of the standard input, read beside everything else so that signals are noticed.
fn lines() -> Receiver<io::Result<String>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

/// The next line; `None` at the end of the input or when asked to stop.
fn next_line(
    input: &Receiver<io::Result<String>>,
    between: bool,
    out: &mut Output<'_>,
) -> anyhow::Result<Option<String>> {
    if !out.is_json() {
        write!(
            out,
            "{}",
            if between { "Enter for the next hand, review or quit > " } else { "> " }
        )?;
    }
    out.flush()?;
    loop {
        match input.recv_timeout(Duration::from_millis(50)) {
            _ if is_stopped() => return Ok(None),
            Ok(line) => return Ok(Some(line?)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}

/// Writes a reply.
fn show(reply: &Reply, text: &mut TableText, out: &mut Output<'_>) -> anyhow::Result<()> {
    match reply {
        reply if out.is_json() => out.show_json(reply)?,
        Reply::Table(view) => {
            for line in text.news(view, &|cards| out.cards(cards)) {
                writeln!(out, "{line}")?;
            }
        }
        Reply::Hint(hint) => write_actions(hint, out)?,
        Reply::Review { decisions } => write_decisions(decisions, out)?,
        Reply::Score(score) => writeln!(out, "  score {score}")?,
        Reply::Refused { error } => writeln!(out, "  {error}")?,
        Reply::Help { help } => writeln!(out, "{help}")?,
        _ => {}
    }
    Ok(())
}

/// Writes what decisions of a hand were worth.
fn write_decisions(decisions: &[JudgedView], out: &mut Output<'_>) -> io::Result<()> {
    let rows = decisions.iter().map(|judged| {
        let plays = judged.advice.frequencies.iter().filter_map(|share| {
            let frequency = share.frequency.filter(|&frequency| frequency >= 0.005)?;
            Some(format!("{} {}", share.action.text, percent(frequency, 0)))
        });
        vec![
            judged.advice.street.clone(),
            judged.done.text.clone() + if judged.off_tree { " *" } else { "" },
            percent(judged.frequency, 0),
            or_dash(judged.loss_bb, |loss| format!("{loss:.2}")),
            plays.collect::<Vec<_>>().join(", "),
        ]
    });
    out.table(&["street", "you did", "agent does", "costs, bb", "agent's play"], rows)?;
    if decisions.iter().any(|judged| judged.off_tree) {
        writeln!(out, "{}", out.dim("* not one of the agent's sizes: judged by those beside it"))?;
    }
    Ok(())
}
