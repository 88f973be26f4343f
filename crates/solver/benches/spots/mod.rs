//! The spots that speed is measured on: `NAME.spot` beside this file, lines of `key = value`.

use std::sync::Arc;

use lethe_cards::{Board, Range};
use lethe_game::{BetSizes, Game, PlayerSizes, Sizes, SpotConfig, StreetSizes, Tree};
use lethe_solver::Spot;

type Error = Box<dyn std::error::Error>;

/// The spot of this name.
pub(crate) fn by_name(name: &str) -> Result<Spot, Error> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/spots");
    let text = std::fs::read_to_string(format!("{directory}/{name}.spot"))
        .map_err(|error| format!("spot '{name}': {error}"))?;
    parse(&text)
}

fn parse(text: &str) -> Result<Spot, Error> {
    let value = |key: &str| {
        text.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='))
    };
    let needed = |key: &str| value(key).map(str::trim).ok_or(format!("no '{key}'"));
    let number = |key: &str| value(key).map_or(Ok(0.0), |text| text.trim().parse::<f64>());
    let sizes = |street: &str| -> Result<StreetSizes, Error> {
        let size = |kind: &str| value(&format!("{street}_{kind}")).or(value(kind)).unwrap_or("");
        let sizes = PlayerSizes {
            bet: Sizes::parse_bets(size("bet").trim())?,
            raise: Sizes::parse_raises(size("raise").trim())?,
            donk: None,
        };
        Ok(StreetSizes { oop: sizes.clone(), ip: sizes, max_raises: None })
    };
    let bet_sizes = BetSizes { flop: sizes("flop")?, turn: sizes("turn")?, river: sizes("river")? };
    let config = SpotConfig {
        bet_sizes,
        add_allin_threshold: number("add_allin")?,
        force_allin_threshold: number("force_allin")?,
        merging_threshold: number("merging")?,
        ..SpotConfig::new(needed("pot")?.parse()?, needed("stack")?.parse()?)
    };
    let board: Board = needed("board")?.parse()?;
    let ranges = [needed("oop")?.parse::<Range>()?, needed("ip")?.parse::<Range>()?];
    let tree = Tree::build(Game::spot(&config, board.street())?, Tree::NODE_LIMIT)?;
    Ok(Spot::new(board, ranges, Arc::new(tree))?)
}
