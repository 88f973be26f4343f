//! `lethe strategy`: what a blueprint does at any decision.

use std::io::{self, Write};
use std::path::PathBuf;

use lethe_cards::{Board, Hole, StartingHand};
use lethe_game::InfoKey;
use lethe_kit::action::ActionShare;
use lethe_kit::strategy::{
    BucketGroup, BucketStrategy, HandView, Question, StrategyView, ValuesSource, ask, ask_key,
};
use lethe_kit::text::{counted, or_dash, percent, thousands};

use super::input::read;
use super::show::grid;
use super::training::{self, BLUEPRINT_HELP, Checkpoint};
use crate::error::InputError;
use crate::output::{Output, Report};

/// Shows what a blueprint does: the frequencies of all actions at any decision
///
/// The decision is named by the line before it: f fold, x check, c call, b300 bet 300, r250 raise to
/// 250, a all-in, and / where the next street is dealt, such as 'r250 c / x b300'. Amounts are the
/// player's total on that street, in chips; lethe lists what is possible where a line is not. The
/// cards of the board may follow each /.
///
/// Before the flop it shows the range as a grid. After it: without a board all buckets, with one all
/// hands on it as a grid, with a hand as well that hand. Hands are weighted by how often the player
/// reaches the decision with them, buckets without a board by how often they are dealt.
///
/// Where values were stored (`lethe values`), what hands win stands beside the frequencies, in big blinds
/// counted from the chips before ante and blinds: every action of every starting hand before the flop, and
/// every bucket at the first decision of a street. A dash means that it is not known.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe strategy quick
  lethe strategy quick r250 --hand AhKd
  lethe strategy quick 'r250 c / x'
  lethe strategy quick 'r250 c /' --board Th9h8c --hand AhKd
  lethe strategy quick 'r250 c / Th9h8c x' --hands
  lethe strategy quick --key 4042b800000000db")]
pub(crate) struct Args {
    #[arg(value_name = "BLUEPRINT", help = BLUEPRINT_HELP)]
    blueprint: PathBuf,
    /// The line before the decision [default: the first decision of the hand]
    #[arg(value_name = "LINE")]
    line: Vec<String>,
    /// Which checkpoint of the run
    #[arg(long, value_name = "NAME", default_value = "latest")]
    checkpoint: Checkpoint,
    /// One hand of the player to act: two cards, or before the flop a starting hand such as AKs
    #[arg(long, value_name = "HAND")]
    hand: Option<String>,
    /// The board at the decision
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    /// List all hands on the board one by one
    #[arg(long, conflicts_with = "hand")]
    hands: bool,
    /// List every bucket by itself, however many there are
    #[arg(long)]
    all: bool,
    /// An information set by its key instead of a line
    #[arg(long, value_name = "KEY", conflicts_with_all = ["line", "hand", "board", "hands", "all"])]
    key: Option<String>,
}

/// The rows of the table of buckets unless every bucket is asked for.
const ROWS: usize = 40;

/// Shows what was asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let key = args.key.as_deref().map(|key| key.trim().parse::<InfoKey>());
    let key = key.transpose().map_err(InputError::new)?;
    let question = Question {
        line: &args.line.join(" "),
        board: args.board.as_deref().map(read::<Board>).transpose()?,
        hole: args.hand.as_deref().map(read_hand).transpose()?,
        hands: args.hands,
    };
    let blueprint = training::open(&args.blueprint, args.checkpoint, out)?;
    let view = match key {
        Some(key) => ask_key(&blueprint, key)?,
        None => ask(&blueprint, &question)?,
    };
    match args.all && !out.is_json() {
        true => Ok(write(&view, usize::MAX, out)?),
        false => out.show(&view),
    }
}

/// Reads a hand: two cards, or a starting hand such as AKs, all of whose holes are played alike
/// before the flop.
fn read_hand(text: &str) -> Result<Hole, InputError> {
    let named = StartingHand::all().find(|hand| hand.to_string() == text.trim());
    match named.and_then(|hand| hand.holes().next()) {
        Some(hole) => Ok(hole),
        None => read(text),
    }
}

impl Report for StrategyView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        write(self, ROWS, out)
    }
}

fn write(view: &StrategyView, rows: usize, out: &mut Output<'_>) -> io::Result<()> {
    write_head(view, out)?;
    if let Some(hand) = &view.hand {
        return write_hand(hand, &view.actions, out);
    }
    let row = |s: &ActionShare| vec![s.action.text.clone(), frequency(s)];
    out.table(&["action", "frequency"], view.actions.iter().map(row))?;
    if let Some(view) = &view.grid {
        writeln!(out)?;
        grid::write(view, out)?;
        if view.cells.iter().any(|cell| cell.ev_bb.is_some()) {
            writeln!(out)?;
            grid::write_values(view, out)?;
        }
    }
    if let Some(hands) = &view.hands {
        writeln!(out)?;
        write_hands(hands, &view.actions, out)?;
    }
    match &view.buckets {
        Some(buckets) => write_buckets(buckets, &view.actions, rows, out),
        None => Ok(()),
    }
}

fn frequency(share: &ActionShare) -> String {
    or_dash(share.frequency, |frequency| percent(frequency, 2))
}

