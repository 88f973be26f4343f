//! Leduc poker, described by its public histories. The agent's tests use it too.

/// A two-player game of one private card each, described by its public histories.
pub(crate) trait Small {
    /// The cards of the deck.
    const CARDS: usize;
    /// What happens after a history.
    fn node(&self, history: &str) -> Node;
    /// The first player's winnings at the end of a hand.
    fn payoff(&self, history: &str, cards: [usize; 2]) -> f64;
}

pub(crate) enum Node {
    Decision(usize, Vec<char>),
    /// A public card is dealt, written as a digit.
    Deal,
    End,
}

/// Six cards of three ranks, one bet and one raise of 2 a round, of 4 after the public card.
#[derive(Clone)]
pub(crate) struct Leduc;

impl Leduc {
    /// The rounds of a history and its public card.
    fn rounds(history: &str) -> (&str, Option<(usize, &str)>) {
        match history.find(|c: char| c.is_ascii_digit()) {
            Some(at) => {
                let card = history[at..=at].parse().unwrap();
                (&history[..at], Some((card, &history[at + 1..])))
            }
            None => (history, None),
        }
    }

    /// Who put in how much in a round, and whether it is over.
    fn put(round: &str, size: f64) -> ([f64; 2], bool) {
        let mut put = [0.0, 0.0];
        for (i, action) in round.chars().enumerate() {
            let (own, other) = (i % 2, put[1 - i % 2]);
            match action {
                'c' => put[own] = other,
                'r' => put[own] = other + size,
                _ => {}
            }
        }
        let over = round.ends_with('f')
            || round.len() > 1 && (round.ends_with('c') || round.ends_with('x'));
        (put, over)
    }

    fn actions(round: &str) -> Vec<char> {
        let raises = round.matches('r').count();
        match (raises, round.ends_with('r')) {
            (0, _) => vec!['x', 'r'],
            (1, true) => vec!['f', 'c', 'r'],
            _ => vec!['f', 'c'],
        }
    }
}

impl Small for Leduc {
    const CARDS: usize = 6;

    fn node(&self, history: &str) -> Node {
        let (first, second) = Leduc::rounds(history);
        if first.ends_with('f') {
            return Node::End;
        }
        let round = match second {
            None if Leduc::put(first, 2.0).1 => return Node::Deal,
            None => first,
            Some((_, round)) if Leduc::put(round, 4.0).1 => return Node::End,
            Some((_, round)) => round,
        };
        Node::Decision(round.len() % 2, Leduc::actions(round))
    }

    fn payoff(&self, history: &str, cards: [usize; 2]) -> f64 {
        let (first, second) = Leduc::rounds(history);
        let (mut put, _) = Leduc::put(first, 2.0);
        let (board, round) = second.unwrap_or((usize::MAX, first));
        if second.is_some() {
            let (more, _) = Leduc::put(round, 4.0);
            put = [put[0] + more[0], put[1] + more[1]];
        }
        if round.ends_with('f') {
            let folded = (round.len() - 1) % 2;
            return if folded == 0 { -1.0 - put[0] } else { 1.0 + put[1] };
        }
        let rank = |card: usize| card / 2;
        let strength = |card: usize| if rank(card) == rank(board) { 10 } else { rank(card) };
        let stake = 1.0 + put[0];
        match strength(cards[0]).cmp(&strength(cards[1])) {
            std::cmp::Ordering::Greater => stake,
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Less => -stake,
        }
    }
}
