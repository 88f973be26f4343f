//! Blueprints as a process reads them: strategies, exports and reports of a small run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use lethe_abstraction::Abstraction;
use lethe_blueprint::{
    AbstractionRef, Blueprint, CheckpointKind, Estimate, EstimateKind, Header, MatchResult,
    Metrics, Plan, Reached, Store, TrainConfig, Training, write_checkpoint,
};
use lethe_cards::{Board, Hole, StartingHand, Street};
use lethe_game::{
    Game, HandBetSizes, HandConfig, InfoKey, NodeKind, Player, PlayerSizes, PreflopSizes,
    RaiseSizes, Sizes, StreetSizes, Tree,
};
use serde_json::Value;

mod common;

/// A stack of 10 big blinds: raises and an all-in before the flop, one bet on each street.
fn config() -> HandConfig {
    let raise = |text| RaiseSizes { raise: Sizes::parse_raises(text).unwrap() };
    let bet = PlayerSizes { bet: Sizes::parse_bets("50%").unwrap(), ..PlayerSizes::default() };
    let street = StreetSizes { oop: bet.clone(), ip: bet, max_raises: None };
    let preflop = PreflopSizes { sb: raise("2.5x"), bb: raise("a"), ..PreflopSizes::default() };
    let (flop, turn, river) = (street.clone(), street.clone(), street);
    let bet_sizes = HandBetSizes { preflop, flop, turn, river };
    HandConfig { bet_sizes, ..HandConfig::new(1000, 50, 100) }
}

/// The bucket that training never came to.
const UNTRAINED: u32 = 11;

/// The weight of an action for a bucket, everywhere.
fn weight(street: Street, bucket: u32, action: usize) -> u32 {
    if street != Street::Preflop && bucket == UNTRAINED {
        return 0;
    }
    1000 * ((bucket + action as u32) % 4)
}

fn frequencies(street: Street, bucket: u32, actions: usize) -> Vec<f64> {
    let weights: Vec<f64> = (0..actions).map(|a| f64::from(weight(street, bucket, a))).collect();
    let total: f64 = weights.iter().sum();
    let share = |w: &f64| if total > 0.0 { w / total } else { 1.0 / actions as f64 };
    weights.iter().map(share).collect()
}

/// A run with one checkpoint and a few points.
fn run() -> &'static Path {
    static RUN: OnceLock<PathBuf> = OnceLock::new();
    RUN.get_or_init(|| {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("blueprint-run");
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        let cards = Path::new(env!("CARGO_MANIFEST_DIR")).join("../abstraction/tests/compat/v1");
        let cards = AbstractionRef::new(&Abstraction::open(cards).unwrap(), &dir);
        let training = Training::default();
        let config =
            TrainConfig { game: config(), abstraction: Some(cards.name.clone()), training };
        let tree = Tree::build(Game::hand(&config.game).unwrap(), 10_000).unwrap();
        let plan = Plan::new(tree, cards.buckets);
        let mut averages = vec![0; plan.cells()];
        for node in plan.tree().ids() {
            let street = plan.tree().node(node).street();
            for bucket in 0..plan.buckets(street) as u32 {
                let Some(cells) = plan.cells_of(node, bucket) else { continue };
                for (action, cell) in cells.enumerate() {
                    averages[cell] = weight(street, bucket, action);
                }
            }
        }
        let header = Header {
            program: "test".to_owned(),
            game_hash: config.game_hash(),
            config,
            abstraction: Some(cards),
            cells: plan.cells() as u64,
            adversary_cells: 0,
            pooled_cells: 0,
            trainer: Header::TRAINER,
            reached: Reached { iterations: 4000, visits: 1_700_000, ..Reached::default() },
            seconds: 60.0,
            resumable: false,
        };
        let store = Store::from_parts(&vec![0; plan.cells()], &averages);
        write_checkpoint(&dir.join(CheckpointKind::Latest.file()), &header, &store).unwrap();
        for i in 1..=6u32 {
            let x = f64::from(i);
            let estimate = Estimate {
                mbb: 600.0 / x,
                interval_mbb: Some(30.0),
                optimistic_mbb: Some(650.0 / x),
                flops: Some(20),
                preflop: None,
                kind: EstimateKind::Flops,
            };
            let point = Metrics {
                seconds: 10.0 * x,
                iterations: 1000 * u64::from(i),
                visits: 300_000_000 * u64::from(i),
                iterations_per_second: Some(100.0),
                visits_per_second: Some(3e7),
                nodes_per_second: Some(3e4),
                hands_per_second: Some(1e5),
                average_regret_mbb: Some(70.0 / x),
                flop_gains_mbb: Vec::new(),
                exploitability: (i % 2 == 0).then_some(estimate),
                match_mbb: (i == 4).then_some(MatchResult { mbb: 15.0, interval_mbb: 6.0 }),
                exchange: None,
            };
            point.append(&dir.join(Metrics::FILE)).unwrap();
        }
        dir
    })
}

