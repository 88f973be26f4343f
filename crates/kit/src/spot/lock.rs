//! Locks as people write them: `LINE=STRATEGY`.

use std::collections::BTreeMap;

use lethe_cards::{Hole, ParseError, Range};
use lethe_game::{Action, NodeId, Tree};
use lethe_solver::{Lock, LockError, LockedStrategy, Spot};

use crate::line::{self, LineError};

/// Adds the lock that a text describes to a spot.
///
/// The text is `LINE=STRATEGY`. The line leads to a decision, with the dealt cards after each `/` or
/// none for every board. The strategy is a list of actions with percentages for the whole range, such
/// as `bet 50 30%, check 70%`, where actions without a percentage share the rest; or lists for some
/// hands, such as `AA,KQs: call; 72o: fold 90%, call`. Other hands stay free.
///
/// ```
/// use lethe_kit::spot::{SpotFile, add_lock};
///
/// let text = "board: 2s3h4d6c7c\noop_range: AA,QQ\nip_range: KK\npot: 100\nstack: 100\n\
///             bet_sizes: {river: {oop: {bet: a}}}\n";
/// let spot = SpotFile::parse("river.yaml", text)?.spot()?;
/// let spot = add_lock(spot, "b100=call 30%, fold")?;
/// assert_eq!(spot.locks().len(), 1);
/// assert!(add_lock(spot, "=JJ: check").unwrap_err().to_string().contains("not in the range"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn add_lock(spot: Spot, text: &str) -> Result<Spot, LockTextError> {
    let wrong = |problem| LockTextError { text: text.to_owned(), problem };
    let read = |spot: &Spot| {
        let (line, strategy) = text.split_once('=').ok_or(LockProblem::NoEquals)?;
        let line::Place { node, dealt } = line::find(spot.tree(), line)?;
        let strategy = self::strategy(spot, node, strategy)?;
        Ok(Lock { node, dealt, strategy })
    };
    let lock = read(&spot).map_err(wrong)?;
    spot.with_lock(lock).map_err(|error| wrong(error.into()))
}

/// The text that [`add_lock`] reads as this lock of a spot.
pub fn lock_text(spot: &Spot, lock: &Lock) -> String {
    let tree = spot.tree();
    let line = line::with_dealt(&tree.history(lock.node), &lock.dealt);
    let mix = |frequencies: &[f64]| {
        let played = tree.actions(lock.node).iter().zip(frequencies).filter(|(_, f)| **f > 0.0);
        let mut words: Vec<String> =
            played.map(|(action, f)| format!("{action} {}%", 100.0 * f)).collect();
        // The last one takes the rest, whatever rounding left.
        if let Some(last) = words.last_mut() {
            last.truncate(last.rfind(' ').unwrap_or(last.len()));
        }
        words.join(", ")
    };
    let strategy = match &lock.strategy {
        LockedStrategy::Range(frequencies) => mix(frequencies),
        LockedStrategy::Hands(hands) => {
            let mut groups: Vec<(String, Vec<String>)> = Vec::new();
            for (hole, frequencies) in hands {
                let played = mix(frequencies);
                match groups.iter_mut().find(|group| group.0 == played) {
                    Some(group) => group.1.push(hole.to_string()),
                    None => groups.push((played, vec![hole.to_string()])),
                }
            }
            let parts = groups.iter().map(|(mix, holes)| format!("{}: {mix}", holes.join(",")));
            parts.collect::<Vec<_>>().join("; ")
        }
    };
    format!("{line}={strategy}")
}

/// Reads frequencies for the whole range, or for hands after their names.
fn strategy(spot: &Spot, node: NodeId, text: &str) -> Result<LockedStrategy, LockProblem> {
    let tree = spot.tree();
    let player = tree.node(node).player().ok_or(LockError::NoDecision)?;
    if !text.contains(':') {
        return Ok(LockedStrategy::Range(mix(tree, node, text)?));
    }
    let weights = spot.weights(player);
    let mut hands: BTreeMap<Hole, Vec<f64>> = BTreeMap::new();
    for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let no_hands = || LockProblem::NoHands(part.to_owned());
        let (range, actions) = part.split_once(':').ok_or_else(no_hands)?;
        let frequencies = mix(tree, node, actions)?;
        for entry in range.split(',').map(str::trim) {
            let range: Range = entry
                .parse()
                .map_err(|error| LockProblem::Range { entry: entry.to_owned(), error })?;
            let held: Vec<Hole> = range
                .iter()
                .map(|(hole, _)| hole)
                .filter(|hole| weights[hole.index()] > 0.0)
                .collect();
            if held.is_empty() {
                return Err(LockProblem::NotInRange { entry: entry.to_owned(), player });
            }
            hands.extend(held.into_iter().map(|hole| (hole, frequencies.clone())));
        }
    }
    Ok(LockedStrategy::Hands(hands))
}

