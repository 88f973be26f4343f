//! Lines: betting and dealt cards, such as `x b94 c / Th x`, in solutions and blueprints.
//!
//! ```
//! use lethe_game::{Game, HandConfig, Tree};
//! use lethe_kit::line;
//!
//! let tree = Tree::build(Game::hand(&HandConfig::new(1000, 50, 100))?, 1000)?;
//! let place = line::find(&tree, "c x / Th9h8c x")?;
//! assert_eq!(tree.history(place.node), "c x / x");
//! assert_eq!(place.dealt.len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use lethe_cards::{Board, Card, Street, parse_cards};
use lethe_game::{NodeId, NodeKind, Tree};

/// A node of a betting tree and the cards dealt on the way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The node.
    pub node: NodeId,
    /// The dealt cards, in order; empty where the line names none.
    pub dealt: Vec<Card>,
}

/// One step of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// An action, as it was written.
    Action(&'a str),
    /// A deal, with its cards where they are named.
    Deal(Vec<Card>),
}

/// The steps of a line. Cards make a deal with or without a `/` before them.
pub fn steps(line: &str) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = Vec::new();
    for part in line.split_inclusive('/') {
        for word in part.trim_end_matches('/').split_whitespace() {
            match (parse_cards(word), steps.last_mut()) {
                (Ok(cards), Some(Step::Deal(dealt))) => dealt.extend(cards),
                (Ok(cards), _) => steps.push(Step::Deal(cards)),
                (Err(_), _) => steps.push(Step::Action(word)),
            }
        }
        if part.ends_with('/') {
            steps.push(Step::Deal(Vec::new()));
        }
    }
    steps
}

/// The node that a line leads to from the root. Cards are named at every deal or at none.
pub fn find(tree: &Tree, line: &str) -> Result<Place, LineError> {
    let mut place = Place { node: tree.root(), dealt: Vec::new() };
    let mut named = None;
    for step in steps(line) {
        let next = tree.children(place.node)[index(tree, place.node, &step, line)?];
        if let Step::Deal(cards) = step {
            if *named.get_or_insert(!cards.is_empty()) == cards.is_empty() {
                let options = "the cards of every street, or of none".to_owned();
                return Err(LineError { word: "/".to_owned(), line: line.to_owned(), options });
            }
            place.dealt.extend(cards);
        }
        place.node = next;
    }
    Ok(place)
}

/// The place of the child that a step leads to.
pub(crate) fn index(
    tree: &Tree,
    node: NodeId,
    step: &Step<'_>,
    line: &str,
) -> Result<usize, LineError> {
    let at = tree.node(node);
    let place = match step {
        Step::Action(word) => tree.action_named(node, word),
        Step::Deal(cards) if at.kind() == NodeKind::Chance => {
            let dealt = at.street().next().map(|next| next.board_len() - at.street().board_len());
            (cards.is_empty() || Some(cards.len()) == dealt).then_some(0)
        }
        Step::Deal(_) => None,
    };
    place.ok_or_else(|| LineError {
        word: match step {
            Step::Action(word) => (*word).to_owned(),
            Step::Deal(cards) if cards.is_empty() => "/".to_owned(),
            Step::Deal(cards) => cards.iter().map(Card::to_string).collect(),
        },
        line: line.to_owned(),
        options: options(tree, node),
    })
}

/// What may follow in a line at a node.
fn options(tree: &Tree, node: NodeId) -> String {
    match tree.node(node).kind() {
        NodeKind::Chance if tree.node(node).street() == Street::Preflop => {
            "/ and the three cards of the flop".to_owned()
        }
        NodeKind::Chance => "/ and the card of the next street".to_owned(),
        NodeKind::Fold(_) | NodeKind::Showdown => "nothing, the hand is over".to_owned(),
        NodeKind::Decision(_) => {
            let histories = tree.children(node).iter().map(|&child| tree.history(child));
            let last = |history: String| history.rsplit(' ').next().map(str::to_owned);
            histories.filter_map(last).collect::<Vec<_>>().join(", ")
        }
    }
}

impl Place {
    /// The place after the deals that follow at once.
    #[must_use]
    pub fn after_deals(mut self, tree: &Tree) -> Place {
        while tree.node(self.node).kind() == NodeKind::Chance {
            self.node = tree.children(self.node)[0];
        }
        self
    }
}

/// The line of a node with the cards that were dealt after a board of `first` cards.
pub fn with_cards(history: &str, board: &Board, first: usize) -> String {
    with_dealt(history, &board.cards()[first.min(board.cards().len())..])
}

/// The line of a node with dealt cards, one at each deal as long as there are any.
pub(crate) fn with_dealt(history: &str, dealt: &[Card]) -> String {
    let mut cards = dealt.iter();
    let mut words = Vec::new();
    for word in history.split_whitespace() {
        words.push(word.to_owned());
        if word == "/" {
            words.extend(cards.next().map(Card::to_string));
        }
    }
    words.join(" ")
}

/// A line that does not lead anywhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{}' is not possible in the line '{}'; possible there: {options}",
        word.escape_debug(), line.escape_debug())]
pub struct LineError {
    word: String,
    line: String,
    /// What is possible instead of the word.
    options: String,
}

#[cfg(test)]
mod tests {
    use lethe_game::{Game, HandConfig};

    use super::*;

    fn tree() -> Tree {
        Tree::build(Game::hand(&HandConfig::new(1000, 50, 100)).unwrap(), 1000).unwrap()
    }

    #[test]
    fn cards_may_be_named_at_every_deal_or_nowhere() {
        let tree = tree();
        let plain = find(&tree, "c x / x x / x").unwrap();
        assert_eq!(plain.dealt, []);
        for line in ["c x/Th 9h8c x x / 2d x", "call check Th9h8c X x 2d x"] {
            let named = find(&tree, line).unwrap();
            assert_eq!(named.node, plain.node);
            assert_eq!(Board::new(&named.dealt), Some("Th9h8c2d".parse().unwrap()));
        }
        for bad in ["Th c x", "c x / Th", "c x / Th9h8c x x / x", "c c", "f x"] {
            assert!(find(&tree, bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_line_that_ends_before_a_deal_may_be_continued_after_it() {
        let tree = tree();
        let [before, after] = ["c x", "c x /"].map(|line| find(&tree, line).unwrap());
        assert_eq!(before.after_deals(&tree), after);
    }

    #[test]
    fn lines_are_written_with_the_cards_dealt() {
        let board: Board = "2s3h4d6cTh".parse().unwrap();
        assert_eq!(with_cards("b50 c / x", &board, 4), "b50 c / Th x");
        assert_eq!(with_cards("x x / x x / x", &board, 3), "x x / 6c x x / Th x");
        assert_eq!(with_cards("x", &board, 5), "x");
    }
}