/// A command's arguments with the run after its name.
fn of_run<'a>(args: &[&'a str]) -> Vec<&'a str> {
    let run: &'static str = run().to_str().expect("the path is UTF-8");
    [&args[..1], &[run], &args[1..]].concat()
}

fn text(args: &[&str]) -> String {
    common::text(&of_run(args))
}

fn json(args: &[&str]) -> Value {
    common::json(&of_run(args))
}

fn refused(args: &[&str]) -> String {
    common::refused(&of_run(args))
}

fn shares(value: &Value) -> Vec<f64> {
    let shares = value.as_array().expect("actions");
    shares.iter().map(|share| share["frequency"].as_f64().expect("a frequency")).collect()
}

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).for_each(|(a, b)| assert!((a - b).abs() < 1e-9, "{a} is not {b}"));
}

fn blueprint() -> Blueprint {
    Blueprint::open(run(), CheckpointKind::Latest).unwrap()
}

#[test]
fn the_first_decision_is_a_range_of_169_classes() {
    let answer = json(&["strategy"]);
    assert_eq!((&answer["history"], &answer["street"]), (&"".into(), &"preflop".into()));
    assert_eq!((&answer["player"], &answer["node"]), (&"sb".into(), &0.into()));
    assert_eq!((&answer["pot"], &answer["to_call"]), (&150.into(), &50.into()));
    assert_eq!(answer["stacks"], serde_json::json!({"sb": 950, "bb": 900}));
    assert_eq!(answer["reach"], 1.0);
    let names: Vec<&str> =
        answer["actions"].as_array().unwrap().iter().map(|a| a["text"].as_str().unwrap()).collect();
    assert_eq!(names, ["fold", "call", "raise 250"]);
    let mut overall = vec![0.0; 3];
    for class in StartingHand::all() {
        let own = frequencies(Street::Preflop, class.index() as u32, 3);
        let part = class.combos() as f64 / 1326.0;
        overall.iter_mut().zip(&own).for_each(|(sum, x)| *sum += part * x);
        let cells = answer["grid"]["cells"].as_array().unwrap();
        let cell = cells.iter().find(|cell| cell["class"] == class.to_string()).unwrap();
        close(&shares(&cell["actions"]), &own);
    }
    close(&shares(&answer["actions"]), &overall);
}

#[test]
fn hands_count_as_often_as_the_player_comes_here_with_them() {
    // The small blind raises, the big blind moves in, and the small blind is asked again.
    let answer = json(&["strategy", "r250 r1000"]);
    assert_eq!((&answer["player"], &answer["to_call"]), (&"sb".into(), &750.into()));
    let (mut sum, mut total) = ([0.0; 2], 0.0);
    for class in StartingHand::all() {
        let bucket = class.index() as u32;
        let reach = class.combos() as f64 * frequencies(Street::Preflop, bucket, 3)[2];
        let own = frequencies(Street::Preflop, bucket, 2);
        sum.iter_mut().zip(&own).for_each(|(sum, x)| *sum += reach * x);
        total += reach;
    }
    close(&shares(&answer["actions"]), &sum.map(|x| x / total));
    close(&[answer["reach"].as_f64().unwrap()], &[total / 1326.0]);
    // The big blind has not acted before, so that it comes with everything.
    assert_eq!(json(&["strategy", "r250"])["reach"], 1.0);
}

