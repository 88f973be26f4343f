//! What must hold of the lab's figures, whatever they are.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use lethe_collective::Share;
use lethe_compute::{Job, Progress};
use lethe_files::Replace;
use lethe_lab::{Betting, Effort, Lab, LabError, Recipe, Results, Root, Row, Subject, Summary};

/// Two suits each of two ranks: few rivers differ.
const BOARD: &str = "KsKh7s7h";

fn lab(recipes: &[&str], buckets: &[usize], seeds: &[u64], iterations: u32) -> Lab {
    Lab {
        roots: vec![BOARD.parse().unwrap()],
        betting: Betting::default(),
        effort: Effort { iterations, memory_limit: None },
        recipes: recipes.iter().map(|name| name.parse::<Recipe>().unwrap()).collect(),
        buckets: buckets.to_vec(),
        seeds: seeds.to_vec(),
        artifacts: Vec::new(),
        symmetric: true,
    }
}

fn run(lab: &Lab, results: &mut Results) -> Summary {
    lab.run(results, Share::alone(), Job::default(), &mut |_| ()).unwrap();
    Summary::of(&lab.outline(), results)
}

#[test]
fn one_bucket_per_situation_loses_what_the_lossless_game_does() {
    let lab = lab(&["lossless"], &[1], &[0], 150);
    let summary = run(&lab, &mut Results::in_memory());
    let (floor, row) = (summary.floor.unwrap(), &summary.rows[0]);
    assert_eq!(row.buckets, None);
    // One bucket for each situation, and situations are fewer than slots.
    assert!(row.occurring[1] > 300.0 && row.occurring[1] < 1128.0, "{row:?}");
    // The sums of the two kinds of tables round differently, and the paths part.
    for found in [row.epsilon, row.symmetric.unwrap()] {
        assert!((found - floor).abs() < 0.2 * floor, "{found} {floor}");
    }
}

#[test]
fn as_many_buckets_as_features_keep_every_feature_apart() {
    let occurring = |buckets| {
        let lab = lab(&["histogram50+ochs16"], &[buckets], &[0], 1);
        run(&lab, &mut Results::in_memory()).rows[0].occurring
    };
    // More buckets than features: each feature is its own, and there are fewer than situations.
    let [_, turn, river] = occurring(1_000_000);
    assert!((100.0..464.0).contains(&turn), "{turn}");
    assert!((1_000.0..20_000.0).contains(&river), "{river}");
    // As many buckets as the turn has features change nothing there; one fewer does.
    assert_eq!(occurring(turn as usize)[1], turn);
    assert_eq!(occurring(turn as usize - 1)[1], turn - 1.0);
}

#[test]
fn losses_are_not_negative_fall_with_buckets_and_the_seats_share_them() {
    let recipes = ["percentile", "ehs2", "histogram10", "percentile+ochs8", "texture", "random"];
    let lab = lab(&recipes, &[5, 80], &[0], 40);
    let summary = run(&lab, &mut Results::in_memory());
    let floor = summary.floor.unwrap();
    assert!(floor > 0.0);
    assert_eq!(summary.rows.len(), 12);
    for row in &summary.rows {
        assert!(row.epsilon > 0.0, "{row:?}");
        assert!(row.symmetric.unwrap() > 0.0, "{row:?}");
        assert!((row.seats[0] + row.seats[1] - 2.0 * row.epsilon).abs() < 1e-6, "{row:?}");
        assert_eq!((row.cells, row.expected), (1, 1));
    }
    for name in recipes.map(|name| name.parse::<Recipe>().unwrap().to_string()) {
        let of = |buckets| {
            let row = summary.rows.iter().find(|r| r.method == name && r.buckets == Some(buckets));
            row.unwrap().epsilon
        };
        assert!(of(5) > of(80), "{name}: {} {}", of(5), of(80));
        assert!(of(5) > 2.0 * floor, "{name}: {} {floor}", of(5));
    }
    // At random is worse than by equity.
    let worst = summary.rows.iter().rfind(|r| r.buckets == Some(80)).unwrap();
    assert_eq!(worst.method, "random");
    let [low, high] = summary.boards[0].value;
    assert!(low <= high && low > 0.3 && high < 0.6, "{low} {high}");
}

#[test]
fn the_same_seed_gives_the_same_numbers_and_another_seed_others() {
    let of = |seeds: &[u64]| {
        let mut lab = lab(&["histogram10+ochs8", "percentile"], &[12], seeds, 20);
        lab.symmetric = false;
        run(&lab, &mut Results::in_memory())
    };
    let strip = |summary: Summary| {
        summary.rows.into_iter().map(|row| (row.method, row.each)).collect::<Vec<_>>()
    };
    let (once, again) = (of(&[3, 4]), of(&[3, 4]));
    let seeded = once.rows.iter().find(|row| row.method == "histogram10+ochs8").unwrap();
    assert_eq!(seeded.cells, 2);
    assert_ne!(seeded.each[0].epsilon, seeded.each[1].epsilon);
    assert!(seeded.seed_spread.unwrap() > 0.0);
    // Nothing is random, so there is one cell.
    let plain = once.rows.iter().find(|row| row.method == "percentile").unwrap();
    assert_eq!((plain.cells, plain.expected, plain.seed_spread), (1, 1, None));
    assert_eq!(strip(once), strip(again));
}

/// Cancels once some iterations are done.
#[derive(Default)]
struct CancelAfter {
    limit: Option<u64>,
    done: AtomicU64,
    units: AtomicU64,
    polls: AtomicU64,
}

