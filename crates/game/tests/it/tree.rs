//! The tree: a golden one, histories, and what holds in every random tree.

use super::common::{config, tree};
use lethe_cards::Street;
use lethe_game::{
    Action, Game, HandConfig, NodeId, NodeKind, Player, Rake, Sizes, SpotConfig, Tree,
};
use proptest::prelude::*;

#[test]
fn a_small_turn_tree_looks_like_this() {
    let tree = tree(&config(100, 100, "50%", "a"), Street::Turn);
    let text = tree.outline(usize::MAX).to_string();
    assert_eq!(text, include_str!("data/turn_tree.txt"));
    assert_eq!(tree.outline(1).to_string().lines().count(), 3);
}

/// A flop all-in and call: two deals, then the showdown of 1,100 chips.
#[test]
fn an_all_in_is_run_out_one_street_at_a_time() {
    let tree = tree(&config(100, 500, "a", ""), Street::Flop);
    let kinds = ["b500 c", "b500 c /", "b500 c / /"].map(|line| {
        let node = tree.node(tree.find(line).unwrap());
        (node.kind(), node.street())
    });
    assert_eq!(
        kinds,
        [
            (NodeKind::Chance, Street::Flop),
            (NodeKind::Chance, Street::Turn),
            (NodeKind::Showdown, Street::River),
        ]
    );
}

/// Pot 100, b50 folded to: the 50 go back, 5 % of 100 are raked. Called: 5 % of 200, capped at 8.
#[test]
fn rake_is_of_the_called_pot_on_every_end() {
    let mut config = config(100, 500, "50%", "");
    config.rake = Rake { percent: 5.0, cap: Some(8.0) };
    let tree = tree(&config, Street::River);
    let outcome = |line| tree.outcome(tree.find(line).unwrap()).unwrap();
    let fold = outcome("b50 f");
    assert_eq!((fold.pot, fold.matched, fold.rake), (100, 0, 5.0));
    assert_eq!(fold.payoffs(fold.winner), [95.0, 0.0]);
    let called = outcome("b50 c");
    assert_eq!((called.pot, called.matched, called.rake), (200, 50, 8.0));
    assert_eq!(called.payoffs(Some(Player::Ip)), [-50.0, 142.0]);
    assert_eq!(called.payoffs(None), [46.0, 46.0]);
    assert_eq!(tree.outcome(tree.root()), None);
}

#[test]
fn a_wrong_history_says_what_is_possible() {
    let tree = tree(&config(100, 500, "50%, a", ""), Street::Turn);
    let error = |line| tree.find(line).unwrap_err().to_string();
    assert_eq!(error("x b60"), "'b60' at column 3 is not possible there; possible: x, b50, b500");
    assert_eq!(
        error("x x b50"),
        "'b50' at column 5 is not possible there; possible: / (the next street)"
    );
    assert_eq!(
        error("b50 f c"),
        "'c' at column 7 is not possible there; possible: none, the hand is over"
    );
    assert_eq!(tree.find("x x/x"), tree.find("x x / x"));
    assert_eq!(tree.find("x a"), tree.find("x b500"));
}

#[test]
fn long_action_names_read_back() {
    for text in ["fold", "check", "call", "bet 120", "raise 300", "allin 900"] {
        assert_eq!(text.parse::<Action>().unwrap().to_string(), text);
    }
    for text in ["", "bet", "fold 3", "allin x", "bet 1 2", "shove"] {
        assert!(text.parse::<Action>().is_err(), "{text}");
    }
}

fn size(raise: bool) -> impl Strategy<Value = String> {
    let percent = (1u32..250).prop_map(|n| format!("{n}%"));
    let chips = (1u32..200).prop_map(|n| format!("{n}c"));
    let geometric = (0u8..4, 0u32..3).prop_map(|(n, cap)| {
        let streets = if n == 0 { String::new() } else { n.to_string() };
        let cap = if cap == 0 { String::new() } else { format!("{}%", cap * 60) };
        format!("{streets}e{cap}")
    });
    let last = if raise { "2.5x" } else { "a" };
    prop_oneof![percent, chips, geometric, Just("a".to_owned()), Just(last.to_owned())]
}

fn sizes(raise: bool) -> impl Strategy<Value = Sizes> {
    prop::collection::vec(size(raise), 0..3).prop_map(move |list| {
        let text = list.join(", ");
        if raise { Sizes::parse_raises(&text) } else { Sizes::parse_bets(&text) }.unwrap()
    })
}

fn streets() -> impl Strategy<Value = [lethe_game::StreetSizes; 3]> {
    let player = (sizes(false), sizes(true), prop::option::of(sizes(false)))
        .prop_map(|(bet, raise, donk)| lethe_game::PlayerSizes { bet, raise, donk })
        .boxed();
    let street = (player.clone(), player, 0u32..3)
        .prop_map(|(oop, ip, most)| lethe_game::StreetSizes { oop, ip, max_raises: Some(most) });
    prop::collection::vec(street, 3).prop_map(|v| v.try_into().unwrap())
}

fn thresholds() -> impl Strategy<Value = [f64; 3]> {
    let below = |most: f64| prop_oneof![Just(0.0), 0.0..most];
    [below(2.0), below(1.0), below(0.5)]
}

