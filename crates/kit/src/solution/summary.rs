//! Whole spots: how a solve ended, what a known strategy is worth, and the size of a tree.

use lethe_cards::Street;
use lethe_game::{Chips, NodeId, NodeKind, Player, Tree};
use lethe_solver::{Evaluation, Options, Precision, Solution, Solver, Spot, StopReason};
use serde::Serialize;

use crate::action::{self, ActionShare, ActionView, Both, shares};

/// How a solve ended.
#[derive(Clone, Debug, Serialize)]
pub struct SolveView {
    /// The board.
    pub board: String,
    /// The iterations done.
    pub iterations: u32,
    /// The time they took.
    pub seconds: f64,
    /// Why it stopped.
    pub stopped_by: StopReason,
    /// What keeps the exploitability from falling, where that is why it stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_by: Option<Limit>,
    /// The value of the strategies.
    #[serde(flatten)]
    pub values: EvaluationView,
    /// Where the value of the game to OOP provably lies, in chips; `None` with rake.
    pub bracket: Option<[f64; 2]>,
    /// The player to act at the start.
    pub player: &'static str,
    /// What this player does.
    pub actions: Vec<ActionShare>,
    /// The file it was saved to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved: Option<String>,
}

/// What keeps the exploitability of a solve from falling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Hands of one bucket are played alike.
    Buckets,
    /// Numbers are rounded.
    Rounding,
}

/// The value of a pair of strategies, as far as it was measured before a solve was cancelled.
#[derive(Clone, Debug, Serialize)]
pub struct EvaluationView {
    /// The pot at the start, in chips.
    pub pot: f64,
    /// What the players could gain by deviating, on average, in chips.
    pub exploitability: Option<f64>,
    /// The same in percent of the pot.
    pub exploitability_percent: Option<f64>,
    /// Each player's expected share of the pot, in chips.
    pub ev: Option<Both<f64>>,
    /// The same in big blinds, where their size is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev_bb: Option<Both<f64>>,
    /// Each player's share of the pot if all cards were dealt and shown at once.
    pub equity: Option<Both<f64>>,
    /// What each player's best response to the other wins, in chips.
    pub best_response: Option<Both<f64>>,
}

impl EvaluationView {
    /// What an evaluation found in a spot.
    pub fn of(spot: &Spot, found: &Evaluation) -> EvaluationView {
        EvaluationView::measured(spot, Some(found), Some(found.exploitability))
    }

    fn measured(
        spot: &Spot,
        found: Option<&Evaluation>,
        exploitability: Option<f64>,
    ) -> EvaluationView {
        let pot = spot.pot();
        let ev = found.map(|found| Both::from(found.ev));
        // Rounding can leave it a hair below zero.
        let exploitability = exploitability.map(|chips| chips.max(0.0));
        let big_blind = spot.tree().game().big_blind().map(f64::from);
        EvaluationView {
            pot,
            exploitability,
            exploitability_percent: exploitability.map(|chips| 100.0 * chips / pot),
            ev,
            ev_bb: ev.zip(big_blind).map(|(ev, big_blind)| ev.map(|ev| ev / big_blind)),
            equity: found.map(|found| found.equity.into()),
            best_response: found.map(|found| found.best_response.into()),
        }
    }
}

impl SolveView {
    /// How the solve of a solution ended; nothing is computed.
    pub fn of(solution: &Solution) -> SolveView {
        let (spot, report) = (solution.spot(), solution.report());
        let root = solution.root();
        let frequencies = root.frequencies();
        SolveView {
            board: spot.board().to_string(),
            iterations: report.iterations,
            seconds: report.elapsed.as_secs_f64(),
            stopped_by: report.reason,
            limited_by: (report.reason == StopReason::Plateau)
                .then(|| if solution.is_bucketed() { Limit::Buckets } else { Limit::Rounding }),
            values: EvaluationView::measured(
                spot,
                report.evaluation.as_ref(),
                report.exploitability,
            ),
            bracket: report.evaluation.and_then(|found| found.bracket),
            player: root.player().map_or("", |player| player.name()),
            actions: shares(&action::at(spot.tree(), spot.start()), frequencies.as_deref()),
            saved: None,
        }
    }
}

