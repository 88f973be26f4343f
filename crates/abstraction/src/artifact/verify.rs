//! Verifying an artifact: every byte, and what the bytes must agree on.

use std::fs;
use std::path::{Path, PathBuf};

use lethe_cards::{Street, vs_random};
use lethe_files::Damage;
use rayon::prelude::*;

use super::census::{self, Census};
use super::error::OpenError;
use super::format::{Kind, Part};
use super::metadata::{METADATA, Metadata, read_reports};
use super::open::{OpenTable, read_metadata};
use crate::report::StreetReport;
use lethe_compute::{Cancelled, Job};

/// What was verified of an artifact in which nothing is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyReport {
    /// The names of its files.
    pub files: Vec<String>,
    /// Their bytes, the metadata's included.
    pub bytes: u64,
    /// Files in the directory that are no part of it.
    pub extra: Vec<String>,
}

/// Why an artifact did not pass, or was not verified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// It does not even open.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Something is wrong with it.
    #[error(
        "{} is damaged: {}; build it again", .path.display(), sentence(.problems)
    )]
    Damaged {
        /// The directory.
        path: PathBuf,
        /// All that is wrong, at least one thing.
        problems: Vec<VerifyProblem>,
    },
    /// The job was cancelled before everything was verified.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Something wrong in an artifact that opens.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyProblem {
    /// The bytes are not those that were written.
    #[error("{file}: {damage}")]
    Checksum {
        /// The file.
        file: String,
        /// Where.
        damage: Damage,
    },
    /// A bucket that does not exist.
    #[error("{file}: a bucket that is not among the {buckets} there are, at {place}")]
    Bucket {
        /// The file.
        file: String,
        /// The slot; in a sparse table the board.
        place: usize,
        /// How many buckets there are.
        buckets: usize,
    },
    /// Slots of one situation with different buckets.
    #[error("{file}: {slots} slots differ from the same situation elsewhere in their row")]
    Asymmetric {
        /// The file.
        file: String,
        /// How many.
        slots: u64,
    },
    /// A bucket of another size than was reported.
    #[error("{file}: bucket {bucket} has {counted} deals and not {reported} as the report says")]
    Size {
        /// The file.
        file: String,
        /// The bucket.
        bucket: usize,
        /// The deals counted.
        counted: u64,
        /// The deals in the report.
        reported: u64,
    },
    /// Numbers that cannot stand where they do.
    #[error("{file}: {reason}")]
    Content {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
}

impl VerifyProblem {
    /// The file that it is in.
    pub fn file(&self) -> &str {
        match self {
            VerifyProblem::Checksum { file, .. }
            | VerifyProblem::Bucket { file, .. }
            | VerifyProblem::Asymmetric { file, .. }
            | VerifyProblem::Size { file, .. }
            | VerifyProblem::Content { file, .. } => file,
        }
    }
}

/// The names of the files that belong to the artifact in a directory, as far as it opens.
pub fn file_names(dir: &Path) -> Vec<String> {
    let Ok((metadata, _)) = read_metadata(dir) else { return Vec::new() };
    let names = metadata.files.into_iter().map(|file| file.name);
    [METADATA.to_owned()].into_iter().chain(names).collect()
}

fn sentence(problems: &[VerifyProblem]) -> String {
    problems.iter().map(VerifyProblem::to_string).collect::<Vec<_>>().join("; ")
}

/// Verifies every byte of the artifact in a directory.
///
/// Beyond what opening checks: the checksums of all files; that buckets are below their number, that
/// they agree under every board's own suit symmetry, and that their sizes are those reported; that
/// equities are possible ones. Progress is in bytes: each is hashed, and those of buckets counted.
pub fn verify(dir: &Path, job: Job<'_>) -> Result<VerifyReport, VerifyError> {
    job.install(|| verify_all(dir, job))
}

fn verify_all(dir: &Path, job: Job<'_>) -> Result<VerifyReport, VerifyError> {
    let (metadata, text) = read_metadata(dir)?;
    let mut tables = Vec::new();
    for street in Street::POSTFLOP {
        tables.push((Part::Buckets, OpenTable::open_buckets(dir, street, &metadata)?));
        for part in [Part::Equity, Part::BucketEquities] {
            tables
                .extend(OpenTable::open(dir, street, part, &metadata)?.map(|table| (part, table)));
        }
    }
    let mut problems = unknown_files(&metadata);
    check_sums(&tables, job, &mut problems)?;
    match read_reports(&text) {
        Err(reason) => problems.push(VerifyProblem::Content { file: METADATA.to_owned(), reason }),
        // Numbers known to be wrong need no second look.
        Ok(reports) if problems.is_empty() => {
            let counted: u64 = tables
                .iter()
                .filter(|(part, _)| *part == Part::Buckets)
                .map(|(_, table)| table.header.payload)
                .sum();
            job.begin("count buckets", counted);
            for (part, table) in &tables {
                let report = reports.get(table.header.street).expect("tables are postflop");
                problems.extend(check_content(*part, table, report, job)?);
                job.check()?;
            }
        }
        Ok(_) => {}
    }
    if !problems.is_empty() {
        return Err(VerifyError::Damaged { path: dir.to_owned(), problems });
    }
    let mut files = vec![METADATA.to_owned()];
    files.extend(metadata.files.iter().map(|file| file.name.clone()));
    let extra = extra_files(dir, &files)?;
    Ok(VerifyReport { bytes: metadata.bytes() + text.len() as u64, files, extra })
}