fn games() -> impl Strategy<Value = Game> {
    let chips = (1u32..300, 1u32..2000, 0u32..20);
    (chips, streets(), thresholds(), 0.0..10.0f64, 0usize..4).prop_map(
        |((pot, stack, ante), [flop, turn, river], [add, force, merge], percent, street)| {
            let rake = Rake { percent, cap: Some(20.0) };
            if street > 0 {
                let mut config = SpotConfig::new(pot, stack);
                config.bet_sizes = lethe_game::BetSizes { flop, turn, river };
                config.add_allin_threshold = add;
                config.force_allin_threshold = force;
                config.merging_threshold = merge;
                config.rake = rake;
                return Game::spot(&config, Street::ALL[street]).unwrap();
            }
            let mut config = HandConfig::new(stack + 40, 5, 10);
            config.ante = ante;
            config.bet_sizes.preflop.sb.raise = flop.oop.raise.clone();
            config.bet_sizes.preflop.bb.raise = flop.ip.raise.clone();
            config.bet_sizes.preflop.max_raises = Some(2);
            config.bet_sizes.flop = flop;
            config.bet_sizes.turn = turn;
            config.bet_sizes.river = river;
            config.add_allin_threshold = add;
            config.force_allin_threshold = force;
            config.merging_threshold = merge;
            config.rake = rake;
            Game::hand(&config).unwrap()
        },
    )
}

/// Trees of at most 30,000 nodes.
pub(crate) fn trees() -> impl Strategy<Value = Tree> {
    games().prop_filter_map("small trees", |game| Tree::build(game, 30_000).ok())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn chips_are_conserved(tree in trees()) {
        let game = tree.game();
        for id in tree.ids() {
            let (stacks, pot) = (tree.stacks(id), tree.pot(id));
            prop_assert_eq!(pot + stacks[0] + stacks[1], game.pot() + 2 * game.stack());
            if let Some(outcome) = tree.outcome(id) {
                let total = f64::from(game.pot()) - outcome.rake;
                for winner in [None, Some(Player::Oop), Some(Player::Ip)] {
                    let [oop, ip] = outcome.payoffs(winner);
                    prop_assert!((oop + ip - total).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn nodes_are_numbered_depth_first(tree in trees()) {
        let mut next = 0;
        let mut open = vec![tree.root()];
        let mut decisions = [0; 4];
        let mut actions = [0; 4];
        while let Some(id) = open.pop() {
            prop_assert_eq!(id.index(), next);
            next += 1;
            let node = tree.node(id);
            let street = node.street().index();
            if node.player().is_some() {
                prop_assert_eq!(node.decision_index(), Some(decisions[street]));
                prop_assert_eq!(node.action_index(), Some(actions[street]));
                decisions[street] += 1;
                actions[street] += tree.actions(id).len();
            }
            let below: usize = tree.children(id).iter().map(|&c| tree.subtree(c).len()).sum();
            prop_assert_eq!(tree.subtree(id).len(), below + 1);
            open.extend(tree.children(id).iter().rev());
        }
        prop_assert_eq!(next, tree.len());
        for street in Street::ALL {
            let counts = tree.counts().of(street);
            prop_assert_eq!(counts.decisions, decisions[street.index()] as u64);
            prop_assert_eq!(counts.actions, actions[street.index()] as u64);
        }
        prop_assert_eq!(tree.counts().nodes(), tree.len() as u64);
    }

    #[test]
    fn a_history_leads_back_to_its_node(tree in trees()) {
        for id in tree.ids() {
            prop_assert_eq!(tree.find(&tree.history(id)), Ok(id));
        }
    }

    #[test]
    fn actions_ascend_within_the_rules(tree in trees()) {
        for id in tree.ids() {
            let actions = tree.actions(id);
            prop_assert!(actions.is_sorted_by(|a, b| a < b), "{:?}", actions);
            let Some(player) = tree.node(id).player() else { continue };
            let put = tree.node(id).contributed();
            let (mine, theirs) = (put[player.index()], put[player.opponent().index()]);
            for (&action, &child) in actions.iter().zip(tree.children(id)) {
                let after = tree.node(child).contributed()[player.index()];
                match action {
                    Action::Fold | Action::Check => prop_assert_eq!(after, mine),
                    Action::Call => prop_assert_eq!(after, theirs),
                    Action::AllIn(_) => prop_assert_eq!(after, tree.game().stack()),
                    Action::Bet(_) | Action::Raise(_) => {
                        prop_assert!(after < tree.game().stack());
                        // A raise exceeds the bet by at least what the bet exceeded the one before.
                        prop_assert!(after - theirs >= theirs.saturating_sub(mine).max(1));
                    }
                }
            }
        }
    }

    #[test]
    fn every_line_ends(tree in trees()) {
        for id in tree.ids() {
            let node = tree.node(id);
            prop_assert_eq!(node.is_terminal(), tree.children(id).is_empty());
            if node.kind() == NodeKind::Showdown {
                prop_assert_eq!(node.street(), Street::River);
                let [oop, ip] = node.contributed();
                prop_assert_eq!(oop, ip);
            }
            if node.kind() == NodeKind::Chance {
                let next = tree.node(tree.children(id)[0]).street();
                prop_assert_eq!(Some(next), node.street().next());
            }
        }
        prop_assert_eq!(tree.parent(NodeId::new(0)), None);
    }
}
