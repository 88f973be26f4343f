//! scratch
use lethe_abstraction::Abstraction;
use lethe_blueprint::*;
use lethe_cards::*;
use lethe_game::*;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let config: HandConfig =
        serde_json::from_str(&std::fs::read_to_string("/tmp/quick.json").unwrap()).unwrap();
    let abs = Abstraction::open(&args[1]).unwrap();
    let tree = Tree::build(Game::hand(&config).unwrap(), Tree::NODE_LIMIT).unwrap();
    let k = |s| abs.buckets(s);
    let plan = Plan::new(tree, [k(Street::Flop), k(Street::Turn), k(Street::River)]);
    let store = Store::new(plan.cells());
    let n: u64 = args[3].parse().unwrap();
    if args[2] == "train" {
        let mut trainer = Trainer::new(&plan, &abs, &store, &Training::default(), [0, 0]);
        trainer.run(n, 1, &|| true);
        println!("{} visits", trainer.visits());
    } else {
        let exact = Exact { plan: &plan, buckets: &abs, weights: &Uniform };
        let flop = CanonicalBoard::of(&"Ts8h4d".parse().unwrap()).0;
        for _ in 0..n {
            for p in [0, 1] {
                exact.flop(p, flop, &vec![[1.0; 169]; exact.lines()], p == 1);
            }
        }
    }
}
