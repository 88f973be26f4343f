//! `lethe inspect` and `lethe diff` on artifacts whose every figure is known.
//!
//! A made-up equity stands for each hand of the flop, by its preflop class; the buckets of the flop
//! are cut from it. Turn and river are sparse tables without entries, so nothing takes long.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use lethe_abstraction::artifact::{ArtifactWriter, BuildSummary, CreateOutcome};
use lethe_abstraction::bucket_equities::BucketEquities;
use lethe_abstraction::method::{Sampling, Split, Strength};
use lethe_abstraction::report::Quality;
use lethe_abstraction::table::{SparseTable, Stored, Table};
use lethe_abstraction::{KMeansSettings, Method, PerStreet, Plan, StreetPlan, StreetReport};
use lethe_cards::vs_random::equity_scale;
use lethe_cards::{Board, CanonicalBoard, Hole, Situation, Street};
use lethe_cluster::Contingency;
use lethe_compute::Job;
use serde_json::Value;

/// Buckets of the flop of the finer artifact.
const BUCKETS: usize = 8;

/// The made-up equity of a hole, in units of the flop's scale.
fn equity(hole: Hole) -> u32 {
    (hole.class().index() as u32 + 1) * (equity_scale(Street::Flop) / 170)
}

/// Its bucket: the equity cut into equal parts.
fn bucket(hole: Hole, buckets: usize) -> u16 {
    (u64::from(equity(hole)) * buckets as u64 / u64::from(equity_scale(Street::Flop))) as u16
}

/// Every slot of the flop: its hole and its weight.
fn slots() -> impl Iterator<Item = (Hole, u64)> {
    CanonicalBoard::all(Street::Flop).flat_map(|board| {
        let holes: Vec<Hole> = board.deck().holes().collect();
        holes.into_iter().map(move |hole| (hole, u64::from(board.multiplicity())))
    })
}

fn flop_report(buckets: usize) -> StreetReport {
    let scale = f64::from(equity_scale(Street::Flop));
    let (mut sizes, mut sums) = (vec![0u64; buckets], vec![0.0; buckets]);
    let mut squares = sums.clone();
    for (hole, weight) in slots() {
        let (at, equity) = (bucket(hole, buckets) as usize, f64::from(equity(hole)) / scale);
        sizes[at] += weight;
        sums[at] += equity * weight as f64;
        squares[at] += equity * equity * weight as f64;
    }
    let equities: Vec<f64> = sums.iter().zip(&sizes).map(|(sum, &n)| sum / n as f64).collect();
    let spread = |at: usize| (squares[at] / sizes[at] as f64 - equities[at].powi(2)).sqrt();
    let spreads = (0..buckets).map(spread).collect();
    report(Street::Flop, sizes, equities, spreads)
}

fn report(street: Street, sizes: Vec<u64>, equities: Vec<f64>, spreads: Vec<f64>) -> StreetReport {
    StreetReport {
        street,
        slots: Situation::slots(street) as u64,
        distinct: 169,
        buckets: sizes.len(),
        iterations: 0,
        converged: true,
        inertia: 1.5,
        fitted_on: None,
        seconds: 0.1,
        sizes,
        equities,
        spreads,
        centroids: Vec::new(),
        clusters: Vec::new(),
        quality: Quality { variance_explained: 0.9, fallback: 0.25, ..Quality::default() },
    }
}

/// Writes an artifact with so many buckets on the flop.
fn artifact(root: &Path, buckets: usize) -> PathBuf {
    let sampling = Sampling { representatives: 1, equity_samples: 1 };
    let sparse = Method::Texture { clusters: 1, sampled: Some(sampling) };
    let ehs = Method::Ehs { feature: Strength::Ehs, split: Split::Percentile };
    let streets = PerStreet {
        flop: StreetPlan::new(Street::Flop, ehs, buckets).unwrap(),
        turn: StreetPlan::new(Street::Turn, sparse.clone(), 2).unwrap(),
        river: StreetPlan::new(Street::River, sparse, 2).unwrap(),
    };
    let kmeans = KMeansSettings { max_iterations: 1, restarts: 1, seed: 7 };
    let plan = Plan::new(streets, kmeans).unwrap();
    let CreateOutcome::Fresh(mut writer) = ArtifactWriter::create(root, &plan, true).unwrap()
    else {
        panic!("force makes it anew");
    };
    let table = Table::U16(slots().map(|(hole, _)| bucket(hole, buckets)).collect());
    writer.write_buckets(Street::Flop, &Stored::Dense(table), buckets, Job::default()).unwrap();
    let equities: Vec<u32> = slots().map(|(hole, _)| equity(hole)).collect();
    writer.write_equity(Street::Flop, &equities, Job::default()).unwrap();
    let pairs = BucketEquities { buckets: 2, sums: vec![4, 2, 6, 0], counts: vec![4, 4, 4, 0] };
    writer.write_bucket_equities(Street::River, &pairs, Job::default()).unwrap();
    for street in [Street::Turn, Street::River] {
        let sparse = SparseTable {
            clusters: vec![0; CanonicalBoard::count(street)],
            medians: vec![1],
            starts: vec![0, 0],
            holes: Vec::new(),
            buckets: Vec::new(),
        };
        writer.write_buckets(street, &Stored::Sparse(sparse), 2, Job::default()).unwrap();
    }
    let other = |street| report(street, vec![10, 30], vec![0.25, 0.75], vec![0.1, 0.1]);
    let reports = PerStreet {
        flop: flop_report(buckets),
        turn: other(Street::Turn),
        river: other(Street::River),
    };
    writer.finish(&BuildSummary { reports, seconds: 1.0, threads: 1 }).unwrap()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("inspect")
}

