//! Solves a spot of the benchmarks and prints the time it takes.
//!
//! `cargo run --release -p lethe-solver --example time_to_target -- flop 0.001`
#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use std::time::Instant;

use lethe_compute::{Job, Pool};
use lethe_solver::{Options, Precision, Rule, Solver, Stop};

#[path = "../benches/spots/mod.rs"]
mod spots;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_else(|| "flop".to_owned());
    let target: f64 = args.next().map_or(Ok(0.001), |text| text.parse())?;
    let mut options = Options { keep_best: false, ..Options::default() };
    let mut iterations = 2000;
    let mut pool = None;
    let (mut verbose, mut trace, mut every) = (false, false, 10);
    while let Some(arg) = args.next() {
        let mut number = || args.next().unwrap_or_default().parse::<f32>();
        match arg.as_str() {
            "i16" => options.precision = Precision::I16,
            "keep-best" => options.keep_best = true,
            "trace" => trace = true,
            "every" => every = number()? as u32,
            "verbose" => verbose = true,
            "iterations" => iterations = number()? as u32,
            "threads" => pool = Some(Pool::new(number()? as usize)?),
            "plus" => options.rule = Rule::Plus,
            "linear" => options.rule = Rule::Linear,
            "predictive" => {
                options.rule = Rule::Predictive { alpha: number()?, gamma: number()? };
            }
            "discounted" | "restarts" => {
                let restarts = arg == "restarts";
                let (alpha, beta, gamma) = (number()?, number()?, number()?);
                options.rule = Rule::Discounted { alpha, beta, gamma, restarts };
            }
            _ => return Err(format!("unknown option '{arg}'").into()),
        }
    }
    let job = Job::new(pool.as_ref().unwrap_or(Pool::global()));
    let spot = spots::by_name(&name)?;
    let memory = Solver::memory(&spot, &options);
    let tree = spot.tree();
    let decisions = tree.ids().filter(|&id| tree.node(id).player().is_some()).count();
    let pot = spot.pot();
    let began = Instant::now();
    let mut solver = Solver::new(spot, options, job)?;
    let setup = began.elapsed().as_secs_f64();
    if trace {
        // Checked regularly, for comparing rules: what counts is the number of iterations.
        for iteration in 1..=iterations {
            solver.iterate(job)?;
            if iteration % every == 0 {
                let exploitability = solver.exploitability(job)? / pot;
                println!("{iteration} {:.5}%", 100.0 * exploitability);
                if exploitability <= target {
                    break;
                }
            }
        }
        return Ok(());
    }
    let stop = Stop { target: Some(target), iterations: Some(iterations), ..Stop::default() };
    let report = solver.run(&stop, job, &mut |p| {
        if let (true, true, Some(e)) = (verbose, p.checked, p.exploitability) {
            println!("{} {:.3} {:.5}%", p.iteration, p.elapsed.as_secs_f64(), 100.0 * e / pot);
        }
    });
    let evaluation = report.evaluation.ok_or("the job was cancelled")?;
    let seconds = report.elapsed.as_secs_f64();
    println!(
        "lethe {name} {decisions} decisions, setup {setup:.3} s, {} iterations, {seconds:.3} s, {:.5} s/it, expl {:.5} %, \
         ev {:.4}, mem {:.3} GB",
        report.iterations,
        seconds / f64::from(report.iterations),
        100.0 * evaluation.exploitability / pot,
        evaluation.ev[0],
        memory.total() as f64 / 1e9,
    );
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find(|line| line.starts_with("VmHWM"));
        println!("{}", peak.unwrap_or_default());
    }
    Ok(())
}
