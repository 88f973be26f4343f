//! Hands from the blinds: order of action, least raises, limps, antes and payoffs.

use super::common::{actions, both};
use lethe_game::{Game, HandConfig, NodeKind, Player, Sizes, Tree};

fn hand(stack: u32, ante: u32, sb: &str, bb: &str) -> HandConfig {
    let mut config = HandConfig::new(stack, 50, 100);
    config.ante = ante;
    config.bet_sizes.preflop.sb.raise = Sizes::parse_raises(sb).unwrap();
    config.bet_sizes.preflop.bb.raise = Sizes::parse_raises(bb).unwrap();
    config
}

fn tree(config: &HandConfig) -> Tree {
    Tree::build(Game::hand(config).unwrap(), 1_000_000).unwrap()
}

/// Blinds 50/100: 2.5x opens to 250; 100 % opens to 100 + (100 + 100) = 300; 10 % would be to 120,
/// the least raise is to 200. The big blind's 100 % over r250: 250 + 500 = 750.
#[test]
fn the_small_blind_opens_and_the_big_blind_acts_first_after_the_flop() {
    let mut config = hand(20_000, 0, "2.5x, 100%, 10%", "100%");
    config.bet_sizes.preflop.max_raises = Some(2);
    config.bet_sizes.flop = both("50%", "");
    let tree = tree(&config);
    let root = tree.node(tree.root());
    assert_eq!(root.kind(), NodeKind::Decision(Player::Ip));
    assert_eq!(root.contributed(), [100, 50]);
    assert_eq!(actions(&tree, ""), "fold, call, raise 200, raise 250, raise 300");
    assert_eq!(actions(&tree, "r250"), "fold, call, raise 750");
    assert_eq!(actions(&tree, "r250 r750"), "fold, call");
    let flop = tree.node(tree.find("r250 c /").unwrap());
    assert_eq!(flop.player(), Some(Player::Oop));
    assert_eq!(actions(&tree, "r250 c / x b250"), "fold, call");
}

/// After a limp the big blind may check or raise; 100 % is to 100 + 200 = 300. After its raise the
/// small blind's least raise is by the same 200.
#[test]
fn a_limp_gives_the_big_blind_its_option() {
    let tree = tree(&hand(20_000, 0, "1.1x, a", "100%"));
    assert_eq!(actions(&tree, "c"), "check, raise 300");
    assert_eq!(actions(&tree, "c r300"), "fold, call, raise 500, allin 20000");
    let flop = tree.find("c x /").unwrap();
    assert_eq!(tree.node(flop).player(), Some(Player::Oop));
    assert_eq!(tree.node(flop).contributed(), [100, 100]);
    assert_eq!(tree.history(tree.find("c r300 a").unwrap()), "c r300 r20000");
}

/// The call of a raise ends the street, so the flop starts with the donk list, after a limp not.
#[test]
fn the_flop_has_donk_bets_after_the_big_blind_called() {
    let mut config = hand(20_000, 0, "2.5x", "3x");
    config.bet_sizes.preflop.max_raises = Some(2);
    config.bet_sizes.flop = both("50%", "");
    config.bet_sizes.flop.oop.donk = Some(Sizes::default());
    let tree = tree(&config);
    assert_eq!(actions(&tree, "r250 c /"), "check");
    assert_eq!(actions(&tree, "c x /"), "check, bet 100");
    assert_eq!(actions(&tree, "r250 r750 c /"), "check, bet 750");
}

/// After the flop the least bet is the big blind: 10 % of 200 is 20, so 100.
#[test]
fn the_least_bet_after_the_flop_is_the_big_blind() {
    let mut config = hand(20_000, 0, "", "");
    config.bet_sizes.flop = both("10%", "");
    assert_eq!(actions(&tree(&config), "c x /"), "check, bet 100");
}

/// Push or fold at 10 big blinds: six nodes and the three deals of the runout.
#[test]
fn push_fold_is_a_tree_of_two_decisions() {
    let mut config = hand(1000, 0, "a", "");
    config.bet_sizes.preflop.limp = false;
    let tree = tree(&config);
    let expected = "\
[0] preflop ip, pot 150
  fold [1] oop wins 100
  allin 1000 [2] preflop oop, pot 1100
    fold [3] ip wins 200
    call [4] preflop ends, pot 2000
      deal [5] flop ends, pot 2000
        deal [6] turn ends, pot 2000
          deal [7] showdown, pot 2000
";
    assert_eq!(tree.outline(usize::MAX).to_string(), expected);
    let outcome = |history| tree.outcome(tree.find(history).unwrap()).unwrap();
    assert_eq!(outcome("f").payoffs(Some(Player::Oop)), [50.0, -50.0]);
    assert_eq!(outcome("r1000 f").payoffs(outcome("r1000 f").winner), [-100.0, 100.0]);
    assert_eq!(outcome("r1000 c / / /").payoffs(Some(Player::Ip)), [-1000.0, 1000.0]);
}

/// Antes of 10 make a starting pot of 20 and come off the stacks: the all-in is 990. A fold of the
/// small blind costs it its blind and its ante.
#[test]
fn antes_are_dead_money() {
    let tree = tree(&hand(1000, 10, "a", ""));
    assert_eq!(actions(&tree, ""), "fold, call, allin 990");
    let outcome = tree.outcome(tree.find("f").unwrap()).unwrap();
    assert_eq!((outcome.pot, outcome.matched), (120, 50));
    let net = outcome.payoffs(outcome.winner).map(|payoff| payoff - outcome.ante());
    assert_eq!(net, [60.0, -60.0]);
}

#[test]
fn a_hand_without_a_flop_pays_no_rake() {
    let mut config = hand(1000, 0, "a", "");
    config.rake = lethe_game::Rake { percent: 5.0, cap: None };
    let tree = tree(&config);
    assert_eq!(tree.outcome(tree.find("f").unwrap()).unwrap().rake, 0.0);
    assert_eq!(tree.outcome(tree.find("a c / / /").unwrap()).unwrap().rake, 100.0);
}
