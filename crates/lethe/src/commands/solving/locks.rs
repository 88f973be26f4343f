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
