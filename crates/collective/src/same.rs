//! Whether all ranks were started alike.

use crate::{Collective, Lost};

/// A rank that was started with something else than rank 0, or was lost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// A rank has another value.
    #[error(
        "rank {rank} has another {what}: expected {expected}, as rank 0, found {found}; start all ranks \
         with the same program, configuration and data"
    )]
    Differs {
        /// The rank.
        rank: usize,
        /// What differs.
        what: String,
        /// What rank 0 has.
        expected: String,
        /// What it has.
        found: String,
    },
    /// A rank ended.
    #[error(transparent)]
    Lost(#[from] Lost),
}

/// Checks that all ranks have the same values under the same names; the same error on all of them.
pub fn check_same(ranks: &dyn Collective, values: &[(&str, String)]) -> Result<(), Mismatch> {
    let lines: Vec<String> = values
        .iter()
        .map(|(name, value)| format!("{name}\t{}", value.replace(['\n', '\t'], " ")))
        .collect();
    let all = ranks.gather(lines.join("\n").as_bytes())?;
    let all: Vec<_> = all.iter().map(|bytes| String::from_utf8_lossy(bytes)).collect();
    for (rank, other) in all.iter().enumerate().skip(1) {
        if *other == all[0] {
            continue;
        }
        let mut pairs = all[0].lines().zip(other.lines());
        let pair = pairs.find(|(first, other)| first != other);
        let name = |line: &str| line.split_once('\t').map(|(name, _)| name.to_owned());
        let value = |line: &str| line.split_once('\t').map_or(line, |(_, value)| value).to_owned();
        let (what, expected, found) = match pair {
            Some((first, other)) if name(first) == name(other) => {
                (name(first).unwrap_or_default(), value(first), value(other))
            }
            _ => ("program".to_owned(), count(&all[0]), count(other)),
        };
        return Err(Mismatch::Differs { rank, what, expected, found });
    }
    Ok(())
}

fn count(text: &str) -> String {
    format!("{} values to compare", text.lines().count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Threads;

    #[test]
    fn the_rank_and_the_value_that_differ_are_named() {
        let found = Threads::run(4, |ranks| {
            let seed = if ranks.rank() == 2 { "7" } else { "0" };
            check_same(ranks, &[("version", "0.1.0".into()), ("seed", seed.into())])
        });
        let error = found[0].clone().unwrap_err();
        assert!(found.iter().all(|other| *other == Err(error.clone())));
        let text = error.to_string();
        assert!(
            text.starts_with("rank 2 has another seed: expected 0, as rank 0, found 7"),
            "{text}"
        );
        let found = Threads::run(2, |ranks| {
            let all = [("version", "0.1.0".to_owned()), ("seed", "0".to_owned())];
            check_same(ranks, &all[..2 - ranks.rank()])
        });
        assert!(found[0].as_ref().unwrap_err().to_string().contains("another program"));
        let found = Threads::run(3, |ranks| check_same(ranks, &[("seed", "1\n2".into())]));
        assert_eq!(found, [Ok(()), Ok(()), Ok(())]);
    }
}
