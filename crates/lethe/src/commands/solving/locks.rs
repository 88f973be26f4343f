//! Locks as they are typed: `LINE=STRATEGY`.

use std::collections::BTreeMap;

use lethe_cards::{Hole, Range};
use lethe_game::{Action, NodeId, Tree};
use lethe_solver::{Lock, LockedStrategy, Spot};

use super::line;
use crate::commands::input::read;
use crate::error::InputError;

/// What is accepted as a lock.
pub(crate) const HELP: &str = "Play this at a decision, whatever is best there: LINE=STRATEGY

LINE is the betting up to the decision, empty at the root, with the dealt cards after each / or \
none for every board. STRATEGY is a list of actions with percentages, for the whole range \
('x=bet 50 30%, check 70%'; an action without a percentage gets the rest) or for some hands, others \
staying free ('b50=AA,KQs: call; 72o: fold 90%, call').";

/// Adds the lock that a text describes to a spot.
pub(crate) fn apply(spot: Spot, text: &str) -> Result<Spot, InputError> {
    let told = |error: &dyn std::fmt::Display| {
        InputError::new(format_args!("the lock '{}': {error}", text.escape_debug()))
    };
    let Some((line, strategy)) = text.split_once('=') else {
        return Err(told(&"no LINE=STRATEGY; write one, such as 'x b50=fold 30%, call 70%'"));
    };
    let line::Place { node, dealt } = line::find(spot.tree(), line).map_err(|e| told(&e))?;
    if spot.tree().actions(node).is_empty() {
        return Err(told(&"only a decision can be locked, and nobody acts after that line"));
    }
    let strategy = self::strategy(spot.tree(), node, strategy).map_err(|e| told(&e))?;
    spot.with_lock(Lock { node, dealt, strategy }).map_err(|error| told(&error))
}

/// Reads frequencies for the whole range, or for hands after their names.
fn strategy(tree: &Tree, node: NodeId, text: &str) -> Result<LockedStrategy, InputError> {
    if !text.contains(':') {
        return Ok(LockedStrategy::Range(mix(tree, node, text)?));
    }
    let mut hands: BTreeMap<Hole, Vec<f64>> = BTreeMap::new();
    for part in text.split(';').filter(|part| !part.trim().is_empty()) {
        let Some((range, actions)) = part.split_once(':') else {
            return Err(InputError::new(format_args!(
                "'{}' has no hands; write HANDS: ACTIONS",
                part.trim().escape_debug()
            )));
        };
        let frequencies = mix(tree, node, actions)?;
        let range: Range = read(range.trim())?;
        hands.extend(range.iter().map(|(hole, _)| (hole, frequencies.clone())));
    }
    Ok(LockedStrategy::Hands(hands))
}

/// Reads a list of actions with percentages: frequencies in the order of the node's actions.
fn mix(tree: &Tree, node: NodeId, text: &str) -> Result<Vec<f64>, InputError> {
    let actions = tree.actions(node);
    let mut given: Vec<Option<Option<f64>>> = vec![None; actions.len()];
    for item in text.split(',') {
        let item = item.trim();
        let bad = |why: &str| InputError::new(format_args!("'{}' {why}", item.escape_debug()));
        let (name, share) = match item.strip_suffix('%') {
            None => (item, None),
            Some(rest) => {
                let at = rest.trim_end().rfind(' ').unwrap_or(0);
                let percent: Option<f64> = rest[at..].trim().parse().ok();
                let percent = percent.filter(|p| (0.0..=100.0).contains(p));
                let bad = || bad("has no percentage from 0 to 100 after the action");
                (rest[..at].trim(), Some(percent.ok_or_else(bad)? / 100.0))
            }
        };
        let place = actions.iter().position(|&action| is_named(tree, node, action, name));
        let place = place.ok_or_else(|| {
            let names: Vec<String> = actions.iter().map(Action::to_string).collect();
            bad(&format!("is no action there; the actions are {}", names.join(", ")))
        })?;
        if given[place].replace(share).is_some() {
            return Err(bad("stands there twice"));
        }
    }
    let sum: f64 = given.iter().flatten().flatten().sum();
    let open = given.iter().filter(|share| **share == Some(None)).count();
    let rest = (1.0 - sum) / open as f64;
    if sum > 1.0 + 1e-9 || open == 0 && sum < 1.0 - 1e-3 {
        return Err(InputError::new(format_args!(
            "the percentages sum to {:.1} %, not to 100 %",
            100.0 * sum
        )));
    }
    Ok(given
        .iter()
        .map(|share| share.map_or(0.0, |share| share.unwrap_or(rest.max(0.0))))
        .collect())
}

