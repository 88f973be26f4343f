//! Hand-worked examples of every size rule and every option.

use super::common::{actions, both, config, player, tree};
use lethe_cards::Street::{Flop, River, Turn};
use lethe_game::Sizes;

/// Bets into 100: 33, 75, 150. IP raises 45 % over a bet of 75: the pot after calling is
/// 100 + 2 x 75 = 250, 45 % of it 112.5 -> 113, so to 75 + 113 = 188.
#[test]
fn percent_is_of_the_pot_and_in_a_raise_of_the_pot_after_calling() {
    let tree = tree(&config(100, 5000, "33%, 75%, 150%", "45%"), River);
    assert_eq!(actions(&tree, ""), "check, bet 33, bet 75, bet 150");
    assert_eq!(actions(&tree, "b75"), "fold, call, raise 188");
}

/// 2.5 x 75 = 187.5 -> 188; OOP then raises to 2.5 x 188 = 470.
#[test]
fn x_multiplies_the_previous_bet() {
    let tree = tree(&config(100, 5000, "75%", "2.5x"), River);
    assert_eq!(actions(&tree, "b75"), "fold, call, raise 188");
    assert_eq!(actions(&tree, "b75 r188"), "fold, call, raise 470");
}

/// A bet of 10; raises to 10 + 30 = 40, then 40 + 30 = 70 (the least: 40 + 30 = 70), then the
/// least is 70 + 30 = 100 as well.
#[test]
fn c_is_chips_and_in_a_raise_chips_above_the_previous_bet() {
    let tree = tree(&config(100, 5000, "10c", "30c"), River);
    assert_eq!(actions(&tree, ""), "check, bet 10");
    assert_eq!(actions(&tree, "b10"), "fold, call, raise 40");
    assert_eq!(actions(&tree, "b10 r40 r70"), "fold, call, raise 100");
}

/// Pot 100, stack 1300: f = ((1 + 26)^(1/3) - 1) / 2 = (3 - 1) / 2 = 1 over three streets, so bets
/// of 100, 300 and 900 end all-in; over two, f = (sqrt(27) - 1) / 2 = 2.098 -> 210.
#[test]
fn geometric_bets_end_all_in_on_the_river() {
    let mut config = config(100, 1300, "e", "");
    config.bet_sizes.turn.oop.bet = Sizes::parse_bets("e, 1e").unwrap();
    let three = tree(&config, Flop);
    assert_eq!(actions(&three, ""), "check, bet 100");
    assert_eq!(actions(&three, "b100 c /"), "check, bet 300, allin 1200");
    assert_eq!(actions(&three, "b100 c / b300 c /"), "check, allin 900");
    assert_eq!(actions(&three, "x b100 c / b300 c /"), "check, allin 900");
    assert_eq!(actions(&three, "x x /"), "check, bet 210, allin 1300");
    config.bet_sizes.river = both("3e", "");
    assert_eq!(actions(&tree(&config, River), ""), "check, bet 100");
}

/// The cap: f = 1 (above) is cut to 60 % = 60, and 200 % does not cut it.
#[test]
fn a_geometric_cap_is_percent_of_the_pot() {
    let tree = tree(&config(100, 1300, "3e60%, e200%", "e10%"), Flop);
    assert_eq!(actions(&tree, ""), "check, bet 60, bet 100");
    // Over b60 the pot after calling is 220: 10 % = 22, but the least raise is to 120.
    assert_eq!(actions(&tree, "b60"), "fold, call, raise 120");
}

/// Flop, pot 100, stack 1300. Over b100 (no raise yet, three streets): pot after calling 300,
/// behind 1200, f = (9^(1/3) - 1) / 2 = 0.5400 -> 162, to 262. Over that raise, two streets: pot
/// 624, behind 1038, f = (sqrt(1 + 2076/624) - 1) / 2 = 0.5402 -> 337, to 599. Then one: all-in.
#[test]
fn a_geometric_raise_counts_raises_off_the_streets() {
    let tree = tree(&config(100, 1300, "e", "e"), Flop);
    assert_eq!(actions(&tree, "b100"), "fold, call, raise 262");
    assert_eq!(actions(&tree, "b100 r262"), "fold, call, raise 599");
    assert_eq!(actions(&tree, "b100 r262 r599"), "fold, call, allin 1300");
    assert_eq!(actions(&tree, "b100 r262 r599 a"), "fold, call");
}

/// The least bet is 1 chip (5 % of 4 is 0.2); the least raise over b40 is to 80 and over r80 to
/// 120; everything above the stack of 100 is the all-in.
#[test]
fn sizes_are_clamped_to_the_least_raise_and_the_all_in() {
    assert_eq!(actions(&tree(&config(4, 100, "5%", ""), River), ""), "check, bet 1");
    let tree = tree(&config(100, 100, "40%, 500%", "1.1x"), River);
    assert_eq!(actions(&tree, ""), "check, bet 40, allin 100");
    assert_eq!(actions(&tree, "b40"), "fold, call, raise 80");
    assert_eq!(actions(&tree, "b40 r80"), "fold, call, allin 100");
    assert_eq!(actions(&tree, "b100"), "fold, call");
}

