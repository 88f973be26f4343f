//! Exact equity: published numbers, a brute-force oracle, and the shipped table computed again.

use std::thread;

use lethe_cards::equity::{self, EquityError, Tally};
use lethe_cards::vs_random::{self, equity_scale};
use lethe_cards::{
    Board, CanonicalBoard, Card, CardSet, Deck, Hole, Matchups, Range, River, StartingHand, Street,
    Strength, SuitMap, evaluate,
};
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

fn hole(text: &str) -> Hole {
    text.parse().unwrap()
}

/// Distinct random cards.
fn deal(rng: &mut ChaCha8Rng, cards: usize) -> Vec<Card> {
    sample(rng, 52, cards).into_iter().map(|i| Card::from_index(i).unwrap()).collect()
}

/// Every set of `left` more cards from the deck without `dead`.
fn completions(set: CardSet, dead: CardSet, left: usize, visit: &mut impl FnMut(CardSet)) {
    fn extend(
        set: CardSet,
        dead: CardSet,
        from: usize,
        left: usize,
        visit: &mut impl FnMut(CardSet),
    ) {
        if left == 0 {
            return visit(set);
        }
        for card in Card::all().skip(from).filter(|&c| !(set | dead).contains(c)) {
            extend(set | card.into(), dead, card.index() + 1, left - 1, visit);
        }
    }
    extend(set, dead, 0, left, visit);
}

/// Hole against hole by going through every board, one evaluation a hand.
fn brute_force(hole: Hole, other: Hole, board: &Board) -> Tally {
    let mut tally = Tally::default();
    let missing = 5 - board.cards().len();
    completions(board.set(), hole.set() | other.set(), missing, &mut |river| {
        let (own, theirs) = (evaluate(river | hole.set()), evaluate(river | other.set()));
        tally.wins += u128::from(own > theirs);
        tally.ties += u128::from(own == theirs);
        tally.total += 1;
    });
    tally
}

/// The same against every hole of a range, weighted.
fn brute_force_range(hole: Hole, range: &Range, board: &Board) -> Tally {
    let mut sum = Tally::default();
    for (other, weight) in range.iter() {
        if !other.set().intersects(hole.set() | board.set()) {
            let tally = brute_force(hole, other, board);
            sum.wins += u128::from(weight) * tally.wins;
            sum.ties += u128::from(weight) * tally.ties;
            sum.total += u128::from(weight) * tally.total;
        }
    }
    sum
}

/// Whether two tallies differ at most by a factor, the unit in which opponents are weighed.
fn proportional(a: Tally, b: Tally) -> bool {
    a.wins * b.total == b.wins * a.total && a.ties * b.total == b.ties * a.total
}

#[test]
fn preflop_matchups_are_as_published() {
    let rows = include_str!("data/equities.tsv").lines().filter(|l| !l.starts_with('#'));
    for row in rows {
        let fields: Vec<_> = row.split('\t').collect();
        let tally = equity::hole_vs_hole(hole(fields[0]), hole(fields[1]), &Board::EMPTY).unwrap();
        let numbers = [tally.wins, tally.ties, tally.losses()].map(|n| n.to_string());
        assert_eq!(numbers[..], fields[2..], "{row}");
    }
}

#[test]
fn preflop_equities_against_random_are_as_published() {
    let published =
        [("AA", 0.85203713), ("KK", 0.82395680), ("KQs", 0.63400403), ("32o", 0.32303228)];
    let random = Range::full();
    for class in StartingHand::all() {
        let hole = class.holes().next().unwrap();
        let tally = equity::hole_vs_range(hole, &random, &Board::EMPTY).unwrap();
        assert_eq!(tally.total, 1225 * 1_712_304);
        assert_eq!(2 * tally.total, u128::from(equity_scale(Street::Preflop)));
        if let Some((_, value)) = published.iter().find(|(name, _)| *name == class.to_string()) {
            assert!((tally.equity().unwrap() - value).abs() < 5e-9, "{class}");
        }
    }
    let all = equity::range_vs_range(&random, &random, &Board::EMPTY).unwrap();
    assert_eq!(all.equity(), Some(0.5));
}

