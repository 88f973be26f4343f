//! Hands as text.

use lethe_cards::Board;
use lethe_game::{Action, Game, HandConfig, Player};
use lethe_play::History;
use proptest::prelude::*;

fn read(line: &str, board: Option<&str>) -> Result<History, String> {
    let game = Game::hand(&HandConfig::new(2000, 50, 100)).unwrap();
    let board = board.map(|board| board.parse::<Board>().unwrap());
    History::read(line, &game, board).map_err(|error| error.to_string())
}

#[test]
fn spellings_of_a_hand_are_one_hand() {
    let expected = read("r250 c / AhKd7c x b300", None).unwrap();
    assert_eq!(
        expected.actions,
        [Action::Raise(250), Action::Call, Action::Check, Action::Bet(300)]
    );
    assert_eq!(
        (expected.now.to_act, expected.board.to_string()),
        (Player::Oop, "AhKd7c".to_owned())
    );
    let others = [
        ("r250 c AhKd7c x b300", None),
        ("r 2.5x call/Ah Kd 7c check b60%", None),
        ("r2.5bb c / x b300", Some("AhKd7c")),
        ("r250 c / AhKd7c x b300", Some("AhKd7c")),
    ];
    for (line, board) in others {
        assert_eq!(read(line, board).as_ref(), Ok(&expected), "{line}");
    }
    assert_eq!(read("", None).unwrap().now.to_act, Player::Ip);
}

#[test]
fn what_no_hand_can_be_is_explained() {
    let table = [
        (
            "x",
            None,
            "'x' is not possible at the start of the hand: 50 chips are owed, so a check is not possible; call with c, raise, or fold with f",
        ),
        (
            "r150",
            None,
            "'r150' is not possible at the start of the hand: a raise is to 200 chips at least; 150 is too small",
        ),
        ("r250 f", None, "after 'r250 f': the hand is over, so there is nothing to decide"),
        ("f x", None, "'x' is not possible after 'f': the hand is over"),
        ("a c", None, "after 'a c': the hand is over, so there is nothing to decide"),
        ("r250 c", None, "after 'r250 c': the flop comes next; write / and its 3 cards"),
        (
            "r250 c x",
            None,
            "'x' is not possible after 'r250 c': the flop comes next; write / and its 3 cards",
        ),
        (
            "r250 c / x",
            None,
            "'/' is not possible after 'r250 c': the flop comes next; write / and its 3 cards",
        ),
        (
            "r250 c / AhKd x",
            None,
            "'AhKd' is not possible after 'r250 c': the flop comes next; write / and its 3 cards",
        ),
        (
            "r250 c / AhKd7c x x / Kd",
            None,
            "'Kd' is not possible after 'r250 c / AhKd7c x x': Kd has been dealt before",
        ),
        ("r250 / AhKd7c", None, "'AhKd7c' is not possible after 'r250': the preflop is not over"),
        (
            "r250 c / x",
            Some("AhKd7c2c"),
            "after 'r250 c / x': the betting is on the flop, so the board has 3 cards; found 4",
        ),
        (
            "r250 c / AhKd7c x",
            Some("AhKd7d"),
            "after 'r250 c / AhKd7c x': its cards are not those of the board given beside it",
        ),
        (
            "r250 q",
            None,
            "'q' is not possible after 'r250': 'q' is not an action: write f, x, c, b 300, r 750, r 2.5x, 50%, pot or allin",
        ),
    ];
    for (line, board, message) in table {
        assert_eq!(read(line, board).unwrap_err(), message, "{line}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(line in "(f|x|c|b300|r250|r900|a| |/|Ah|Kd7c2s|Th|9c|\\PC){0,12}", with in any::<bool>()) {
        let _ = read(&line, with.then_some("AhKd7c"));
    }
}