#[test]
fn a_hand_on_a_board_is_its_bucket() {
    let blueprint = blueprint();
    let (hole, board): (Hole, Board) = ("AhKd".parse().unwrap(), "Th9h8c".parse().unwrap());
    let answer = json(&["strategy", "r250 c / x", "--hand", "AhKd", "--board", "Th9h8c"]);
    let hand = &answer["hand"];
    let bucket = blueprint.bucket(hole, &board).unwrap().unwrap();
    assert_eq!(hand["bucket"], bucket);
    close(&shares(&hand["actions"]), &frequencies(Street::Flop, bucket, 2));
    let raises = frequencies(Street::Preflop, hole.class().index() as u32, 3)[2];
    close(&[hand["reach"].as_f64().unwrap()], &[raises]);
    let key: InfoKey = hand["key"].as_str().unwrap().parse().unwrap();
    assert_eq!((key.street(), key.bucket()), (Street::Flop, bucket));
    assert_eq!(key.node(), answer["node"].as_u64().unwrap());
    assert_eq!(answer["to_call"], 0);
    // The same, written with the board in the history, and asked by the key.
    let again = json(&["strategy", "r250", "c", "/", "Th9h8c", "x", "--hand", "AhKd"]);
    assert_eq!(again["hand"], answer["hand"]);
    let by_key = json(&["strategy", "--key", &key.to_string()]);
    assert_eq!(by_key["history"], "r250 c / x");
    assert_eq!(by_key["buckets"][0]["key"], key.to_string());
    close(&shares(&by_key["actions"]), &frequencies(Street::Flop, bucket, 2));
}

#[test]
fn a_board_without_a_hand_is_a_grid_and_a_list_if_asked_for() {
    let answer = json(&["strategy", "r250 c / x x / x", "--board", "Th9h8c2d", "--hands"]);
    let blueprint = blueprint();
    let node = blueprint.tree().find("r250 c / x x / x").unwrap();
    let hands = answer["hands"].as_array().unwrap();
    assert_eq!(hands.len(), 1128);
    let board: Board = "Th9h8c2d".parse().unwrap();
    for row in hands.iter().step_by(50) {
        let hole: Hole = row["hand"].as_str().unwrap().parse().unwrap();
        let own = blueprint.frequencies(node, hole, &board).unwrap().unwrap();
        close(&shares(&row["actions"]), &own);
        let reach = blueprint.reach(Player::Ip, node, hole, &board).unwrap().unwrap();
        close(&[row["reach"].as_f64().unwrap()], &[reach]);
        let flop: Board = "Th9h8c".parse().unwrap();
        let raises = frequencies(Street::Preflop, hole.class().index() as u32, 3)[2];
        let checks =
            frequencies(Street::Flop, blueprint.bucket(hole, &flop).unwrap().unwrap(), 2)[0];
        close(&[reach], &[raises * checks]);
    }
    let cells = answer["grid"]["cells"].as_array().unwrap();
    let possible: u64 = cells.iter().map(|cell| cell["possible"].as_u64().unwrap()).sum();
    assert_eq!(possible, 1128);
}

