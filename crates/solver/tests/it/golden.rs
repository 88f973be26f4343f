//! Spots with known answers.

use lethe_compute::{Job, Pool};
use lethe_game::{Player, SpotConfig, StreetSizes};
use lethe_solver::{Options, Precision, Rule, Solver, Stop};

use crate::common::{config, iterated, iterated_on, player, sizes, spot};

fn shove_or_check() -> SpotConfig {
    let mut config = SpotConfig::new(100, 100);
    config.bet_sizes.river = StreetSizes { oop: player("a", ""), ..StreetSizes::default() };
    config
}

/// Half of the bluffs make a caller indifferent at a pot-size shove, and half of the calls make a
/// bluff worth nothing: 75 of the pot of 100 to the polarized range.
#[test]
fn a_polarized_river_shove_is_worth_three_quarters_of_the_pot() {
    let rules = [Rule::default(), Rule::DCFR, Rule::Plus, Rule::Linear, Rule::PDCFR_PLUS];
    for rule in rules {
        for precision in [Precision::F32, Precision::I16] {
            let spot = spot("2s3h4d6c7c", "AsAh,QsQh", "KsKh", &shove_or_check());
            let mut solver = Solver::new(
                spot,
                Options { rule, precision, ..Options::default() },
                Job::default(),
            )
            .unwrap();
            let target = if rule == Rule::Linear { 1e-3 } else { 2e-4 };
            let stop = Stop { target: Some(target), iterations: Some(20_000), ..Stop::default() };
            let report = solver.run(&stop, Job::default(), &mut |_| ());
            let context = format!("{rule:?} {precision:?} {report:?}");
            assert!(report.evaluation.unwrap().exploitability <= target * 100.0, "{context}");
            assert!((report.evaluation.unwrap().ev[0] - 75.0).abs() < 0.2, "{context}");
            assert!(
                (report.evaluation.unwrap().ev.iter().sum::<f64>() - 100.0).abs() < 1e-3,
                "{context}"
            );
            let [low, high] = report.evaluation.unwrap().bracket.unwrap();
            assert!(low <= 75.0 + 1e-4 && 75.0 <= high + 1e-4, "{context}");
            let solution = solver.into_solution();
            let root = solution.root().hands(Player::Oop, Job::default()).unwrap();
            let frequency = |hole: &str, action: usize| {
                let hand = root.iter().find(|h| h.hole == hole.parse().unwrap()).unwrap();
                hand.frequencies.as_ref().unwrap()[action]
            };
            assert!((frequency("QsQh", 1) - 0.5).abs() < 0.02, "{context}");
            assert!(frequency("AsAh", 1) > 0.99, "{context}");
            let call =
                solution.root().act(1).unwrap().view(Job::default()).unwrap().frequencies.unwrap();
            assert!((call[1] - 0.5).abs() < 0.02, "{context}");
        }
    }
}

#[test]
fn a_river_where_nobody_bets_is_worth_its_equity() {
    let spot = spot("2s3h4d6c7c", "AsAh,QsQh:0.5", "KsKh", &SpotConfig::new(100, 100));
    let (_, report) = iterated(spot, Options::default(), 1);
    assert!((report.evaluation.unwrap().ev[0] - 100.0 / 1.5).abs() < 1e-4, "{report:?}");
    assert!((report.evaluation.unwrap().equity[0] - 1.0 / 1.5).abs() < 1e-6, "{report:?}");
}

/// The published 3-bet pot, in which three solvers agree: OOP EV 105.11, equity 0.55347 and a bet
/// with 55.2 % of the range. It is run in release builds only.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimization")]
fn the_published_flop_spot_has_its_published_value() {
    let spot = crate::common::published_flop();
    let mut solver = Solver::new(spot, Options::default(), Job::default()).unwrap();
    let evaluation = Solver::evaluate_uniform(solver.spot(), Job::default()).unwrap();
    assert!((evaluation.equity[0] - 0.55347).abs() < 5e-6, "{evaluation:?}");
    let stop = Stop { target: Some(0.003), iterations: Some(300), ..Stop::default() };
    let report = solver.run(&stop, Job::default(), &mut |_| ());
    assert!((report.evaluation.unwrap().ev[0] - 105.11).abs() < 0.15, "{report:?}");
    let bets = solver.into_solution().root().view(Job::default()).unwrap().frequencies.unwrap()[1];
    assert!((bets - 0.552).abs() < 0.02, "{bets}");
}

#[test]
fn sixteen_bits_reach_the_same_value() {
    let config = config(100, 300, sizes("60%", "3x"));
    let spot = || spot("Td9d6hQc", "99+,AJs+,KQs,JTs", "TT-66,AQs,KJs,87s,A2s", &config);
    let value = |precision| {
        let (_, report) = iterated(spot(), Options { precision, ..Options::default() }, 200);
        assert!(report.evaluation.unwrap().exploitability < 0.6, "{report:?}");
        report.evaluation.unwrap().ev[0]
    };
    let (wide, narrow) = (value(Precision::F32), value(Precision::I16));
    assert!((wide - narrow).abs() < 0.3, "{wide} {narrow}");
}

#[test]
fn every_number_of_threads_gives_the_same_bits() {
    let config = config(100, 300, sizes("60%", "3x"));
    for board in ["Td9d6hQc", "Td9d6hQc2s"] {
        let value = |threads: usize| {
            let spot = spot(board, "99+,AJs+,KQs,JTs", "TT-66,AQs,KJs,87s,A2s", &config);
            let pool = Pool::new(threads).unwrap();
            iterated_on(Job::new(&pool), spot, Options::default(), 30).1.evaluation.unwrap()
        };
        let one = value(1);
        for threads in [2, 5] {
            assert_eq!(value(threads), one, "{threads}");
        }
    }
}

#[test]
fn rake_leaves_less_than_the_pot() {
    let mut config = config(100, 300, sizes("60%", "3x"));
    config.rake = lethe_game::Rake { percent: 5.0, cap: Some(8.0) };
    let spot = spot("Td9d6hQc", "99+,AJs+,KQs", "TT-66,AQs,KJs,87s", &config);
    let (_, report) = iterated(spot, Options::default(), 300);
    let sum: f64 = report.evaluation.unwrap().ev.iter().sum();
    assert!((92.0..95.1).contains(&sum), "{report:?}");
    assert_eq!(report.evaluation.unwrap().bracket, None);
    assert!((-0.01..0.6).contains(&report.evaluation.unwrap().exploitability), "{report:?}");
}

#[test]
fn a_run_reports_its_best_profile() {
    // Linear CFR swings; whatever comes last, the best profile checked is the one reported.
    let config = config(100, 300, sizes("60%", "3x"));
    let spot = spot("Td9d6hQc2s", "99+,AJs+,KQs,JTs", "TT-66,AQs,KJs,87s,A2s", &config);
    let options = Options { rule: Rule::Linear, ..Options::default() };
    let mut solver = Solver::new(spot, options, Job::default()).unwrap();
    let mut best = f64::INFINITY;
    let stop = Stop { iterations: Some(200), ..Stop::default() };
    let report = solver.run(&stop, Job::default(), &mut |progress| {
        best = progress.exploitability.map_or(best, |e| e.min(best));
    });
    assert!(report.evaluation.unwrap().exploitability <= best + 1e-3, "{best} {report:?}");
}
