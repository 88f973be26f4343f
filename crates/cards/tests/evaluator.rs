//! The evaluator over whole decks: published counts, and the order of two other evaluators.

use std::collections::BTreeMap;

use lethe_cards::{Card, CardSet, Category, HandBuilder, Strength, evaluate};
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

/// Calls `visit` with every set of `left` more cards of index `from` or above.
fn every_hand(set: CardSet, from: usize, left: usize, visit: &mut impl FnMut(CardSet)) {
    if left == 0 {
        return visit(set);
    }
    for index in from..=52 - left {
        let card = Card::from_index(index).unwrap();
        every_hand(set | CardSet::of(card), index + 1, left - 1, visit);
    }
}

/// What `hand-counts.tsv` says of hands of `cards` cards.
fn published(cards: usize) -> BTreeMap<&'static str, u64> {
    let rows = include_str!("data/hand-counts.tsv").lines().filter(|l| !l.starts_with('#'));
    rows.map(|row| {
        let fields: Vec<_> = row.split('\t').collect();
        (fields[0], fields[cards - 4].parse().unwrap())
    })
    .collect()
}

fn counts_are_as_published(cards: usize) {
    let mut counts = vec![0u64; Strength::COUNT];
    every_hand(CardSet::EMPTY, 0, cards, &mut |hand| counts[evaluate(hand).index()] += 1);

    let mut found = BTreeMap::new();
    for (index, &n) in counts.iter().enumerate() {
        let category = Strength::from_index(index).unwrap().category();
        *found.entry(category.name()).or_insert(0) += n;
    }
    found.insert("royal flush", counts[Strength::COUNT - 1]);
    found.insert("distinct", counts.iter().filter(|&&n| n > 0).count() as u64);
    found.insert("total", counts.iter().sum());
    assert_eq!(found, published(cards));
}

#[test]
fn all_five_card_hands_count_as_published() {
    counts_are_as_published(5);
}

/// Five cards ranked as the rule book does: the category, then ranks by how often they occur.
fn rule_book(hand: CardSet) -> (u8, Vec<(usize, usize)>) {
    let mut groups: Vec<(usize, usize)> = (0..13)
        .map(|rank| (hand.iter().filter(|card| card.rank().index() == rank).count(), rank))
        .filter(|&(count, _)| count > 0)
        .collect();
    groups.sort_unstable_by(|a, b| b.cmp(a));
    let is_flush = hand.lanes().iter().filter(|&&lane| lane != 0).count() == 1;
    let is_wheel = groups.iter().map(|&(_, rank)| rank).eq([12, 3, 2, 1, 0]);
    let is_straight = groups.len() == 5 && groups[0].1 == groups[4].1 + 4 || is_wheel;
    if is_wheel {
        groups.rotate_left(1);
        groups[4].1 = 0;
    }
    let counts: Vec<usize> = groups.iter().map(|&(count, _)| count).collect();
    let category = match (counts.as_slice(), is_flush, is_straight) {
        (_, true, true) => 8,
        ([4, 1], ..) => 7,
        ([3, 2], ..) => 6,
        (_, true, _) => 5,
        (_, _, true) => 4,
        ([3, 1, 1], ..) => 3,
        ([2, 2, 1], ..) => 2,
        ([2, ..], ..) => 1,
        _ => 0,
    };
    (category, groups)
}

#[test]
fn all_7462_strengths_are_ordered_as_in_the_rule_book() {
    let mut ranked = vec![None; Strength::COUNT];
    every_hand(CardSet::EMPTY, 0, 5, &mut |hand| {
        let expected = rule_book(hand);
        let found = ranked[evaluate(hand).index()].get_or_insert_with(|| expected.clone());
        assert_eq!(*found, expected, "{hand}");
    });
    let ranked: Vec<_> = ranked.into_iter().map(|ranked| ranked.unwrap()).collect();
    assert!(ranked.is_sorted_by(|a, b| a < b));
}