#[test]
fn without_a_board_there_are_buckets() {
    // A history that ends before a deal goes on after it.
    let answer = json(&["strategy", "c x"]);
    assert_eq!((&answer["history"], &answer["player"]), (&"c x /".into(), &"bb".into()));
    let buckets = answer["buckets"].as_array().unwrap();
    assert_eq!(buckets.len(), 12);
    let parts: f64 = buckets.iter().map(|bucket| bucket["share"].as_f64().unwrap()).sum();
    close(&[parts], &[1.0]);
    for (number, bucket) in (0..).zip(buckets) {
        let own: Vec<f64> =
            bucket["frequencies"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        close(&own, &frequencies(Street::Flop, number, 2));
        assert_eq!(bucket["trained"], number != UNTRAINED);
    }
}

#[test]
fn strategies_are_written_for_people() {
    let hand = text(&["strategy", "r250", "--hand", "AhAd"]);
    let own = frequencies(Street::Preflop, Hole::class("AhAd".parse().unwrap()).index() as u32, 3);
    let line = hand.lines().find(|line| line.starts_with("call")).unwrap();
    assert!(line.contains(&format!("{:.2} %", 100.0 * own[1])), "{hand}");
    let lines: Vec<&str> = hand.lines().collect();
    assert_eq!(lines[0], "r250");
    assert_eq!(lines[1], "preflop  pot 350  stacks sb 750, bb 900  bb to act, 150 to call");
    assert!(lines[2].starts_with("node ") && lines[2].contains("after 4,000 iterations"), "{hand}");

    let class = text(&["strategy", "r250", "--hand", "AA"]);
    let figures = |text: &str| text.lines().nth(8).unwrap().to_owned();
    assert_eq!(figures(&class), figures(&hand));
    assert!(figures(&hand).starts_with("call"), "{hand}");

    let range = text(&["strategy"]);
    for action in ["fold", "call", "raise 250"] {
        let at = range.lines().position(|line| line == action).expect(action);
        assert!(range.lines().nth(at + 1).unwrap().starts_with("AA "), "{range}");
    }
    let coloured = text(&["strategy", "--color", "always"]);
    assert!(coloured.contains("48;5;75m") && coloured.contains(" raise 250 "), "{coloured}");

    let buckets = text(&["strategy", "c x /"]);
    assert_eq!(buckets, GOLDEN_BUCKETS);
}

const GOLDEN_BUCKETS: &str = "\
c x /
flop  pot 200  stacks sb 900, bb 900  bb to act, 0 to call
node 4  game 767f8b7e91fecc6e  after 4,000 iterations

action   frequency
check      33.40 %
bet 100    66.60 %

bucket    deals   equity     check   bet 100
0        0.06 %   0.00 %    0.00 %  100.00 %
1       33.06 %   3.33 %   33.33 %   66.67 %
2        0.10 %   6.67 %   40.00 %   60.00 %
3        0.07 %  10.00 %  100.00 %    0.00 %
4        0.04 %  13.33 %    0.00 %  100.00 %
5       35.63 %  16.67 %   33.33 %   66.67 %
6        0.08 %  20.00 %   40.00 %   60.00 %
7        0.07 %  23.33 %  100.00 %    0.00 %
8        0.09 %  26.67 %    0.00 %  100.00 %
9       30.61 %  30.00 %   33.33 %   66.67 %
10       0.10 %  33.33 %   40.00 %   60.00 %
11       0.10 %  36.67 %   50.00 %   50.00 %

never trained, and therefore even: 1 of these buckets
";

#[test]
fn what_does_not_fit_is_explained() {
    let message = refused(&["strategy", "r300"]);
    assert!(message.contains("'r300' is not possible"), "{message}");
    assert!(message.contains("possible there: f, c, r250"), "{message}");
    let message = refused(&["strategy", "c x / x x x"]);
    assert!(message.contains("possible there: / and the card"), "{message}");
    let message = refused(&["strategy", "f"]);
    assert!(message.contains("the hand ends by a fold"), "{message}");
    let message = refused(&["strategy", "r250 r1000 c"]);
    assert!(message.contains("the hand ends by a showdown"), "{message}");
    let message = refused(&["strategy", "c x /", "--board", "Th9h8c2d"]);
    assert!(message.contains("on the flop, whose board has 3 cards; Th9h8c2d has 4"), "{message}");
    let message = refused(&["strategy", "--board", "Th9h8c"]);
    assert!(message.contains("on the preflop"), "{message}");
    let message = refused(&["strategy", "c x /", "--hand", "AhKd"]);
    assert!(message.contains("--board"), "{message}");
    let message = refused(&["strategy", "c x /", "--hand", "AhTh", "--board", "Th9h8c"]);
    assert!(message.contains("Th"), "{message}");
    let message = refused(&["strategy", "c x /", "--hands"]);
    assert!(message.contains("--board"), "{message}");
    let message = refused(&["strategy", "c Th x"]);
    assert!(message.contains("'Th' is not possible"), "{message}");
    let message = refused(&["strategy", "c x / Th9h8c", "--board", "Th9h8c"]);
    assert!(message.contains("already"), "{message}");
    let message = refused(&["strategy", "--key", "ffffffffffffffff"]);
    assert!(message.contains("is not an information set of this blueprint"), "{message}");
    let message = refused(&["strategy", "--key", "12"]);
    assert!(message.contains("16 hexadecimal digits"), "{message}");
    let message = refused(&["strategy", "--checkpoint", "best-match"]);
    assert!(message.contains("no blueprint there of that kind"), "{message}");
}

#[test]
fn every_decision_has_a_history_that_leads_back() {
    let blueprint = blueprint();
    let tree = blueprint.tree();
    let mut count = 0;
    for decision in blueprint.decisions(tree.root()) {
        assert_eq!(tree.find(&decision.history()), Ok(decision.node()));
        let key = decision.key(3).unwrap();
        assert_eq!(key.node_id(), Some(decision.node()));
        count += 1;
    }
    let decisions = tree.ids().filter(|&id| matches!(tree.node(id).kind(), NodeKind::Decision(_)));
    assert_eq!(count, decisions.count());
}

#[test]
fn an_export_has_a_row_for_each_action_of_each_information_set() {
    let blueprint = blueprint();
    let table = text(&["export"]);
    let mut lines = table.lines();
    let columns = "game_hash,key,street,bucket,node,history,player,weight,\
                   action,chips,pot_fraction,text,frequency";
    assert_eq!(lines.next(), Some(columns));
    let first = "767f8b7e91fecc6e,0000000000000000,preflop,0,0,,sb,0.46875,fold,,,fold,0";
    assert_eq!(lines.next(), Some(first));
    let mut last = None;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [game, key, street, bucket, node, history, _, weight, _, _, _, action, frequency] =
            cells[..]
        else {
            panic!("{line}");
        };
        assert_eq!(game, blueprint.header().game_hash);
        let key: InfoKey = key.parse().unwrap();
        assert_eq!(key.street().name(), street);
        assert_eq!(key.bucket().to_string(), bucket);
        assert_eq!(key.node().to_string(), node);
        let id = blueprint.tree().find(history).unwrap();
        assert_eq!(key.node_id(), Some(id));
        let place = blueprint.tree().actions(id).iter().position(|a| a.to_string() == action);
        let known =
            blueprint.bucket_frequencies(id, key.bucket()).unwrap().unwrap()[place.unwrap()];
        assert_eq!(frequency.parse::<f64>().unwrap(), known);
        let cells = blueprint.plan().cells_of(id, key.bucket()).unwrap();
        let averages = blueprint.checkpoint().averages(cells).unwrap();
        // After 4,000 iterations the fifth interval has begun, which weighs 5² times the first.
        let sum: f64 = averages.iter().map(|&x| f64::from(x) / (256.0 * 25.0)).sum();
        assert_eq!(weight.parse::<f64>().unwrap(), sum);
        assert!(last < Some((id, key.bucket(), place)), "rows are in order");
        last = Some((id, key.bucket(), place));
    }
    assert_eq!(table.lines().count() - 1, blueprint.plan().cells());
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_holds_what_the_csv_of_a_blueprint_holds() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("blueprint-rows.parquet");
    let part = ["export", "--history", "r250 c"];
    let csv = text(&part);
    let to_file = ["--format", "parquet", "--out", path.to_str().unwrap()];
    let written = json(&[&part[..], &to_file].concat());
    let reader = SerializedFileReader::new(fs::File::open(&path).unwrap()).unwrap();
    let mut lines = csv.lines();
    let names = lines.next().unwrap();
    for row in reader.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        let columns: Vec<&str> = row.get_column_iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(columns.join(","), names);
        let field = |(name, field): (&String, &Field)| match field {
            Field::Str(text) => text.clone(),
            Field::Double(number) => number.to_string(),
            Field::ULong(key) if name == "key" => format!("{key:016x}"),
            Field::ULong(number) => number.to_string(),
            other => panic!("{other}"),
        };
        let fields: Vec<String> = row.get_column_iter().map(field).collect();
        assert_eq!(Some(fields.join(",").as_str()), lines.next());
    }
    assert_eq!(lines.next(), None);
    assert_eq!(written["rows"], csv.lines().count() - 1);
}

