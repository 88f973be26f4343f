//! The spots that speed is measured on.

use std::sync::Arc;

use lethe_cards::{Board, Range};
use lethe_game::{BetSizes, Game, PlayerSizes, Sizes, SpotConfig, StreetSizes, Tree};
use lethe_solver::Spot;

const OOP: &str = "88+,A8s+,A5s-A2s:0.5,AJo+,ATo:0.75,K9s+,KQo,KJo:0.75,KTo:0.25,Q9s+,QJo:0.5,\
    J8s+,JTo:0.25,T8s+,T7s:0.45,97s+,96s:0.45,87s,86s:0.75,85s:0.45,75s+:0.75,74s:0.45,65s:0.75,\
    64s:0.5,63s:0.45,54s:0.75,53s:0.5,52s:0.45,43s:0.5,42s:0.45,32s:0.45";
const IP: &str = "AA:0.25,99-22,AJs-A2s,AQo-A8o,K2s+,K9o+,Q2s+,Q9o+,J6s+,J9o+,T6s+,T9o,96s+,\
    95s:0.5,98o,86s+,85s:0.5,75s+,74s:0.5,64s+,63s:0.5,54s,53s:0.5,43s";
const TURN_OOP: &str = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s";
const TURN_IP: &str = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+";

fn street(bet: &str, raise: &str) -> StreetSizes {
    let sizes = PlayerSizes {
        bet: Sizes::parse_bets(bet).expect("sizes"),
        raise: Sizes::parse_raises(raise).expect("sizes"),
        donk: None,
    };
    StreetSizes { oop: sizes.clone(), ip: sizes, max_raises: None }
}

fn spot(board: &str, ranges: [&str; 2], config: &SpotConfig) -> Spot {
    let board: Board = board.parse().expect("a board");
    let ranges = ranges.map(|text| text.parse::<Range>().expect("a range"));
    let game = Game::spot(config, board.street()).expect("a game");
    let tree = Tree::build(game, Tree::NODE_LIMIT).expect("a tree");
    Spot::new(board, ranges, Arc::new(tree)).expect("a spot")
}

/// The spot of this name: `flop` (a published 3-bet pot), `turn1`, `turn2` or `river`.
pub(crate) fn by_name(name: &str) -> Option<Spot> {
    let same = |bet, raise| BetSizes {
        flop: street(bet, raise),
        turn: street(bet, raise),
        river: street(bet, raise),
    };
    Some(match name {
        "flop" => {
            let bet_sizes = BetSizes {
                flop: street("52%", "45%"),
                turn: street("55%", "45%"),
                river: street("70%", "45%"),
            };
            spot("QsJh2h", [OOP, IP], &SpotConfig { bet_sizes, ..SpotConfig::new(180, 910) })
        }
        "turn1" => {
            let config = SpotConfig {
                bet_sizes: same("60%, e, a", "2.5x"),
                add_allin_threshold: 1.5,
                force_allin_threshold: 0.15,
                merging_threshold: 0.1,
                ..SpotConfig::new(200, 900)
            };
            spot("Td9d6hQc", [TURN_OOP, TURN_IP], &config)
        }
        "turn2" => {
            let bet_sizes = same("33%, 75%", "60%");
            let config = SpotConfig { bet_sizes, ..SpotConfig::new(100, 400) };
            spot("Ks7h4d2c", ["random", "random"], &config)
        }
        "river" => {
            let bet_sizes = same("33%, 75%, 150%", "60%, 100%");
            let config = SpotConfig { bet_sizes, ..SpotConfig::new(100, 900) };
            spot("Ks7h4d2c9s", ["random", "random"], &config)
        }
        _ => return None,
    })
}
