//! Iterations of the solver on a flop, a turn and a river spot.

use criterion::{Criterion, criterion_group, criterion_main};
use lethe_solver::{Options, Solver};

mod spots;

fn iterations(c: &mut Criterion) {
    let mut group = c.benchmark_group("iterate");
    group.sample_size(10);
    for name in ["flop", "turn1", "turn2", "river"] {
        let spot = spots::by_name(name).expect("a spot of this name");
        let mut solver = Solver::new(spot, Options::default()).expect("a solver");
        // A few iterations in, regrets have both signs and memory is touched.
        (0..3).for_each(|_| solver.iterate());
        group.bench_function(name, |bencher| bencher.iter(|| solver.iterate()));
    }
    group.finish();
}

criterion_group!(benches, iterations);
criterion_main!(benches);