/// Reads a list of actions with percentages: frequencies in the order of the node's actions.
fn mix(tree: &Tree, node: NodeId, text: &str) -> Result<Vec<f64>, LockProblem> {
    let mut given: Vec<Option<Option<f64>>> = vec![None; tree.actions(node).len()];
    for item in text.split(',').map(str::trim) {
        let (name, share) = match item.strip_suffix('%') {
            None => (item, None),
            Some(rest) => {
                let at = rest.trim_end().rfind(' ').unwrap_or(0);
                let percent: Option<f64> = rest[at..].trim().parse().ok();
                let percent = percent.filter(|p| (0.0..=100.0).contains(p));
                let percent = percent.ok_or_else(|| LockProblem::Percentage(item.to_owned()))?;
                (rest[..at].trim(), Some(percent / 100.0))
            }
        };
        let place = tree.action_named(node, name).ok_or_else(|| {
            let names: Vec<String> = tree.actions(node).iter().map(Action::to_string).collect();
            LockProblem::NoAction { name: name.to_owned(), actions: names.join(", ") }
        })?;
        if given[place].replace(share).is_some() {
            return Err(LockProblem::Twice(item.to_owned()));
        }
    }
    let sum: f64 = given.iter().flatten().flatten().sum();
    let open = given.iter().filter(|share| **share == Some(None)).count();
    let rest = (1.0 - sum) / open as f64;
    if sum > 1.0 + 1e-9 || open == 0 && sum < 1.0 - 1e-3 {
        return Err(LockProblem::Sum(100.0 * sum));
    }
    let frequency =
        |share: &Option<Option<f64>>| share.map_or(0.0, |share| share.unwrap_or(rest.max(0.0)));
    Ok(given.iter().map(frequency).collect())
}

/// A text that is not a lock of the spot.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("lock '{}': {problem}", text.escape_debug())]
pub struct LockTextError {
    text: String,
    problem: LockProblem,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
enum LockProblem {
    #[error("expected LINE=STRATEGY, such as 'x b50=fold 30%, call 70%'")]
    NoEquals,
    #[error(transparent)]
    Line(#[from] LineError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("expected HANDS: ACTIONS, found '{}'", .0.escape_debug())]
    NoHands(String),
    #[error("{error}, in '{}'", entry.escape_debug())]
    Range { entry: String, error: ParseError },
    #[error("{} is not in the range of {player} on this board", entry.escape_debug())]
    NotInRange { entry: String, player: lethe_game::Player },
    #[error("expected a percentage from 0 to 100 after the action, found '{}'", .0.escape_debug())]
    Percentage(String),
    #[error("no action '{}' there; the actions are {actions}", name.escape_debug())]
    NoAction { name: String, actions: String },
    #[error("duplicate action '{}'", .0.escape_debug())]
    Twice(String),
    #[error("the percentages sum to {0:.1} %, not to 100 %")]
    Sum(f64),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spot::SpotFile;

    fn spot() -> Spot {
        let text = "board: 2s3h4d6c7c\noop_range: AA,QQ\nip_range: KK\npot: 100\nstack: 100\n\
                    bet_sizes: {river: {oop: {bet: \"50%, a\"}}}\n";
        SpotFile::parse("x.yaml", text).unwrap().spot().unwrap()
    }

    fn locked(text: &str) -> LockedStrategy {
        add_lock(spot(), text).unwrap().locks()[0].strategy.clone()
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
            assert_eq!(locked(text), LockedStrategy::Range(frequencies), "{text}");
        }
    }

    #[test]
    fn hands_are_locked_one_by_one() {
        let LockedStrategy::Hands(hands) = locked("=AA: allin; QsQh: check 10%, allin") else {
            panic!("hands were named");
        };
        assert_eq!(hands.len(), 7);
        assert_eq!(hands[&"QsQh".parse().unwrap()], [0.1, 0.0, 0.9]);
    }

    #[test]
    fn other_texts_are_refused() {
        let cases = [
            ("check", "expected LINE=STRATEGY"),
            ("b7=fold", "not possible"),
            ("=raise 7", "no action 'raise 7' there"),
            ("=check 50%", "sum to 50.0 %"),
            ("=check 50%, allin 60%", "sum to 110.0 %"),
            ("=check, check", "duplicate action 'check'"),
            ("=check x%", "expected a percentage"),
            ("=AX: check", "lock '=AX"),
            ("=AA: check; fold", "expected HANDS"),
            ("=AA,JJ: check", "JJ is not in the range of oop"),
            ("x x=check", "only a decision"),
        ];
        for (text, expected) in cases {
            let message = add_lock(spot(), text).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
