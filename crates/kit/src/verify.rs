//! Every byte of a file or directory of Lethe, checked.
//!
//! ```no_run
//! use lethe_compute::Job;
//! use lethe_kit::verify::verify;
//!
//! let view = verify("runs/quick".as_ref(), Job::default())?;
//! assert!(view.ok, "{:?}", view.problems);
//! # Ok::<(), lethe_kit::Error>(())
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use lethe_abstraction::artifact::{self, VerifyError, VerifyProblem};
use lethe_blueprint::{Checkpoint, CheckpointError, Metrics, ValuesError, ValuesFile};
use lethe_compute::Job;
use lethe_lab::{RESULTS, Results};
use lethe_solver::{SaveError, Solution};
use serde::Serialize;

use crate::error::Error;
use crate::files::{self, FileError, Lines, Units, UnitsError, Work};
use crate::runs::KINDS;

/// The result of verifying a file or directory.
#[derive(Debug, Serialize)]
pub struct VerifyView {
    /// The file or directory.
    pub path: PathBuf,
    /// What it is.
    pub kind: Kind,
    /// Whether nothing is wrong.
    pub ok: bool,
    /// The files that were checked.
    pub files: Vec<VerifiedFile>,
    /// Their size.
    pub bytes: u64,
    /// Files that are not part of it.
    pub extra: Vec<String>,
    /// What is wrong, of all files.
    pub problems: Vec<String>,
}

/// A file that was checked.
#[derive(Debug, Serialize)]
pub struct VerifiedFile {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Whether nothing is wrong with it.
    pub ok: bool,
}

/// What a file or directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An abstraction's directory, or a file in one.
    Abstraction,
    /// A run's directory.
    Run,
    /// A checkpoint of a run.
    Checkpoint,
    /// A saved solution.
    Solution,
    /// The results of the lab.
    LabResults,
    /// The metrics of a run.
    Metrics,
    /// The values of a checkpoint.
    Values,
    /// A sweep, a grid of the lab or an exploitability, in units.
    Units,
}

impl Kind {
    /// What a path is, as far as names and first bytes say; `None` if it is nothing of Lethe's.
    pub fn of(path: &Path) -> Option<Kind> {
        let has = |name: &str| path.join(name).exists();
        if path.is_dir() {
            return match path {
                _ if has("metadata.json") || has("flop.buckets") => Some(Kind::Abstraction),
                _ if KINDS.iter().any(|kind| has(kind.file())) || has(Metrics::FILE) => {
                    Some(Kind::Run)
                }
                _ if has(Work::FILE) => Some(Kind::Units),
                _ if has(RESULTS) => Some(Kind::LabResults),
                _ => None,
            };
        }
        let name = path.file_name()?.to_str()?;
        match name {
            "metadata.json" => Some(Kind::Abstraction),
            Metrics::FILE => Some(Kind::Metrics),
            RESULTS => Some(Kind::LabResults),
            _ if files::begins_with(path, lethe_blueprint::MAGIC) => Some(Kind::Checkpoint),
            _ if files::begins_with(path, lethe_blueprint::VALUES_MAGIC) => Some(Kind::Values),
            _ if files::begins_with(path, lethe_solver::MAGIC) => Some(Kind::Solution),
            _ if files::begins_with(path, artifact::MAGIC) => Some(Kind::Abstraction),
            // Damaged in its first bytes, perhaps.
            _ => match path.extension()?.to_str()? {
                "blueprint" => Some(Kind::Checkpoint),
                "buckets" | "equity" | "pairs" => Some(Kind::Abstraction),
                "lethe" => Some(Kind::Solution),
                "values" => Some(Kind::Values),
                _ => None,
            },
        }
    }

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Abstraction => "abstraction",
            Kind::Run => "run",
            Kind::Checkpoint => "checkpoint",
            Kind::Solution => "solution",
            Kind::LabResults => "lab results",
            Kind::Metrics => "metrics",
            Kind::Values => "values",
            Kind::Units => "work in units",
        }
    }
}

