//! Hands replayed by the rules, against a ledger that knows nothing of them.

use lethe_cards::{Board, Card, Hole, Street};
use lethe_game::{Action, Player};
use lethe_play::{End, PlayedHand, RecordError, Replay, sized};
use proptest::prelude::*;

use crate::oracle::best_of_seven;

/// A hand played at random: every choice is a number that picks among what is legal.
fn played(stacks: [u32; 2], ante: u32, deck: &[Card], choices: &[u32]) -> PlayedHand {
    let hole = |at: usize| Hole::new(deck[at], deck[at + 1]);
    let mut hand =
        PlayedHand { ante, holes: [hole(0), hole(2)], ..PlayedHand::new(3, stacks, 50, 100) };
    let board = |street: Street| Board::new(&deck[4..4 + street.board_len()]).unwrap();
    for &choice in choices {
        let replay = hand.replay().unwrap();
        let End::ToAct(state) = replay.end else { break };
        let [own, other] = [state.to_act, state.to_act.opponent()].map(|p| state.put[p.index()]);
        let least = replay.game.least_bet(&state);
        // Sometimes more than the other player can call.
        let most = state.stack + stacks[state.to_act.index()] - hand.stack();
        let raises = other < state.stack;
        let action = match choice % 8 {
            0 if own < other => Action::Fold,
            1 | 2 if raises => sized(&state, least + choice / 8 % (most - least + 1)),
            3 if raises => sized(&state, least),
            _ if own < other => Action::Call,
            _ => Action::Check,
        };
        hand.actions.push(action);
        let streets = Street::ALL.into_iter().rev();
        let fits =
            |street: &Street| PlayedHand { board: board(*street), ..hand.clone() }.replay().is_ok();
        hand.board = board(streets.into_iter().find(fits).expect("legal on some street"));
    }
    hand
}

/// Chips won and lost, counted pile by pile from the words alone.
fn ledger(hand: &PlayedHand, winner: Option<Player>) -> [i64; 2] {
    let mut put = [i64::from(hand.ante + hand.big_blind), i64::from(hand.ante + hand.small_blind)];
    let (mut street, mut acted) = ([hand.big_blind, hand.small_blind].map(i64::from), 0);
    let mut to_act = 1;
    for action in &hand.actions {
        let owed = street[1 - to_act] - street[to_act];
        let stack = i64::from(hand.stacks[to_act]);
        let add = match action {
            Action::Fold | Action::Check => 0,
            Action::Call => owed.min(stack - put[to_act]),
            Action::Bet(to) | Action::Raise(to) | Action::AllIn(to) => {
                i64::from(*to) - street[to_act]
            }
        };
        put[to_act] += add;
        street[to_act] += add;
        acted += 1;
        let closed = matches!(action, Action::Check | Action::Call) && acted > 1;
        if closed {
            (street, acted, to_act) = ([0, 0], 0, 0);
        } else {
            to_act = 1 - to_act;
        }
    }
    let at_stake = put[0].min(put[1]);
    match winner {
        None => [0, 0],
        Some(player) => {
            std::array::from_fn(|p| if p == player.index() { at_stake } else { -at_stake })
        }
    }
}

fn winner(hand: &PlayedHand, replay: &Replay) -> Option<Player> {
    match replay.end {
        End::Fold(player) => Some(player.opponent()),
        _ => {
            let [oop, ip] = hand.holes.map(|hole| {
                let cards: Vec<Card> = (hole.unwrap().set() | hand.board.set()).iter().collect();
                best_of_seven(&cards)
            });
            (oop != ip).then_some(if oop > ip { Player::Oop } else { Player::Ip })
        }
    }
}