#[test]
fn an_export_can_be_a_part() {
    let table = text(&["export", "--street", "preflop", "--format", "json"]);
    let rows: Vec<Value> = table.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.iter().all(|row| row["street"] == "preflop"));
    let blueprint = blueprint();
    let decisions = blueprint.decisions(blueprint.tree().root());
    let preflop = decisions.filter(|decision| decision.street() == Street::Preflop);
    assert_eq!(rows.len(), 169 * preflop.count());
    let last = &rows[StartingHand::COUNT - 1];
    assert_eq!(last["key"].as_str().unwrap().parse::<InfoKey>().unwrap().bucket(), 168);
    close(&shares(&last["actions"]), &frequencies(Street::Preflop, 168, 3));
    assert_eq!(text(&["export", "--street", "preflop", "--json"]), table);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("blueprint-rows.csv");
    let part = ["export", "--history", "r250 c", "--street", "flop"];
    let to_file: Vec<&str> =
        part.iter().copied().chain(["--out", file.to_str().unwrap()]).collect();
    let written = json(&to_file);
    let table = fs::read_to_string(&file).unwrap();
    assert_eq!(written["rows"], table.lines().count() - 1);
    assert_eq!(table, text(&part));
    let history = |line: &str| line.split(',').nth(5).unwrap().to_owned();
    assert!(table.lines().skip(1).all(|line| history(line).starts_with("r250 c /")));
    let message = refused(&["export", "--history", "r250 f"]);
    assert!(message.contains("nobody acts after the line 'r250 f'"), "{message}");
    let message = refused(&["export", "--history", "r1"]);
    assert!(message.contains("possible there: f, c, r250"), "{message}");
    let message = refused(&["export", "--to", "river"]);
    assert!(message.contains("--street"), "{message}");
}

