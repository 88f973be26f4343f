//! The part of a hand that is played by the blueprint: which of its nodes stands for the hand, and with
//! what both players came there.

use lethe_cards::vs_random::{river_row, turn_row};
use lethe_cards::{Board, Deck, Hole, Matchups, StartingHand, Street};
use lethe_game::{Action, BettingState, NodeId, NodeKind, Player, Tree};

use crate::agent::Tables;
use crate::hand::{Played, Replay};
use crate::sizes::{fraction, in_hand, neighbour, sizes};

/// A whole range's strategy at one decision: the actions and, for each, a frequency for each hole in
/// the order of [`Hole::index`].
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    pub(crate) actions: Vec<Action>,
    pub(crate) rows: Vec<f32>,
}

impl Choices {
    /// Actions with their rows. Sizes that differ in a tree may be one in a shorter hand.
    pub(crate) fn merged(all: impl Iterator<Item = (Action, Vec<f32>)>) -> Choices {
        let mut found = Choices { actions: Vec::new(), rows: Vec::new() };
        for (action, row) in all {
            match found.actions.iter().position(|&known| known == action) {
                Some(place) => {
                    let sums = &mut found.rows[place * Hole::COUNT..(place + 1) * Hole::COUNT];
                    sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
                }
                None => {
                    found.actions.push(action);
                    found.rows.extend(row);
                }
            }
        }
        found
    }

    /// The frequencies of an action.
    pub(crate) fn row(&self, place: usize) -> &[f32] {
        &self.rows[place * Hole::COUNT..(place + 1) * Hole::COUNT]
    }

    /// The frequencies of a hole.
    pub(crate) fn of(&self, hole: Hole) -> Vec<f32> {
        self.rows.iter().skip(hole.index()).step_by(Hole::COUNT).copied().collect()
    }
}

/// The purpose of a draw: what a size is taken for.
const MAPPING: u64 = 1;

/// The blueprint's node that stands for a hand, and both players' reach.
#[derive(Clone, Debug)]
pub(crate) struct Trunk {
    pub(crate) node: NodeId,
    /// Whether something was done on this street that no action of the tree stands for. The rest of
    /// the street is then played without the blueprint.
    off: bool,
    /// By player, in the order of [`Hole::index`].
    pub(crate) reach: [Vec<f32>; 2],
    /// What is done now on a flop that was solved with a size that the tree does not contain.
    pub(crate) solved: Option<Choices>,
}

impl Trunk {
    /// The start of a hand.
    pub(crate) fn new(tree: &Tree) -> Trunk {
        let all = || vec![1.0; Hole::COUNT];
        Trunk { node: tree.root(), off: false, reach: [all(), all()], solved: None }
    }

    /// Goes on to a street: what is left of the ones before is checked or called.
    pub(crate) fn deal(&mut self, tree: &Tree, street: Street) {
        if tree.node(self.node).street() >= street {
            return;
        }
        self.off = false;
        while tree.node(self.node).street() < street && !tree.node(self.node).is_terminal() {
            let calm = |action: &Action| matches!(action, Action::Check | Action::Call);
            let actions = tree.actions(self.node);
            let calmest = actions.iter().position(calm).unwrap_or(actions.len().min(2) / 2);
            self.node = tree.children(self.node)[calmest];
        }
    }

    /// Whether the node stands for a state.
    pub(crate) fn stands_for(&self, tree: &Tree, state: &BettingState) -> Option<BettingState> {
        let at = tree.state(self.node).filter(|_| !self.off)?;
        let owed =
            |state: &BettingState| state.put[0].max(state.put[1]) > state.put[state.to_act.index()];
        let same =
            at.street == state.street && at.to_act == state.to_act && owed(&at) == owed(state);
        same.then_some(at)
    }

    /// What the player to act does with its whole range.
    pub(crate) fn choices(
        &self,
        blueprint: &Tables<'_>,
        state: &BettingState,
        board: &Board,
    ) -> Choices {
        if let Some(choices) = &self.solved {
            return choices.clone();
        }
        let tree = blueprint.plan.tree();
        let Some(at) = self.stands_for(tree, state) else {
            return defend(&self.reach[state.to_act.index()], state, board);
        };
        let found = self.frequencies(blueprint, board);
        let rows = found.chunks_exact(Hole::COUNT).map(<[f32]>::to_vec);
        let actions = tree.actions(self.node).iter();
        Choices::merged(actions.map(|&action| in_hand(tree.game(), action, &at, state)).zip(rows))
    }

    /// The blueprint's frequencies at the node, a row of all holes for each of its actions.
    pub(crate) fn frequencies(&self, blueprint: &Tables<'_>, board: &Board) -> Vec<f32> {
        let deck = Deck::without(board.set());
        let found = blueprint.frequencies(self.node, board);
        let actions = found.len() / deck.holes_len();
        let mut rows = vec![0.0; actions * Hole::COUNT];
        for (row, found) in
            rows.chunks_exact_mut(Hole::COUNT).zip(found.chunks_exact(deck.holes_len()))
        {
            for (hole, &share) in deck.holes().zip(found) {
                row[hole.index()] = share;
            }
        }
        rows
    }