#[test]
fn the_shipped_matchups_are_what_one_pass_over_all_river_boards_gives() {
    let mut parts = thread::scope(|scope| {
        let halves = [0, 1].map(|part| scope.spawn(move || Matchups::compute(part, 2)));
        halves.map(|half| half.join().unwrap())
    });
    let [whole, other] = &mut parts;
    whole.merge(other);
    assert!(whole.finish().to_bytes() == Matchups::shipped().to_bytes());
    assert_eq!(Matchups::shipped().to_bytes().len(), 8 * Matchups::COUNT);
}

#[test]
fn matchups_agree_with_brute_force() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..25 {
        let cards = deal(&mut rng, 4);
        let (a, b) =
            (Hole::new(cards[0], cards[1]).unwrap(), Hole::new(cards[2], cards[3]).unwrap());
        assert_eq!(
            Matchups::shipped().get(a, b),
            Some(brute_force(a, b, &Board::EMPTY)),
            "{a} {b}"
        );
    }
    assert_eq!(Matchups::shipped().get(hole("AsKs"), hole("AsQs")), None);
}

#[test]
fn matchups_ignore_suit_names_and_mirror() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for _ in 0..20_000 {
        let cards = deal(&mut rng, 4);
        let (a, b) =
            (Hole::new(cards[0], cards[1]).unwrap(), Hole::new(cards[2], cards[3]).unwrap());
        let tally = Matchups::shipped().get(a, b).unwrap();
        let mirrored = Matchups::shipped().get(b, a).unwrap();
        assert_eq!((tally.wins, tally.ties), (mirrored.losses(), mirrored.ties));
        for map in SuitMap::all() {
            assert_eq!(Matchups::shipped().get(map.hole(a), map.hole(b)), Some(tally));
        }
    }
}

#[test]
fn classes_meet_in_every_deal_that_cards_allow() {
    let mut total = 0;
    for class in StartingHand::all() {
        for other in StartingHand::all() {
            let tally = Matchups::shipped().classes(class, other);
            let mirrored = Matchups::shipped().classes(other, class);
            assert_eq!((tally.wins, tally.total), (mirrored.losses(), mirrored.total));
            total += tally.total;
        }
    }
    assert_eq!(total, 1326 * 1225 * 1_712_304);
}

/// A range of a few random holes with random weights.
fn random_range(rng: &mut ChaCha8Rng) -> Range {
    let mut range = Range::empty();
    for _ in 0..rng.random_range(1..40) {
        let hole = Hole::from_index(rng.random_range(0..Hole::COUNT)).unwrap();
        range.set(hole, rng.random_range(1..=4) * 250_000);
    }
    range
}

#[test]
fn equities_after_the_flop_agree_with_brute_force() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for (street, cases) in [(Street::Flop, 12), (Street::Turn, 100), (Street::River, 500)] {
        for _ in 0..cases {
            let cards = deal(&mut rng, street.board_len() + 4);
            let board = Board::new(&cards[4..]).unwrap();
            let own = Hole::new(cards[0], cards[1]).unwrap();
            let other = Hole::new(cards[2], cards[3]).unwrap();
            let tally = equity::hole_vs_hole(own, other, &board).unwrap();
            assert_eq!(tally, brute_force(own, other, &board), "{own} {other} {board}");

            let range = random_range(&mut rng);
            let expected = brute_force_range(own, &range, &board);
            match equity::hole_vs_range(own, &range, &board) {
                Ok(tally) => assert!(proportional(tally, expected), "{own} {range} {board}"),
                Err(error) => assert_eq!((error, expected.total), (EquityError::NoPossibleDeal, 0)),
            }
        }
    }
}