/// Verifies the abstraction, run, checkpoint, solution, or results of the lab at a path.
///
/// # Errors
/// If there is nothing of Lethe's, or on cancellation. Damage is no error but part of the view.
pub fn verify(path: &Path, job: Job<'_>) -> Result<VerifyView, Error> {
    let Some(kind) = Kind::of(path) else {
        if !path.exists() {
            let why = std::io::ErrorKind::NotFound.into();
            return Err(FileError::Read { path: path.to_owned(), why }.into());
        }
        return Err(Error::question(format_args!(
            "{}: neither an abstraction, a run, a checkpoint, values, a solution, results of the lab nor \
             work in units",
            path.display()
        )));
    };
    let mut view = VerifyView {
        path: path.to_owned(),
        kind,
        ok: false,
        files: Vec::new(),
        bytes: 0,
        extra: Vec::new(),
        problems: Vec::new(),
    };
    let folder = || match path.is_dir() {
        true => path.to_owned(),
        false => path.parent().unwrap_or(Path::new("")).to_owned(),
    };
    match kind {
        Kind::Abstraction => view.abstraction(&folder(), job)?,
        Kind::Checkpoint => view.checkpoint(path, job)?,
        Kind::Values => view.values(path, job)?,
        Kind::Solution => view.solution(path, job)?,
        Kind::LabResults => view.lines(&folder().join(RESULTS), Results::lines),
        Kind::Metrics => view.lines(path, Metrics::lines),
        Kind::Units => {
            for (file, whole) in Units::files(path)? {
                let damaged = || UnitsError::Damaged { path: file.clone() }.to_string();
                view.add(&file, if whole { Vec::new() } else { vec![damaged()] });
            }
            if path.join(RESULTS).exists() {
                view.lines(&path.join(RESULTS), Results::lines);
            }
        }
        Kind::Run => {
            for file in KINDS.map(|kind| path.join(kind.file())) {
                if file.exists() {
                    view.checkpoint(&file, job)?;
                }
                let values = ValuesFile::beside(&file);
                if values.exists() {
                    view.values(&values, job)?;
                }
            }
            let metrics = path.join(Metrics::FILE);
            if metrics.exists() {
                view.lines(&metrics, Metrics::lines);
            }
        }
    }
    view.ok = view.problems.is_empty();
    Ok(view)
}

impl VerifyView {
    /// Notes a file and what is wrong with it.
    fn add(&mut self, path: &Path, problems: Vec<String>) {
        let bytes = fs::metadata(path).map_or(0, |found| found.len());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.bytes += bytes;
        self.files.push(VerifiedFile { name, bytes, ok: problems.is_empty() });
        self.problems.extend(problems);
    }

    fn abstraction(&mut self, dir: &Path, job: Job<'_>) -> Result<(), Error> {
        let damaged: Vec<VerifyProblem> = match artifact::verify(dir, job) {
            Ok(report) => {
                self.extra = report.extra;
                Vec::new()
            }
            Err(VerifyError::Damaged { problems, .. }) => problems,
            Err(VerifyError::Cancelled(cancelled)) => return Err(cancelled.into()),
            Err(error) => {
                self.problems.push(error.to_string());
                return Ok(());
            }
        };
        for name in artifact::file_names(dir) {
            let own = damaged.iter().filter(|problem| problem.file() == name);
            self.add(&dir.join(&name), own.map(ToString::to_string).collect());
        }
        Ok(())
    }

    fn checkpoint(&mut self, path: &Path, job: Job<'_>) -> Result<(), Error> {
        let problems = match Checkpoint::open(path).and_then(|found| found.verify(job).map(drop)) {
            Ok(()) => Vec::new(),
            Err(CheckpointError::Cancelled(cancelled)) => return Err(cancelled.into()),
            Err(error) => vec![error.to_string()],
        };
        self.add(path, problems);
        Ok(())
    }

    /// Checks values, and that they belong to the checkpoint beside them, if there is one.
    fn values(&mut self, path: &Path, job: Job<'_>) -> Result<(), Error> {
        let found = ValuesFile::open(path).and_then(|found| found.verify(job).map(|()| found));
        let problems = match found {
            Ok(found) => {
                let checkpoint = Checkpoint::open(path.with_extension("blueprint"));
                let foreign = |of: &Checkpoint| of.id() != found.header().checkpoint;
                let foreign = checkpoint.ok().filter(foreign).map(|checkpoint| {
                    let (path, checkpoint) = (path.to_owned(), checkpoint.path().to_owned());
                    ValuesError::Foreign { path, checkpoint }.to_string()
                });
                foreign.into_iter().collect()
            }
            Err(ValuesError::Cancelled(cancelled)) => return Err(cancelled.into()),
            Err(error) => vec![error.to_string()],
        };
        self.add(path, problems);
        Ok(())
    }

    fn solution(&mut self, path: &Path, job: Job<'_>) -> Result<(), Error> {
        let problems = match Solution::open(path, job) {
            Ok(_) => Vec::new(),
            Err(SaveError::Cancelled(cancelled)) => return Err(cancelled.into()),
            Err(error @ SaveError::File(_)) => vec![error.to_string()],
            Err(error) => vec![format!("{}: {error}", path.display())],
        };
        self.add(path, problems);
        Ok(())
    }

    /// Checks a file of lines.
    fn lines(&mut self, path: &Path, read: fn(&Path) -> Result<Lines, FileError>) {
        let problems = match read(path) {
            Ok(lines) => {
                let problem = |line| format!("{}:{line}: not as it was written", path.display());
                lines.damaged.into_iter().map(problem).collect()
            }
            Err(error) => vec![error.to_string()],
        };
        self.add(path, problems);
    }
}
