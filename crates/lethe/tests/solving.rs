//! Solving spots as a process: theory, files, and what users of other solvers complain of.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

mod common;

use common::{json, lethe, output, refused, text};

fn shipped(name: &str) -> String {
    format!("{}/../../spots/{name}.yaml", env!("CARGO_MANIFEST_DIR"))
}

/// A file for one test.
fn file(name: &str, content: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

fn place(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path.to_str().unwrap().to_owned()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not within {tolerance} of {b}");
}

/// A small turn spot: two bets deep, two dozen hands.
const TURN: &str = "board: 2s 7h 9d Jc
oop_range: \"AA:0.5,JTs,98s:0.25,KQs,JJ\"
ip_range: \"AJs,T8s,KhQh:0.75,QQ\"
pot: 100
stack: 150
bet_sizes:
  turn: {oop: {bet: 50%}, ip: {bet: 50%, raise: a}}
  river: {oop: {bet: a}, ip: {bet: a}}
";

/// Theory: aces always bet, queens half the time, kings call half the time; OOP has 75 of 100.
#[test]
fn the_toy_river_has_the_value_that_theory_says() {
    let spot = shipped("toy-river");
    for rule in ["dcfr", "cfr+", "linear", "predictive"] {
        let answer = json(&["solve", &spot, "--target", "0.01%", "--rule", rule]);
        close(number(&answer["ev"]["oop"]), 75.0, 0.05);
        close(number(&answer["ev"]["ip"]), 25.0, 0.05);
        close(number(&answer["equity"]["oop"]), 0.5, 1e-9);
        assert_eq!(answer["actions"][0]["action"], "check");
        assert_eq!(answer["actions"][1]["action"], "allin");
        assert_eq!(answer["actions"][1]["text"], "allin 100");
        close(number(&answer["actions"][1]["frequency"]), 0.75, 0.01);
        assert!(number(&answer["exploitability_percent"]) <= 0.01);
        let (low, high) = (number(&answer["bracket"][0]), number(&answer["bracket"][1]));
        assert!(low <= 75.0 + 1e-3 && 75.0 - 1e-3 <= high, "{low} to {high}");
    }
    let called = json(&["show", &spot, "b100", "--hand", "KK", "--target", "0.01%"]);
    close(number(&called["actions"][1]["frequency"]), 0.5, 0.01);
}

#[test]
fn every_shipped_spot_has_a_tree() {
    let mut count = 0;
    for entry in fs::read_dir(Path::new(&shipped("x")).parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        let tree = json(&["tree", path.to_str().unwrap(), "--depth", "0"]);
        assert!(number(&tree["nodes"]) > 0.0);
        let (full, half) = (number(&tree["memory"]["f32"]), number(&tree["memory"]["i16"]));
        assert!(half <= full && full < 4e9, "{}: {full} bytes", path.display());
        count += 1;
    }
    assert!(count >= 12);
}

/// Complaint: no EV of the whole range.
#[test]
fn the_ev_of_both_ranges_is_shown_and_sums_to_the_pot() {
    let spot = file("whole-range.yaml", TURN);
    let answer = json(&["solve", &spot]);
    close(number(&answer["ev"]["oop"]) + number(&answer["ev"]["ip"]), 100.0, 1e-3);
    let shown = json(&["show", &spot, "x"]);
    close(number(&shown["ev"]["oop"]) + number(&shown["ev"]["ip"]), 100.0, 1e-3);
    close(number(&shown["equity"]["oop"]) + number(&shown["equity"]["ip"]), 1.0, 1e-5);
    assert!(text(&["solve", &spot]).contains("EV   equity"));
}

/// Complaint: fractional weights are dropped.
#[test]
fn fractional_weights_are_kept() {
    let spot = file("weights.yaml", TURN);
    let shown = json(&["show", &spot, "--hand", "AA,KQs,9s8s"]);
    let hands = shown["hands"]["hands"].as_array().unwrap();
    let weight = |prefix: &str| {
        let hand = hands.iter().find(|hand| hand["hand"].as_str().unwrap().starts_with(prefix));
        number(&hand.unwrap()["weight"])
    };
    assert_eq!((weight("As"), weight("Ks"), weight("9s")), (0.5, 1.0, 0.25));
    // With queens half as often there are aces in two of three hands.
    let toy = fs::read_to_string(shipped("toy-river")).unwrap();
    let spot = file("weights-toy.yaml", &toy.replace("AsAh,QsQh", "AsAh,QsQh:0.5"));
    close(number(&json(&["solve", &spot])["equity"]["oop"]), 2.0 / 3.0, 1e-6);
}

/// Complaint: impossible combos are exported as if they were played uniformly.
#[test]
fn impossible_combos_are_not_exported() {
    let spot = file("impossible.yaml", TURN);
    let csv = text(&["export", &spot, "--to", "river", "--line", "x x"]);
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some(
            "line,board,player,hand,weight,reach,equity,ev,\
             action,chips,pot_fraction,text,frequency,action_ev"
        )
    );
    let mut boards = std::collections::BTreeSet::new();
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let [board, hand] = [fields[1], fields[3]];
        for card in [&hand[..2], &hand[2..]] {
            assert!(!board.contains(card), "{line}");
        }
        assert!(!line.contains("NaN") && !line.contains("inf"), "{line}");
        assert!(
            fields[0].ends_with(&board[8..]) || fields[0].contains(&format!("/ {}", &board[8..]))
        );
        boards.insert(board.to_owned());
    }
    assert_eq!(boards.len(), 48);
}

