//! Hands compared as by eye, without the evaluator.

use lethe_cards::Card;

/// The best five of seven cards as a number of categories and ranks, by hand.
pub(crate) fn best_of_seven(cards: &[Card]) -> Vec<usize> {
    let mut best = Vec::new();
    for a in 0..7 {
        for b in a + 1..7 {
            let five: Vec<Card> = (0..7).filter(|&i| i != a && i != b).map(|i| cards[i]).collect();
            best = best.max(score(&five));
        }
    }
    best
}

fn score(five: &[Card]) -> Vec<usize> {
    let mut counts = [0; 13];
    five.iter().for_each(|card| counts[card.rank().index()] += 1);
    let mut ranks: Vec<(usize, usize)> =
        (0..13).filter(|&r| counts[r] > 0).map(|r| (counts[r], r)).collect();
    ranks.sort_by(|a, b| b.cmp(a));
    let flush = five.iter().all(|card| card.suit() == five[0].suit());
    let wheel =
        ranks.len() == 5 && [12, 3, 2, 1, 0] == *ranks.iter().map(|r| r.1).collect::<Vec<_>>();
    let straight = ranks.len() == 5 && ranks[0].1 == ranks[4].1 + 4 || wheel;
    let category = match (flush, straight, ranks[0].0, ranks.get(1).map_or(0, |r| r.0)) {
        (true, true, ..) => 8,
        (_, _, 4, _) => 7,
        (_, _, 3, 2) => 6,
        (true, ..) => 5,
        (_, true, ..) => 4,
        (_, _, 3, _) => 3,
        (_, _, 2, 2) => 2,
        (_, _, 2, _) => 1,
        _ => 0,
    };
    let high = if wheel { vec![3] } else { ranks.iter().map(|r| r.1).collect() };
    std::iter::once(category).chain(high).collect()
}