#[test]
fn a_report_lists_the_points_of_a_run() {
    let report = json(&["report"]);
    assert_eq!(report["points"].as_array().unwrap().len(), 6);
    assert_eq!(report["best_exploitability"]["mbb"], 100.0);
    assert_eq!(report["best_exploitability"]["seconds"], 60.0);
    let text = text(&["report"]);
    let (_, text) = text.split_once('\n').unwrap();
    assert_eq!(text, GOLDEN_REPORT);
}

const GOLDEN_REPORT: &str = "\
training        60 s, 6,000 iterations, 1,800,000,000 hand-node visits
exploitability  100.0 ± 30.0 mbb/hand (20 flops) after 60 s
lowest          100.0 ± 30.0 mbb/hand (20 flops) after 60 s
match           15.0 ± 6.0 mbb/hand after 40 s
average regret  11.7 mbb/hand

time  iterations  it/s  visits/s  regret  exploitability   measure       match
20 s       2,000   100    30.0 M    35.0    300.0 ± 30.0  20 flops           -
40 s       4,000   100    30.0 M    17.5    150.0 ± 30.0  20 flops  15.0 ± 6.0
60 s       6,000   100    30.0 M    11.7    100.0 ± 30.0  20 flops           -
";

#[test]
fn a_report_is_also_a_page_that_loads_nothing() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("blueprint-report.html");
    let written = json(&["report", "--html", file.to_str().unwrap()]);
    let page = fs::read_to_string(&file).unwrap();
    assert_eq!(written["bytes"], page.len());
    assert_eq!(page.matches("<svg").count(), 5);
    for name in ["Exploitability", "Match", "Average regret", "Iterations", "Hand-node visits"] {
        assert!(page.contains(name), "{name}");
    }
    assert!(!page.contains("NaN") && !page.contains("inf "));
    assert!(!page.contains("src=") && !page.contains("http"));
}

