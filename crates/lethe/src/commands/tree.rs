//! `lethe tree`: the betting tree of a spot and what a solve of it will take.

use std::io::{self, Write};
use std::path::PathBuf;

use lethe_cards::Street;
use lethe_game::{Counts, NodeKind, Player, Tree};
use lethe_solver::{Memory, Options, Precision, Solver, Spot};
use serde::Serialize;

use super::solving::Both;
use super::solving::spot_file::SpotFile;
use crate::output::{Output, Report, bytes, thousands};

/// The betting tree of a spot, its size, and the memory a solve will take
///
/// Nothing is solved and nothing large is allocated. Nodes are counted once, whatever cards are
/// dealt; information sets once for every runout and hand. Runouts that differ only in the names of
/// suits share memory where the ranges allow it.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe tree spots/toy-river.yaml
  lethe tree spots/3bet-QsJh2h.yaml --depth 2
  lethe tree spots/srp-turn.yaml --depth 0 --json")]
pub(crate) struct Args {
    /// The spot file
    #[arg(value_name = "SPOT")]
    spot: PathBuf,
    /// How many actions deep to print the tree
    #[arg(long, value_name = "N", default_value_t = 4)]
    depth: usize,
}

/// The size of a spot.
#[derive(Debug, Serialize)]
struct Answer {
    board: String,
    pot: u32,
    stack: u32,
    hands: Both<usize>,
    nodes: u64,
    streets: Vec<StreetSize>,
    information_sets: u64,
    memory: Memories,
    outline: Vec<String>,
}

/// The nodes of one street.
#[derive(Debug, Serialize)]
struct StreetSize {
    street: &'static str,
    decisions: u64,
    actions: u64,
    terminals: u64,
    information_sets: u64,
}

/// The bytes of a solve, by precision.
#[derive(Debug, Serialize)]
struct Memories {
    f32: u64,
    i16: u64,
}

impl Report for Answer {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        for line in &self.outline {
            writeln!(out, "{line}")?;
        }
        writeln!(out)?;
        let rows: Vec<Vec<String>> = self
            .streets
            .iter()
            .map(|s| {
                let counts = [s.decisions, s.actions, s.terminals, s.information_sets];
                let counts = counts.into_iter().map(|count| thousands(count.into()));
                std::iter::once(s.street.to_owned()).chain(counts).collect()
            })
            .collect();
        out.table(&["street", "decisions", "actions", "ends", "information sets"], &rows)?;
        writeln!(out)?;
        let free = super::solving::limits::free_memory();
        let free = free.map_or_else(String::new, |free| format!(", {} free here", bytes(free)));
        out.pairs(&[
            ("board", self.board.clone()),
            ("pot, stack", format!("{}, {}", self.pot, self.stack)),
            ("hands", format!("{} oop, {} ip", self.hands.oop, self.hands.ip)),
            ("nodes", thousands(self.nodes.into())),
            ("information sets", thousands(self.information_sets.into())),
            (
                "memory",
                format!(
                    "{} as f32, {} as i16{free}",
                    bytes(self.memory.f32),
                    bytes(self.memory.i16)
                ),
            ),
        ])
    }
}

/// How many times each hand meets a street: the runouts that leave it, in order.
fn runouts(first: usize, street: Street) -> u64 {
    (first..street.board_len()).map(|dealt| 52 - 2 - dealt as u64).product()
}

fn sizes(spot: &Spot, counts: &Counts) -> Vec<StreetSize> {
    let first = spot.board().cards().len();
    let hands = hands(spot).map(|count| count as u64);
    let tree = spot.tree();
    let streets = Street::POSTFLOP.into_iter().filter(|street| street.board_len() >= first);
    streets
        .map(|street| {
            let deciders = tree.ids().filter_map(|id| match tree.node(id).kind() {
                NodeKind::Decision(player) if tree.node(id).street() == street => Some(player),
                _ => None,
            });
            let sets: u64 = deciders.map(|player| hands[player.index()]).sum();
            let counts = counts.of(street);
            StreetSize {
                street: street.name(),
                decisions: counts.decisions,
                actions: counts.actions,
                terminals: counts.terminals(),
                information_sets: sets.saturating_mul(runouts(first, street)),
            }
        })
        .collect()
}

fn hands(spot: &Spot) -> [usize; 2] {
    Player::BOTH.map(|player| spot.weights(player).iter().filter(|&&weight| weight > 0.0).count())
}

/// The bytes of a solve with the options as they are, in one precision.
pub(super) fn memory(spot: &Spot, precision: Precision) -> Memory {
    Solver::memory(spot, &Options { precision, ..Options::default() })
}

/// The first lines of the tree's outline.
fn outline(tree: &Tree, depth: usize) -> Vec<String> {
    tree.outline(depth).to_string().lines().map(str::to_owned).collect()
}

/// Prints the tree asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let spot = SpotFile::read(&args.spot)?.spot()?;
    let tree = spot.tree();
    let streets = sizes(&spot, tree.counts());
    out.show(&Answer {
        board: spot.board().to_string(),
        pot: tree.game().pot(),
        stack: tree.game().stack(),
        hands: hands(&spot).into(),
        nodes: tree.counts().nodes(),
        information_sets: streets.iter().map(|street| street.information_sets).sum(),
        streets,
        memory: Memories {
            f32: memory(&spot, Precision::F32).total(),
            i16: memory(&spot, Precision::I16).total(),
        },
        outline: outline(tree, args.depth),
    })
}
