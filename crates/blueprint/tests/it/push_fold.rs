//! The one game whose equilibrium is known to the last digit.

use lethe_blueprint::{
    Averages, Discount, Exact, Flops, Plan, Reached, Store, Trainer, Training, Uniform,
};
use lethe_cards::StartingHand;
use lethe_compute::{Job, Pool};

use crate::common::{Hashed, PUSH_FOLD, tree};

#[test]
fn push_or_fold_is_solved_to_the_known_equilibrium() {
    let plan = Plan::new(tree(PUSH_FOLD), [1, 1, 1]);
    let discount = Discount { interval: 10, ..Discount::default() };
    let training = Training { discount, ..Training::default() };
    let cards = Hashed(1);
    let store = Store::new(&plan, &training);
    let mut trainer = Trainer::new(&plan, &cards, &store, &training, Reached::default());
    trainer.run(20_000, Job::new(&Pool::new(1).unwrap()), &|| true);
    let exact = Exact { plan: &plan, buckets: &cards, weights: &Averages(&store) };
    let result = exact.exploitability(Flops::All, Job::default()).unwrap();
    assert!(result.exact);
    assert!(result.exploitability_mbb < 0.2, "{result:?}");
    assert!(result.exploitability_mbb > -1e-6, "{result:?}");
    assert!((result.value_mbb.sb - -45.37).abs() < 0.2, "{result:?}");

    // How often the small blind pushes, and the big blind calls.
    let tree = plan.tree();
    let often = |history: &str, action: usize| {
        let node = tree.find(history).unwrap();
        let share = |class: StartingHand| {
            let cells = plan.cells_of(node, class.index() as u32).unwrap();
            let weights: Vec<f64> = cells
                .map(|cell| f64::from(lethe_blueprint::Weights::weight(&Averages(&store), cell)))
                .collect();
            weights[action] / weights.iter().sum::<f64>() * class.combos() as f64
        };
        StartingHand::all().map(share).sum::<f64>() / 1326.0
    };
    assert!((often("", 1) - 0.5828).abs() < 0.002, "{}", often("", 1));
    assert!((often("r1000", 1) - 0.3738).abs() < 0.002, "{}", often("r1000", 1));
}

#[test]
fn the_best_answer_to_even_play_is_known_by_counting() {
    // Against a small blind who pushes half the time whatever it has, the big blind calls if its
    // equity against any hand is worth it: 900 to win 1,100.
    let plan = Plan::new(tree(PUSH_FOLD), [1, 1, 1]);
    let exact = Exact { plan: &plan, buckets: &Hashed(1), weights: &Uniform };
    let result = exact.exploitability(Flops::All, Job::default()).unwrap();
    let mut sum = 0.0;
    for hole in lethe_cards::Hole::all() {
        let tally = lethe_cards::Matchups::shipped().against(hole, &[1; 1326]);
        let equity = tally.equity().unwrap();
        sum += 0.5 * 50.0 + 0.5 * (2000.0 * equity - 1000.0).max(-100.0);
    }
    let expected = sum / 1326.0 * 10.0;
    assert!((result.best_response_mbb.bb - expected).abs() < 1e-6, "{result:?} {expected}");
}
