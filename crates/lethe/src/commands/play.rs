//! `lethe play`: a person against the agent, in the terminal.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::Context;
use lethe_agent::Agent;
use lethe_cards::parse_cards;
use lethe_game::Chips;
use lethe_kit::Error;
use lethe_kit::text::{or_dash, percent};
use lethe_play::{
    AdviceView, Baseline, JudgedView, Legal, PlayError, Rate, ResultView, Session, SessionConfig,
    SessionScore, TableView, Who,
};
use serde::Serialize;

use super::advise::write_actions;
use super::agents::AgentArgs;
use super::exploitability::verified;
use super::input::count_in;
use super::training;
use crate::error::InputError;
use crate::output::{Output, Report};
use crate::progress::{Bars, is_stopped};

/// Plays against you in the terminal
///
/// You and the agent play heads-up hands in the game of a run; seats alternate and stacks start anew. Act as
/// players write it: f, x, c, b 300, r 750, r 2.5x, 50%, half pot, pot, allin. Other words: hint shows what the
/// agent would do in your place, with values; after a hand, review lists what each of your decisions cost;
/// score, help and quit do what they say.
///
/// The agent plays the blueprint until the turn and solves the rest of each hand from there on. The score is
/// in big blinds per 100 hands, raw and, where values are stored (`lethe values`), with luck removed. Ctrl-C
/// ends the session; finished hands count.
///
/// Input may come from a file or another program as well, one word or action per line; with --json every
/// answer is a line of JSON.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe play
  lethe play quick --seed 7
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
    /// The stacks, in chips, up to those of the blueprint [default: those of the blueprint]
    #[arg(long, value_name = "CHIPS")]
    stack: Option<Chips>,
    #[command(flatten)]
    agent: AgentArgs,
}

