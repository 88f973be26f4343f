//! The signature of the whole computation: a change of any number is seen here.
//!
//! If a change is meant, record what `lethe bench --signature --json` prints, and say so in the
//! commit.

use std::process::Command;

use serde_json::Value;

const STAGES: [(&str, &str); 14] = [
    ("canonical", "fce18e0016552cc1"),
    ("census", "1f4f0d48e7eae2ed"),
    ("equities", "b24f3b8b48fdf895"),
    ("evaluator", "eebd6f87e9c15f87"),
    ("exact", "b4227ebbe2cfd747"),
    ("intervals", "e67eb371e8ad92f6"),
    ("kmeans", "19f8e2ee6f8aa317"),
    ("lab", "1269a10b7236506c"),
    ("matchups", "876b8ee53e587072"),
    ("presets", "bec2fa0067da48de"),
    ("ranges", "156cbf5dceb0872d"),
    ("solver", "3a23e1c790ed9c41"),
    ("training", "26fb52ec345c2436"),
    ("tree", "072ef535fe7249ec"),
];

const SIGNATURE: &str = "ea0e6224055fe7b61fcb934a7680ecdac4c97b26e8124269897ed8389d72db66";

#[test]
fn no_number_of_any_stage_has_changed() {
    let output = Command::new(env!("CARGO_BIN_EXE_lethe"))
        .args(["bench", "--signature", "--json"])
        .output()
        .expect("the command starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).expect("--json writes JSON");
    for (stage, recorded) in STAGES {
        assert_eq!(found["stages"][stage], recorded, "the stage {stage} has changed");
    }
    assert_eq!(found["stages"].as_object().map(serde_json::Map::len), Some(STAGES.len()));
    assert_eq!(found["signature"], SIGNATURE);
}
