//! A position of a solution: the node, both ranges, and what else is asked for.

use lethe_cards::Range;
use lethe_compute::Job;
use lethe_game::{Chips, NodeKind, Player};
use lethe_solver::{HandView, Position, Solution, Solver};
use serde::Serialize;

use super::{
    ClassesView, HandsView, OnMetrics, RunoutsView, SolutionError, SolveOptions, take, visit,
};
use crate::action::{self, ActionShare, Both, shares};
use crate::grid::{Combo, GridView};
use crate::line;
use crate::spot::in_big_blinds;

/// What to show of a position beside its summary.
#[derive(Clone, Debug, Default)]
pub struct PositionRequest {
    /// Whose hands; `None` for those of the player to act, or of the opponent if only it can have the
    /// hands to list.
    pub player: Option<Player>,
    /// The hands to list one by one.
    pub hands: Option<Range>,
    /// Whether to show the range as a grid.
    pub grid: bool,
    /// Whether to list made hands and draws.
    pub classes: bool,
    /// Whether to list every card that may be dealt.
    pub runouts: bool,
}

/// A position and what was asked for.
#[derive(Clone, Debug, Serialize)]
pub struct PositionView {
    /// The summary.
    #[serde(flatten)]
    pub node: NodeView,
    /// Some hands one by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hands: Option<HandsView>,
    /// The range as a grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grid: Option<GridView>,
    /// The range by made hands and draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<ClassesView>,
    /// Every card that may be dealt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runouts: Option<RunoutsView>,
}

/// The summary of a node: pot, stacks, who acts, both ranges and the actions.
#[derive(Clone, Debug, Serialize)]
pub struct NodeView {
    /// The betting and the dealt cards before it.
    pub line: String,
    /// The board.
    pub board: String,
    /// The pot with all chips put in.
    pub pot: f64,
    /// The chips each player has left.
    pub stacks: Both<Chips>,
    /// Who acts; `None` where a card is dealt.
    pub player: Option<&'static str>,
    /// The weight of each player's hands here.
    pub combos: Both<f64>,
    /// Each player's expected share of the pot from here on, in chips.
    pub ev: Both<Option<f64>>,
    /// The same in big blinds, where their size is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev_bb: Option<Both<Option<f64>>>,
    /// Each player's share of the pot if all cards were dealt and shown at once.
    pub equity: Both<Option<f64>>,
    /// EV as a share of equity times pot.
    pub realisation: Both<Option<f64>>,
    /// How often each action is taken.
    pub actions: Vec<ActionShare>,
}

/// The position that a line leads to.
pub fn view(
    solution: &Solution,
    line: &str,
    request: &PositionRequest,
    how: &SolveOptions,
    job: Job<'_>,
    on_metrics: OnMetrics<'_>,
) -> Result<PositionView, SolutionError> {
    let first = solution.spot().board().cards().len();
    visit(solution, line, how, job, on_metrics, &mut |position, on_metrics| {
        PositionView::of(position, first, request, how, job, on_metrics)
    })
}

/// The position that a line leads to in a solver as it is, between two iterations.
pub fn view_solver(
    solver: &Solver,
    line: &str,
    request: &PositionRequest,
    how: &SolveOptions,
    job: Job<'_>,
) -> Result<PositionView, SolutionError> {
    let first = solver.spot().board().cards().len();
    let steps = line::steps(line.trim_end_matches(['/', ' ']));
    let position =
        steps.iter().try_fold(solver.root(), |position, step| take(position, step, line))?;
    PositionView::of(&position, first, request, how, job, &mut |_| ())
}

