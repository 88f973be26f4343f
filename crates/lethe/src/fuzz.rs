//! Nothing that can be typed panics.
//!
//! `PROPTEST_CASES=1000000 cargo test --release -p lethe fuzz` tries that many inputs for each
//! property instead of the few of an ordinary run.

use std::ffi::OsString;

use clap::Parser;
use proptest::prelude::*;

use crate::cli::{Cli, Command};
use crate::error::{InputError, Outcome};
use crate::output::Terminal;
use crate::run;

/// As many cases as `PROPTEST_CASES` says, or else these.
fn cases(ordinary: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig::with_cases(asked.unwrap_or(ordinary))
}

/// A piece of what players write, of what they mistype, or anything at all.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[2-9TJQKA][cdhs]",
        3 => "[2-9tjqka][cdhs♣♦♥♠]\u{fe0f}?",
        2 => "[2-9TJQKA]{2}[so+]?\\+?",
        2 => prop::sample::select(vec!["random", "-", "+", ":", ":0.5", "0", ".", ",", " ", "10", "%"])
            .prop_map(str::to_owned),
        1 => prop::sample::select(vec!["\0", "\n", "\r", "\t", "\u{1b}[31m", "\u{202e}", "ß", "🂡"])
            .prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ]
}

/// A text of a few pieces.
fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..8).prop_map(|pieces| pieces.concat())
}

/// Two cards, half the time, so that what comes after them is reached.
fn hole() -> impl Strategy<Value = String> {
    prop_oneof!["([2-9TJQKA][cdhs]){2}", text()]
}

/// The command line without the program's name, for a command that only reads.
fn words() -> impl Strategy<Value = Vec<String>> {
    let option = prop_oneof![
        text().prop_map(|text| vec!["--against".to_owned(), text]),
        "-?[0-9]{1,5}".prop_map(|number| vec![format!("--bins={number}")]),
        Just(vec!["--json".to_owned()]),
        Just(vec!["--count".to_owned()]),
        Just(vec!["--color".to_owned(), "always".to_owned()]),
        text().prop_map(|text| vec![format!("--{text}")]),
        text().prop_map(|text| vec![text]),
    ];
    let commands =
        vec!["equity", "canon", "rank", "boards", "completions", "equity", "lookup", "help", ""];
    let command = prop::sample::select(commands).prop_map(str::to_owned);
    (command, hole(), text(), prop::collection::vec(option, 0..3)).prop_map(
        |(command, hole, text, options)| {
            let mut words = vec![command, hole, text];
            words.extend(options.into_iter().flatten());
            words
        },
    )
}

/// Checks a message: it may hold what was typed, but nothing that a terminal would obey.
fn check_message(message: &str) -> Result<(), TestCaseError> {
    prop_assert!(!message.is_empty());
    prop_assert!(!message.contains(|c: char| c.is_control() && c != '\n'), "{message:?}");
    Ok(())
}

/// Checks the outcome of reading some texts: if they are wrong, the caret is below the text.
fn check_read<T>(read: Result<T, InputError>) -> Result<(), TestCaseError> {
    if let Err(error) = read {
        let message = error.to_string();
        check_message(&message)?;
        let lines: Vec<&str> = message.lines().collect();
        let [_, shown, caret] = lines[..] else {
            return Err(TestCaseError::fail(format!("{message:?} does not have three lines")));
        };
        prop_assert!(caret.trim_start() == "^", "{message:?}");
        prop_assert!(caret.chars().count() <= shown.chars().count() + 1, "{message:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(4096))]

    #[test]
    fn any_text_is_read_or_refused_with_a_caret(hole in hole(), board in text(), other in text()) {
        let args = ["lethe", "equity", "--against", &other, "--", &hole, &board];
        if let Ok(Cli { command: Some(Command::Equity(args)), .. }) = Cli::try_parse_from(args) {
            check_read(args.resolve())?;
        }
        let args = ["lethe", "canon", "--", &hole, &board];
        if let Ok(Cli { command: Some(Command::Canon(args)), .. }) = Cli::try_parse_from(args) {
            check_read(args.resolve())?;
        }
        let args = ["lethe", "rank", "--", &hole, &board, &other];
        if let Ok(Cli { command: Some(Command::Rank(args)), .. }) = Cli::try_parse_from(args) {
            check_read(args.resolve())?;
        }
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn any_command_line_is_answered_or_refused(words in words()) {
        let args = ["lethe".to_owned()].into_iter().chain(words).map(OsString::from);
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let outcome = run(args, Terminal::default(), &mut stdout, &mut stderr);
        match outcome {
            Outcome::Fine => prop_assert!(stderr.is_empty() && !stdout.is_empty()),
            Outcome::BadInput => {
                prop_assert!(stdout.is_empty());
                check_message(&String::from_utf8(stderr).expect("messages are UTF-8"))?;
            }
            Outcome::Failure | Outcome::Stopped => prop_assert!(false, "{}", String::from_utf8_lossy(&stderr)),
        }
    }
}