/// The size of a spot, and the memory that a solve takes.
#[derive(Clone, Debug, Serialize)]
pub struct TreeView {
    /// The board.
    pub board: String,
    /// The pot at the start, in chips.
    pub pot: Chips,
    /// The chips of each player behind.
    pub stack: Chips,
    /// The chips of a big blind, where the spot says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub big_blind: Option<Chips>,
    /// The hands of each range.
    pub hands: Both<usize>,
    /// The nodes of the betting tree.
    pub nodes: u64,
    /// The nodes by street.
    pub streets: Vec<StreetSize>,
    /// Decisions with every hand on every runout.
    pub information_sets: u64,
    /// The bytes of a solve.
    pub memory: MemoryView,
    /// The first nodes of the tree, depth first.
    pub outline: Vec<OutlineRow>,
}

/// The nodes of one street.
#[derive(Clone, Debug, Serialize)]
pub struct StreetSize {
    /// The street.
    pub street: &'static str,
    /// Nodes where a player acts.
    pub decisions: u64,
    /// Actions of all decisions.
    pub actions: u64,
    /// Nodes where the hand ends.
    pub terminals: u64,
    /// Decisions with every hand on every runout.
    pub information_sets: u64,
}

/// The bytes of a solve, by precision.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MemoryView {
    /// Numbers of 32 bits.
    pub f32: u64,
    /// Numbers of 16 bits.
    pub i16: u64,
}

/// A node of a tree.
#[derive(Clone, Debug, Serialize)]
pub struct OutlineRow {
    /// How many actions and deals lead to it.
    pub depth: usize,
    /// Its number.
    pub node: u64,
    /// The action that leads to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<ActionView>,
    /// Who acts there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<&'static str>,
    /// The pot with all chips put in.
    pub pot: Chips,
    /// All of this for people.
    pub text: String,
}

impl TreeView {
    /// The size of a spot, with the nodes at most `depth` steps from the root.
    pub fn of(spot: &Spot, depth: usize) -> TreeView {
        let tree = spot.tree();
        let streets = sizes(spot);
        let memory =
            |precision| Solver::memory(spot, &Options { precision, ..Options::default() }).total();
        let mut outline = Vec::new();
        rows(tree, tree.root(), None, (0, depth), &mut outline);
        for (row, text) in outline.iter_mut().zip(tree.outline(depth).to_string().lines()) {
            row.text = text.trim_start().to_owned();
        }
        TreeView {
            board: spot.board().to_string(),
            pot: tree.game().pot(),
            stack: tree.game().stack(),
            big_blind: tree.game().big_blind(),
            hands: hands(spot).into(),
            nodes: tree.counts().nodes(),
            information_sets: streets.iter().map(|street| street.information_sets).sum(),
            streets,
            memory: MemoryView { f32: memory(Precision::F32), i16: memory(Precision::I16) },
            outline,
        }
    }
}

fn rows(
    tree: &Tree,
    node: NodeId,
    action: Option<ActionView>,
    (depth, most): (usize, usize),
    out: &mut Vec<OutlineRow>,
) {
    out.push(OutlineRow {
        depth,
        node: node.number(),
        action,
        player: tree.node(node).player().map(|player| player.name()),
        pot: tree.pot(node),
        text: String::new(),
    });
    if depth < most {
        let mut actions = action::at(tree, node).into_iter();
        for &child in tree.children(node) {
            rows(tree, child, actions.next(), (depth + 1, most), out);
        }
    }
}

/// The hands of each range.
fn hands(spot: &Spot) -> [usize; 2] {
    Player::BOTH.map(|player| spot.weights(player).iter().filter(|&&weight| weight > 0.0).count())
}

fn sizes(spot: &Spot) -> Vec<StreetSize> {
    let first = spot.board().cards().len();
    // How often each hand meets a street: the ordered runouts that leave it.
    let runouts = |street: Street| -> u64 {
        (first..street.board_len()).map(|dealt| 52 - 2 - dealt as u64).product()
    };
    let hands = hands(spot).map(|count| count as u64);
    let tree = spot.tree();
    let size = |street: Street| {
        let deciders = tree.ids().filter_map(|id| match tree.node(id).kind() {
            NodeKind::Decision(player) if tree.node(id).street() == street => Some(player),
            _ => None,
        });
        let sets: u64 = deciders.map(|player| hands[player.index()]).sum();
        let counts = tree.counts().of(street);
        StreetSize {
            street: street.name(),
            decisions: counts.decisions,
            actions: counts.actions,
            terminals: counts.terminals(),
            information_sets: sets.saturating_mul(runouts(street)),
        }
    };
    let streets = Street::POSTFLOP.into_iter().filter(|street| street.board_len() >= first);
    streets.map(size).collect()
}