    /// Follows an action of the hand, the `number`-th.
    pub(crate) fn follow(
        &mut self,
        blueprint: &Tables<'_>,
        replay: &Replay,
        number: usize,
        seed: u64,
    ) {
        let tree = blueprint.plan.tree();
        let Played { state, action } = replay.played[number];
        let (actor, board) = (state.to_act, replay.board_on(state.street));
        let Some(at) = self.stands_for(tree, &state) else {
            if actor == replay.seat {
                let choices = defend(&self.reach[actor.index()], &state, &board);
                self.take(actor, &choices, action);
            }
            self.off = true;
            return;
        };
        if actor == replay.seat {
            let choices = self.choices(blueprint, &state, &board);
            self.take(actor, &choices, action);
        }
        let actions = tree.actions(self.node);
        let place = if actor == replay.seat {
            let same = |&a: &Action| in_hand(tree.game(), a, &at, &state) == action;
            actions.iter().position(same)
        } else {
            None
        };
        let place = place.or_else(|| match action.amount() {
            None => actions.iter().position(|&known| known == action),
            Some(to) => {
                let (first, sizes) = sizes(actions, &at);
                let draw = replay.draw(seed, number, MAPPING);
                (!sizes.is_empty()).then(|| first + neighbour(&sizes, fraction(&state, to), draw))
            }
        });
        let Some(place) = place else {
            self.off = true;
            return;
        };
        if actor != replay.seat {
            let rows = self.frequencies(blueprint, &board);
            let row = &rows[place * Hole::COUNT..(place + 1) * Hole::COUNT];
            multiply(&mut self.reach[actor.index()], row);
        }
        self.node = tree.children(self.node)[place];
    }

    /// Multiplies our reach by how often each hole does what was done.
    fn take(&mut self, actor: Player, choices: &Choices, action: Action) {
        if let Some(place) = choices.actions.iter().position(|&known| known == action) {
            multiply(&mut self.reach[actor.index()], choices.row(place));
        }
    }

    /// The node, if it is where a street begins in just this state.
    pub(crate) fn begins(&self, tree: &Tree, state: &BettingState) -> bool {
        tree.state(self.node).as_ref() == Some(state)
    }

    /// Whether a player is to act at the node.
    pub(crate) fn is_decision(&self, tree: &Tree) -> bool {
        matches!(tree.node(self.node).kind(), NodeKind::Decision(_))
    }
}

pub(crate) fn multiply(reach: &mut [f32], by: &[f32]) {
    reach.iter_mut().zip(by).for_each(|(reach, by)| *reach *= by);
}

/// What is done without the blueprint, where no action of its tree stands for what happened: check
/// where that is free, and else continue with the best part of the range, by equity against a random
/// hand, that leaves a bluff of that size without a profit.
fn defend(reach: &[f32], state: &BettingState, board: &Board) -> Choices {
    let owed = state.put[0].max(state.put[1]) - state.put[state.to_act.index()];
    if owed == 0 {
        return Choices { actions: vec![Action::Check], rows: vec![1.0; Hole::COUNT] };
    }
    let total = f64::from(state.pot + state.put[0] + state.put[1]);
    let share = (total - f64::from(owed)) / total;
    let equities = equities(board);
    let live = |hole: &Hole| !hole.set().intersects(board.set());
    let mut holes: Vec<Hole> = Hole::all().filter(live).collect();
    holes.sort_by_key(|hole| (std::cmp::Reverse(equities[hole.index()]), hole.index()));
    let mass = |hole: &Hole| f64::from(reach[hole.index()]);
    let mut left = share * holes.iter().map(mass).sum::<f64>();
    let mut rows = vec![0.0; 2 * Hole::COUNT];
    for hole in holes {
        let weight = mass(&hole);
        let called = if weight > 0.0 { (left / weight).clamp(0.0, 1.0) } else { 0.0 };
        // A hole that is never here by its own strategy continues as its neighbours do.
        let called = if weight == 0.0 && left > 0.0 { 1.0 } else { called };
        left -= weight;
        rows[hole.index()] = 1.0 - called as f32;
        rows[Hole::COUNT + hole.index()] = called as f32;
    }
    Choices { actions: vec![Action::Fold, Action::Call], rows }
}

/// The equity of each hole against a random hand, in a unit of its street.
fn equities(board: &Board) -> Vec<u128> {
    let deck = Deck::without(board.set());
    let mut values = vec![0u128; Hole::COUNT];
    match board.street() {
        Street::Preflop => {
            let table = Matchups::shipped();
            let every = [1; Hole::COUNT];
            let of = |hole: Hole| {
                let tally = table.against(hole, &every);
                2 * tally.wins + tally.ties
            };
            let classes: Vec<u128> =
                StartingHand::all().map(|class| class.holes().next().map_or(0, of)).collect();
            for hole in Hole::all() {
                values[hole.index()] = classes[hole.class().index()];
            }
        }
        Street::Flop => {
            for &card in deck.cards() {
                let turn = board.with(card).expect("not dealt yet");
                add_turn(&turn, &mut values);
            }
        }
        Street::Turn => add_turn(board, &mut values),
        Street::River => {
            let mut row = vec![0u16; deck.holes_len()];
            river_row(board.set(), &mut row);
            let found = deck.holes().zip(row);
            found.for_each(|(hole, equity)| values[hole.index()] = u128::from(equity));
        }
    }
    values
}

fn add_turn(board: &Board, values: &mut [u128]) {
    let deck = Deck::without(board.set());
    let mut row = vec![0u32; deck.holes_len()];
    turn_row(board.set(), &mut row);
    let found = deck.holes().zip(row);
    found.for_each(|(hole, equity)| values[hole.index()] += u128::from(equity));
}