#[test]
fn next_cards_share_out_the_runouts() {
    // On a flop the two cards of a runout come in both orders.
    for (times, hole, board) in
        [(2, "AsKs", "Th9h8c"), (1, "7c7d", "Th9h8c2s"), (1, "2c2d", "2h2s9c9d")]
    {
        let (hole, board): (Hole, Board) = (hole.parse().unwrap(), board.parse().unwrap());
        for range in ["random", "22+:0.5,AK,T9s:0.25,7h2d", "AhAd"] {
            let range: Range = range.parse().unwrap();
            let found = equity::hole_by_next_card(hole, &range, &board).unwrap();
            assert_eq!(found.whole, equity::all_vs_range(&range, &board)[hole.index()]);
            let sum = |of: fn(&Tally) -> u128| found.next.iter().map(|(_, t)| of(t)).sum::<u128>();
            assert_eq!(sum(|t| t.wins), times * found.whole.wins);
            assert_eq!(sum(|t| t.ties), times * found.whole.ties);
            assert_eq!(sum(|t| t.total), times * found.whole.total);
            for (card, tally) in found.next {
                let after = equity::all_vs_range(&range, &board.with(card).unwrap())[hole.index()];
                assert!(proportional(tally, after), "{hole} {board} {card} {range}");
            }
        }
    }
}

#[test]
fn range_against_range_is_the_weighted_sum_of_its_hands() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for street in [Street::Preflop, Street::Turn, Street::River] {
        for _ in 0..10 {
            let board = Board::new(&deal(&mut rng, street.board_len())).unwrap();
            let (a, b) = (random_range(&mut rng), random_range(&mut rng));
            let mut sum = Tally::default();
            for (own, weight) in a.iter().filter(|(h, _)| !h.set().intersects(board.set())) {
                for (other, other_weight) in b.iter() {
                    if let Ok(tally) = equity::hole_vs_hole(own, other, &board) {
                        let weight = u128::from(weight) * u128::from(other_weight);
                        sum.wins += weight * tally.wins;
                        sum.ties += weight * tally.ties;
                        sum.total += weight * tally.total;
                    }
                }
            }
            match equity::range_vs_range(&a, &b, &board) {
                Ok(tally) => assert!(proportional(tally, sum)),
                Err(_) => assert_eq!(sum.total, 0),
            }
        }
    }
}

/// What a row's entry should be: the sum of `2 * wins + ties` over rivers, each run of dealt cards
/// counted in every order.
fn expected_entry(hole: Hole, board: &Board) -> u32 {
    let tally = equity::hole_vs_range(hole, &Range::full(), board).unwrap();
    let orders = if board.street() == Street::Flop { 2 } else { 1 };
    u32::try_from(orders * (2 * tally.wins + tally.ties)).unwrap()
}

#[test]
fn rows_agree_with_the_sweep_for_every_hole() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for street in Street::POSTFLOP {
        for _ in 0..if street == Street::River { 2_000 } else { 3 } {
            let board = Board::new(&deal(&mut rng, street.board_len())).unwrap();
            let mut row = vec![0u32; Deck::row_len(street)];
            match street {
                Street::River => {
                    let mut river = vec![0u16; row.len()];
                    vs_random::river_row(board.set(), &mut river);
                    row = river.into_iter().map(u32::from).collect();
                }
                Street::Turn => vs_random::turn_row(board.set(), &mut row),
                _ => vs_random::flop_row(board.set(), &mut row, |turn, row| {
                    vs_random::turn_row(turn.set(), row);
                }),
            }
            let tallies = equity::all_vs_range(&Range::full(), &board);
            for (hole, &entry) in Deck::without(board.set()).holes().zip(&row) {
                let tally = tallies[hole.index()];
                let orders = if street == Street::Flop { 2 } else { 1 };
                assert_eq!(u128::from(entry), orders * (2 * tally.wins + tally.ties));
                assert_eq!(u128::from(equity_scale(street)), orders * 2 * tally.total);
            }
            if street == Street::River {
                for hole in Hole::all() {
                    let expected = tallies[hole.index()];
                    let live = !hole.set().intersects(board.set());
                    let found = vs_random::river_hole(board.set(), hole);
                    assert_eq!(found, live.then_some(expected), "{hole} {board}");
                }
            }
            let first = Deck::without(board.set()).hole(0).unwrap();
            assert_eq!(row[0], expected_entry(first, &board));
        }
    }
}

