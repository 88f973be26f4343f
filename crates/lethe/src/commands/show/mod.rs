//! `lethe show`: a solved spot, walked by actions and dealt cards.

pub(super) mod grid;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use lethe_cards::Range;
use lethe_game::Player;
use lethe_kit::limits;
use lethe_kit::solution::{
    self, ClassRow, HandsView, NodeView, PositionRequest, PositionView, RunoutsView, Values,
};

use super::input::read;
use super::solving::{
    How, Watch, chips, ev_cells, ev_headings, explain, frequencies, of, or_dash, percent,
    write_actions,
};
use crate::output::{Output, Report};

/// Shows a solution: ranges, strategies and values after any line
///
/// A line is the betting with the dealt cards, from where the spot starts: x check, c call, f fold,
/// b50 bet 50, r150 raise to 150, a all-in, and after / the card of the next street, such as
/// 'x b94 c / Th x'. Without a line it shows the first decision.
///
/// EV is a hand's share of the pot from there on, in chips (and in big blinds where the spot says how
/// large these are); equity its share if all cards were dealt and shown at once; realised is
/// EV / (equity x pot). A hand that never reaches the node has no frequencies.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe show spots/toy-river.yaml
  lethe show spots/toy-river.yaml b100 --hand KsKh
  lethe show spots/srp-turn.yaml x --grid --classes
  lethe show spots/srp-turn.yaml 'x x' --runouts
  lethe show qjh.lethe 'x b94 c / Th' --grid")]
pub(crate) struct Args {
    /// A saved solution, by its file or name; or a spot file, which is solved first
    #[arg(value_name = "SOLUTION")]
    solution: PathBuf,
    /// The line to walk; -: each line of the standard input in turn
    #[arg(value_name = "LINE", default_value = "")]
    line: String,
    /// List these hands: two cards or a range
    #[arg(long, value_name = "HANDS")]
    hand: Option<String>,
    /// Draw the range as a grid of 13 by 13
    #[arg(long)]
    grid: bool,
    /// List made hands and draws
    #[arg(long)]
    classes: bool,
    /// After a street's last action: list every card that may come
    #[arg(long)]
    runouts: bool,
    /// Whose hands; left out: the player to act, or the opponent if only it can have the --hand
    #[arg(long, value_name = "PLAYER")]
    player: Option<Side>,
    /// The exploitability to reach where something is solved
    #[arg(long, value_name = "PERCENT", value_parser = limits::percent, default_value = "0.1%")]
    target: f64,
    #[command(flatten)]
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Side {
    Oop,
    Ip,
}

impl Report for PositionView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        write_node(&self.node, out)?;
        if let Some(view) = &self.grid {
            writeln!(out)?;
            grid::write(view, out)?;
        }
        if let Some(hands) = &self.hands {
            writeln!(out)?;
            write_hands(hands, out)?;
        }
        if let Some(classes) = &self.classes {
            writeln!(out)?;
            write_classes(classes.player, &classes.made, out)?;
            if !classes.draws.is_empty() {
                writeln!(out)?;
                write_classes("draws", &classes.draws, out)?;
            }
        }
        if let Some(runouts) = &self.runouts {
            writeln!(out)?;
            write_runouts(runouts, out)?;
        }
        Ok(())
    }
}

fn write_node(node: &NodeView, out: &mut Output<'_>) -> io::Result<()> {
    let line = if node.line.is_empty() { "(the first decision)" } else { &node.line };
    writeln!(out, "{}", out.bold(line))?;
    let acts = node
        .player
        .map_or_else(|| "a card is dealt".to_owned(), |player| format!("{player} to act"));
    let (pot, stacks) = (chips(node.pot), &node.stacks);
    writeln!(out, "{}  pot {pot}  stacks {}, {}  {acts}\n", node.board, stacks.oop, stacks.ip)?;
    let row = |name: &str| {
        let mut cells = vec![name.to_owned(), format!("{:.2}", of(&node.combos, name))];
        let bb = node.ev_bb.as_ref().map(|bb| of(bb, name));
        cells.extend(ev_cells(of(&node.ev, name), bb));
        cells.push(or_dash(of(&node.equity, name), percent));
        cells.push(or_dash(of(&node.realisation, name), percent));
        cells
    };
    let headings =
        ev_headings(&["player", "combos"], node.ev_bb.is_some(), &["equity", "realised"]);
    out.table(&headings, [row("oop"), row("ip")])?;
    if !node.actions.is_empty() {
        writeln!(out)?;
        write_actions(&node.actions, out)?;
    }
    Ok(())
}

