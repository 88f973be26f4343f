//! What gadgets and iterations are worth, on some turns of some flops: a coarse measure in a fraction of the time
//! of `lethe exploitability --search turn`.
//!
//! ```console
//! cargo run --release -p lethe-agent --example turns -- RUN FLOPS STEP GADGET:ITERATIONS...
//! ```
//!
//! FLOPS is a number of flops, those that `lethe exploitability` draws by default, or `As9s3s` for that one.
//! Every STEP-th turn up to suits of each flop is dealt, and no other.
#![allow(clippy::print_stdout)]

use lethe_agent::{Search, SearchMeasure};
use lethe_blueprint::{Blueprint, CheckpointKind, Exact, FlopSample, FlopValues, Flops, Weights};
use lethe_cards::Street;
use lethe_compute::Job;

/// The seed that draws As9s3s, twice.
const SEED: u64 = 21_679_110;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [run, flops, step, agents @ ..] = &arguments[..] else {
        return Err("expected the directory of a run, flops, a step and GADGET:ITERATIONS".into());
    };
    let step: usize = step.parse()?;
    let flops = match &flops[..] {
        "As9s3s" => Flops::Sample(2, SEED),
        count => Flops::Sample(count.parse()?, 0),
    };
    let job = Job::default();
    let blueprint = Blueprint::open(run, CheckpointKind::Latest)?;
    let blueprint = blueprint.verify(job)?;
    let (plan, buckets) = (blueprint.plan(), blueprint.buckets());
    let adversary = blueprint.adversary();
    let adversary = adversary.as_ref().map(|adversary| adversary as &dyn Weights);
    let sample = FlopSample::new(flops);
    let exact = || Exact { plan, buckets, weights: &blueprint };
    let print = |name: &str, values: &[[FlopValues; 2]], whole: Option<f64>| {
        let found = exact().measured(&sample, values, adversary);
        let (all, ladder) = (found.result.exploitability_mbb, found.result.ladder_mbb);
        let share = whole.map_or(String::new(), |whole| format!("{:.3}", all / whole));
        println!(
            "{name:>16} {all:>8.2} {share:>7} {:>8.2} {:>8.2} {:>8.2}",
            ladder.turn,
            ladder.flop,
            sample.mean(&found.versus)
        );
        all
    };
    let names: Vec<String> = sample.flops().map(|flop| flop.board().to_string()).collect();
    println!("{}: every {step}. turn; mbb/hand", names.join(" "));
    println!(
        "{:>16} {:>8} {:>7} {:>8} {:>8} {:>8}",
        "", "all", "share", "turn on", "flop on", "wins"
    );
    let mut whole = None;
    for agent in agents {
        let (gadget, iterations) = agent.split_once(':').ok_or("expected GADGET:ITERATIONS")?;
        let search = Search::new(Street::Turn, gadget.parse()?, iterations.parse()?);
        let measure = SearchMeasure::new(exact(), adversary, search)?;
        let [mut found, mut own] = [Vec::new(), Vec::new()];
        for (i, flop) in sample.flops().enumerate() {
            // A sample can have flops that are the same up to suits.
            let [agent, blueprint] = match sample.flops().take(i).position(|same| same == flop) {
                Some(same) => [&found[same], &own[same]].map(<[FlopValues; 2]>::clone),
                None => measure.some_turns(flop, step.max(1), job)?,
            };
            found.push(agent);
            own.push(blueprint);
        }
        let whole = *whole.get_or_insert_with(|| print("blueprint", &own, None));
        print(agent, &found, Some(whole));
    }
    Ok(())
}
