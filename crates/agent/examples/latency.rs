//! How long an agent takes to decide: hands played against its own blueprint.
//!
//! ```console
//! cargo run --release -p lethe-agent --example latency -- RUN [HANDS] [ITERATIONS] [GADGET]
//! ```
#![allow(clippy::print_stdout)]

use std::time::Duration;

use lethe_agent::{Agent, AgentConfig, GadgetKind, HandState, Source};
use lethe_blueprint::{Blueprint, CheckpointKind, Policy, VerifiedBlueprint};
use lethe_cards::{Board, Card, Hole, Street};
use lethe_cluster::hash;
use lethe_compute::Job;
use lethe_game::{NodeId, NodeKind, Player};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let run = arguments.first().ok_or("expected the directory of a run")?;
    let number = |place: usize, default: u64| match arguments.get(place) {
        Some(text) => text.parse(),
        None => Ok(default),
    };
    let (hands, iterations) = (number(1, 100)?, number(2, 100)? as u32);
    let gadget: GadgetKind = arguments.get(3).map_or(Ok(GadgetKind::default()), |g| g.parse())?;
    let job = Job::default();
    let blueprint = Blueprint::open(run, CheckpointKind::Latest)?;
    let blueprint = blueprint.verify(job)?;
    let config = AgentConfig { iterations, gadget, values: false, ..AgentConfig::default() };
    let agent = Agent::new(&blueprint, config);
    let measured = Agent::new(&blueprint, AgentConfig { measure: true, ..config });
    let tree = blueprint.tree();
    let mut times: [Vec<Duration>; 4] = Default::default();
    let mut solves: [Vec<Duration>; 4] = Default::default();
    let mut convs = Vec::new();
    let mut played = 0;
    let mut deal = 0u64;
    // Hands that end before the turn say nothing about search.
    while played < hands {
        deal += 1;
        let mut left: Vec<Card> = Card::all().collect();
        let mut bits = hash(deal);
        let mut next = |bound: usize| {
            bits = hash(bits);
            (bits % bound as u64) as usize
        };
        let cards: [Card; 9] = [(); 9].map(|()| left.swap_remove(next(left.len())));
        let holes = [0, 2].map(|at| Hole::new(cards[at], cards[at + 1]).expect("distinct"));
        let seat = Player::BOTH[next(2)];
        let mut node = tree.root();
        let mut hand = HandState {
            seat,
            hole: holes[seat.index()],
            stack: tree.game().stack() + tree.game().pot() / 2,
            board: Board::EMPTY,
            actions: Vec::new(),
            number: deal,
        };
        let mut is_searched = false;
        let mut last_street = Street::Preflop;
        loop {
            let kind = tree.node(node).kind();
            let street = tree.node(node).street();
            let NodeKind::Decision(player) = kind else {
                if kind == NodeKind::Chance {
                    node = tree.children(node)[0];
                    continue;
                }
                break;
            };
            hand.board = Board::new(&cards[4..4 + street.board_len()]).expect("distinct");
            let place = if player == seat {
                let decision = agent.decide(&hand, job)?;
                times[street.index()].push(decision.elapsed);
                if decision.source == Source::Search && last_street != street {
                    solves[street.index()].push(decision.elapsed);
                    if street == Street::Turn && convs.len() < 20 {
                        let found = measured.decide(&hand, job)?.measure.expect("asked for");
                        convs.push(found.nash_conv / 2.0 / f64::from(tree.pot(node)));
                        measured.forget();
                    }
                }
                is_searched |= decision.source == Source::Search;
                last_street = street;
                let known = |&action| action == decision.action;
                tree.actions(node).iter().position(known).ok_or("an action outside the tree")?
            } else {
                draw(&blueprint, node, holes[player.index()], &hand.board, next(1 << 20))
            };
            hand.actions.push(tree.actions(node)[place]);
            node = tree.children(node)[place];
        }
        played += u64::from(is_searched);
    }
    println!("{hands} hands with a solved street, {iterations} iterations, {gadget}");
    for street in Street::ALL {
        let line = |times: &mut Vec<Duration>| {
            times.sort();
            let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64();
            format!("{:>5} decisions, median {:.3} s, p95 {:.3} s", times.len(), at(0.5), at(0.95))
        };
        if !times[street.index()].is_empty() {
            println!("{street:>8}: {}", line(&mut times[street.index()]));
        }
        if !solves[street.index()].is_empty() {
            println!("{:>8}  first on the street: {}", "", line(&mut solves[street.index()]));
        }
    }
    convs.sort_by(f64::total_cmp);
    if let [first, .., last] = convs.as_slice() {
        let middle = convs[convs.len() / 2];
        println!(
            "exploitability of {} turns, in % of the pot: {:.2} to {:.2}, median {:.2}",
            convs.len(),
            100.0 * first,
            100.0 * last,
            100.0 * middle
        );
    }
    Ok(())
}

/// An action of the blueprint.
fn draw(
    blueprint: &VerifiedBlueprint<'_>,
    node: NodeId,
    hole: Hole,
    board: &Board,
    bits: usize,
) -> usize {
    let mut shares = vec![0.0; blueprint.tree().actions(node).len()];
    let hand = blueprint.hand(hole, board);
    Policy::frequencies(blueprint, blueprint.tree(), node, hand, &mut shares);
    let mut left = bits as f32 / (1 << 20) as f32;
    let fits = |share: &f32| {
        left -= share;
        left < 0.0
    };
    shares.iter().position(fits).unwrap_or(shares.len() - 1)
}
