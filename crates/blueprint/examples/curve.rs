//! scratch
use lethe_abstraction::{Abstraction, Unwatched};
use lethe_blueprint::*;
use lethe_game::*;
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let dir = &args[1];
    let seconds: Vec<f64> = args[2].split(',').map(|s| s.parse().unwrap()).collect();
    let flops: usize = args[3].parse().unwrap();
    let interval: u64 = args.get(4).map_or(2000, |s| s.parse().unwrap());
    let yaml = std::fs::read_to_string(args.get(5).map_or("/tmp/quick.json", |s| s)).unwrap();
    let config: HandConfig = serde_json::from_str(&yaml).unwrap();
    let abs = Abstraction::open(dir).unwrap();
    let tree = Tree::build(Game::hand(&config).unwrap(), Tree::NODE_LIMIT).unwrap();
    println!("{:?}", tree.counts());
    let k = |s| abs.buckets(s);
    use lethe_cards::Street::*;
    let plan = Plan::new(tree, [k(Flop), k(Turn), k(River)]);
    println!("cells {}", plan.cells());
    let store = Store::new(plan.cells());
    let sampling =
        if args.get(6).is_some_and(|s| s == "es") { Sampling::External } else { Sampling::Public };
    let discount = Discount { interval, ..Discount::default() };
    let training = Training { sampling, discount, ..Training::default() };
    let mut trainer = Trainer::new(&plan, &abs, &store, &training, [0, 0]);
    let mut spent = 0.0;
    for &until in &seconds {
        let begun = Instant::now();
        trainer.run(until as u64, 2, &|| true);
        spent += begun.elapsed().as_secs_f64();
        let t = Instant::now();
        let f = if flops > 2000 { Flops::All } else { Flops::Sample(flops, 7) };
        let e = Exact { plan: &plan, buckets: &abs, weights: &Averages(&store) }
            .exploitability(f, &Unwatched)
            .unwrap();
        println!(
            "{spent:.1} s {} iterations {:.1} M visits/s regret {:.1}: {:.1} +- {:.1} ({:.1}) br {:.1?} own {:.1} in {:.1?}",
            trainer.iterations(),
            trainer.visits() as f64 / spent / 1e6,
            trainer.mean_regret(),
            e.exploitability_mbb,
            e.interval_mbb,
            e.optimistic_mbb,
            e.best_response_mbb,
            e.value_mbb.sb,
            t.elapsed()
        );
    }
}