/// EV, equity and realisation.
fn value_cells(values: &Values, bb: bool) -> Vec<String> {
    let mut cells = ev_cells(values.ev, bb.then_some(values.ev_bb));
    cells.extend([values.equity, values.realisation].map(|share| or_dash(share, percent)));
    cells
}

/// Writes a line for each hand.
fn write_hands(view: &HandsView, out: &mut Output<'_>) -> io::Result<()> {
    let bb = view.hands.iter().any(|row| row.values.ev_bb.is_some());
    let actions = view.hands.first().map_or(&[][..], |row| &row.actions);
    let evs: Vec<String> =
        actions.iter().map(|share| format!("EV {}", share.action.text)).collect();
    let mut last = vec!["equity", "realised"];
    last.extend(actions.iter().map(|share| share.action.text.as_str()));
    last.extend(evs.iter().map(String::as_str));
    let rows = view.hands.iter().map(|row| {
        let mut cells = vec![row.hand.clone(), format!("{:.4}", row.reach)];
        cells.extend(value_cells(&row.values, bb));
        cells.extend(frequencies(&row.actions));
        cells.extend(row.actions.iter().map(|share| or_dash(share.ev, chips)));
        cells
    });
    out.table(&ev_headings(&[view.player, "reach"], bb, &last), rows)
}

/// Writes a line for each class.
fn write_classes(title: &str, rows: &[ClassRow], out: &mut Output<'_>) -> io::Result<()> {
    let bb = rows.iter().any(|row| row.values.ev_bb.is_some());
    let actions = rows.first().map_or(&[][..], |row| &row.actions);
    let mut last = vec!["equity", "realised"];
    last.extend(actions.iter().map(|share| share.action.text.as_str()));
    let cells = rows.iter().map(|row| {
        let mut cells =
            vec![row.class.to_owned(), format!("{:.2}", row.combos), percent(row.share)];
        cells.extend(value_cells(&row.values, bb));
        cells.extend(frequencies(&row.actions));
        cells
    });
    out.table(&ev_headings(&[title, "combos", "share"], bb, &last), cells)
}

/// Writes a line for each card.
fn write_runouts(runouts: &RunoutsView, out: &mut Output<'_>) -> io::Result<()> {
    let actions = runouts.cards.first().map_or(&[][..], |row| &row.actions);
    let mut headings = vec!["card", "EV oop", "EV ip", "equity oop"];
    headings.extend(actions.iter().map(|share| share.action.text.as_str()));
    let rows = runouts.cards.iter().map(|row| {
        let mut cells = vec![row.card.clone(), or_dash(row.ev.oop, chips)];
        cells.extend([or_dash(row.ev.ip, chips), or_dash(row.equity.oop, percent)]);
        cells.extend(frequencies(&row.actions));
        cells
    });
    out.table(&headings, rows)
}

/// Shows what was asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let request = PositionRequest {
        player: args.player.map(|side| match side {
            Side::Oop => Player::Oop,
            Side::Ip => Player::Ip,
        }),
        hands: args.hand.as_deref().map(read::<Range>).transpose()?,
        grid: args.grid,
        classes: args.classes,
        runouts: args.runouts,
    };
    let (how, watch) = (args.how.to_target(args.target), Watch::new(out)?);
    let mut on_metrics = watch.on_metrics(how.stop);
    let solution =
        solution::open(&out.data().solution(&args.solution), &how, watch.job(), &mut on_metrics);
    let solution = solution.map_err(explain)?;
    if args.line == "-" {
        for line in io::stdin().lines() {
            let line = line?;
            let view =
                solution::view(&solution, &line, &request, &how, watch.job(), &mut on_metrics);
            out.show(&view.map_err(explain)?)?;
        }
        return Ok(());
    }
    let view = solution::view(&solution, &args.line, &request, &how, watch.job(), &mut on_metrics);
    let view = view.map_err(explain)?;
    drop(on_metrics);
    drop(watch);
    out.show(&view)
}