fn write_head(view: &StrategyView, out: &mut Output<'_>) -> io::Result<()> {
    let history = if view.history.is_empty() { "(the first decision)" } else { &view.history };
    writeln!(out, "{}", out.bold(history))?;
    let board = view.board.map_or_else(String::new, |board| format!(" {board}"));
    let StrategyView { street, pot, player, to_call, stacks, node, .. } = view;
    writeln!(
        out,
        "{street}{board}  pot {pot}  stacks sb {}, bb {}  {player} to act, {to_call} to call",
        stacks.sb, stacks.bb
    )?;
    let reach = view.reach.map_or_else(String::new, |reach| {
        format!("  {player} reaches this node with {} of hands", percent(reach, 2))
    });
    let facts = out.dim(format_args!(
        "node {node}  game {}  after {} iterations{reach}",
        view.game_hash,
        thousands(view.iterations)
    ));
    writeln!(out, "{facts}")?;
    if let Some(ValuesSource { flops, exact }) = view.values {
        let flops = match (exact, flops) {
            (true, _) => "exact before the flop".to_owned(),
            (false, flops) => format!("from {}", counted(flops as usize, "flop")),
        };
        writeln!(out, "{}", out.dim(format_args!("values: net of the whole hand, {flops}")))?;
    }
    writeln!(out)
}

/// Writes one hand beside all of them.
fn write_hand(hand: &HandView, all: &[ActionShare], out: &mut Output<'_>) -> io::Result<()> {
    let untrained = if hand.trained { "" } else { "  (never trained: even)" };
    let HandView { hand: name, bucket, key, reach, .. } = hand;
    let reach = percent(*reach, 2);
    writeln!(out, "{name}  bucket {bucket}  key {key}  reaches this node {reach}{untrained}\n")?;
    if hand.ev_bb.is_some() {
        let interval = interval_bb(hand.ev, hand.ev_bb, hand.ev_interval);
        writeln!(out, "wins {} bb\n", value(hand.ev_bb, interval))?;
    }
    let has_values = hand.actions.iter().any(|share| share.ev_bb.is_some());
    let rows = hand.actions.iter().zip(all).map(|(own, all)| {
        let interval = interval_bb(own.ev, own.ev_bb, own.ev_interval);
        let ev = has_values.then(|| value(own.ev_bb, interval));
        let first = [own.action.text.clone(), frequency(own)].into_iter();
        first.chain(ev).chain([frequency(all)]).collect()
    });
    let headings = ["action", name].into_iter().chain(has_values.then_some("wins, bb"));
    out.table(&headings.chain(["all hands"]).collect::<Vec<_>>(), rows)
}

/// A value in big blinds with its interval.
fn value(value: Option<f64>, interval: Option<f64>) -> String {
    or_dash(value, |value| match interval {
        Some(interval) if interval > 0.0 => format!("{value:.3} ± {interval:.3}"),
        _ => format!("{value:.3}"),
    })
}

/// The interval of a value that is given in chips and in big blinds, in big blinds.
fn interval_bb(ev: Option<f64>, ev_bb: Option<f64>, interval: Option<f64>) -> Option<f64> {
    let (ev, ev_bb) = ev.filter(|&ev| ev != 0.0).zip(ev_bb)?;
    interval.map(|interval| interval * ev_bb / ev)
}

/// Headings that end in the actions, with a column for values before them.
fn headings<'a>(first: [&'a str; 3], has_values: bool, actions: &'a [ActionShare]) -> Vec<&'a str> {
    let values = has_values.then_some("wins, bb");
    let actions = actions.iter().map(|share| share.action.text.as_str());
    first.into_iter().chain(values).chain(actions).collect()
}

fn write_hands(
    hands: &[HandView],
    actions: &[ActionShare],
    out: &mut Output<'_>,
) -> io::Result<()> {
    let has_values = hands.iter().any(|hand| hand.ev_bb.is_some());
    let rows = hands.iter().map(|row| {
        let mut first = vec![row.hand.clone(), row.bucket.to_string(), percent(row.reach, 2)];
        first.extend(has_values.then(|| value(row.ev_bb, None)));
        [first, row.actions.iter().map(frequency).collect()].concat()
    });
    out.table(&headings(["hand", "bucket", "reach"], has_values, actions), rows)
}

fn write_buckets(
    buckets: &[BucketStrategy],
    actions: &[ActionShare],
    most: usize,
    out: &mut Output<'_>,
) -> io::Result<()> {
    writeln!(out)?;
    if let [only] = buckets
        && let Some(key) = &only.key
    {
        writeln!(out, "key {key}")?;
    }
    let rows = buckets.len().min(most);
    let part = |i: usize| i * buckets.len() / rows.max(1);
    let groups = (0..rows).filter_map(|i| BucketGroup::of(&buckets[part(i)..part(i + 1)]));
    let share = |share: f64| percent(share, 2);
    let has_values = buckets.iter().any(|bucket| bucket.ev_bb.is_some());
    let rows = groups.map(|group| {
        let name = match group.buckets {
            [first, last] if first == last => first.to_string(),
            [first, last] => format!("{first}-{last}"),
        };
        let mut first = vec![name, or_dash(group.share, share), or_dash(group.equity, share)];
        first.extend(has_values.then(|| value(group.ev_bb, None)));
        [first, group.frequencies.iter().map(|&x| share(x)).collect()].concat()
    });
    out.table(&headings(["bucket", "deals", "equity"], has_values, actions), rows)?;
    let untrained = buckets.iter().filter(|bucket| !bucket.trained).count();
    if untrained > 0 {
        let note = format!("\nnever trained, and therefore even: {untrained} of these buckets");
        writeln!(out, "{}", out.dim(note))?;
    }
    Ok(())
}
