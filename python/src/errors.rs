//! What can go wrong, and the exception that it becomes.

use lethe_agent::{AgentError, SubgameError};
use lethe_cards::equity::EquityError;
use lethe_cards::{ParseError, UnknownStreet};
use lethe_kit::config::ConfigError;
use lethe_kit::data::FindError;
use lethe_kit::export::ExportError;
use lethe_kit::limits::LimitError;
use lethe_kit::solution::SolutionError;
use lethe_lab::{LabError, ResultsError};
use lethe_solver::{SaveError, SolveError};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// A failure with the message of the command. The classes are in `lethe/_errors.py`.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An argument or something it names is wrong.
    Input(String),
    /// There is no such abstraction, run or file.
    NotFound(String),
    /// An object is used after it was closed.
    Closed(&'static str),
    /// The machine or a damaged file is at fault.
    Failed(String),
    /// The work was cancelled; the caller knows why.
    Cancelled,
    /// An exception of Python's own.
    Python(PyErr),
}

impl Failure {
    /// An argument that is wrong.
    pub(crate) fn input(why: impl ToString) -> Failure {
        Failure::Input(why.to_string())
    }

    /// A text that cannot be read, with a caret under the bad character.
    pub(crate) fn pointing(error: &ParseError, text: &str) -> Failure {
        Failure::Input(error.pointing_at(text))
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        let (class, message) = match failure {
            Failure::Python(error) => return error,
            Failure::Input(message) => ("InputError", message),
            Failure::NotFound(message) => ("NotFoundError", message),
            Failure::Closed(what) => ("ClosedError", format!("this {what} was closed")),
            Failure::Failed(message) => ("Error", message),
            Failure::Cancelled => ("Error", "cancelled".to_owned()),
        };
        Python::attach(|py| {
            let raised = py
                .import("lethe._errors")
                .and_then(|module| module.getattr(class))
                .and_then(|class| class.call1((&message,)));
            match raised {
                Ok(error) => PyErr::from_value(error),
                Err(_) => PyRuntimeError::new_err(message),
            }
        })
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Failure {
        Failure::Python(error)
    }
}

impl From<lethe_kit::Error> for Failure {
    fn from(error: lethe_kit::Error) -> Failure {
        use lethe_kit::Error;
        match &error {
            _ if error.is_cancelled() => Failure::Cancelled,
            Error::Find(_) | Error::Blueprint(lethe_blueprint::BlueprintError::NotFound { .. }) => {
                Failure::NotFound(error.to_string())
            }
            Error::File(file) if file.is_missing() => Failure::NotFound(error.to_string()),
            _ if error.is_input() => Failure::input(error),
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<SolutionError> for Failure {
    fn from(error: SolutionError) -> Failure {
        match &error {
            _ if error.is_cancelled() => Failure::Cancelled,
            SolutionError::Open { error: SaveError::File(file), .. } if file.is_missing() => {
                Failure::NotFound(error.to_string())
            }
            SolutionError::Open { error: SaveError::File(file), .. } if file.is_input() => {
                Failure::input(error)
            }
            SolutionError::Open { .. } => Failure::Failed(error.to_string()),
            _ => Failure::input(error),
        }
    }
}

impl From<SaveError> for Failure {
    fn from(error: SaveError) -> Failure {
        match error {
            SaveError::Cancelled(_) => Failure::Cancelled,
            error => Failure::Failed(error.to_string()),
        }
    }
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Failure {
        match error {
            LabError::Cancelled(_) => Failure::Cancelled,
            LabError::Game(_) | LabError::Solve { .. } => Failure::input(error),
            error => Failure::Failed(error.to_string()),
        }
    }
}

impl From<ResultsError> for Failure {
    fn from(error: ResultsError) -> Failure {
        Failure::Failed(error.to_string())
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Failure {
        match error {
            ExportError::Solution(error) => error.into(),
            ExportError::Blueprint(error) => lethe_kit::Error::from(error).into(),
            error => Failure::input(error),
        }
    }
}

impl From<AgentError> for Failure {
    fn from(error: AgentError) -> Failure {
        match error {
            AgentError::Subgame(SubgameError::Solve(SolveError::Cancelled(_))) => {
                Failure::Cancelled
            }
            error => Failure::input(error),
        }
    }
}

/// Errors that are the input's fault.
macro_rules! from_input {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                Failure::input(error)
            }
        }
    )*};
}

from_input!(ConfigError, EquityError, LimitError, UnknownStreet);

/// Errors of the kit.
macro_rules! from_kit {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                lethe_kit::Error::from(error).into()
            }
        }
    )*};
}

from_kit!(
    FindError,
    Box<lethe_abstraction::OpenError>,
    lethe_abstraction::OpenError,
    lethe_abstraction::artifact::VerifyError,
    lethe_blueprint::BlueprintError,
    lethe_compute::PoolError,
    lethe_compute::Cancelled
);
