//! Iterations of the solver on a flop, a turn and a river spot.

use criterion::{Criterion, criterion_group, criterion_main};
use lethe_compute::Job;
use lethe_solver::{Options, Solver};

mod spots;

fn iterations(c: &mut Criterion) {
    let mut group = c.benchmark_group("iterate");
    group.sample_size(10);
    let job = Job::default();
    for name in ["flop", "turn1", "turn2", "river"] {
        let spot = spots::by_name(name).expect("a spot of this name");
        let mut solver = Solver::new(spot, Options::default(), job).expect("a solver");
        // A few iterations in, regrets have both signs and memory is touched.
        (0..3).try_for_each(|_| solver.iterate(job)).expect("never cancelled");
        group.bench_function(name, |bencher| bencher.iter(|| solver.iterate(job)));
    }
    group.finish();
}

criterion_group!(benches, iterations);
criterion_main!(benches);
