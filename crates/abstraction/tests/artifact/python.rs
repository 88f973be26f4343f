//! The Python that the documentation shows reads what was written.

use std::process::Command;

use lethe_abstraction::Abstraction;
use lethe_cards::{Board, Hole};

use crate::sample::MIXED;

#[test]
fn the_documented_python_finds_the_same_buckets() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/artifact.md");
    let page = std::fs::read_to_string(page).unwrap();
    let code: String =
        page.split("```python\n").skip(1).map(|block| block.split("```").next().unwrap()).collect();
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let numpy = Command::new(&python).args(["-c", "import numpy"]).output();
    if !numpy.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {python} with NumPy is not there");
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let dir = MIXED.write(root.path(), false);
    let abstraction = Abstraction::open(&dir).unwrap();
    let questions = [
        ("AsKs", "Th9h8c"),
        ("2c2d", "AhKhQh"),
        ("7d2h", "7c7h7s"),
        ("JcTd", "Ts9c2c"),
        ("AdAc", "3d3c2s"),
        ("6h5h", "AsKdQc"),
    ];
    let (mut asked, mut expected) = (String::new(), String::new());
    for (hole, board) in questions {
        let cards = |text: &str| {
            format!(
                "\"{}\"",
                text.as_bytes()
                    .chunks(2)
                    .map(|card| { String::from_utf8_lossy(card).into_owned() })
                    .collect::<Vec<_>>()
                    .join(" ")
            )
        };
        asked += &format!("print(bucket(path, {}, {}))\n", cards(hole), cards(board));
        let (hole, board) = (hole.parse::<Hole>().unwrap(), board.parse::<Board>().unwrap());
        expected += &format!("{}\n", abstraction.bucket(hole, &board).unwrap().unwrap());
    }
    let script = format!("path = {:?}\n{code}\n{asked}", dir.to_str().unwrap());
    let output = Command::new(python).args(["-c", &script]).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(String::from_utf8_lossy(&output.stdout).ends_with(&expected), "{errors}");
}
