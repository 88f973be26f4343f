//! A spot as the text of a file.

use lethe_cards::{Board, Hole, Range};
use lethe_game::{Player, PlayerSizes, Sizes, SpotConfig, StreetSizes};
use lethe_solver::Spot;

use super::lock::lock_text;
use crate::line;

/// The text of a file that describes a spot, which [`super::SpotFile`] reads back: amounts in chips,
/// weights to a millionth. `None` if no file can, since the betting is not that of a spot.
///
/// ```
/// use lethe_kit::spot::{self, SpotFile};
///
/// let text = "board: 2s3h4d6c7c\noop_range: AA,QQ:0.5\nip_range: KK\npot: 100\nstack: 100\n\
///             bet_sizes: {river: {oop: {bet: a}}}\nlocks: [\"b100=call 25%, fold\"]\n";
/// let spot = SpotFile::parse("river.yaml", text)?.spot()?;
/// let written = spot::text(&spot).expect("a spot");
/// let again = SpotFile::parse("again.yaml", &written)?.spot()?;
/// assert_eq!(spot::text(&again).as_deref(), Some(&*written));
/// assert_eq!(again.locks(), spot.locks());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn text(spot: &Spot) -> Option<String> {
    let tree = spot.tree();
    let config = tree.game().spot_config()?;
    let first = tree.game().street().board_len();
    let cards = spot.board();
    let board = Board::new(&cards.cards()[..first])?;
    let mut ranges = Player::BOTH.map(|_| Range::empty());
    for player in Player::BOTH {
        for (hole, &weight) in Hole::all().zip(spot.weights(player)) {
            let millionths = f64::from(weight) * f64::from(Range::ONE);
            ranges[player.index()].set(hole, (millionths.round() as u32).min(Range::ONE));
        }
    }
    let start = (spot.start() != tree.root())
        .then(|| line::with_cards(&tree.history(spot.start()), &cards, first));
    let locks: Vec<String> = spot.locks().iter().map(|lock| lock_text(spot, lock)).collect();
    Some(written(board, &ranges, &config, start.as_deref(), &locks))
}

/// The text of a file with these values.
pub(crate) fn written(
    board: Board,
    ranges: &[Range; 2],
    config: &SpotConfig,
    start: Option<&str>,
    locks: &[String],
) -> String {
    let mut text = format!("board: {board}\n");
    for (key, range) in ["oop_range", "ip_range"].into_iter().zip(ranges) {
        text += &format!("{key}: {}\n", quoted(&range.to_string()));
    }
    text += &format!("pot: {}\nstack: {}\n", config.pot, config.stack);
    if let Some(big_blind) = config.big_blind {
        text += &format!("big_blind: {big_blind}\n");
    }
    let sizes = &config.bet_sizes;
    let streets = [("flop", &sizes.flop), ("turn", &sizes.turn), ("river", &sizes.river)];
    let streets: Vec<_> =
        streets.into_iter().filter(|(_, sizes)| **sizes != StreetSizes::default()).collect();
    if !streets.is_empty() {
        text += "bet_sizes:\n";
    }
    for (name, sizes) in streets {
        text += &format!("  {name}:\n");
        for (player, sizes) in [("oop", &sizes.oop), ("ip", &sizes.ip)] {
            if *sizes != PlayerSizes::default() {
                text += &format!("    {player}: {{{}}}\n", lists(sizes));
            }
        }
        if let Some(most) = sizes.max_raises {
            text += &format!("    max_raises: {most}\n");
        }
    }
    for (key, value) in [
        ("add_allin_threshold", config.add_allin_threshold),
        ("force_allin_threshold", config.force_allin_threshold),
        ("merging_threshold", config.merging_threshold),
    ] {
        if value != 0.0 {
            text += &format!("{key}: {value}\n");
        }
    }
    if config.rake.percent > 0.0 {
        let cap = config.rake.cap.map_or_else(String::new, |cap| format!(", cap: {cap}"));
        text += &format!("rake: {{percent: {}{cap}}}\n", config.rake.percent);
    }
    if let Some(start) = start {
        text += &format!("start: {}\n", quoted(start));
    }
    if !locks.is_empty() {
        text += "locks:\n";
    }
    for lock in locks {
        text += &format!("  - {}\n", quoted(lock));
    }
    text
}

/// The lists of a player's sizes that say something.
fn lists(sizes: &PlayerSizes) -> String {
    let list = |key: &str, sizes: &Sizes| format!("{key}: {}", quoted(&sizes.to_string()));
    let mut lists = Vec::new();
    if !sizes.bet.is_empty() {
        lists.push(list("bet", &sizes.bet));
    }
    if !sizes.raise.is_empty() {
        lists.push(list("raise", &sizes.raise));
    }
    if let Some(donk) = &sizes.donk {
        lists.push(list("donk", donk));
    }
    lists.join(", ")
}

/// A text in double quotes. Ranges, sizes and lines need no escapes.
fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}
