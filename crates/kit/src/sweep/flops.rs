//! Which flops a sweep solves, and their textures.

use std::collections::BTreeMap;

use lethe_cards::{Board, CanonicalBoard, Rank, Street};
use serde::Serialize;

use super::SweepError;

/// Which flops to solve.
#[derive(Clone, Debug, PartialEq)]
pub enum Flops {
    /// All 1,755 up to suits, each weighted by the flops it stands for.
    All,
    /// About so many, spread evenly over all 22,100 in the order of their textures, each weighted by
    /// how many it stands for.
    Count(usize),
    /// These, with weights.
    List(Vec<(Board, f64)>),
}

impl Flops {
    /// Reads `all`, a number, or a list: a flop on each line, or separated by commas, each with a
    /// weight after a colon or a blank if it is not 1.
    pub fn parse(text: &str) -> Result<Flops, SweepError> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("all") {
            return Ok(Flops::All);
        }
        if let Ok(count) = text.parse::<usize>() {
            let most = CanonicalBoard::count(Street::Flop);
            return match (1..=most).contains(&count) {
                true => Ok(Flops::Count(count)),
                false => Err(SweepError::Count(most)),
            };
        }
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
        let items = lines.flat_map(|line| line.split(',')).map(str::trim);
        let list = items.filter(|item| !item.is_empty()).map(listed).collect::<Result<_, _>>()?;
        Ok(Flops::List(list))
    }

    /// The flops with the weights they are given; each once up to suits.
    pub(super) fn weighted(&self) -> Result<Vec<(Board, f64)>, SweepError> {
        let listed = match self {
            Flops::List(list) => list.clone(),
            Flops::All => all().map(|(board, weight)| (board.board(), weight)).collect(),
            Flops::Count(count) => {
                let mut boards: Vec<_> = all().collect();
                boards.sort_by_key(|(board, _)| (Texture::of(&board.board()), board.index()));
                let total: f64 = boards.iter().map(|board| board.1).sum();
                let step = total / *count as f64;
                let (mut chosen, mut seen) = (Vec::new(), 0.0);
                for (board, weight) in boards {
                    // The flops in the middle of equal parts; a heavy one may stand for several.
                    let hits = |upto: f64| (upto / step + 0.5).floor();
                    let parts = hits(seen + weight) - hits(seen);
                    if parts > 0.0 {
                        chosen.push((board.board(), parts * step));
                    }
                    seen += weight;
                }
                chosen
            }
        };
        let mut each: BTreeMap<usize, (Board, f64)> = BTreeMap::new();
        for (board, weight) in listed {
            let (canonical, _) = CanonicalBoard::of(&board);
            each.entry(canonical.index()).or_insert((canonical.board(), 0.0)).1 += weight;
        }
        if each.is_empty() {
            return Err(SweepError::Empty);
        }
        Ok(each.into_values().collect())
    }
}

fn all() -> impl Iterator<Item = (CanonicalBoard, f64)> {
    CanonicalBoard::all(Street::Flop).map(|board| (board, f64::from(board.multiplicity())))
}

/// A flop of a list, perhaps with its weight.
fn listed(item: &str) -> Result<(Board, f64), SweepError> {
    let wrong = || SweepError::Item(item.to_owned());
    let (cards, weight) = match item.split_once(':') {
        Some((cards, weight)) => (cards, Some(weight)),
        // A last word that is no card is a weight.
        None => match item.rsplit_once(char::is_whitespace) {
            Some((cards, last)) if last.parse::<f64>().is_ok() => (cards, Some(last)),
            _ => (item, None),
        },
    };
    let weight = weight.map_or(Ok(1.0), |weight| weight.trim().parse().map_err(|_| wrong()))?;
    let board: Board =
        cards.parse().map_err(|error| SweepError::Flop { item: item.to_owned(), error })?;
    let fits = board.street() == Street::Flop && f64::is_finite(weight) && weight > 0.0;
    if fits { Ok((board, weight)) } else { Err(wrong()) }
}

/// What the cards of a flop have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Texture {
    paired: u8,
    suits: u8,
    high: u8,
    gap: u8,
}

impl Texture {
    pub(super) fn of(flop: &Board) -> Texture {
        let mut ranks: Vec<u8> =
            flop.cards().iter().map(|card| card.rank().index() as u8).collect();
        ranks.sort_unstable();
        let mut suits: Vec<usize> = flop.cards().iter().map(|card| card.suit().index()).collect();
        suits.sort_unstable();
        suits.dedup();
        let (low, high) = (ranks[0], ranks[2]);
        ranks.dedup();
        Texture { paired: 3 - ranks.len() as u8, suits: suits.len() as u8, high, gap: high - low }
    }

    /// Its name, such as `two-tone, K high, connected`.
    pub(super) fn names(self) -> TextureView {
        TextureView {
            pairing: ["unpaired", "paired", "trips"][usize::from(self.paired)],
            suits: ["", "monotone", "two-tone", "rainbow"][usize::from(self.suits)],
            high: Rank::all()
                .nth(usize::from(self.high))
                .map_or_else(String::new, |rank| rank.to_string()),
            connected: self.paired == 0 && self.gap <= 4,
        }
    }
}

/// The texture of a flop, to group by.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TextureView {
    /// `unpaired`, `paired` or `trips`.
    pub pairing: &'static str,
    /// `rainbow`, `two-tone` or `monotone`.
    pub suits: &'static str,
    /// The highest rank.
    pub high: String,
    /// Whether a straight is possible.
    pub connected: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(flops: &[(Board, f64)]) -> f64 {
        flops.iter().map(|flop| flop.1).sum()
    }

    #[test]
    fn subsets_stand_for_all_flops() {
        let all = Flops::All.weighted().unwrap();
        assert_eq!((all.len(), total(&all)), (1755, 22_100.0));
        for count in [1, 2, 3, 25, 95, 184, 1755] {
            let some = Flops::Count(count).weighted().unwrap();
            assert!(some.len() <= count && some.len() * 2 > count, "{count}: {}", some.len());
            assert!((total(&some) - 22_100.0).abs() < 1e-6, "{count}: {}", total(&some));
        }
        // A subset has its share of every texture: 5.2 % of flops are monotone.
        let some = Flops::Count(184).weighted().unwrap();
        let mono = some.iter().filter(|(flop, _)| Texture::of(flop).suits == 1);
        let share = mono.map(|flop| flop.1).sum::<f64>() / 22_100.0;
        assert!((share - 0.0518).abs() < 0.01, "{share}");
    }

    #[test]
    fn a_list_has_weights_and_each_flop_once_up_to_suits() {
        let list = Flops::parse("Ks7h2d:0.5, Kh7d2s\n# a comment\n2s2h2d 3").unwrap();
        let flops = list.weighted().unwrap();
        assert_eq!((flops.len(), total(&flops)), (2, 4.5));
        assert_eq!(Flops::parse(" ALL ").ok(), Flops::parse("all").ok());
        for bad in ["", "0", "1756", "Ks7h", "Ks7h2d5c", "Ks7h2d:-1", "Ks7h2d:x", "KsKs2d"] {
            let error = Flops::parse(bad).and_then(|flops| flops.weighted().map(|_| ()));
            assert!(error.is_err(), "{bad}");
        }
    }
}