impl PositionView {
    fn of(
        position: &Position<'_>,
        first: usize,
        request: &PositionRequest,
        how: &SolveOptions,
        job: Job<'_>,
        on_metrics: OnMetrics<'_>,
    ) -> Result<PositionView, SolutionError> {
        match position.kind() {
            NodeKind::Fold(_) => return Err(SolutionError::Over("fold")),
            NodeKind::Showdown => return Err(SolutionError::Over("showdown")),
            NodeKind::Decision(_) if request.runouts => return Err(SolutionError::NoDeal),
            _ => {}
        }
        let acting = position.player().unwrap_or(Player::Oop);
        let holds = |player| match &request.hands {
            Some(hands) => HandsView::has_any(position, player, hands),
            None => true,
        };
        // Hands that only the opponent can have are the opponent's.
        let other = acting.opponent();
        let listed = if !holds(acting) && holds(other) { other } else { acting };
        let player = request.player.unwrap_or(listed);
        let all = [position.hands(Player::Oop, job)?, position.hands(Player::Ip, job)?];
        let own = &all[player.index()];
        let acts = position.player() == Some(player);
        let actions = action::at(position.tree(), position.node());
        let actions = if acts { &actions[..] } else { &[] };
        let board = position.board();
        Ok(PositionView {
            node: NodeView::of(position, &all, first),
            hands: match &request.hands {
                Some(range) => Some(HandsView::of(position, player, own, range, job)?),
                None => None,
            },
            grid: request.grid.then(|| {
                let combos: Vec<Combo<'_>> = own.iter().map(combo).collect();
                GridView::of(player.name(), &combos, actions, &board)
            }),
            classes: request.classes.then(|| ClassesView::of(position, player, own, actions)),
            runouts: match request.runouts {
                true => Some(RunoutsView::of(position, how, job, on_metrics)?),
                false => None,
            },
        })
    }
}

impl NodeView {
    /// The summary of a position, given both players' hands, in a spot whose board has `first` cards.
    fn of(position: &Position<'_>, hands: &[Vec<HandView>; 2], first: usize) -> NodeView {
        let view = position.summary(hands);
        let (pot, tree, board) = (position.pot(), position.tree(), position.board());
        let realised = [0, 1].map(|p| realisation(view.ev[p], view.equity[p], pot));
        NodeView {
            line: line::with_cards(&position.history(), &board, first),
            board: board.to_string(),
            pot,
            stacks: tree.stacks(position.node()).into(),
            player: position.player().map(|player| player.name()),
            combos: view.combos.into(),
            ev: view.ev.into(),
            ev_bb: both_in_big_blinds(position, view.ev),
            equity: view.equity.into(),
            realisation: realised.into(),
            actions: shares(&action::at(tree, position.node()), view.frequencies.as_deref()),
        }
    }
}

/// What hands are worth from a position on, on average.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Values {
    /// The expected share of the pot, in chips.
    pub ev: Option<f64>,
    /// The same in big blinds, where their size is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev_bb: Option<f64>,
    /// The equity against the hands of the opponent.
    pub equity: Option<f64>,
    /// EV as a share of equity times pot.
    pub realisation: Option<f64>,
}

impl Values {
    /// The values of hands with this EV and equity.
    pub(super) fn of(position: &Position<'_>, ev: Option<f64>, equity: Option<f64>) -> Values {
        Values {
            ev,
            ev_bb: ev.and_then(|ev| in_big_blinds(position.tree().game().big_blind(), ev)),
            equity,
            realisation: realisation(ev, equity, position.pot()),
        }
    }
}

/// EV as a share of what the equity promises.
fn realisation(ev: Option<f64>, equity: Option<f64>, pot: f64) -> Option<f64> {
    let (ev, equity) = ev.zip(equity)?;
    (equity > 1e-9 && pot > 0.0).then(|| ev / (equity * pot))
}

/// Both players' EVs in big blinds, where the spot says how large these are.
pub(super) fn both_in_big_blinds(
    position: &Position<'_>,
    ev: [Option<f64>; 2],
) -> Option<Both<Option<f64>>> {
    let big_blind = position.tree().game().big_blind();
    big_blind.map(|_| Both::from(ev).map(|ev| in_big_blinds(big_blind, ev?)))
}

/// A hand as a grid counts it.
fn combo(hand: &HandView) -> Combo<'_> {
    let HandView { hole, reach, ref frequencies, .. } = *hand;
    Combo { hole, reach, frequencies: frequencies.as_deref() }
}
