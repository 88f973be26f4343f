//! What players write.

use lethe_cards::Street;
use lethe_game::{Action, BettingState, Game, HandConfig};
use lethe_play::{WordError, parse_action};
use proptest::prelude::*;

fn game() -> Game {
    Game::hand(&HandConfig::new(2000, 50, 100)).unwrap()
}

/// The flop of a limped pot: 200 in the middle, 1,900 behind.
fn flop() -> BettingState {
    BettingState::new(Street::Flop, 200, 1900)
}

fn facing(bet: u32) -> BettingState {
    game().after(&flop(), Action::Bet(bet)).unwrap().unwrap()
}

#[test]
fn sizes_are_those_that_players_mean() {
    let table: &[(BettingState, &[&str], Action)] = &[
        (facing(100), &["f", "F", " fold "], Action::Fold),
        (facing(100), &["c", "call", "Call"], Action::Call),
        (flop(), &["x", "check", "c"], Action::Check),
        (
            flop(),
            &["b 300", "b300", "bet 300", "r 300", "B 300", "b 3bb", "bet 150%", "150%"],
            Action::Bet(300),
        ),
        (
            flop(),
            &["half pot", "b half pot", "50%", "1/2 pot", "0.5 pot", "b 50% pot", "b 1bb", "min"],
            Action::Bet(100),
        ),
        (flop(), &["pot", "bet pot", "100%", "b 2bb"], Action::Bet(200)),
        (BettingState::new(Street::Flop, 500, 1750), &["1/3 pot", "third pot"], Action::Bet(167)),
        // Over a bet of 100 into 200, the pot after calling is 400.
        (
            facing(100),
            &["r 500", "raise to 500", "raise 500", "r500", "pot", "5x", "r 5x"],
            Action::Raise(500),
        ),
        (facing(100), &["r 2.5x", "2.5x", "r 250", "37.5%"], Action::Raise(250)),
        (facing(100), &["min", "r min", "2x", "r 200"], Action::Raise(200)),
        (
            facing(100),
            &["a", "allin", "all-in", "all in", "shove", "jam", "r 1,900", "1000%", "50x"],
            Action::AllIn(1900),
        ),
        (flop(), &["b 1900", "allin", "b 19bb"], Action::AllIn(1900)),
        // Before the flop the blinds are the bet.
        (game().state(), &["r 2.5x", "r 250", "r 2.5bb"], Action::Raise(250)),
        (game().state(), &["pot"], Action::Raise(300)),
    ];
    for (state, texts, action) in table {
        for text in *texts {
            assert_eq!(parse_action(text, &game(), state), Ok(*action), "{text}");
        }
    }
}

#[test]
fn illegal_actions_are_explained() {
    let jammed = game().after(&flop(), Action::AllIn(1900)).unwrap().unwrap();
    let table = [
        (flop(), "f", "there is no bet to fold to; check with x"),
        (flop(), "call", "there is nothing to call; check with x"),
        (flop(), "2.5x", "there is no bet to multiply; write b 300, 50% or pot"),
        (flop(), "b 99", "a bet is to 100 chips at least; 99 is too small"),
        (flop(), "1/3 pot", "a bet is to 100 chips at least; 67 is too small"),
        (flop(), "b 0", "a bet is to 100 chips at least; 0 is too small"),
        (
            flop(),
            "b 1901",
            "the stack allows 1900 chips on this street, which is all-in; 1901 is too much",
        ),
        (
            flop(),
            "b 99999999999999999999",
            "the stack allows 1900 chips on this street, which is all-in; 4294967295 is too much",
        ),
        (
            facing(300),
            "x",
            "300 chips are owed, so a check is not possible; call with c, raise, or fold with f",
        ),
        (facing(300), "r 599", "a raise is to 600 chips at least; 599 is too small"),
        (
            jammed,
            "allin",
            "the opponent is all-in, so there is nothing to raise; call with c or fold with f",
        ),
        (
            jammed,
            "r 2x",
            "the opponent is all-in, so there is nothing to raise; call with c or fold with f",
        ),
    ];
    for (state, text, message) in table {
        assert_eq!(parse_action(text, &game(), &state).unwrap_err().to_string(), message, "{text}");
    }
    for text in [
        "", "300", "b", "r", "b x", "pots", "bb", "-5", "b -5", "b 1e3", "nan pot", "1/0 pot", "%",
        "x y",
    ] {
        let error = parse_action(text, &game(), &flop()).unwrap_err();
        assert_eq!(error, WordError::Unknown(text.to_owned()), "{text}");
    }
}

proptest! {
    #[test]
    fn whatever_is_read_is_legal(
        text in "(f|x|c|b|r|a|bet|raise|call|pot|half|min|to| |[0-9]{1,4}|%|x|bb|/|\\.|,|\\PC){0,8}",
        bet in 0u32..1900,
    ) {
        let state = if bet < 100 { flop() } else { facing(bet) };
        if let Ok(action) = parse_action(&text, &game(), &state) {
            prop_assert!(game().after(&state, action).is_ok(), "{text}: {action}");
        }
    }
}