#[test]
fn a_run_that_was_killed_or_is_none_can_be_reported() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("blueprint-cut");
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    let report = |path: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lethe"));
        command.arg("report").arg(path).output().unwrap()
    };
    let refused = report(&dir);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("metrics.jsonl is missing"));
    let file = dir.join(Metrics::FILE);
    fs::write(&file, "{\"seconds\":1.0,\"new\":[1]}\n{\"seconds\":2.0,\"iterat").unwrap();
    for path in [&dir, &file] {
        let output = report(path);
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("1.0 s") && !text.contains("2.0 s"), "{text}");
    }
    fs::write(&file, "").unwrap();
    assert_eq!(report(&dir).status.code(), Some(2));
}

#[test]
fn a_blueprint_plays_matches() {
    let run_dir = run().to_str().unwrap();
    // Against itself it comes out even to the last chip, for the same numbers decide in both seats.
    let even = json(&["match", run_dir, "--hands", "2000"]);
    assert_eq!((&even["mbb"], &even["interval_mbb"]), (&0.0.into(), &0.0.into()));
    let answers = ["1", "3"].map(|threads| {
        json(&["match", "uniform", "--hands", "5k", "--seed", "4", "--threads", threads])
    });
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0]["hands"], 5000);
    let mean = |answer: &Value| answer["mbb"].as_f64().unwrap();
    let by_seat = (mean(&answers[0]["sb"]) + mean(&answers[0]["bb"])) / 2.0;
    assert!((mean(&answers[0]) - by_seat).abs() < 1e-6);
    // What one wins the other loses, up to the luck of the draw.
    let folds = json(&["match", "fold", "--hands", "5k"]);
    assert!(mean(&folds) > 0.0 && mean(&folds) < 750.0, "{folds}");
    assert!(
        refused(&["match", "call", "--preset", "quick"])
            .contains("a game is for players without one")
    );
    assert!(refused(&["match", "nobody"]).contains("no such run"));
}

#[test]
fn blueprints_of_two_games_do_not_play_each_other() {
    let blueprint = Blueprint::open(run(), CheckpointKind::Latest).unwrap();
    let mut header = blueprint.header().clone();
    header.config.game.ante = 10;
    header.game_hash = header.config.game_hash();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("blueprint-other-game");
    fs::create_dir_all(&dir).unwrap();
    let cells = header.cells as usize;
    let store = Store::from_parts(&vec![0; cells], &vec![1; cells]);
    write_checkpoint(&dir.join(CheckpointKind::Latest.file()), &header, &store).unwrap();
    let message = refused(&["match", dir.to_str().unwrap()]);
    assert!(message.contains("play different games"), "{message}");
    assert!(message.contains("ante 0") && message.contains("ante 10"), "{message}");
}

#[test]
fn a_local_best_response_is_told_by_seat() {
    let answer = json(&["exploitability", "--lbr", "--hands", "20", "--seed", "1"]);
    for value in [&answer["lbr_mbb"], &answer["interval_mbb"], &answer["sb"]["mbb"]] {
        assert!(value.as_f64().is_some(), "{answer}");
    }
    assert_eq!(answer["lbr"], true);
    let text = text(&["exploitability", "--lbr", "--hands", "20"]);
    assert!(text.contains("local best response, a lower bound on exploitability"), "{text}");
}