/// Stack 150, t = 1.5: at pot 100 the all-in of 150 is at most 150; at pot 99 it exceeds
/// 148.5 -> 149. Over b60 (pot after calling 220) it may be at most 60 + 330.
#[test]
fn add_allin_threshold_adds_a_small_all_in() {
    let with = |pot, t| {
        let mut config = config(pot, 150, "60c", "");
        config.add_allin_threshold = t;
        tree(&config, River)
    };
    assert_eq!(actions(&with(100, 1.5), ""), "check, bet 60, allin 150");
    assert_eq!(actions(&with(99, 1.5), ""), "check, bet 60");
    assert_eq!(actions(&with(100, 1.5), "b60"), "fold, call, allin 150");
    // 150 - 60 = 90 against 0.4 x 220 = 88 and 0.41 x 220 = 90.2.
    assert_eq!(actions(&with(100, 0.4), "b60"), "fold, call");
    assert_eq!(actions(&with(100, 0.41), "b60"), "fold, call, allin 150");
}

/// Pot 100, stack 200, t = 0.2: b140 called leaves 60 behind in a pot of 380, at most 76: all-in.
/// b120 leaves 80 in 340, more than 68: stays.
#[test]
fn force_allin_threshold_turns_a_large_bet_into_the_all_in() {
    let mut config = config(100, 200, "120%, 140%", "");
    config.force_allin_threshold = 0.2;
    assert_eq!(actions(&tree(&config, River), ""), "check, bet 120, allin 200");
}

/// t = 0.1. All-in 150: 250/235 < 1.1 removes 135 %. 250/200 keeps 100 %. 200/185 < 1.1 removes
/// 85 %. 200/150 keeps 50 %. 150/140 < 1.1 removes 40 %, and 150/136 = 1.103 keeps 36 %.
#[test]
fn merging_goes_down_from_the_all_in() {
    let mut config = config(100, 150, "36%, 40%, 50%, 85%, 100%, 135%, a", "");
    config.merging_threshold = 0.1;
    assert_eq!(actions(&tree(&config, River), ""), "check, bet 36, bet 50, bet 100, allin 150");
}

/// 220/200 = 1.1 is not below 1 + 0.1, so 120 % leaves 100 % in place; 119 % (219/200 = 1.095)
/// removes it.
#[test]
fn merging_keeps_a_size_exactly_at_the_threshold() {
    let with = |bets| {
        let mut config = config(100, 5000, bets, "");
        config.merging_threshold = 0.1;
        actions(&tree(&config, River), "")
    };
    assert_eq!(with("100%, 120%"), "check, bet 100, bet 120");
    assert_eq!(with("100%, 119%"), "check, bet 119");
}

/// In a raise X and Y are percent of the pot after calling, above the previous bet: over b100 in
/// 100 (pot after calling 300), to 200 is 33.3 % and to 220 is 40 %: 140/133.3 = 1.05.
#[test]
fn merging_measures_raises_from_the_previous_bet() {
    let with = |t| {
        let mut config = config(100, 5000, "100%", "100c, 120c");
        config.merging_threshold = t;
        actions(&tree(&config, River), "b100")
    };
    assert_eq!(with(0.06), "fold, call, raise 220");
    assert_eq!(with(0.04), "fold, call, raise 200, raise 220");
}

/// OOP calls a flop bet: the turn starts with the donk list. It checks through or bets itself: the
/// bet list. The flop's own donk list is of no use at the root.
#[test]
fn donk_bets_follow_a_call_of_oop_only() {
    let mut config = config(100, 1000, "50%", "");
    config.bet_sizes.flop.oop.donk = Some(Sizes::parse_bets("10%").unwrap());
    config.bet_sizes.turn.oop.donk = Some(Sizes::parse_bets("20%").unwrap());
    config.bet_sizes.river.oop.donk = Some(Sizes::default());
    let tree = tree(&config, Flop);
    assert_eq!(actions(&tree, ""), "check, bet 50");
    assert_eq!(actions(&tree, "x b50 c /"), "check, bet 40");
    assert_eq!(actions(&tree, "x x /"), "check, bet 50");
    assert_eq!(actions(&tree, "b50 c /"), "check, bet 100");
    assert_eq!(actions(&tree, "x b50 c / x"), "check, bet 100");
    assert_eq!(actions(&tree, "x b50 c / x b100 c /"), "check");
    assert_eq!(actions(&tree, "x b50 c / x x /"), "check, bet 100");
    assert_eq!(actions(&tree, "x b50 c / b40 c /"), "check, bet 140");
}

#[test]
fn a_missing_donk_list_means_the_bet_list() {
    let tree = tree(&config(100, 1000, "50%", ""), Turn);
    assert_eq!(actions(&tree, "x b50 c /"), "check, bet 100");
}

#[test]
fn each_player_has_its_own_sizes() {
    let mut config = config(100, 1000, "", "");
    config.bet_sizes.river.oop = player("30%", "");
    config.bet_sizes.river.ip = player("70%", "3x");
    let tree = tree(&config, River);
    assert_eq!(actions(&tree, ""), "check, bet 30");
    assert_eq!(actions(&tree, "x"), "check, bet 70");
    assert_eq!(actions(&tree, "b30"), "fold, call, raise 90");
    assert_eq!(actions(&tree, "b30 r90"), "fold, call");
}

#[test]
fn max_raises_counts_raises_and_not_the_bet() {
    let mut config = config(100, 5000, "50%", "2x");
    config.add_allin_threshold = 100.0;
    config.bet_sizes.river.max_raises = Some(1);
    let tree = tree(&config, River);
    assert_eq!(actions(&tree, "b50"), "fold, call, raise 100, allin 5000");
    assert_eq!(actions(&tree, "b50 r100"), "fold, call");
    config.bet_sizes.river.max_raises = Some(0);
    assert_eq!(actions(&super::common::tree(&config, River), "b50"), "fold, call");
}
