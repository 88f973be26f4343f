//! What gadgets and iterations are worth, on some turns of one flop: a coarse measure in a fraction of the time
//! of `lethe exploitability --search turn`.
//!
//! ```console
//! cargo run --release -p lethe-agent --example turns -- RUN STEP GADGET:ITERATIONS...
//! ```
//!
//! The flop is As9s3s. Every STEP-th of its 23 turns up to suits is dealt, and no other.
#![allow(clippy::print_stdout)]

use lethe_agent::{Search, SearchMeasure};
use lethe_blueprint::{Blueprint, CheckpointKind, Exact, FlopSample, FlopValues, Flops, Weights};
use lethe_cards::Street;
use lethe_compute::Job;

/// The seed that draws As9s3s, twice.
const SEED: u64 = 21_679_110;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [run, step, agents @ ..] = &arguments[..] else {
        return Err("expected the directory of a run, a step and GADGET:ITERATIONS".into());
    };
    let step: usize = step.parse()?;
    let job = Job::default();
    let blueprint = Blueprint::open(run, CheckpointKind::Latest)?;
    let blueprint = blueprint.verify(job)?;
    let (plan, buckets) = (blueprint.plan(), blueprint.buckets());
    let adversary = blueprint.adversary();
    let adversary = adversary.as_ref().map(|adversary| adversary as &dyn Weights);
    let sample = FlopSample::new(Flops::Sample(2, SEED));
    let flop = sample.flops().next().ok_or("no flop")?;
    let exact = || Exact { plan, buckets, weights: &blueprint };
    let print = |name: &str, values: &[FlopValues; 2], share: Option<f64>| {
        let both = [values.clone(), values.clone()];
        let found = exact().measured(&sample, &both, adversary);
        let (all, ladder) = (found.result.exploitability_mbb, found.result.ladder_mbb);
        let share = share.map_or(String::new(), |whole| format!("{:.3}", all / whole));
        println!(
            "{name:>16} {all:>8.2} {share:>7} {:>8.2} {:>8.2} {:>8.2}",
            ladder.turn, ladder.flop, found.versus[0]
        );
        all
    };
    println!("{}: every {step}. turn; mbb/hand", flop.board());
    println!(
        "{:>16} {:>8} {:>7} {:>8} {:>8} {:>8}",
        "", "all", "share", "turn on", "flop on", "wins"
    );
    for (number, agent) in agents.iter().enumerate() {
        let (gadget, iterations) = agent.split_once(':').ok_or("expected GADGET:ITERATIONS")?;
        let search = Search::new(Street::Turn, gadget.parse()?, iterations.parse()?);
        let measure = SearchMeasure::new(exact(), adversary, search)?;
        let [found, own] = measure.some_turns(flop, step.max(1), job)?;
        let both = [own.clone(), own.clone()];
        let whole = exact().measured(&sample, &both, adversary).result.exploitability_mbb;
        if number == 0 {
            print("blueprint", &own, None);
        }
        print(agent, &found, Some(whole));
    }
    Ok(())
}
