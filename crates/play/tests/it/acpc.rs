//! The ACPC protocol: match states as text, and matches with a dealer.

use std::io::BufReader;
use std::net::{TcpListener, TcpStream};

use lethe_agent::SearchFrom;
use lethe_cards::{Board, Card, Hole, Street};
use lethe_compute::Job;
use lethe_game::Player;
use lethe_play::acpc::{MatchState, Token};
use lethe_play::{AcpcError, MatchHand, PlayedHand, play_match};
use proptest::prelude::*;

use crate::dealer::{Dealer, Fault, Outcome};
use crate::small::with_agent;

fn rules() -> PlayedHand {
    PlayedHand::new(0, [2000; 2], 50, 100)
}

/// A match of the agent with the dealer of these tests.
fn play(
    from: SearchFrom,
    hands: u64,
    seed: u64,
    fault: Fault,
) -> (Outcome, Vec<MatchHand>, Result<(), AcpcError>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let dealer = Dealer { stack: 2000, small: 50, big: 100, hands, seed, fault };
    let dealing = std::thread::spawn(move || dealer.deal(&listener));
    let mut played = Vec::new();
    let result = with_agent(from, |agent| {
        let mut to = TcpStream::connect(address).unwrap();
        to.set_nodelay(true).unwrap();
        let mut from = BufReader::new(to.try_clone().unwrap());
        let mut on_hand = |hand| played.push(hand);
        play_match(&mut from, &mut to, &rules(), agent, Job::default(), &mut on_hand)
    });
    (dealing.join().unwrap(), played, result)
}

#[test]
fn thousands_of_hands_are_played_without_a_violation() {
    let (outcome, played, result) = play(SearchFrom::None, 3000, 1, Fault::None);
    result.unwrap();
    assert_eq!(outcome.violations, [] as [String; 0]);
    assert_eq!(played.len(), 3000);
    let won: i64 = played.iter().map(|hand| hand.won).sum();
    assert_eq!(won, outcome.won);
    assert!(outcome.raises > 1000 && outcome.showdowns > 500, "{outcome:?}");
    for (number, hand) in played.iter().enumerate() {
        assert_eq!(hand.hand.number, number as u64);
        assert_eq!(hand.seat, if number % 2 == 0 { Player::Oop } else { Player::Ip });
    }
}

#[test]
fn an_agent_that_searches_answers_any_size() {
    let (outcome, played, result) = play(SearchFrom::River, 60, 2, Fault::None);
    result.unwrap();
    assert_eq!(outcome.violations, [] as [String; 0]);
    assert_eq!(played.iter().map(|hand| hand.won).sum::<i64>(), outcome.won);
}

#[test]
fn a_bad_dealer_is_found_out() {
    let table = [
        (Fault::Malformed, "expected f, c or r and chips in the betting, found 'x'"),
        (Fault::DealtTwice, "has been dealt already"),
        (Fault::HangUp, "the dealer closed the connection in the middle of hand 1"),
        (Fault::CutLine, "the connection ended in the middle of the line"),
        (Fault::Illegal, "'raise 2001' is not legal here"),
        (Fault::OtherCards, "our cards are not those dealt at the start of the hand"),
    ];
    for (fault, message) in table {
        let (_, played, result) = play(SearchFrom::None, 3, 3, fault);
        let error = result.unwrap_err().to_string();
        assert!(error.contains(message), "{fault:?}: {error}");
        assert_eq!(played.len(), 1, "{fault:?}");
    }
}

#[test]
fn states_of_the_protocols_text_are_read() {
    // From the examples of the protocol, whose stacks are 20,000.
    let deep = PlayedHand::new(0, [20_000; 2], 50, 100);
    for line in [
        "MATCHSTATE:0:30::9s8h|",
        "MATCHSTATE:0:30:c:9s8h|",
        "MATCHSTATE:0:30:cc/:9s8h|/8c8d5c",
        "MATCHSTATE:0:30:cc/r250c/:9s8h|/8c8d5c/6s",
        "MATCHSTATE:0:30:cc/r250c/r500c/:9s8h|/8c8d5c/6s/2d",
        "MATCHSTATE:0:30:cc/r250c/r500c/r1250c:9s8h|9c6h/8c8d5c/6s/2d",
        "MATCHSTATE:1:31:r300r900c/r1800r3600r9000c/r20000c/:|JsTc/Qc9h4c/7h/5d",
        "MATCHSTATE:1:31:r20000f:|JsTc",
    ] {
        let state: MatchState = line.parse().unwrap();
        if !line.contains("JsTc/Qc") {
            state.replay(&deep).unwrap();
        }
        assert_eq!(state.betting.len(), state.board.street().index() + 1);
    }
    let state: MatchState =
        "MATCHSTATE:0:30:cc/r250c/r500c/r1250c:9s8h|9c6h/8c8d5c/6s/2d".parse().unwrap();
    assert_eq!(
        state.replay(&deep).unwrap().0.payoffs(),
        Some([1250, -1250]),
        "trips beat two pair"
    );
}