/// Whether a text names an action at a node: `bet 50`, `b50`, `bet50`; `allin` and `a` the all-in.
fn is_named(tree: &Tree, node: NodeId, action: Action, text: &str) -> bool {
    let name = text.to_ascii_lowercase().replace(' ', "");
    let all_in = matches!(action, Action::AllIn(_));
    let short = || {
        let place = tree.actions(node).iter().position(|&a| a == action)?;
        let child = *tree.children(node).get(place)?;
        tree.history(child).split_whitespace().next_back().map(str::to_owned)
    };
    action.to_string().replace(' ', "") == name
        || all_in && (name == "a" || name == "allin")
        || short().is_some_and(|short| short == name)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lethe_cards::Street;
    use lethe_game::{BetSizes, Game, PlayerSizes, Sizes, SpotConfig, StreetSizes};

    use super::*;

    fn spot() -> Spot {
        let bet = PlayerSizes { bet: Sizes::parse_bets("50%, a").unwrap(), ..Default::default() };
        let river = StreetSizes { oop: bet, ..StreetSizes::default() };
        let config = SpotConfig {
            bet_sizes: BetSizes { river, ..BetSizes::default() },
            ..SpotConfig::new(100, 100)
        };
        let tree = Tree::build(Game::spot(&config, Street::River).unwrap(), 1000).unwrap();
        let ranges = ["AA,QQ".parse().unwrap(), "KK".parse().unwrap()];
        Spot::new("2s3h4d6c7c".parse().unwrap(), ranges, Arc::new(tree)).unwrap()
    }

    fn strategy(text: &str) -> LockedStrategy {
        apply(spot(), text).unwrap().locks()[0].strategy.clone()
    }

    #[test]
    fn a_range_is_locked_by_actions_and_percentages() {
        let cases = [
            ("=check", vec![1.0, 0.0, 0.0]),
            ("=bet 50 25%, check", vec![0.75, 0.25, 0.0]),
            ("= b50, a", vec![0.0, 0.5, 0.5]),
            ("=x 20%, bet50 30 %, allin 100 50%", vec![0.2, 0.3, 0.5]),
        ];
        for (text, frequencies) in cases {
            assert_eq!(strategy(text), LockedStrategy::Range(frequencies), "{text}");
        }
    }

    #[test]
    fn hands_are_locked_one_by_one() {
        let LockedStrategy::Hands(hands) = strategy("=AA: allin; QsQh: check 10%, allin") else {
            panic!("hands were named");
        };
        assert_eq!(hands.len(), 7);
        assert_eq!(hands[&"QsQh".parse().unwrap()], [0.1, 0.0, 0.9]);
    }

    #[test]
    fn what_is_no_lock_is_refused() {
        let cases = [
            ("check", "no LINE=STRATEGY"),
            ("b7=fold", "not possible"),
            ("=raise 7", "no action there"),
            ("=check 50%", "sum to 50.0 %"),
            ("=check 50%, allin 60%", "sum to 110.0 %"),
            ("=check, check", "twice"),
            ("=check x%", "no percentage"),
            ("=AX: check", "the lock"),
            ("=AA: check; fold", "has no hands"),
            ("x x=check", "only a decision"),
        ];
        for (text, expected) in cases {
            let message = apply(spot(), text).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