#[test]
fn one_hole_on_a_river_is_counted_as_the_evaluator_does() {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    // Boards with three, four and five cards of a suit, and random ones.
    let suited =
        ["As9s5sKd2c", "9s8s7sKd9c", "AsQs9s5s2c", "9s8s7s6sKd", "AsKsQsJs2s", "AsKsQsJsTs"];
    let boards = suited.map(|board| board.parse::<Board>().unwrap().set()).into_iter();
    let random: Vec<CardSet> = (0..200).map(|_| deal(&mut rng, 5).into_iter().collect()).collect();
    for board in boards.chain(random) {
        let deck = Deck::without(board);
        for hole in deck.holes().step_by(7) {
            let own = evaluate(board | hole.set());
            let others = deck.holes().filter(|other| !other.set().intersects(hole.set()));
            let mut counts = [0u128; 3];
            for other in others {
                counts[(evaluate(board | other.set()).cmp(&own) as i8 + 1) as usize] += 1;
            }
            let found = vs_random::river_hole(board, hole).unwrap();
            assert_eq!([found.wins, found.ties, found.losses()], counts, "{hole} {board}");
        }
    }
}

#[test]
fn river_boards_rank_every_hole_as_the_evaluator_does() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    // Random boards, and those where a flush is certain or nearly so.
    let suited = CanonicalBoard::all(Street::River).filter(|b| b.multiplicity() <= 4).take(500);
    let boards: Vec<CardSet> = suited
        .map(CanonicalBoard::set)
        .chain((0..2_000).map(|_| deal(&mut rng, 5).into_iter().collect()))
        .collect();
    for board in boards {
        let (river, deck) = (River::new(board), Deck::without(board));
        let table = river.strengths();
        let mut row: Vec<Strength> = Vec::new();
        for hole in deck.holes() {
            let strength = evaluate(board | hole.set());
            assert_eq!(table.get(hole), strength.get());
            row.push(strength);
        }
        let mut seen = 0;
        let mut last = None;
        for group in river.showdown().groups() {
            for ranked in group {
                let hole = deck.hole(ranked.slot as usize).unwrap();
                let [low, high] = ranked.cards.map(|card| Some(card as usize));
                assert_eq!([deck.position(hole.low()), deck.position(hole.high())], [low, high]);
                assert_eq!(row[ranked.slot as usize], row[group[0].slot as usize]);
                seen += 1;
            }
            let strength = row[group[0].slot as usize];
            assert!(last < Some(strength));
            last = Some(strength);
        }
        assert_eq!(seen, Deck::row_len(Street::River));
    }
}

#[test]
fn hands_that_cannot_meet_are_refused() {
    let board = "Th9h8c".parse().unwrap();
    let refused = |a, b| equity::hole_vs_hole(hole(a), hole(b), &board).unwrap_err();
    assert_eq!(refused("AsKs", "AsQs"), EquityError::Shared(hole("AsKs"), hole("AsQs")));
    assert_eq!(refused("ThKs", "AsQs"), EquityError::OnBoard(hole("ThKs")));
    assert_eq!(refused("AsKs", "9hQs"), EquityError::OnBoard(hole("9hQs")));
    let range: Range = "AsKs".parse().unwrap();
    let nothing = equity::range_vs_range(&range, &range, &board).unwrap_err();
    assert_eq!(nothing, EquityError::NoPossibleDeal);
}
