//! Runs the program and reads what it says.

use std::process::{Command, Output, Stdio};

use serde_json::Value;

pub(crate) fn lethe(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lethe"));
    command.args(args).stdin(Stdio::null()).env_remove("NO_COLOR").env_remove("LETHE_DATA");
    command
}

pub(crate) fn output(args: &[&str]) -> Output {
    lethe(args).output().expect("the command starts")
}

/// What a command that succeeds prints.
pub(crate) fn text(args: &[&str]) -> String {
    let output = output(args);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {stderr}");
    String::from_utf8(output.stdout).expect("results are UTF-8")
}

pub(crate) fn json(args: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    serde_json::from_str(&text(&args)).expect("--json writes JSON")
}

/// The message of a command whose arguments are refused.
pub(crate) fn refused(args: &[&str]) -> String {
    let output = output(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(output.stdout.is_empty(), "{args:?}");
    String::from_utf8(output.stderr).expect("messages are UTF-8")
}
