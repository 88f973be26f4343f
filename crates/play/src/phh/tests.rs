//! What is written reads back equal, and what is wrong is said with its hand and line.

use super::*;

fn hand(text: &str) -> String {
    read_hands(text).map(|hands| format!("{hands:?}")).unwrap_or_else(|error| error.to_string())
}

const GOOD: &str = r#"variant = "NT"
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [2000, 3000]
actions = [
  "d dh p1 AhKd",
  "d dh p2 ????",
  "p2 cbr 250 # a raise",
  "p1 cc",
  "d db 7c8d2s",
  "p1 cc",
  "p2 cbr 2750",
  "p1 f",
]
"#;

#[test]
fn a_bet_beyond_the_smaller_stack_is_an_all_in_and_comments_do_not_count() {
    let hands = read_hands(GOOD).unwrap();
    let hand = &hands[0];
    assert_eq!(hand.holes, [Some("AhKd".parse().unwrap()), None]);
    assert_eq!(hand.actions.len(), 5);
    assert_eq!(hand.actions[3], Action::AllIn(1750));
    assert_eq!(hand.payoffs(), Some([-250, 250]));
    let again = read_hands(&write_hands(&hands, 1).unwrap()).unwrap();
    assert_eq!(again, hands);
}

#[test]
fn errors_name_the_hand_and_the_line() {
    for (from, to, expected) in [
        ("\"NT\"", "\"PO\"", "hand 1, line 1: variant 'PO'; only NT"),
        (
            "[2000, 3000]",
            "[2000, 3000, 1000]",
            "hand 1, line 5: starting_stacks has 3 entries; only hands of two",
        ),
        (
            "p2 cbr 250 ",
            "p2 cbr 120 ",
            "hand 1, line 9: action 1 of the hand: 'raise 120' is not legal",
        ),
        (
            "p2 cbr 250 ",
            "p1 cbr 250 ",
            "hand 1, line 9: 'p1 cbr 250 # a raise': it is the other player's turn",
        ),
        ("p2 cbr 250 ", "p2 raise 250 ", "hand 1, line 9: unknown action"),
        ("7c8d2s", "7c8dAh", "hand 1, line 11: duplicate card Ah"),
        ("7c8d2s", "7c8d", "hand 1, line 15: a board of 2 cards"),
        (
            "\"d db 7c8d2s\",",
            "",
            "hand 1, line 15: the hand is on the flop, so the board has 3 cards; found 0",
        ),
        (
            "\"p1 f\",",
            "\"p1 f\", \"p2 f\",",
            "hand 1, line 14: action 6 of the hand comes after its end",
        ),
        (
            "[50, 100]",
            "[100, 50]",
            "hand 1, line 3: blinds_or_straddles: expected the small blind first",
        ),
        ("[50, 100]", "[0.123, 100]", "hand 1, line 3: blinds_or_straddles: expected amounts"),
        ("[0, 0]", "[0, 10]", "hand 1, line 2: antes: expected the same"),
        ("[2000, 3000]", "[100, 3000]", "hand 1, line 5: stack is 100 chips"),
        ("starting_stacks", "stacks", "not a hand history in PHH: missing field `starting_stacks`"),
    ] {
        let text = GOOD.replace(from, to);
        assert_ne!(text, GOOD, "{from}");
        let found = hand(&text);
        assert!(found.contains(expected), "{from} -> {to}: {found}");
    }
    assert!(hand("").contains("the file has no hands"));
    let cut = hand(&GOOD[..GOOD.find("p1 cc").unwrap()]);
    assert!(cut.starts_with("line ") && cut.contains("not a hand history in PHH"), "{cut}");
    assert!(hand("\u{0}").contains("not a hand history in PHH"));
}

#[test]
fn amounts_with_cents_count_in_cents() {
    let text = GOOD
        .replace("[50, 100]", "[0.5, 1]")
        .replace("[2000, 3000]", "[20.0, 30.00]")
        .replace("cbr 250", "cbr 2.5")
        .replace("cbr 2750", "cbr 27.5")
        .replace("min_bet = 100", "min_bet = 1");
    assert_eq!(read_hands(&text).unwrap(), read_hands(GOOD).unwrap());
}

#[test]
fn hands_keep_their_order_and_strange_names_their_letters() {
    let mut hands = Vec::new();
    for number in 1..=12 {
        let mut hand = read_hands(GOOD).unwrap().remove(0);
        hand.number = number * 7;
        hand.names = [format!("a \"{number}\" \\ \u{1}"), "'é\n".to_owned()];
        hands.push(hand);
    }
    let text = write_hands(&hands, 1).unwrap();
    assert_eq!(read_hands(&text).unwrap(), hands);
}