/// The finer and the coarser artifact.
fn artifacts() -> &'static [PathBuf; 2] {
    static SHARED: OnceLock<[PathBuf; 2]> = OnceLock::new();
    SHARED.get_or_init(|| [artifact(&folder(), BUCKETS), artifact(&folder(), 3)])
}

fn output(command: &str, args: &[&str]) -> Output {
    let mut lethe = Command::new(env!("CARGO_BIN_EXE_lethe"));
    lethe.arg(command).arg(&artifacts()[0]).args(args).stdin(Stdio::null());
    lethe.output().expect("the command starts")
}

fn text(command: &str, args: &[&str]) -> String {
    let output = output(command, args);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(command: &str, args: &[&str]) -> Value {
    serde_json::from_str(&text(command, &[args, &["--json"]].concat())).unwrap()
}

#[test]
fn the_overview_gives_the_figures_of_the_report() {
    let answer = json("inspect", &[]);
    let flop = &answer["streets"]["flop"];
    let report = flop_report(BUCKETS);
    assert_eq!(flop["street"], "flop");
    assert_eq!(flop["method"], "ehs-percentile");
    assert_eq!(flop["sizes"], serde_json::json!(report.sizes));
    assert_eq!(flop["summary"]["sizes"][0], *report.sizes.iter().min().unwrap());
    assert_eq!(flop["summary"]["coverage"], 0.75);
    let between = answer["streets"]["turn"]["summary"]["spread_between"].as_f64().unwrap();
    // A quarter of the deals at 1/4, the rest at 3/4.
    assert!((between - (3.0f64 / 16.0 * 0.25).sqrt()).abs() < 1e-12, "{between}");
    assert_eq!(answer["streets"].as_object().unwrap().len(), 3);

    let whole = text("inspect", &[]);
    for part in ["variance explained", "90.000 %", "coverage", "flop, bucket 0 to 7", "2,063,880"] {
        assert!(whole.contains(part), "{part} in\n{whole}");
    }
    assert!(whole.contains("\n5 2 \n7 · \n"), "{whole}");
    assert!(!whole.contains('\u{1b}'));
    let one = text("inspect", &["--street", "turn"]);
    assert!(one.contains("turn, bucket") && !one.contains("flop, bucket"));
    assert!(text("inspect", &["--color", "always"]).contains("\u{1b}[38;5;"));
}

#[test]
fn the_hands_of_a_bucket_are_in_it() {
    let scale = f64::from(equity_scale(Street::Flop));
    for at in [0, 5] {
        let answer = json("inspect", &["--bucket", &format!("flop:{at}")]);
        let report = flop_report(BUCKETS);
        assert_eq!(answer["size"], report.sizes[at]);
        let inside = || slots().filter(|slot| bucket(slot.0, BUCKETS) as usize == at);
        let equities = || inside().map(|slot| equity(slot.0));
        let (low, high) = (equities().min().unwrap(), equities().max().unwrap());
        let mean = report.equities[at] * scale;
        let near = equities().map(|e| (f64::from(e) - mean).abs()).fold(scale, f64::min);
        for kind in ["typical", "lowest", "highest"] {
            let hands = answer[kind].as_array().unwrap();
            assert_eq!(hands.len(), 6);
            for hand in hands {
                let hole: Hole = hand["hole"].as_str().unwrap().parse().unwrap();
                let board: Board = hand["board"].as_str().unwrap().parse().unwrap();
                assert!(!board.set().intersects(hole.set()));
                assert_eq!(bucket(hole, BUCKETS) as usize, at);
                let own = hand["equity"].as_f64().unwrap() * scale;
                assert!((own - f64::from(equity(hole))).abs() < 1e-3);
                match kind {
                    "lowest" => assert!((own - f64::from(low)).abs() < 1e-3),
                    "highest" => assert!((own - f64::from(high)).abs() < 1e-3),
                    _ => assert!(((own - mean).abs() - near).abs() < 1.0),
                }
            }
        }
        let nearest = answer["neighbours"][0]["bucket"].as_u64().unwrap();
        assert_eq!(nearest.abs_diff(at as u64), 1);
    }
    let whole = text("inspect", &["--bucket", "flop:5"]);
    assert!(whole.contains("typical hands") && whole.contains("nearest buckets"), "{whole}");
}

#[test]
fn a_board_has_every_hand_in_its_class() {
    let answer = json("inspect", &["--board", "Th9h8c"]);
    let classes = answer["classes"].as_array().unwrap();
    assert_eq!(classes.len(), 169);
    let combos: u64 = classes.iter().map(|class| class["combos"].as_u64().unwrap()).sum();
    assert_eq!(combos, 1_176);
    for class in classes {
        // Buckets go by class, so a class has one.
        assert_eq!(class["buckets"].as_array().unwrap().len(), 1, "{class}");
        assert_eq!(class["bucket"], class["buckets"][0].as_u64().unwrap() as f64);
    }
    let grid = text("inspect", &["--board", "Th9h8c"]);
    assert_eq!(grid.lines().count(), 3 + 1 + 26 + 2, "{grid}");
    let no_eights = text("inspect", &["--board", "8s8h8d"]);
    assert!(no_eights.contains('-'), "{no_eights}");
}

#[test]
fn the_page_is_whole_and_needs_nothing_else() {
    let file = folder().join("report.html");
    let answer = json("inspect", &["--html", file.to_str().unwrap()]);
    let page = fs::read_to_string(&file).unwrap();
    assert_eq!(answer["bytes"], page.len());
    for mark in ["html", "body", "section", "figure", "svg", "g", "table", "script", "style"] {
        let opened =
            page.matches(&format!("<{mark}>")).count() + page.matches(&format!("<{mark} ")).count();
        assert!(opened > 0 && opened == page.matches(&format!("</{mark}>")).count(), "{mark}");
    }
    for elsewhere in ["http:", "https:", "src=", "href=", "@import", "url("] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
    let left: Vec<_> = fs::read_dir(folder()).unwrap().flatten().map(|e| e.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".part")), "{left:?}");

    let lost =
        output("inspect", &["--html", folder().join("no/such/report.html").to_str().unwrap()]);
    assert_eq!(lost.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&lost.stderr).contains("report.html"));
    assert_eq!(output("inspect", &["--html", folder().to_str().unwrap()]).status.code(), Some(2));
}

