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

#[test]
fn a_file_that_is_cut_or_changed_is_an_error_or_other_hands() {
    let mut hands = read_hands(GOOD).unwrap();
    hands.push(hands[0].clone());
    let text = write_hands(&hands, 1).unwrap();
    for end in 0..text.len() {
        match read_hands(&text[..end]) {
            // Cut between two hands, or after all that a hand needs.
            Ok(read) => assert!(!read.is_empty() && hands.starts_with(&read[..1]), "{end}"),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    for at in 0..text.len() {
        for byte in [b' ', b'9', b'"', b'[', b'-', b'p'] {
            let mut changed = text.clone().into_bytes();
            changed[at] = byte;
            let _ = read_hands(&String::from_utf8(changed).unwrap());
        }
    }
}

mod logs {
    use crate::acpc_log::{is_acpc_log, read_acpc_log};
    use crate::record::PlayedHand;

    const LOG: &str = "# name/game/hands/seed match game 2 1\n#--t_response 600000\n\
        STATE:0:r250f:AhKd|9s9h:-100|100:you|lethe\n\
        STATE:1:cr300c/cc/cr600c/r900f:9c8c|QdQh/2s3s4s/5d/Kd:600|-600:lethe|you\n\
        STATE:2:r2000c///:AsAh|KsKh/2s3s4d/9d/Kd:-2000|2000:you|lethe\nSCORE:-1500|1500:you|lethe\n";

    fn read(text: &str) -> Result<Vec<PlayedHand>, String> {
        let rules = PlayedHand::new(0, [2000; 2], 50, 100);
        read_acpc_log(text, &rules).map_err(|error| error.to_string())
    }

    #[test]
    fn hands_of_a_log_are_paid_as_it_says() {
        assert!(is_acpc_log(LOG) && !is_acpc_log("[1]\nvariant = \"NT\"\n") && !is_acpc_log(""));
        let hands = read(LOG).unwrap();
        let won: Vec<_> = hands.iter().map(|hand| hand.payoffs().unwrap()).collect();
        assert_eq!(won, [[-100, 100], [600, -600], [-2000, 2000]]);
        assert_eq!(hands[1].names, ["lethe", "you"]);
    }

    #[test]
    fn errors_name_the_line() {
        for (from, to, expected) in [
            ("r250f", "r120f", "line 3: action 1 of the hand: 'raise 120' is not legal"),
            ("-100|100", "-50|50", "line 3: the log says that '-50|50' was won"),
            ("AhKd|9s9h", "AhKd|9sAh", "line 3: the card Ah has been dealt already"),
            ("/r900f", "/r900", "line 4: the hand is not finished"),
            (":you|lethe\nSTATE:1", ":you|lethe|x\nSTATE:1", "line 3: 3 players"),
            ("STATE:0:", "STATUS:0:", "line 3: expected STATE:hand"),
        ] {
            let text = LOG.replacen(from, to, 1);
            assert_ne!(text, LOG, "{from}");
            let error = read(&text).unwrap_err();
            assert!(error.starts_with(expected), "{from}: {error}");
        }
        assert_eq!(read("# nothing\n").unwrap_err(), "the log has no hands");
        let cut = &LOG[..LOG.find("9c8c").unwrap()];
        assert!(read(cut).unwrap_err().starts_with("line 4: expected STATE:hand"));
    }
}