/// Complaint: hands that never come somewhere are coloured as if they acted.
#[test]
fn hands_that_never_come_are_left_empty() {
    let spot = shipped("toy-river");
    // Aces never check.
    let shown = json(&["show", &spot, "x", "--player", "oop", "--grid"]);
    let aces = &shown["grid"]["cells"][0];
    assert_eq!(aces["class"], "AA");
    assert!(number(&aces["combos"]) < 1e-3);
    let drawn = text(&["show", &spot, "x", "--player", "oop", "--grid", "--color", "always"]);
    let first = drawn.lines().find(|line| line.contains('·')).unwrap();
    assert!(!first.contains("AA") && !first.contains('\u{1b}'), "{first:?}");

    let raised = "board: 2s 3h 4d 6c 7c\noop_range: AsAh,QsQh\nip_range: KsKh\npot: 100\nstack: 200
bet_sizes: {river: {oop: {bet: 50%}, ip: {raise: a}}}\n";
    let (spot, saved) = (file("never.yaml", raised), place("never.lethe"));
    text(&["solve", &spot, "--lock", "=check", "--save", &saved]);
    let csv = text(&["export", &saved]);
    let row = csv.lines().find(|line| line.starts_with("b50 r200,") && line.contains("AsAh"));
    let fields: Vec<&str> = row.unwrap().split(',').collect();
    assert_eq!((fields[5], fields[8], fields[12]), ("0", "", ""));
}

/// Complaint: NaN with a range of one hand.
#[test]
fn a_range_of_one_hand_has_numbers() {
    let one = TURN
        .replace("\"AA:0.5,JTs,98s:0.25,KQs,JJ\"", "AsAh")
        .replace("\"AJs,T8s,KhQh:0.75,QQ\"", "9s9h");
    let spot = file("one-hand.yaml", &one);
    let answer = json(&["solve", &spot]);
    close(number(&answer["ev"]["oop"]) + number(&answer["ev"]["ip"]), 100.0, 1e-3);
    for line in ["", "x", "x b50"] {
        let shown = text(&["show", &spot, line, "--grid", "--classes", "--hand", "random"]);
        assert!(!shown.contains("NaN"), "{shown}");
    }
    let exported = text(&["export", &spot, "--to", "river"]);
    assert!(!exported.contains("NaN"));
}

