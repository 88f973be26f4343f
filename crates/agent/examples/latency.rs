//! How long an agent takes to decide: hands played against its own blueprint.
//!
//! ```console
//! cargo run --release -p lethe-agent --example latency -- RUN [HANDS] [ITERATIONS] [GADGET] [TARGET] [FROM] [RIVERS]
//! ```
//!
//! TARGET is the exploitability at which solves end before that, in % of the pot; 0 for none. FROM is turn or flop; RIVERS are those of a flop's leaf values after each turn, all by default.
#![allow(clippy::print_stdout)]

use lethe_agent::{Agent, AgentConfig, GadgetKind, HandState, SearchFrom, Source};
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
    let target: f64 = arguments.get(4).map_or(Ok(0.0), |text| text.parse())?;
    let from = match arguments.get(5).map(String::as_str) {
        None | Some("turn") => SearchFrom::Turn,
        Some("flop") => SearchFrom::Flop,
        Some(other) => return Err(format!("expected turn or flop, found {other}").into()),
    };
    let leaf_rivers = arguments.get(6).map(|text| text.parse()).transpose()?;
    let job = Job::default();
    let blueprint = Blueprint::open(run, CheckpointKind::Latest)?;
    let blueprint = blueprint.verify(job)?;
    let config = AgentConfig {
        from,
        leaf_rivers,
        iterations,
        target: (target > 0.0).then_some(target / 100.0),
        gadget,
        values: false,
        ..AgentConfig::default()
    };
    let agent = Agent::new(&blueprint, config);
    let measured = Agent::new(&blueprint, AgentConfig { measure: true, ..config });
    let tree = blueprint.tree();
    // The time on the clock and that of the processors, which other programs do not slow down.
    let mut times: [Vec<[f64; 2]>; 4] = Default::default();
    let mut solves: [Vec<[f64; 2]>; 4] = Default::default();
    let (mut convs, mut counts) = (Vec::new(), Vec::new());
    let mut played = 0;
    let mut deal = 0u64;
    // Hands that end before the first solved street say nothing about search.
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
                let before = processor_time();
                let decision = agent.decide(&hand, job)?;
                let took = [decision.elapsed.as_secs_f64(), processor_time() - before];
                times[street.index()].push(took);
                if decision.source == Source::Search && last_street != street {
                    solves[street.index()].push(took);
                    if street == Street::Turn {
                        counts.push(decision.iterations);
                    }
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
        let line = |times: &[[f64; 2]]| {
            let at = |which: usize, share: f64| {
                let mut sorted: Vec<f64> = times.iter().map(|took| took[which]).collect();
                sorted.sort_by(f64::total_cmp);
                sorted[((sorted.len() - 1) as f64 * share) as usize]
            };
            format!(
                "{:>5} decisions, median {:.3} s, p95 {:.3} s; of processors {:.2} s, {:.2} s",
                times.len(),
                at(0, 0.5),
                at(0, 0.95),
                at(1, 0.5),
                at(1, 0.95)
            )
        };
        if !times[street.index()].is_empty() {
            println!("{street:>8}: {}", line(&times[street.index()]));
        }
        if !solves[street.index()].is_empty() {
            println!("{:>8}  first on the street: {}", "", line(&solves[street.index()]));
        }
    }
    counts.sort_unstable();
    if let [first, .., last] = counts.as_slice() {
        let middle = counts[counts.len() / 2];
        println!("iterations on the turn: {first} to {last}, median {middle}");
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

/// The seconds of processor time that this program took so far; 0 where the system does not say.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
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