#[test]
fn the_difference_is_the_adjusted_rand_index_over_all_deals() {
    let [fine, coarse] = artifacts();
    let same = json("diff", &[fine.to_str().unwrap(), "--street", "flop"]);
    assert_eq!(same["streets"]["flop"]["adjusted_rand_index"], 1.0);
    assert_eq!(same["streets"]["flop"]["deals"], 25_989_600);
    assert_eq!(same["streets"]["flop"]["a"]["most_different"], serde_json::json!([]));

    let answer = json("diff", &[coarse.to_str().unwrap(), "--street", "flop"]);
    let mut table = Contingency::new(BUCKETS, 3);
    for (slot, weight) in slots() {
        table.add(bucket(slot, BUCKETS).into(), bucket(slot, 3).into(), weight);
    }
    let expected = table.adjusted_rand_index();
    let index = answer["streets"]["flop"]["adjusted_rand_index"].as_f64().unwrap();
    assert!((index - expected).abs() < 1e-12, "{index} {expected}");
    let most = &answer["streets"]["flop"]["b"]["most_different"][0];
    assert!(most["parts"].as_u64().unwrap() > 1);
    let whole = text("diff", &[coarse.to_str().unwrap(), "--street", "flop"]);
    assert!(whole.contains("adjusted Rand index") && whole.contains("flop buckets that differ"));
}

#[test]
fn buckets_that_do_not_exist_are_refused() {
    let refused = output("inspect", &["--bucket", "flop:8"]);
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(message.contains("its buckets are 0 to 7"), "{message}");
}