/// Complaint: exports take minutes and all memory.
#[test]
fn exports_stream() {
    let spot = file("stream.yaml", TURN);
    for format in ["csv", "json"] {
        let args = ["export", &spot, "--to", "river", "--format", format];
        let mut child = lethe(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains("board"), "{line}");
        // The reader is gone; the rest is neither computed nor complained of.
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(output.stderr.is_empty());
    }
    let path = place("stream.jsonl");
    let written = json(&["export", &spot, "--format", "json", "--out", &path]);
    let lines = fs::read_to_string(&path).unwrap();
    assert_eq!(number(&written["rows"]) as usize, lines.lines().count());
    for line in lines.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let actions = row["actions"].as_array().unwrap();
        let sum: f64 = actions.iter().map(|action| number(&action["frequency"])).sum();
        assert_eq!(actions.is_empty(), row["reach"] == 0.0);
        close(sum, if actions.is_empty() { 0.0 } else { 1.0 }, 1e-4);
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_without_its_feature_is_refused_before_any_work() {
    let args = ["export", &shipped("srp-flop"), "--format", "parquet", "--out", "x.parquet"];
    let message = refused(&args);
    assert!(message.contains("--features parquet"), "{message}");
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_holds_what_the_csv_holds() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    let spot = file("parquet.yaml", TURN);
    let refusal = refused(&["export", &spot, "--format", "parquet"]);
    assert!(refusal.contains("--out"), "{refusal}");
    let path = place("rivers.parquet");
    let args = ["export", &spot, "--to", "river"];
    let csv = text(&args);
    let written = json(&[&args[..], &["--format", "parquet", "--out", &path]].concat());
    let reader = SerializedFileReader::new(fs::File::open(&path).unwrap()).unwrap();
    let mut lines = csv.lines();
    let names = lines.next().unwrap();
    let mut rows = 0;
    for (row, line) in reader.get_row_iter(None).unwrap().zip(lines.by_ref()) {
        let row = row.unwrap();
        let columns: Vec<&str> = row.get_column_iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(columns.join(","), names);
        let field = |field: &Field| match field {
            Field::Null => String::new(),
            Field::Str(text) => text.clone(),
            Field::Double(number) => number.to_string(),
            Field::ULong(number) => number.to_string(),
            other => panic!("{other}"),
        };
        let fields: Vec<String> = row.get_column_iter().map(|(_, f)| field(f)).collect();
        assert_eq!(fields.join(","), line);
        rows += 1;
    }
    assert_eq!(lines.next(), None);
    assert_eq!((rows, rows), (csv.lines().count() as i64 - 1, number(&written["rows"]) as i64));
    assert_eq!(reader.metadata().file_metadata().num_rows(), rows);
}

/// Complaint: results are wrong where ranges are not symmetric in suits.
#[test]
fn ranges_may_differ_in_suits() {
    // Where nobody bets, EV is equity, which another part of the program counts.
    let spot = |board: &str, oop: &str, ip: &str| {
        format!("board: {board}\noop_range: {oop}\nip_range: {ip}\npot: 1000\nstack: 10\n")
    };
    let cases = [
        ("2h7h9s", "AhKh", "9c9d,QsJs,AsKs"),
        ("2h7h9sJd", "AhKh,5s4s,TdTc", "9c9d,QsJs,AhAs"),
        ("2h7h9s", "8h6h,AsQd", "JsTs,AdAc,KhQh"),
    ];
    for (board, oop, ip) in cases {
        let path = file("suits.yaml", &spot(board, oop, ip));
        let ev = number(&json(&["evaluate", &path])["ev"]["oop"]);
        let equity = number(&json(&["equity", oop, board, "--against", ip])["equity"]);
        close(ev, 1000.0 * equity, 0.01);
    }
    // Renaming suits everywhere changes nothing.
    let suits = TURN.replace("98s:0.25,KQs", "9h8h,KsQs,KdQd:0.3");
    let renamed: String = suits
        .replace("Jc", "JX")
        .replace("9d ", "9Y ")
        .replace("KdQd", "KYQY")
        .replace("KsQs", "KZQZ")
        .replace("2s ", "2Z ")
        .replace('X', "s")
        .replace('Y', "c")
        .replace('Z', "d");
    let solve = |name: &str, text: &str| json(&["solve", &file(name, text), "--target", "0.005%"]);
    let (one, other) = (solve("suits-1.yaml", &suits), solve("suits-2.yaml", &renamed));
    // Both are near the one value of the game; rounding differs with the order of holes.
    close(number(&one["ev"]["oop"]), number(&other["ev"]["oop"]), 1e-2);
}

/// One name for each thing in the JSON of all commands.
#[test]
fn actions_and_values_have_the_same_names_everywhere() {
    let toy = fs::read_to_string(shipped("toy-river")).unwrap();
    let text = toy.replace("pot: 100", "unit: bb\npot: 5.5").replace("stack: 100", "stack: 5.5");
    let spot = file("names.yaml", &text);
    let check = |action: &Value| {
        assert_eq!(action["action"], "allin", "{action}");
        assert_eq!(action["chips"], 550);
        assert_eq!(action["pot_fraction"], 1.0);
        assert_eq!(action["text"], "allin 550");
    };
    let solved = json(&["solve", &spot, "--target", "0.01%"]);
    check(&solved["actions"][1]);
    close(number(&solved["ev"]["oop"]), 412.5, 0.3);
    close(number(&solved["ev_bb"]["oop"]), 4.125, 0.003);
    let shown = json(&["show", &spot, "--hand", "AA", "--grid", "--classes", "--target", "0.01%"]);
    check(&shown["actions"][1]);
    close(number(&shown["ev_bb"]["oop"]), 4.125, 0.003);
    let hand = &shown["hands"]["hands"][0];
    check(&hand["actions"][1]);
    close(number(&hand["ev_bb"]), 8.25, 0.01);
    close(number(&hand["actions"][1]["ev_bb"]), 8.25, 0.01);
    check(&shown["grid"]["actions"][1]);
    check(&shown["grid"]["cells"][0]["actions"][1]);
    check(&shown["classes"]["made"][0]["actions"][1]);
    let tree = json(&["tree", &spot]);
    check(&tree["outline"][3]["action"]);
    assert_eq!(tree["big_blind"], 100);
    let rows = self::text(&["export", &spot, "--format", "json"]);
    let row: Value = serde_json::from_str(rows.lines().next().unwrap()).unwrap();
    check(&row["actions"][1]);
    assert!(row["actions"][1]["ev"].is_number());
    assert!(self::text(&["solve", &spot]).contains("EV bb"));
    // Kings are only in the opponent's range.
    let kings = json(&["show", &spot, "--hand", "KK"]);
    assert_eq!(kings["hands"]["player"], "ip");
}

/// Complaint: rivers are solved on one core only; at least more cores change nothing.
#[test]
fn results_do_not_depend_on_threads() {
    let solve = |threads: &str| {
        json(&["solve", &shipped("river-srp"), "--iterations", "30", "--threads", threads])
    };
    let (one, two) = (solve("1"), solve("2"));
    assert_eq!((&one["ev"], &one["actions"]), (&two["ev"], &two["actions"]));
}

#[test]
fn rake_leaves_less_than_the_pot_and_no_bracket() {
    let answer = json(&["solve", &shipped("raked-river"), "--target", "0.5%"]);
    assert_eq!(answer["bracket"], Value::Null);
    let sum = number(&answer["ev"]["oop"]) + number(&answer["ev"]["ip"]);
    assert!(sum < 400.0 - 19.0 && sum > 400.0 - 31.0, "{sum}");
    assert!(!text(&["solve", &shipped("raked-river"), "--iterations", "5"]).contains("bracket"));
}

#[test]
fn sixteen_bits_come_to_the_same() {
    let spot = file("precision.yaml", TURN);
    let ev = |precision| {
        let answer = json(&["solve", &spot, "--target", "0.05%", "--precision", precision]);
        number(&answer["ev"]["oop"])
    };
    close(ev("f32"), ev("i16"), 0.2);
}

#[test]
fn locks_and_starts_are_obeyed() {
    let spot = shipped("toy-river");
    // Kings that call with three of ten are bluffed by every queen: 0.5 x 130 + 0.5 x 40.
    let answer = json(&["solve", &spot, "--lock", "b100=call 30%, fold"]);
    close(number(&answer["ev"]["oop"]), 85.0, 0.1);
    let answer = json(&["solve", &spot, "--lock", "=AsAh: allin; QsQh: check"]);
    close(number(&answer["actions"][1]["frequency"]), 0.5, 1e-6);
    let answer = json(&["solve", &spot, "--start", "b100"]);
    assert_eq!((&answer["player"], number(&answer["pot"])), (&"ip".into(), 200.0));
    let turn = file("start.yaml", TURN);
    let answer = json(&["solve", &turn, "--start", "x x / Th", "--target", "1%"]);
    assert_eq!(answer["board"], "2s7h9dJcTh");
}

#[test]
fn a_solution_is_saved_and_found_by_name() {
    let (spot, data) = (file("named.yaml", TURN), place("named-data"));
    let stored = Path::new(&data).join("solutions/turn.lethe");
    let solved = json(&["--data", &data, "solve", &spot, "--save", "turn", "--target", "1%"]);
    assert_eq!(solved["saved"], stored.display().to_string());
    assert_eq!(json(&["--data", &data, "show", "turn"])["board"], solved["board"]);
    assert!(!output(&["--data", &data, "export", "turn"]).stdout.is_empty());
    assert_eq!(json(&["--data", &data, "verify", "turn"])["kind"], "solution");
}

#[test]
fn a_saved_solution_is_shown_and_what_was_left_out_solved_again() {
    let spot = file("saved.yaml", TURN);
    let (whole, part) = (place("whole.lethe"), place("part.lethe"));
    let solved = json(&["solve", &spot, "--save", &whole, "--target", "0.05%"]);
    json(&["solve", &spot, "--save", &part, "--without", "river", "--target", "0.05%"]);
    assert!(fs::metadata(&part).unwrap().len() < fs::metadata(&whole).unwrap().len());
    for file in [&whole, &part] {
        close(number(&json(&["show", file])["ev"]["oop"]), number(&solved["ev"]["oop"]), 0.05);
        let river = json(&["show", file, "x x / Th", "--hand", "random", "--target", "0.01%"]);
        assert_eq!(river["line"], "x x / Th");
        close(number(&river["ev"]["oop"]) + number(&river["ev"]["ip"]), 100.0, 0.01);
        let runouts = json(&["show", file, "x x", "--runouts", "--target", "1%"]);
        assert_eq!(runouts["runouts"]["cards"].as_array().unwrap().len(), 48);
    }
    assert!(refused(&["export", &part, "--to", "river"]).contains("saved without"));

    let mut bytes = fs::read(&whole).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let damaged = place("damaged.lethe");
    fs::write(&damaged, bytes).unwrap();
    let output = output(&["show", &damaged]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("checksum"));
}

#[test]
fn bad_input_is_refused_before_any_work() {
    let toy = fs::read_to_string(shipped("toy-river")).unwrap();
    let bad =
        |name: &str, from: &str, to: &str| refused(&["solve", &file(name, &toy.replace(from, to))]);
    assert!(bad("b1.yaml", "KsKh", "AsKs,QsJd\noop_range: x").contains("given twice"));
    assert!(bad("b2.yaml", "AsAh,QsQh", "KsKd").contains("shares a card"));
    assert!(bad("b3.yaml", "{bet: a}", "{bet: 0%}").contains("must be above 0%"));
    assert!(bad("b4.yaml", "stack: 100", "stack: 0").contains(":8: stack is 0 chips"));
    assert!(bad("b5.yaml", "6c 7c", "6c 6c").contains("^"));
    assert!(bad("b6.yaml", "river:\n", "rivr:\n").contains("rivr: no such key"));
    let huge = file(
        "huge.yaml",
        &fs::read_to_string(shipped("srp-flop"))
            .unwrap()
            .replace("33%", "\"10c, 20c, 30c, 40c, 50c, 60c, 70c, 80c\"")
            .replace("60%", "\"2x, 2.2x, 2.4x, 2.6x, 2.8x, 3x\""),
    );
    let message = refused(&["solve", &huge]);
    assert!(message.contains("huge.yaml"), "{message}");
    let spot = shipped("river-srp");
    assert!(refused(&["solve", &spot, "--memory", "1K"]).contains("the limit is"));
    assert!(refused(&["solve", &spot, "--save", "no/such/folder/x"]).contains("No such file"));
    assert!(refused(&["solve", &spot, "--save", &spot]).contains("overwrite its own input"));
    assert!(refused(&["export", &spot, "--out", &spot]).contains("overwrite its own input"));
    assert!(refused(&["solve", &spot, "--target", "0.1"]).contains("write 0.1%"));
    assert!(refused(&["solve", &spot, "--lock", "=72o: check"]).contains("not in the range"));
    assert!(refused(&["solve", &spot, "--lock", "x"]).contains("LINE=STRATEGY"));
    assert!(refused(&["solve", &spot, "--start", "b7"]).contains("possible there"));
    assert!(refused(&["show", &spot, "zz"]).contains("is not possible"));
    assert!(refused(&["solve", "no-such-file.yaml"]).contains("no-such-file.yaml"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_what_was_reached() {
    let args = ["solve", &shipped("srp-turn"), "--iterations", "4000000000", "--json"];
    let child = lethe(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["stopped_by"], "cancelled");
    assert!(number(&answer["iterations"]) >= 1.0);
    assert!(number(&answer["exploitability"]) < 110.0);
}

/// Twelve buckets a street, by sampled textures: a bad abstraction, kept for its format.
#[test]
fn what_an_abstraction_costs_is_measured_in_real_cards() {
    let buckets = format!("{}/../abstraction/tests/compat/v1", env!("CARGO_MANIFEST_DIR"));
    let spot = file("bucketed.yaml", TURN);
    let lossless = json(&["solve", &spot, "--iterations", "100"]);
    let bucketed = json(&["solve", &spot, "--iterations", "100", "--abstraction", &buckets]);
    let cost = number(&bucketed["exploitability"]);
    assert!(cost > 10.0 * number(&lossless["exploitability"]) && cost < 100.0, "{cost}");
    assert_eq!(bucketed["equity"], lossless["equity"]);
    assert!(refused(&["solve", &spot, "--abstraction", "no/such/folder"]).contains("no such"));
    // The target is out of reach, so the solve stops when it no longer improves.
    let stuck = json(&["solve", &spot, "--target", "0.1%", "--abstraction", &buckets]);
    assert_eq!(stuck["stopped_by"], "plateau");
    assert!(number(&stuck["exploitability_percent"]) > 0.1);
}