#[test]
fn repeated_cards_count_once_in_a_hand() {
    let cards = lethe_cards::parse_cards("AsKdQh7c2c").unwrap();
    let repeated: HandBuilder = cards.iter().chain(&cards[..2]).copied().collect();
    assert_eq!(repeated, cards.iter().copied().collect::<HandBuilder>());
    assert_eq!(repeated.cards().len(), 5);
}

#[test]
fn all_six_card_hands_count_as_published() {
    counts_are_as_published(6);
}

#[test]
fn all_seven_card_hands_count_as_published() {
    counts_are_as_published(7);
}

/// Two random hands of the same number of cards that differ in two of them, as at a showdown.
fn random_pair(rng: &mut ChaCha8Rng) -> [Vec<Card>; 2] {
    let cards = rng.random_range(5..=7);
    let dealt: Vec<_> =
        sample(rng, 52, cards + 2).into_iter().map(|i| Card::from_index(i).unwrap()).collect();
    [dealt[..cards].to_vec(), dealt[2..].to_vec()]
}

#[test]
fn the_order_agrees_with_two_other_evaluators_on_three_million_pairs() {
    use aya_poker::base::Hand as AyaHand;
    use rs_poker::core::{Card as RsCard, CardBitSet, Rankable, Suit as RsSuit, Value};

    let aya = |hand: &[Card]| {
        let hand: AyaHand =
            hand.iter().map(|c| c.to_string()).collect::<Vec<_>>().join(" ").parse().unwrap();
        aya_poker::poker_rank(&hand)
    };
    let suits = [RsSuit::Club, RsSuit::Diamond, RsSuit::Heart, RsSuit::Spade];
    let rs = |hand: &[Card]| {
        let mut set = CardBitSet::new();
        for card in hand {
            let value = Value::from_u8(card.rank().index() as u8);
            set.insert(RsCard::new(value, suits[card.suit().index()]));
        }
        set.rank()
    };
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut ties = 0;
    for _ in 0..3_000_000 {
        let [a, b] = random_pair(&mut rng);
        let ours = Strength::of(&a).unwrap().cmp(&Strength::of(&b).unwrap());
        assert_eq!(ours, aya(&a).cmp(&aya(&b)), "aya_poker on {a:?} and {b:?}");
        assert_eq!(ours, rs(&a).cmp(&rs(&b)), "rs_poker on {a:?} and {b:?}");
        ties += u32::from(ours.is_eq());
    }
    assert!(ties > 10_000, "only {ties} ties: the sample does not test them");
}

#[test]
fn hands_dealt_card_by_card_have_the_strength_of_their_set() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for _ in 0..1_000_000 {
        let [hand, _] = random_pair(&mut rng);
        let dealt: HandBuilder = hand.iter().copied().collect();
        assert_eq!(Some(dealt.strength()), Strength::of(&hand), "{hand:?}");
    }
}

#[test]
fn hands_are_named_with_their_kickers() {
    let named = [
        ("As Ks Qs Js Ts 2d 3d", "royal flush"),
        ("5s 4s 3s 2s As Ad Ah", "straight flush, five high"),
        ("9s 9h 9d 9c Kd 2d 3d", "four of a kind, nines, king kicker"),
        ("2s 2h 2d 9c 9d Kd Kh", "full house, deuces full of kings"),
        ("As Js 9s 5s 3s 2s Kd", "flush, ace high, jack nine five three kickers"),
        ("As 2h 3d 4c 5d Kd Kh", "straight, five high"),
        ("6s 6h 6d Ac 5d 2d 3h", "three of a kind, sixes, ace five kickers"),
        ("As Ah 8d 8c Qd 5d 5h", "two pair, aces and eights, queen kicker"),
        ("Ts Th 8d 3c Qd 5d 2h", "pair, tens, queen eight five kickers"),
        ("7s 5h 4d 3c 2d", "high card, seven high, five four three deuce kickers"),
    ];
    for (cards, name) in named {
        let cards = lethe_cards::parse_cards(cards).unwrap();
        assert_eq!(Strength::of(&cards).unwrap().to_string(), name);
    }
    assert_eq!(Strength::of(&lethe_cards::parse_cards("AsKsQs").unwrap()), None);
    assert!(Category::Flush < Category::FullHouse);
}