impl Progress for CancelAfter {
    fn begin(&self, _: &str, units: u64) {
        self.units.fetch_add(units, Relaxed);
    }
    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Relaxed);
    }
    fn cancelled(&self) -> bool {
        let over = self.limit.is_some_and(|limit| self.done.load(Relaxed) >= limit);
        self.polls.fetch_add(u64::from(over), Relaxed);
        over
    }
}

#[test]
fn progress_counts_every_iteration_and_a_cancellation_is_noticed_within_one() {
    let lab = lab(&["histogram10+ochs4", "texture"], &[6], &[0], 10);
    let whole = CancelAfter::default();
    let job = Job::default().watched_by(&whole);
    lab.run(&mut Results::in_memory(), Share::alone(), job, &mut |_| ()).unwrap();
    let (done, units) = (whole.done.into_inner(), whole.units.into_inner());
    // One solve without buckets; for each recipe two with one player bucketed and one with both.
    assert_eq!((done, units), (70, 70));
    for limit in [0, 1, 10, 15, 45, 69] {
        let part = CancelAfter { limit: Some(limit), ..CancelAfter::default() };
        let job = Job::default().watched_by(&part);
        let error =
            lab.run(&mut Results::in_memory(), Share::alone(), job, &mut |_| ()).unwrap_err();
        assert!(matches!(error, LabError::Cancelled(_)), "{error}");
        assert_eq!(part.done.into_inner(), limit);
        assert!(part.polls.into_inner() < 200);
    }
}

#[test]
fn a_run_that_was_cancelled_resumes_where_it_was() {
    let dir = std::env::temp_dir().join(format!("lethe-lab-resume-{}", std::process::id()));
    let _ = fs::remove_dir_all(&dir);
    let lab = lab(&["percentile", "histogram10"], &[3, 6], &[0], 10);
    let whole = run(&lab, &mut Results::in_memory());

    let mut results = Results::open(&dir, &lab.outline(), Replace::Allowed).unwrap();
    let estimate = lab.estimate(&results, Job::default()).unwrap();
    assert_eq!((estimate.cells, estimate.finished), (9, 0));
    // The lossless cell takes 10 iterations, the next one 20.
    let progress = CancelAfter { limit: Some(35), ..CancelAfter::default() };
    let job = Job::default().watched_by(&progress);
    lab.run(&mut results, Share::alone(), job, &mut |_| ()).unwrap_err();
    drop(results);

    let mut results = Results::open(&dir, &lab.outline(), Replace::Allowed).unwrap();
    assert_eq!(results.len(), 2);
    let part = Summary::of(&lab.outline(), &results);
    assert_eq!(part.rows.len(), 1);
    let estimate = lab.estimate(&results, Job::default()).unwrap();
    assert_eq!(estimate.finished, 2);
    let mut begun = 0;
    lab.run(&mut results, Share::alone(), Job::default(), &mut |_| begun += 1).unwrap();
    assert_eq!(begun, 7);

    let epsilons = |summary: &Summary| {
        let row = |r: &Row| (r.method.clone(), r.buckets, r.epsilon, r.symmetric);
        summary.rows.iter().map(row).collect::<Vec<_>>()
    };
    let resumed = Results::open(&dir, &lab.outline(), Replace::Allowed).unwrap();
    assert_eq!(epsilons(&Summary::of(&lab.outline(), &resumed)), epsilons(&whole));
    // Another number of iterations is another cell.
    let other = Lab { effort: Effort { iterations: 11, memory_limit: None }, ..lab };
    assert_eq!(other.estimate(&resumed, Job::default()).unwrap().finished, 0);
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn boards_count_by_their_weight() {
    let mut lab = lab(&["percentile"], &[4], &[0], 10);
    lab.roots =
        vec![Root::new(BOARD.parse().unwrap(), 3.0).unwrap(), "AsAhAdAc:1".parse().unwrap()];
    let summary = run(&lab, &mut Results::in_memory());
    let row = &summary.rows[0];
    let expected = (3.0 * row.each[0].epsilon + row.each[1].epsilon) / 4.0;
    assert!((row.epsilon - expected).abs() < 1e-9);
    assert!(row.spread > 0.0);
    assert_eq!(summary.boards.len(), 2);
}

#[test]
fn keys_hold_all_that_matters() {
    let mut lab = lab(&["percentile", "classes"], &[4, 5], &[0, 1], 1);
    lab.symmetric = false;
    let mut results = Results::in_memory();
    lab.run(&mut results, Share::alone(), Job::default(), &mut |_| ()).unwrap();
    let subjects: Vec<Subject> = lab
        .outline()
        .cells
        .into_iter()
        .filter(|(_, key)| results.get(key).is_some())
        .map(|(_, key)| key.subject)
        .collect();
    let method = |name: &str, buckets| Subject::Method {
        name: name.to_owned(),
        buckets,
        seed: None,
        symmetric: false,
    };
    let expected = [
        Subject::Lossless,
        method("percentile", Some(4)),
        method("classes", None),
        method("percentile", Some(5)),
    ];
    assert_eq!(subjects, expected);
}

#[test]
fn a_game_that_takes_too_much_memory_is_refused_before_it_starts() {
    let mut lab = lab(&["percentile"], &[4], &[0], 1);
    lab.effort.memory_limit = Some(1 << 20);
    let message = lab.estimate(&Results::in_memory(), Job::default()).unwrap_err().to_string();
    assert!(message.starts_with("KsKh7s7h: the solve needs about"), "{message}");
}