const HELP: &str = "\
f fold   x check   c call   b 300 bet 300   r 750 raise to 750   r 2.5x   50%   half pot   pot   allin
hint    what the agent would do in your place      review  what your decisions in the last hand cost
score   what you have won                          quit    end the session";

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
    let verified = verified(&blueprint, out)?;
    let stored = || blueprint.values().map_err(Error::from);
    let values = stored()?;
    let baseline = values.as_ref().map(|v| Baseline::new(verified.plan(), &verified, v));
    let agent = Agent::new(&verified, args.agent.config(seed)).with_values(stored()?);
    let (bars, pool) = (Bars::new(), out.pool()?);
    let job = bars.job_on(&pool);
    out.note(format_args!("{}, seed {seed}; help lists what can be typed", name.display()))?;
    let mut table = Table { session, input: lines(), shown: (0, 0, String::new()) };
    let ended = loop {
        match table.hand(&agent, baseline.as_ref(), job.silent(), out) {
            Ok(true)
                if args
                    .hands
                    .is_none_or(|hands| table.session.finished().len() < hands as usize) => {}
            Ok(_) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    bars.finish();
    match ended {
        Err(error) if !error.downcast_ref().is_some_and(PlayError::is_cancelled) => Err(error),
        _ => Ok(out.show(&table.session.score())?),
    }
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

struct Table {
    session: Session,
    input: Receiver<io::Result<String>>,
    /// The hand, how many of its actions and which board have been written.
    shown: (u64, usize, String),
}

impl Table {
    /// Plays a hand; false if the session is to end.
    fn hand(
        &mut self,
        agent: &Agent<'_>,
        baseline: Option<&Baseline<'_>>,
        job: lethe_compute::Job<'_>,
        out: &mut Output<'_>,
    ) -> anyhow::Result<bool> {
        self.session.deal()?;
        loop {
            self.session.answer(agent, job)?;
            self.show(out)?;
            if !self.session.is_playing() {
                break;
            }
            let Some(line) = self.line(out)? else { return Ok(false) };
            match line.as_str() {
                "" => {}
                "quit" | "q" | "exit" => return Ok(false),
                "hint" => {
                    let hint = self.session.hint(agent, job)?;
                    if out.is_json() { out.show(&hint)? } else { write_actions(&hint, out)? }
                }
                words if self.told(words, agent, job, out)? => {}
                words => match self.session.act(words) {
                    Err(PlayError::Words(error)) => {
                        out.show(&Refused { error: error.to_string() })?
                    }
                    acted => drop(acted?),
                },
            }
        }
        self.session.settle(agent, baseline, job)?;
        out.show(&self.session.score())?;
        loop {
            if !out.is_json() {
                writeln!(out, "{}", out.dim("Enter for the next hand, review, or quit"))?;
            }
            let Some(line) = self.line(out)? else { return Ok(false) };
            match line.as_str() {
                "" | "next" | "n" => return Ok(true),
                "quit" | "q" | "exit" => return Ok(false),
                words if self.told(words, agent, job, out)? => {}
                words => out
                    .show(&Refused { error: format!("'{words}' is not possible between hands") })?,
            }
        }
    }

    /// Answers words that are possible at any time; false if these are none.
    fn told(
        &self,
        words: &str,
        agent: &Agent<'_>,
        job: lethe_compute::Job<'_>,
        out: &mut Output<'_>,
    ) -> anyhow::Result<bool> {
        match words {
            "help" | "?" => writeln!(out, "{HELP}")?,
            "score" => out.show(&self.session.score())?,
            "review" => match self.session.review(None, agent, job) {
                Ok(decisions) => out.show(&ReviewView { decisions })?,
                Err(error @ PlayError::NotFinished) => {
                    out.show(&Refused { error: error.to_string() })?;
                }
                Err(error) => return Err(error.into()),
            },
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The next line, in lower case; `None` at the end of the input or when asked to stop.
    fn line(&self, out: &mut Output<'_>) -> anyhow::Result<Option<String>> {
        if !out.is_json() {
            write!(out, "> ")?;
        }
        out.flush()?;
        loop {
            match self.input.recv_timeout(Duration::from_millis(50)) {
                _ if is_stopped() => return Ok(None),
                Ok(line) => return Ok(Some(line?.trim().to_lowercase())),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    /// Writes what happened since the last time.
    fn show(&mut self, out: &mut Output<'_>) -> anyhow::Result<()> {
        let Some(view) = self.session.table() else { return Ok(()) };
        if out.is_json() {
            return out.show(&view);
        }
        if self.shown.0 != view.number {
            self.shown = (view.number, 0, String::new());
            let hole = cards(out, &view.hole);
            let number = out.bold(format_args!("hand {}", view.number));
            writeln!(out, "\n{number}  you are the {} with {hole}", view.seat)?;
        }
        for acted in &view.actions[self.shown.1..] {
            let who = if acted.by == Who::You { "you" } else { "lethe" };
            writeln!(out, "  {who}: {}", acted.action.text)?;
        }
        self.shown.1 = view.actions.len();
        if self.shown.2 != view.board {
            let board = cards(out, &view.board);
            writeln!(out, "{} {board}", view.street)?;
            self.shown.2.clone_from(&view.board);
        }
        match (&view.result, &view.legal) {
            (Some(result), _) => write_result(&view, result, out)?,
            (None, Some(legal)) => write_turn(&view, legal, out)?,
            (None, None) => {}
        }
        Ok(())
    }
}

fn cards(out: &Output<'_>, text: &str) -> String {
    out.cards(&parse_cards(text).unwrap_or_default())
}

/// Writes pot, stacks and what may be done.
fn write_turn(view: &TableView, legal: &Legal, out: &mut Output<'_>) -> io::Result<()> {
    let TableView { pot, stacks, .. } = view;
    let call = or_dash(legal.call, |call| format!("call {call}"));
    let passive = if legal.check { "check".to_owned() } else { format!("fold, {call}") };
    let verb = if legal.bet { "bet" } else { "raise to" };
    let sizes = match (legal.least, legal.most) {
        (Some(least), Some(most)) if least < most => format!(", {verb} {least} to {most}"),
        (Some(_), Some(most)) => format!(", {verb} {most} (all-in)"),
        _ => String::new(),
    };
    let chips = out.dim(format_args!("pot {pot}, you {}, lethe {}", stacks.you, stacks.agent));
    writeln!(out, "  {chips}  {passive}{sizes}")
}

fn write_result(view: &TableView, result: &ResultView, out: &mut Output<'_>) -> io::Result<()> {
    if let (Some(hole), Some(yours), Some(agents)) =
        (&view.agents_hole, &result.your_hand, &result.agents_hand)
    {
        let hole = cards(out, hole);
        writeln!(out, "  you show {yours}, lethe shows {hole}, {agents}")?;
    }
    let (won, bb) = (result.won, result.won_bb);
    match won {
        0 => writeln!(out, "  the pot is split"),
        1.. => writeln!(out, "  you win {won} chips ({bb:+.1} bb)"),
        _ => writeln!(out, "  you lose {} chips ({bb:+.1} bb)", -won),
    }
}

/// Words that were not understood, or an action that is not legal.
#[derive(Serialize)]
struct Refused {
    error: String,
}

impl Report for Refused {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        writeln!(out, "  {}", self.error)
    }
}

impl Report for TableView {
    fn write_text(&self, _: &mut Output<'_>) -> io::Result<()> {
        unreachable!("written by Table::show, which knows what was written before")
    }
}

impl Report for SessionScore {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let rate = |rate: &Rate| {
            let half = rate.interval_bb100.map_or(String::new(), |half| format!(" ± {half:.0}"));
            format!("{:+.0}{half}", rate.bb100)
        };
        let SessionScore { hands, won_bb, .. } = self;
        let Some(raw) = &self.raw else { return writeln!(out, "  score: no hand is over") };
        let raw = rate(raw);
        let less = self
            .luck_removed
            .as_ref()
            .map_or(String::new(), |less| format!(", with luck removed {}", rate(less)));
        writeln!(out, "  score after {hands} hands: {won_bb:+.1} bb, {raw} bb/100{less}")
    }
}

/// What the decisions of a hand were worth.
#[derive(Serialize)]
struct ReviewView {
    decisions: Vec<JudgedView>,
}

impl Report for ReviewView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let rows = self.decisions.iter().map(|judged| {
            let AdviceView { street, frequencies, .. } = &judged.advice;
            let played =
                |share: &&lethe_kit::action::ActionShare| share.frequency.unwrap_or(0.0) >= 0.005;
            let plays = frequencies.iter().filter(played).map(|share| {
                format!("{} {}", share.action.text, percent(share.frequency.unwrap_or(0.0), 0))
            });
            vec![
                street.clone(),
                judged.done.text.clone() + if judged.off_tree { " *" } else { "" },
                percent(judged.frequency, 0),
                or_dash(judged.loss_bb, |loss| format!("{loss:.2}")),
                plays.collect::<Vec<_>>().join(", "),
            ]
        });
        out.table(&["street", "you did", "agent does", "costs, bb", "agent's play"], rows)?;
        if self.decisions.iter().any(|judged| judged.off_tree) {
            let note = "* not one of the agent's sizes: judged by those beside it";
            writeln!(out, "{}", out.dim(note))?;
        }
        Ok(())
    }
}
