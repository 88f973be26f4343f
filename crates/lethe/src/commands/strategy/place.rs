//! The decision that a history names.

use lethe_blueprint::Blueprint;
use lethe_cards::{Board, Card, parse_cards};
use lethe_game::{NodeId, NodeKind, Tree};

use crate::error::InputError;

/// A decision, and the board where the history names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) node: NodeId,
    pub(super) board: Option<Board>,
}

/// Finds a history in a tree. Cards may stand after each `/`, after all or none; a history that ends
/// before a deal is taken to go on after it.
pub(super) fn find(tree: &Tree, history: &str) -> Result<Place, InputError> {
    let mut words = Vec::new();
    let mut cards: Vec<Card> = Vec::new();
    let spaced = history.replace('/', " / ");
    let mut after_deal = false;
    for word in spaced.split_whitespace() {
        match parse_cards(word) {
            Ok(dealt) if after_deal => cards.extend(dealt),
            Ok(_) => {
                let message = format_args!("'{word}': cards may stand only after a /");
                return Err(InputError::new(message));
            }
            Err(_) => {
                after_deal = word == "/";
                words.push(word);
            }
        }
    }
    let mut node = tree.find(&words.join(" ")).map_err(|error| {
        let (token, history) = (error.token.escape_debug(), history.escape_debug());
        InputError::new(format_args!(
            "'{token}' is not possible in the history '{history}'; possible there: {}",
            error.options
        ))
    })?;
    while tree.node(node).kind() == NodeKind::Chance {
        node = tree.children(node)[0];
    }
    let board = match &cards[..] {
        [] => None,
        cards => Some(Board::new(cards).ok_or_else(|| {
            InputError::new(format_args!(
                "the cards in '{}' are no board: three on the flop, one on turn and river, none twice",
                history.escape_debug()
            ))
        })?),
    };
    Ok(Place { node, board })
}

/// Why nobody acts at a node.
pub(super) fn over(blueprint: &Blueprint, node: NodeId) -> InputError {
    let how = match blueprint.tree().node(node).kind() {
        NodeKind::Fold(_) => "by a fold",
        _ => "by a showdown",
    };
    InputError::new(format_args!(
        "nobody acts any more after this history, the hand ends {how}; write one action less"
    ))
}

#[cfg(test)]
mod tests {
    use lethe_game::{Game, HandConfig};

    use super::*;

    fn tree() -> Tree {
        Tree::build(Game::hand(&HandConfig::new(1000, 50, 100)).unwrap(), 1000).unwrap()
    }

    #[test]
    fn cards_may_stand_after_each_deal_or_nowhere() {
        let tree = tree();
        let plain = find(&tree, "c x / x x / x").unwrap();
        assert_eq!(plain.board, None);
        let named = find(&tree, "c x/Th 9h8c x x / 2d x").unwrap();
        assert_eq!(named.node, plain.node);
        assert_eq!(named.board, Some("Th9h8c2d".parse().unwrap()));
        for bad in ["Th c x", "c x / Th", "c x / Th9h8c x x / 9h x"] {
            assert!(find(&tree, bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_history_that_ends_before_a_deal_goes_on_after_it() {
        let tree = tree();
        assert_eq!(find(&tree, "c x").unwrap(), find(&tree, "c x /").unwrap());
    }
}
