//! Lines: betting and dealt cards, such as `x b94 c / Th x`.

use lethe_cards::{Board, Card};
use lethe_game::{NodeId, NodeKind, Tree};
use lethe_solver::{Position, Solution, Spot};

use crate::error::InputError;

/// A decision of the tree and the cards dealt on the way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The node.
    pub(crate) node: NodeId,
    /// The dealt cards, in order; empty where the line names none.
    pub(crate) dealt: Vec<Card>,
}

/// The words of a line, slashes left out.
pub(crate) fn words(line: &str) -> Vec<String> {
    let spaced = line.replace('/', " ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// Finds a line in a tree. Each `/` may be followed by the card that is dealt; either all are or
/// none.
pub(crate) fn find(tree: &Tree, line: &str) -> Result<Place, InputError> {
    let mut dealt = Vec::new();
    let mut history = String::new();
    let spaced = line.replace('/', " / ");
    let mut after_deal = false;
    for word in spaced.split_whitespace() {
        if let (true, Ok(card)) = (after_deal, word.parse::<Card>()) {
            dealt.push(card);
            after_deal = false;
            continue;
        }
        after_deal = word == "/";
        history.push_str(word);
        history.push(' ');
    }
    let node = tree.find(&history).map_err(|error| {
        let (token, options) = (error.token.escape_debug(), &error.options);
        let line = line.escape_debug();
        InputError::new(format_args!(
            "'{token}' is not possible in the line '{line}'; possible there: {options}"
        ))
    })?;
    Ok(Place { node, dealt })
}

/// The spot moved to a decision that a line leads to, with the ranges as they are.
pub(crate) fn start_at(spot: &Spot, line: &str) -> Result<Spot, InputError> {
    let Place { node, dealt } = find(spot.tree(), line)?;
    let mut board: Board = spot.board();
    for card in dealt {
        board = board.with(card).ok_or_else(|| {
            InputError::new(format_args!("{card} cannot be dealt: it lies on the board already"))
        })?;
    }
    let weights = lethe_game::Player::BOTH.map(|player| spot.weights(player).to_vec());
    Spot::with_weights(board, weights, spot.tree().clone(), node).map_err(|error| match error {
        lethe_solver::SpotError::Street { tree, .. } => InputError::new(format_args!(
            "the start is on the {tree}: write the dealt cards after each /, such as 'x x / Th'"
        )),
        error => InputError::new(error),
    })
}

/// Walks a solution by words and gives the position to `show`.
///
/// Where a street was left out of the solution, `resolve` solves what follows, and the walk goes on
/// in that.
pub(crate) fn visit<T>(
    solution: &Solution,
    words: &[String],
    resolve: &mut dyn FnMut(&Position<'_>) -> anyhow::Result<Solution>,
    show: &mut dyn FnMut(&Position<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let mut count = 0;
    loop {
        let position = solution.walk(&words[..count].join(" ")).map_err(InputError::new)?;
        if matches!(position.kind(), NodeKind::Decision(_)) && !position.is_stored() {
            let below = resolve(&position)?;
            return visit(&below, &words[count..], resolve, show);
        }
        if count == words.len() {
            return show(&position);
        }
        count += 1;
    }
}

/// The line of a position with the cards that were dealt after a board of `first` cards.
pub(crate) fn with_cards(history: &str, board: &Board, first: usize) -> String {
    let mut cards = board.cards().iter().skip(first);
    let mut words = Vec::new();
    for word in history.split_whitespace() {
        words.push(word.to_owned());
        if word == "/" {
            words.extend(cards.next().map(|card| card.to_string()));
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lethe_cards::Street;
    use lethe_game::{BetSizes, Game, PlayerSizes, Sizes, SpotConfig, StreetSizes};

    use super::*;

    fn spot() -> Spot {
        let bet = PlayerSizes { bet: Sizes::parse_bets("50%").unwrap(), ..PlayerSizes::default() };
        let turn = StreetSizes { oop: bet, ..StreetSizes::default() };
        let config = SpotConfig {
            bet_sizes: BetSizes { turn, ..BetSizes::default() },
            ..SpotConfig::new(100, 100)
        };
        let tree = Tree::build(Game::spot(&config, Street::Turn).unwrap(), 1000).unwrap();
        let ranges = ["AA".parse().unwrap(), "KK".parse().unwrap()];
        Spot::new("2s3h4d6c".parse().unwrap(), ranges, Arc::new(tree)).unwrap()
    }

    #[test]
    fn dealt_cards_may_be_named_or_left_out() {
        let spot = spot();
        let find = |line| find(spot.tree(), line).unwrap();
        let named = find("b50 c / Th x");
        assert_eq!(named.dealt, ["Th".parse().unwrap()]);
        assert_eq!(named.node, find("b50 c/x").node);
        assert_eq!(spot.tree().history(named.node), "b50 c / x");
        assert!(super::find(spot.tree(), "b60").unwrap_err().to_string().contains("x, b50"));
    }

    #[test]
    fn a_start_on_a_later_street_needs_its_cards() {
        assert_eq!(start_at(&spot(), "x x / Th").unwrap().board().to_string(), "2s3h4d6cTh");
        assert!(start_at(&spot(), "x x /").unwrap_err().to_string().contains("dealt cards"));
        assert!(start_at(&spot(), "x x / 2s").unwrap_err().to_string().contains("already"));
        assert!(start_at(&spot(), "b50 f").is_err());
    }

    #[test]
    fn lines_are_written_with_the_cards_dealt() {
        let board: Board = "2s3h4d6cTh".parse().unwrap();
        assert_eq!(with_cards("b50 c / x", &board, 4), "b50 c / Th x");
        assert_eq!(with_cards("x x / x x / x", &board, 3), "x x / 6c x x / Th x");
        assert_eq!(with_cards("x", &board, 5), "x");
    }
}
