//! The menu of `lethe` alone in a terminal: questions that end in a command line.
//!
//! The command is shown before it runs, so that the menu teaches how to do without it.

use std::fmt;
use std::io::Write;

use anyhow::Context;
use clap::Parser;
use inquire::validator::Validation;
use inquire::{CustomUserError, InquireError, Select, Text};
use lethe_abstraction::artifact::list;
use lethe_cards::{Board, Hole};
use lethe_kit::config::{Preset, presets, training_presets};
use lethe_kit::data::DataDir;

use crate::cli::Cli;
use crate::error::Stopped;
use crate::output::Output;

/// The words of a command.
type Words = Result<Vec<String>, InquireError>;

/// What the menu offers.
const CHOICES: [Choice; 8] = [
    Choice {
        what: "Quickstart: train a small blueprint in a minute",
        words: |_| words(["quickstart"]),
    },
    Choice { what: "Solve a spot", words: solve },
    Choice { what: "Train a blueprint", words: train },
    Choice { what: "Show a blueprint's strategy", words: strategy },
    Choice { what: "Build an abstraction", words: build },
    Choice { what: "Look up a hand's bucket", words: lookup },
    Choice { what: "Equity of a hand", words: equity },
    Choice { what: "All commands", words: |_| words(["--help"]) },
];

/// An entry of the menu.
struct Choice {
    what: &'static str,
    /// Asks for what is missing and returns the words of a command.
    words: fn(&DataDir) -> Words,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }
}

/// Asks what to do and does it. Escape and Ctrl-C end it.
pub(crate) fn run(out: &mut Output<'_>) -> anyhow::Result<()> {
    let choice = Select::new("What would you like to do?", CHOICES.into()).prompt();
    let words = match choice.and_then(|choice| (choice.words)(out.data())) {
        Ok(words) => words,
        Err(InquireError::OperationCanceled) => return Ok(()),
        Err(InquireError::OperationInterrupted) => return Err(Stopped("nothing was chosen").into()),
        Err(error) => return Err(error).context("the menu cannot be shown"),
    };
    let shown: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    writeln!(out, "{}\n", out.dim(format_args!("$ lethe {}", shown.join(" "))))?;
    match Cli::try_parse_from(std::iter::once("lethe".to_owned()).chain(words)) {
        Ok(Cli { command: Some(command), .. }) => {
            command.run(out)?;
            Ok(out.flush()?)
        }
        Ok(Cli { command: None, .. }) => Ok(()),
        Err(help) if !help.use_stderr() => {
            write!(out, "{}", help.render())?;
            Ok(out.flush()?)
        }
        Err(error) => Err(error.into()),
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=".contains(c);
    match word.chars().all(plain) && !word.is_empty() {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

fn words<const N: usize>(words: [&str; N]) -> Words {
    Ok(words.map(str::to_owned).into())
}

fn solve(_: &DataDir) -> Words {
    let spots = std::fs::read_dir("spots").into_iter().flatten().flatten();
    let mut files: Vec<String> = spots.map(|file| file.path().display().to_string()).collect();
    files.sort();
    let file = match files.is_empty() {
        true => Text::new("The spot file:").with_placeholder("spot.yaml").prompt()?,
        false => Select::new("Which spot?", files).prompt()?,
    };
    words(["solve", &file])
}

fn train(_: &DataDir) -> Words {
    words(["train", "--preset", ask_preset(training_presets())?, "--resume"])
}

fn strategy(data: &DataDir) -> Words {
    let runs = std::fs::read_dir(data.runs()).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        runs.map(|run| run.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    if names.is_empty() {
        return train(data);
    }
    let name = Select::new("Which run?", names).prompt()?;
    let line = Text::new("The line, if any:").with_placeholder("r250 c / Th9h8c x").prompt()?;
    match line.trim() {
        "" => words(["strategy", &name]),
        line => words(["strategy", &name, line]),
    }
}

fn build(_: &DataDir) -> Words {
    words(["build", "--preset", ask_preset(presets())?])
}

fn lookup(data: &DataDir) -> Words {
    let entries = list(&data.abstractions()).unwrap_or_default();
    let names: Vec<String> = entries.into_iter().map(|entry| entry.name).collect();
    let name = match &names[..] {
        [] => return build(data),
        [only] => only.clone(),
        _ => Select::new("Which abstraction?", names).prompt()?,
    };
    Ok([vec!["lookup".to_owned(), name], ask_cards()?].concat())
}

fn equity(_: &DataDir) -> Words {
    Ok([vec!["equity".to_owned()], ask_cards()?].concat())
}

/// Asks for a preset.
fn ask_preset(presets: &'static [Preset]) -> Result<&'static str, InquireError> {
    struct Shown(&'static Preset);
    impl fmt::Display for Shown {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{:18} {}", self.0.name, self.0.summary())
        }
    }
    let Shown(preset) =
        Select::new("Which preset?", presets.iter().map(Shown).collect()).prompt()?;
    Ok(preset.name)
}

/// Asks for a hole and a board.
fn ask_cards() -> Words {
    let verdict = |error: Option<String>| -> Result<Validation, CustomUserError> {
        Ok(error.map_or(Validation::Valid, |error| Validation::Invalid(error.into())))
    };
    let hole = Text::new("Your two cards:")
        .with_placeholder("AsKs")
        .with_validator(move |text: &str| {
            verdict(text.parse::<Hole>().err().map(|error| error.pointing_at(text)))
        })
        .prompt()?;
    let board = Text::new("The board, if any:")
        .with_placeholder("Th9h8c")
        .with_validator(move |text: &str| {
            let empty = text.trim().is_empty();
            let error = text.parse::<Board>().err().filter(|_| !empty);
            verdict(error.map(|error| error.pointing_at(text)))
        })
        .prompt()?;
    let board = Some(board).filter(|board| !board.trim().is_empty());
    Ok(std::iter::once(hole).chain(board).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("AsKs"), "AsKs");
        assert_eq!(quoted("As Ks"), "'As Ks'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