/// Files that the metadata list and this version does not know, or that are listed twice.
fn unknown_files(metadata: &Metadata) -> Vec<VerifyProblem> {
    let known = |name: &str| {
        Street::POSTFLOP.iter().any(|&s| Part::ALL.iter().any(|part| part.file_name(s) == name))
    };
    let odd = metadata.files.iter().enumerate().filter(|(place, file)| {
        !known(&file.name) || metadata.files[..*place].iter().any(|f| f.name == file.name)
    });
    odd.map(|(_, file)| VerifyProblem::Content {
        file: METADATA.to_owned(),
        reason: format!(
            "it lists {}, which is no file of an abstraction or there twice",
            file.name
        ),
    })
    .collect()
}

/// Entries of the directory that are not among the artifact's files.
fn extra_files(dir: &Path, files: &[String]) -> Result<Vec<String>, OpenError> {
    let entries = fs::read_dir(dir).map_err(|error| OpenError::read(dir, error))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut extra: Vec<String> = names.filter(|name| !files.contains(name)).collect();
    extra.sort();
    Ok(extra)
}

fn check_sums(
    tables: &[(Part, OpenTable)],
    job: Job<'_>,
    problems: &mut Vec<VerifyProblem>,
) -> Result<(), VerifyError> {
    job.begin("check sums", tables.iter().map(|(_, table)| table.header.payload).sum());
    for (part, table) in tables {
        problems.extend(table.problem(part.file_name(table.header.street), job)?);
    }
    Ok(())
}

/// Checks what the numbers of a table mean.
fn check_content(
    part: Part,
    table: &OpenTable,
    report: &StreetReport,
    job: Job<'_>,
) -> Result<Vec<VerifyProblem>, VerifyError> {
    let street = table.header.street;
    let file = part.file_name(street);
    let content = |reason: String| vec![VerifyProblem::Content { file: file.clone(), reason }];
    Ok(match part {
        Part::Buckets => check_buckets(&file, table, report, job)?,
        Part::Equity => {
            let scale = vs_random::equity_scale(street);
            let equities: &[u32] = table.verify_numbers(job.silent())?;
            match equities.par_iter().position_any(|&equity| equity > scale) {
                Some(slot) => content(format!("slot {slot} has an equity above one")),
                None => Vec::new(),
            }
        }
        Part::BucketEquities if table.header.buckets != report.buckets as u64 => {
            content(format!("it is of {} buckets", table.header.buckets))
        }
        Part::BucketEquities => {
            match table.bucket_equities().map_err(|error| *error)?.contradiction() {
                Some((a, b)) => {
                    content(format!("the equities of {a} and {b} do not add up to one"))
                }
                None => Vec::new(),
            }
        }
    })
}

fn check_buckets(
    file: &str,
    table: &OpenTable,
    report: &StreetReport,
    job: Job<'_>,
) -> Result<Vec<VerifyProblem>, VerifyError> {
    let file = file.to_owned();
    let (street, buckets) = (table.header.street, table.header.buckets as usize);
    if report.street != street || !report.fits(buckets) {
        let reason = format!("it has {buckets} buckets, which the report contradicts");
        return Ok(vec![VerifyProblem::Content { file, reason }]);
    }
    let census = match (table.header.kind, table.header.width) {
        (Kind::Sparse, _) => {
            let sparse = table.sparse().map_err(|damage| *table.damaged(damage))?;
            let census = census::sparse(street, sparse, buckets, job);
            job.advance(table.header.payload);
            census
        }
        (_, 2) => census::dense::<u16>(street, table.verify_numbers(job.silent())?, buckets, job),
        _ => census::dense::<u32>(street, table.verify_numbers(job.silent())?, buckets, job),
    };
    let Census { sizes, outside, asymmetric } = census;
    let mut problems = Vec::new();
    if let Some(place) = outside {
        problems.push(VerifyProblem::Bucket { file: file.clone(), place, buckets });
    }
    if asymmetric > 0 {
        problems.push(VerifyProblem::Asymmetric { file: file.clone(), slots: asymmetric });
    }
    let differing = sizes.iter().zip(&report.sizes).position(|(a, b)| a != b);
    if let Some(bucket) = differing {
        let (counted, reported) = (sizes[bucket], report.sizes[bucket]);
        problems.push(VerifyProblem::Size { file, bucket, counted, reported });
    }
    Ok(problems)
}