fn deck() -> impl Strategy<Value = Vec<Card>> {
    Just(Card::all().collect::<Vec<_>>()).prop_shuffle()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn payoffs_are_those_of_a_ledger(
        stacks in [130u32..3000, 130u32..3000], ante in 0u32..20, deck in deck(),
        choices in prop::collection::vec(any::<u32>(), 0..40),
    ) {
        let hand = played(stacks, ante, &deck, &choices);
        let replay = hand.replay().unwrap();
        let payoffs = hand.payoffs();
        if let End::ToAct(state) = replay.end {
            prop_assert_eq!(payoffs, None);
            prop_assert_eq!(state.street, hand.board.street());
        } else {
            prop_assert_eq!(payoffs, Some(ledger(&hand, winner(&hand, &replay))));
            let [oop, ip] = payoffs.unwrap();
            prop_assert_eq!(oop + ip, 0);
            prop_assert!(oop.unsigned_abs() <= u64::from(hand.stack()));
        }
        for put in replay.put {
            prop_assert!(put <= hand.stack());
        }
        // Every decision on the way can be put to an agent, and is a hand itself.
        for (number, played) in replay.played.iter().enumerate() {
            let before = hand.before(&replay, number).unwrap();
            prop_assert_eq!(before.seat, played.state.to_act);
            prop_assert_eq!(before.board.street(), played.state.street);
            let cut = PlayedHand { board: before.board, actions: before.actions, ..hand.clone() };
            prop_assert_eq!(cut.replay().unwrap().end, End::ToAct(played.state));
        }
    }

    #[test]
    fn no_hand_panics(
        stacks in any::<[u32; 2]>(), blinds in any::<[u32; 2]>(), ante in any::<u32>(),
        actions in prop::collection::vec((0u8..6, any::<u32>()), 0..12), deck in deck(), cards in 0usize..6,
    ) {
        let action = |&(kind, amount): &(u8, u32)| match kind {
            0 => Action::Fold,
            1 => Action::Check,
            2 => Action::Call,
            3 => Action::Bet(amount),
            4 => Action::Raise(amount),
            _ => Action::AllIn(amount),
        };
        let hand = PlayedHand {
            ante,
            board: Board::new(&deck[..cards]).unwrap_or(Board::EMPTY),
            actions: actions.iter().map(action).collect(),
            ..PlayedHand::new(0, stacks, blinds[0], blinds[1])
        };
        let _ = (hand.replay(), hand.payoffs());
    }
}

#[test]
fn a_bet_that_cannot_be_called_in_full_is_an_all_in() {
    let hand = PlayedHand {
        holes: [Some("AsAh".parse().unwrap()), Some("7c2d".parse().unwrap())],
        board: "KhKd5c5s9c".parse().unwrap(),
        actions: vec![Action::Raise(5000), Action::Call],
        ..PlayedHand::new(1, [900, 5000], 50, 100)
    };
    assert_eq!(hand.payoffs(), Some([900, -900]));
    assert_eq!(hand.replay().unwrap().played[0].action, Action::AllIn(900));
    let above = PlayedHand { actions: vec![Action::Raise(5001)], board: Board::EMPTY, ..hand };
    assert!(matches!(above.replay(), Err(RecordError::Illegal { number: 1, .. })));
}

#[test]
fn a_showdown_needs_both_holes_and_a_fold_none() {
    let shown = PlayedHand {
        holes: [Some("AsAh".parse().unwrap()), None],
        board: "KhKd5c5s9c".parse().unwrap(),
        actions: vec![Action::AllIn(900), Action::Call],
        ..PlayedHand::new(1, [900, 900], 50, 100)
    };
    assert!(shown.replay().is_ok());
    assert_eq!(shown.payoffs(), None);
    let folded = PlayedHand {
        holes: [None, None],
        board: Board::EMPTY,
        actions: vec![Action::Fold],
        ..shown.clone()
    };
    assert_eq!(folded.payoffs(), Some([50, -50]));
    let dealt = PlayedHand { holes: [Some("KhAh".parse().unwrap()), None], ..shown.clone() };
    assert_eq!(dealt.replay().unwrap_err().to_string(), "duplicate card Kh");
    let cut = PlayedHand { board: "KhKd5c".parse().unwrap(), ..shown.clone() };
    assert!(matches!(cut.replay(), Err(RecordError::Board { street: Street::River, found: 3 })));
    let after = PlayedHand { actions: vec![Action::Fold, Action::Call], ..folded };
    assert_eq!(after.replay().unwrap_err(), RecordError::AfterTheEnd { number: 2 });
}