#[test]
fn values_stand_beside_frequencies() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("blueprint-values");
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    let latest = CheckpointKind::Latest.file();
    fs::copy(run().join(latest), dir.join(latest)).unwrap();
    let run = dir.to_str().unwrap();
    assert!(common::json(&["strategy", run]).get("values").is_none());
    assert!(!common::text(&["strategy", run]).contains("wins"));

    let stored = common::json(&["values", run, "--flops", "4"]);
    assert_eq!((&stored["flops"], &stored["exact"]), (&4.into(), &false.into()));
    let answer = common::json(&["strategy", run]);
    assert_eq!(answer["values"], serde_json::json!({"flops": 4, "exact": false}));
    let number = |value: &Value| value.as_f64().expect("a number");
    let mut sum = 0.0;
    for cell in answer["grid"]["cells"].as_array().unwrap() {
        let actions = cell["actions"].as_array().unwrap();
        let [fold, call, _] = &actions[..] else { panic!("three actions") };
        assert_eq!((&fold["ev"], &fold["ev_bb"]), (&(-50.0).into(), &(-0.5).into()));
        assert_eq!(number(&fold["ev_interval"]), 0.0);
        assert!(number(&call["ev_interval"]) > 0.0);
        let mixed: f64 = actions.iter().map(|a| number(&a["frequency"]) * number(&a["ev"])).sum();
        assert!((mixed - number(&cell["ev"])).abs() < 1e-3, "{cell}");
        sum += number(&cell["possible"]) / 1326.0 * number(&cell["ev_bb"]);
    }
    assert!((1000.0 * sum - number(&stored["value_mbb"]["sb"])).abs() < 0.01, "{sum} {stored}");

    // At the first decision of a street by bucket, and elsewhere after the flop not at all.
    let known = |line: &str| {
        let answer = common::json(&["strategy", run, line]);
        let buckets = answer["buckets"].as_array().unwrap().clone();
        buckets.into_iter().filter_map(|bucket| bucket["ev_bb"].as_f64()).collect::<Vec<f64>>()
    };
    for line in ["c x /", "r250 c /", "c x / x x /", "c x / x x / x x /"] {
        let values = known(line);
        assert!(!values.is_empty() && values.iter().all(|x| x.abs() <= 10.0), "{line}: {values:?}");
    }
    assert_eq!(known("c x / x"), [0.0; 0]);

    let text = common::text(&["strategy", run, "--hand", "AA"]);
    assert!(text.contains("wins, bb") && text.contains('±') && text.contains("-0.500"), "{text}");
    let text = common::text(&["strategy", run]);
    assert!(text.contains("what each hand wins, in big blinds"), "{text}");
    let text = common::text(&["strategy", run, "c x /"]);
    assert!(text.contains("wins, bb"), "{text}");
    let verified = common::json(&["verify", run]);
    let names: Vec<&str> = verified["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["latest.blueprint", "latest.values"]);

    // Values that are damaged are not shown.
    let file = dir.join("latest.values");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 5;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    for args in [&["strategy", run][..], &["verify", run]] {
        let output = common::output(args);
        let message = [output.stdout, output.stderr].concat();
        let message = String::from_utf8_lossy(&message);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("latest.values") && message.contains("damaged"), "{message}");
    }
}

#[test]
fn searches_that_cannot_be_measured_are_refused() {
    let refused = |more: &[&str]| refused(&[&["exploitability"], more].concat());
    assert!(refused(&["--gadget", "resolve"]).contains("--search"));
    assert!(refused(&["--search", "preflop"]).contains("turn, river"));
    let message = refused(&["--search", "turn", "--gadget", "safe"]);
    assert!(message.contains("unknown gadget 'safe': expected unsafe, resolve"), "{message}");
    let message = refused(&["--search", "turn", "--flops", "1"]);
    assert!(message.contains("at least 2 flops"), "{message}");
    assert!(refused(&["--search", "turn", "--exact"]).contains("cannot be used with"));
    assert!(refused(&["--search", "turn", "--iterations", "0"]).contains("expected a number"));
    assert!(refused(&["--target", "1%"]).contains("--search"));
    assert!(refused(&["--search", "turn", "--target", "0.01"]).contains("write 0.1%"));
}