#[test]
fn lines_that_are_no_states_are_refused() {
    for line in [
        "",
        "MATCHSTATE",
        "MATCHSTATE:0:0:",
        "MATCHSTATE:0:0::AsKs",
        "MATCHSTATE:2:0::AsKs|",
        "MATCHSTATE:0:-1::AsKs|",
        "MATCHSTATE:0:01::AsKs|",
        "MATCHSTATE:0:0::|AsKs",
        "MATCHSTATE:0:0::AsAs|",
        "MATCHSTATE:0:0::AsKs|AsQd",
        "MATCHSTATE:0:0::As Ks|",
        "MATCHSTATE:0:0::As|",
        "MATCHSTATE:0:0::AsKsQs|",
        "MATCHSTATE:0:0:r:AsKs|",
        "MATCHSTATE:0:0:r99999999999:AsKs|",
        "MATCHSTATE:0:0:c5:AsKs|",
        "MATCHSTATE:0:0:x:AsKs|",
        "MATCHSTATE:0:0:cc/:AsKs|/2c3c",
        "MATCHSTATE:0:0:cc/:AsKs|/2c3cKs",
        "MATCHSTATE:0:0:cc:AsKs|/2c3c4c",
        "MATCHSTATE:0:0:cc/:AsKs|",
        "matchstate:0:0::AsKs|",
        "MATCHSTATE:0:0::AsKs|:c",
        "MATCHSTATE:0:0:é:AsKs|",
        "MATCHSTATE:0:0::10sKs|",
        "MATCHSTATE:0:0::A♠K♠|",
        "MATCHSTATE:0:0::AsKs|QdQh|2c2d",
    ] {
        assert!(line.parse::<MatchState>().is_err(), "{line}");
    }
    for line in [
        "MATCHSTATE:0:0:c/:AsKs|/2c3c4c",
        "MATCHSTATE:0:0:cc/c:AsKs|/2c3c4c/",
        "MATCHSTATE:0:0:ccc/:AsKs|/2c3c4c",
        "MATCHSTATE:0:0:r150:AsKs|",
        "MATCHSTATE:0:0:r2001:AsKs|",
        "MATCHSTATE:0:0:ff:AsKs|",
        "MATCHSTATE:0:0:cc/f:AsKs|/2c3c4c",
        "MATCHSTATE:0:0:r2000c:AsKs|",
        "MATCHSTATE:0:0:r2000c///:AsKs|/2c3c4c/5c/6c",
        "MATCHSTATE:0:0:cc:AsKs|",
    ] {
        let read = line.parse::<MatchState>().map(|state| state.replay(&rules()));
        assert!(!matches!(read, Ok(Ok(_))), "{line}");
    }
}

fn token() -> impl Strategy<Value = Token> {
    prop_oneof![Just(Token::Fold), Just(Token::Call), (0u32..3000).prop_map(Token::Raise)]
}

proptest! {
    #[test]
    fn what_is_written_reads_back(
        deck in Just(Card::all().collect::<Vec<_>>()).prop_shuffle(), street in 0usize..4, ip in any::<bool>(),
        hand in any::<u64>(), shown in any::<bool>(),
        betting in prop::collection::vec(prop::collection::vec(token(), 0..5), 4),
    ) {
        let hole = |at: usize, known: bool| known.then(|| Hole::new(deck[at], deck[at + 1]).unwrap());
        let state = MatchState {
            position: if ip { Player::Ip } else { Player::Oop },
            hand,
            betting: betting[..=street].to_vec(),
            holes: [hole(0, !ip || shown), hole(2, ip || shown)],
            board: Board::new(&deck[4..4 + Street::ALL[street].board_len()]).unwrap(),
        };
        prop_assert_eq!(state.to_string().parse::<MatchState>(), Ok(state.clone()));
        let _ = state.replay(&rules());
    }

    #[test]
    fn no_line_panics(line in "(MATCHSTATE|:|0|1|c|r|f|r250|r2000|/|\\||As|Ks|Td|2c3c4c|\\PC){0,24}", tail in "\\PC{0,20}") {
        for line in [line.clone(), format!("MATCHSTATE:0:1:{line}"), format!("MATCHSTATE:1:2:cr300{tail}:|AsKs")] {
            if let Ok(state) = line.parse::<MatchState>() {
                let _ = state.replay(&rules());
            }
        }
    }
}
