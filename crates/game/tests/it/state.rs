//! States within a street: in the tree, beside it, and none at all.

use lethe_cards::Street;
use lethe_game::{
    Action, BettingState, Game, HandConfig, NodeId, NodeKind, Player, StateError, Tree,
};
use proptest::prelude::*;

use super::common::{config, tree};
use super::tree::trees;

/// Compares a whole tree with the subtree of another, node by node.
fn assert_is_subtree(part: &Tree, whole: &Tree, at: NodeId) {
    let nodes = whole.subtree(at);
    assert_eq!(part.len(), nodes.len());
    // Chips that were put in before the street count as pot in the part.
    let before = whole.game().stack() - part.game().stack();
    for (id, number) in part.ids().zip(nodes) {
        let other = NodeId::new(number as u32);
        let (a, b) = (part.node(id), whole.node(other));
        assert_eq!((a.kind(), a.street()), (b.kind(), b.street()));
        assert_eq!(a.contributed().map(|put| put + before), b.contributed());
        assert_eq!(part.actions(id), whole.actions(other));
        assert_eq!((part.pot(id), part.stacks(id)), (whole.pot(other), whole.stacks(other)));
        let children = whole.children(other).iter().map(|c| c.index() - at.index());
        assert!(part.children(id).iter().map(|c| c.index()).eq(children));
        let outcomes = part.outcome(id).zip(whole.outcome(other));
        assert_eq!(outcomes.is_some(), b.is_terminal());
        if let Some((a, b)) = outcomes {
            assert_eq!((a.pot, a.rake, a.winner), (b.pot, b.rake, b.winner));
            for winner in [None, Some(Player::Oop), Some(Player::Ip)] {
                let paid = b.payoffs(winner).map(|pay| pay + f64::from(before));
                assert_eq!(a.payoffs(winner), paid);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_tree_from_a_state_is_the_tree_below_it(
        tree in trees(),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 8),
    ) {
        let decides = |id: &NodeId| tree.node(*id).player().is_some();
        let decisions: Vec<NodeId> = tree.ids().filter(decides).collect();
        prop_assert_eq!(tree.state(tree.root()), Some(tree.game().state()));
        for pick in picks {
            let id = *pick.get(&decisions);
            let state = tree.state(id).unwrap();
            let game = tree.game().starting_at(&state).unwrap();
            prop_assert_eq!(game.state(), state);
            let part = Tree::build(game, Tree::NODE_LIMIT).unwrap();
            assert_is_subtree(&part, &tree, id);
        }
    }

    #[test]
    fn actions_lead_from_state_to_state_as_in_the_tree(tree in trees()) {
        for id in tree.ids() {
            let Some(state) = tree.state(id) else {
                prop_assert_eq!(tree.node(id).player(), None);
                continue;
            };
            for (&action, &child) in tree.actions(id).iter().zip(tree.children(id)) {
                let next = match tree.node(child).kind() {
                    NodeKind::Chance => tree.state(tree.children(child)[0]),
                    _ => tree.state(child),
                };
                prop_assert_eq!(tree.game().after(&state, action), Ok(next));
            }
        }
    }

    /// Whatever the numbers, a state is refused or has a tree whose chips add up.
    #[test]
    fn any_state_is_refused_or_played(
        street in 0usize..4,
        (pot, stack) in (0u32..40, 0u32..40),
        put in [0u32..45, 0u32..45],
        bets in 0u32..4,
        (ip, oop_called) in any::<(bool, bool)>(),
        hand: bool,
    ) {
        let game = match hand {
            true => Game::hand(&HandConfig::new(40, 1, 2)).unwrap(),
            false => Game::spot(&config(10, 30, "50%", "a"), Street::Flop).unwrap(),
        };
        let to_act = if ip { Player::Ip } else { Player::Oop };
        let street = Street::ALL[street];
        let state = BettingState { street, pot, stack, put, bets, to_act, oop_called };
        if let Ok(game) = game.starting_at(&state) {
            let tree = Tree::build(game, Tree::NODE_LIMIT).unwrap();
            prop_assert_eq!(tree.node(tree.root()).player(), Some(to_act));
            for id in tree.ids() {
                let [oop, ip] = tree.stacks(id);
                prop_assert_eq!(tree.pot(id) + oop + ip, pot + 2 * stack);
            }
        }
    }
}

#[test]
fn an_impossible_state_is_refused_by_name() {
    let game = tree(&config(100, 500, "50%", "3x"), Street::Turn).game().clone();
    let start = game.state();
    let error = |state: BettingState| game.starting_at(&state).unwrap_err();
    assert_eq!(
        error(BettingState { put: [50, 0], bets: 1, ..start }),
        StateError::Turn(Player::Oop)
    );
    assert_eq!(error(BettingState { put: [50, 50], bets: 1, ..start }), StateError::Over);
    let bets = |put, bets| StateError::Bets { bets, put };
    assert_eq!(error(BettingState { put: [0, 50], ..start }), bets([0, 50], 0));
    assert_eq!(error(BettingState { put: [50, 150], bets: 1, ..start }), bets([50, 150], 1));
    assert_eq!(error(BettingState { bets: 1, ..start }), bets([0, 0], 1));
    let above = BettingState { put: [0, 501], bets: 1, ..start };
    let player = Player::Ip;
    assert_eq!(error(above), StateError::AboveStack { player, put: 501, stack: 500 });
    assert_eq!(error(BettingState { stack: 0, ..start }), StateError::Chips { pot: 100, stack: 0 });
    let preflop = BettingState { street: Street::Preflop, ..start };
    assert_eq!(error(preflop), StateError::Preflop);
}

#[test]
fn an_illegal_action_is_refused_with_the_amounts_that_are_legal() {
    let game = tree(&config(100, 500, "50%", "3x"), Street::Turn).game().clone();
    let facing = game.after(&game.state(), Action::Bet(40)).unwrap().unwrap();
    for action in [Action::Check, Action::Bet(80), Action::Raise(79), Action::Raise(501)] {
        let error = game.after(&facing, action).unwrap_err();
        assert_eq!(error, StateError::Action { action, least: 80, most: 500 });
    }
    assert_eq!(game.after(&facing, Action::Fold), Ok(None));
    let raised = game.after(&facing, Action::Raise(80)).unwrap().unwrap();
    // A call of Oop ends the street, and it may donk on the next.
    let river = game.after(&raised, Action::Call).unwrap().unwrap();
    let expected = BettingState { oop_called: true, ..BettingState::new(Street::River, 260, 420) };
    assert_eq!(river, expected);
    let all_in = game.after(&raised, Action::AllIn(500)).unwrap().unwrap();
    assert_eq!(game.after(&all_in, Action::Call), Ok(None));
    assert!(game.after(&all_in, Action::AllIn(500)).is_err());
}
