//! What can go wrong, what is said about it, and the exit code it ends in.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use lethe_blueprint::RunError;
use lethe_cards::ParseError;
use lethe_kit::data::FindError;

use crate::progress;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything was done, or whoever reads the output had enough of it.
    Fine,
    /// Something failed that the command line is not to blame for.
    Failure,
    /// The command line or something it named cannot be understood.
    BadInput,
    /// The user or the system stopped it.
    Stopped,
}

impl Outcome {
    /// The exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Outcome::Fine => 0,
            Outcome::Failure => 1,
            Outcome::BadInput => 2,
            Outcome::Stopped => progress::stopped_code(),
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(outcome.code())
    }
}

/// Something the user gave is wrong: the message says what and, where it can, at which character.
#[derive(Debug)]
pub(crate) struct InputError(String);

impl InputError {
    /// An error with this message.
    pub(crate) fn new(message: impl fmt::Display) -> InputError {
        InputError(message.to_string())
    }

    /// A text that cannot be read, shown with a caret under the bad character.
    pub(crate) fn pointing(error: &ParseError, text: &str) -> InputError {
        let message = error.to_string();
        let pointing = error.pointing_at(text);
        // The message may name a control character, the text below it does so no more.
        let below = pointing.strip_prefix(&message).unwrap_or_default();
        InputError(visible(&message, |_| false) + below)
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InputError {}

/// The program was asked to stop; says what became of the work.
#[derive(Debug)]
pub(crate) struct Stopped(pub(crate) &'static str);

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stopped: {}", self.0)
    }
}

impl std::error::Error for Stopped {}

/// Writes an error to `stderr` unless it is only a closed pipe, and returns what it ends in.
pub(crate) fn report(error: &anyhow::Error, stderr: &mut dyn Write) -> Outcome {
    if is_closed_pipe(error) {
        return Outcome::Fine;
    }
    let (outcome, message) = if let Some(usage) = error.downcast_ref::<clap::Error>() {
        (Outcome::BadInput, visible(&usage.render().to_string(), |c| c == '\n'))
    } else if let Some(input) = error.downcast_ref::<InputError>() {
        (Outcome::BadInput, format!("error: {}\n", visible(&input.to_string(), |c| c == '\n')))
    } else if let Some(stopped) = error.downcast_ref::<Stopped>() {
        (Outcome::Stopped, format!("{stopped}\n"))
    } else if error.downcast_ref().is_some_and(lethe_kit::Error::is_cancelled) {
        (Outcome::Stopped, "stopped\n".to_owned())
    } else if let Some(kit) = error.downcast_ref::<lethe_kit::Error>() {
        let outcome = if kit.is_input() { Outcome::BadInput } else { Outcome::Failure };
        (outcome, format!("error: {}{}\n", visible(&kit.to_string(), |c| c == '\n'), remedy(kit)))
    } else {
        (Outcome::Failure, format!("error: {}\n", visible(&chain(error), |c| c == '\n')))
    };
    // There is no way left to report a failure of this.
    let _ = stderr.write_all(message.as_bytes());
    outcome
}

/// Which command helps.
fn remedy(error: &lethe_kit::Error) -> String {
    use lethe_kit::Error;
    match error {
        Error::Find(FindError::NotBuilt { name, .. }) => {
            format!("; `lethe build --preset {name}` builds it")
        }
        Error::Find(FindError::Unknown { kind: "abstraction", known, .. }) if known.is_empty() => {
            "; `lethe build` makes one".to_owned()
        }
        Error::Find(FindError::Unknown { kind: "run", known, .. }) if known.is_empty() => {
            "; `lethe train` makes one".to_owned()
        }
        Error::Find(FindError::NoRun { known, .. }) if known.is_empty() => {
            "; `lethe quickstart` trains one in a minute".to_owned()
        }
        Error::Run(RunError::Exists { .. }) => {
            "; --resume trains on, another --out starts a new one".to_owned()
        }
        Error::Run(RunError::Other { .. }) => "; start a new run with another --out".to_owned(),
        Error::BoardNeeded(_) => " with --board".to_owned(),
        Error::NoGame => ": give --preset or --config".to_owned(),
        Error::Open(_) | Error::NoReport(..) => {
            "; `lethe verify` checks it, `lethe build --force` replaces it".to_owned()
        }
        _ => String::new(),
    }
}

/// An error and its causes, each said once.
fn chain(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text += &format!(": {cause}");
        }
    }
    text
}

/// Turns the kit's cancellation into what became of the work.
pub(crate) fn stopped(what: &'static str) -> impl Fn(lethe_kit::Error) -> anyhow::Error {
    move |error| match error {
        error if error.is_cancelled() => Stopped(what).into(),
        error => error.into(),
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let closed = |kind: Option<io::ErrorKind>| kind == Some(io::ErrorKind::BrokenPipe);
    error.chain().any(|cause| {
        closed(cause.downcast_ref::<io::Error>().map(io::Error::kind))
            || closed(cause.downcast_ref::<serde_json::Error>().and_then(|e| e.io_error_kind()))
    })
}

/// The text with its control characters, all but those to `keep`, replaced by a visible mark.
///
/// What a user typed may end up in a message; escape sequences must not reach the terminal so.
pub(crate) fn visible(text: &str, keep: impl Fn(char) -> bool) -> String {
    text.chars().map(|c| if c.is_control() && !keep(c) { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use lethe_kit::files::FileError;

    use super::*;

    fn reported(error: impl Into<anyhow::Error>) -> (Outcome, String) {
        let mut stderr = Vec::new();
        let outcome = report(&error.into(), &mut stderr);
        (outcome, String::from_utf8(stderr).unwrap())
    }

    #[test]
    fn bad_input_is_two_and_any_other_error_one() {
        let text = "AsXs";
        let error = lethe_cards::parse_cards(text).unwrap_err();
        let (outcome, message) = reported(InputError::pointing(&error, text));
        assert_eq!(outcome, Outcome::BadInput);
        assert!(message.starts_with("error: unknown rank 'X'"), "{message}");
        assert!(message.ends_with("\n  AsXs\n    ^\n"), "{message}");
        let (outcome, message) = reported(io::Error::other("the disk is full"));
        assert_eq!((outcome, &message[..]), (Outcome::Failure, "error: the disk is full\n"));
    }

    #[test]
    fn a_closed_pipe_is_no_error() {
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        assert_eq!(reported(closed()), (Outcome::Fine, String::new()));
        let (outcome, _) = reported(anyhow::Error::from(closed()).context("writing"));
        assert_eq!(outcome, Outcome::Fine);
        assert_eq!(reported(serde_json::Error::io(closed())), (Outcome::Fine, String::new()));
        let file = |error: FileError| reported(lethe_kit::Error::from(error)).0;
        let path = PathBuf::from("the output");
        let written = FileError::Write { path: path.clone(), why: closed() };
        assert_eq!(file(written), Outcome::Fine);
        assert_eq!(file(FileError::Read { path, why: closed() }), Outcome::Failure);
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let text = "A\u{1b}[31m\n";
        let error = lethe_cards::parse_cards(text).unwrap_err();
        let message = InputError::pointing(&error, text).to_string();
        assert_eq!(message.lines().count(), 3);
        assert!(!message.contains('\u{1b}'));
    }
}
