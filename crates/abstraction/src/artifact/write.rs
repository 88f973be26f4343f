//! Writing an artifact: tables into a directory beside, then all of it into place at once.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};

use lethe_cards::{CanonicalBoard, Situation, Street, vs_random};
use lethe_compute::Job;
use lethe_files::BlockHasher;
use rayon::prelude::*;

use super::Abstraction;
use super::error::{OpenError, WriteError};
use super::format::{FORMAT_VERSION, Header, Kind, Part};
use super::metadata::{BuildSummary, FileEntry, METADATA, Metadata};
use super::open::check_sparse;
use super::staging::{Lock, StagingDir, recover};
use crate::bucket_equities::BucketEquities;
use crate::plan::{ALGORITHM_VERSION, Plan};
use crate::table::Stored;
use crate::table::{TableRef, fits_u16};

/// Bytes hashed or written between two checks for cancellation.
const PIECE: usize = 16 << 20;

/// The answer to a request to write an artifact.
#[derive(Debug)]
pub enum CreateOutcome {
    /// It may be written.
    Fresh(ArtifactWriter),
    /// It is there already and opens: nothing is to be done.
    AlreadyThere(PathBuf),
}

/// An artifact on its way to disk.
///
/// Files are written into a hidden directory beside the artifact's place and hashed on the way. Only
/// [`finish`](ArtifactWriter::finish) gives them their name; a writer that is dropped before, or
/// killed, leaves nothing that opens, and what a killed one leaves the next one removes.
#[derive(Debug)]
pub struct ArtifactWriter {
    plan: Box<Plan>,
    target: PathBuf,
    files: Vec<FileEntry>,
    saving: Vec<Saving>,
    // Declared, and so dropped, in this order: the files go before the lock does.
    staging: StagingDir,
    _lock: Lock,
}

/// A file that is being brought to disk while the build goes on.
#[derive(Debug)]
struct Saving {
    path: PathBuf,
    thread: JoinHandle<io::Result<()>>,
}

impl ArtifactWriter {
    /// Begins to write the artifact of a plan, as `root/<name of the plan>`.
    ///
    /// One that is there already and opens is left alone unless `force` asks to replace it, which
    /// happens only when the new one is complete.
    pub fn create(root: &Path, plan: &Plan, force: bool) -> Result<CreateOutcome, WriteError> {
        fs::create_dir_all(root).map_err(WriteError::io("create", root))?;
        let name = plan.name();
        let target = root.join(&name);
        let lock = Lock::take(root, &name)?;
        recover(root, &name)?;
        match Abstraction::open(&target) {
            Ok(_) if !force => return Ok(CreateOutcome::AlreadyThere(target)),
            Ok(_) if !is_artifact_only(&target) => {
                return Err(WriteError::Occupied { path: target });
            }
            Ok(_) => {}
            Err(OpenError::NotAnAbstraction { .. }) if !target.exists() => {}
            Err(OpenError::NotAnAbstraction { .. }) => {
                return Err(WriteError::Occupied { path: target });
            }
            Err(_) if force && !is_artifact_only(&target) => {
                return Err(WriteError::Occupied { path: target });
            }
            Err(_) if force => {}
            Err(error) => return Err(WriteError::Damaged { source: Box::new(error) }),
        }
        let staging = StagingDir::create(root, &name)?;
        let plan = Box::new(plan.clone());
        let (files, saving) = (Vec::new(), Vec::new());
        Ok(CreateOutcome::Fresh(ArtifactWriter {
            plan,
            target,
            files,
            saving,
            staging,
            _lock: lock,
        }))
    }

    /// Writes the buckets of a street, whose numbers are below `buckets`.
    pub fn write_buckets(
        &mut self,
        street: Street,
        stored: &Stored,
        buckets: usize,
        job: Job<'_>,
    ) -> Result<(), WriteError> {
        job.install(|| check_stored(street, stored, buckets))
            .map_err(|reason| WriteError::Shape { street, reason })?;
        match stored {
            Stored::Dense(table) => {
                let table = table.view();
                let width = table.width() as u8;
                let header = Header::slots(street, Kind::Dense, width, buckets as u64);
                self.write(Part::Buckets, header, &[table.bytes()], job)
            }
            Stored::Sparse(table) => {
                let (clusters, entries) = (table.medians.len() as u64, table.holes.len() as u64);
                let header = Header::sparse(street, buckets as u64, clusters, entries);
                let parts =
                    [&table.clusters, &table.medians, &table.starts, &table.holes, &table.buckets];
                let parts = parts.map(|part| bytemuck::cast_slice(part));
                self.write(Part::Buckets, header, &parts, job)
            }
        }
    }

    /// Writes the exact equity of every slot of the flop or the turn, as sums of
    /// [`vs_random::equity_scale`].
    pub fn write_equity(
        &mut self,
        street: Street,
        equities: &[u32],
        job: Job<'_>,
    ) -> Result<(), WriteError> {
        let shape = |reason: String| WriteError::Shape { street, reason };
        if !matches!(street, Street::Flop | Street::Turn) {
            return Err(shape("equities are stored for the flop and the turn only".to_owned()));
        }
        if equities.len() != Situation::slots(street) {
            let slots = Situation::slots(street);
            return Err(shape(format!("{} equities for {slots} slots", equities.len())));
        }
        let scale = vs_random::equity_scale(street);
        let above = job.install(|| equities.par_iter().find_any(|&&equity| equity > scale));
        if let Some(equity) = above {
            return Err(shape(format!("an equity of {equity} is above the scale of {scale}")));
        }
        let header = Header::slots(street, Kind::Equity, 4, 0);
        self.write(Part::Equity, header, &[bytemuck::cast_slice(equities)], job)
    }

    /// Writes the equities of a street's buckets against one another.
    pub fn write_bucket_equities(
        &mut self,
        street: Street,
        equities: &BucketEquities,
        job: Job<'_>,
    ) -> Result<(), WriteError> {
        let header = bucket_equities_header(street, equities)?;
        self.write(Part::BucketEquities, header, &bucket_equities_payload(equities), job)
    }

    fn write(
        &mut self,
        part: Part,
        header: Header,
        payload: &[&[u8]],
        job: Job<'_>,
    ) -> Result<(), WriteError> {
        let (entry, saving) =
            write_table(self.staging.path(), part, header, &self.plan.hash(), payload, job)?;
        self.files.retain(|file| file.name != entry.name);
        self.files.push(entry);
        self.saving.push(saving);
        Ok(())
    }

    /// Completes the artifact and gives it its name; returns its directory.
    pub fn finish(mut self, summary: &BuildSummary) -> Result<PathBuf, WriteError> {
        for street in Street::POSTFLOP {
            let name = Part::Buckets.file_name(street);
            if !self.files.iter().any(|file| file.name == name) {
                return Err(WriteError::Incomplete { street });
            }
        }
        // The order of writing depends on the build; that of the list shall not.
        self.files.sort_by(|a, b| a.name.cmp(&b.name));
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let metadata = Metadata {
            format: FORMAT_VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            name: self.plan.name(),
            algorithm: ALGORITHM_VERSION,
            plan_hash: self.plan.hash(),
            plan: *self.plan,
            created: now.map_or(0, |since| since.as_secs()),
            seconds: summary.seconds,
            threads: summary.threads,
            files: self.files,
        };
        let text = metadata.to_text(&summary.reports);
        let text = text.map_err(|reason| WriteError::Report { reason })?;
        lethe_files::write(&self.staging.path().join(METADATA), |out| {
            out.write_all(text.as_bytes())
        })?;
        self.saving.into_iter().try_for_each(Saving::wait)?;
        self.staging.install(&self.target)?;
        Ok(self.target)
    }
}

/// Whether nothing but the files of an artifact is in a directory.
fn is_artifact_only(dir: &Path) -> bool {
    let known = |name: &str| {
        let part = |street| Part::ALL.iter().any(|part| part.file_name(street) == name);
        name == METADATA || name.starts_with('.') || Street::POSTFLOP.into_iter().any(part)
    };
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    { entries }.all(|entry| entry.file_name().to_str().is_some_and(known))
}

impl Saving {
    fn wait(self) -> Result<(), WriteError> {
        let saved = self.thread.join().unwrap_or_else(|_| Err(io::Error::other("it was stopped")));
        saved.map_err(WriteError::io("save", &self.path))
    }
}

/// Writes a table file and begins to bring it to disk.
fn write_table(
    dir: &Path,
    part: Part,
    mut header: Header,
    plan_hash: &str,
    payload: &[&[u8]],
    job: Job<'_>,
) -> Result<(FileEntry, Saving), WriteError> {
    let name = part.file_name(header.street);
    let path = dir.join(&name);
    header.plan_hash = plan_hash.as_bytes().try_into().expect("a plan's hash has eight digits");
    let pieces = || payload.iter().flat_map(|part| part.chunks(PIECE));
    let mut blocks = BlockHasher::new();
    for piece in pieces() {
        job.check()?;
        job.install(|| blocks.update(piece));
    }
    let hashes = blocks.finish();
    header.checksum = header.hasher().update(&hashes).finalize().into();
    let mut file = File::create(&path).map_err(WriteError::io("create", &path))?;
    file.write_all(&header.encode()).map_err(WriteError::io("write", &path))?;
    for piece in pieces() {
        job.check()?;
        file.write_all(piece).map_err(WriteError::io("write", &path))?;
    }
    file.write_all(&hashes).map_err(WriteError::io("write", &path))?;
    let thread = std::thread::spawn(move || file.sync_all());
    let checksum = blake3::Hash::from_bytes(header.checksum).to_hex().to_string();
    Ok((FileEntry { name, bytes: header.file_len(), checksum }, Saving { path, thread }))
}

/// Writes a table file and waits until it is on disk.
pub(crate) fn write_table_now(
    dir: &Path,
    header: Header,
    plan_hash: &str,
    payload: &[&[u8]],
    job: Job<'_>,
) -> Result<FileEntry, WriteError> {
    let part = Part::BucketEquities;
    let (entry, saving) = write_table(dir, part, header, plan_hash, payload, job)?;
    saving.wait()?;
    Ok(entry)
}

/// The header of a table of bucket equities, if it is one.
pub(crate) fn bucket_equities_header(
    street: Street,
    equities: &BucketEquities,
) -> Result<Header, WriteError> {
    let shape = |reason: String| WriteError::Shape { street, reason };
    if street == Street::Preflop || equities.buckets == 0 || !equities.view().is_square() {
        return Err(shape(format!("its vectors are not of {0} x {0} entries", equities.buckets)));
    }
    if let Some((a, b)) = equities.view().contradiction() {
        return Err(shape(format!("the equities of {a} and {b} do not add up to one")));
    }
    Ok(Header::bucket_equities(street, equities.buckets as u64))
}

/// The payload of a table of bucket equities.
pub(crate) fn bucket_equities_payload(equities: &BucketEquities) -> [&[u8]; 2] {
    [bytemuck::cast_slice(&equities.sums), bytemuck::cast_slice(&equities.counts)]
}

/// Checks that buckets have the shape of their street and numbers that exist.
fn check_stored(street: Street, stored: &Stored, buckets: usize) -> Result<(), String> {
    if street == Street::Preflop {
        return Err("the 169 starting hands are not stored".to_owned());
    }
    let highest = match stored {
        Stored::Dense(table) => {
            let slots = Situation::slots(street);
            if table.view().len() != slots {
                return Err(format!("{} buckets for {slots} slots", table.view().len()));
            }
            if table.view().width() == 2 && !fits_u16(buckets) {
                return Err(format!("{buckets} buckets do not fit 16 bits"));
            }
            match table.view() {
                TableRef::U16(values) => values.par_iter().copied().max().map(u32::from),
                TableRef::U32(values) => values.par_iter().copied().max(),
            }
        }
        Stored::Sparse(table) => {
            let boards = CanonicalBoard::count(street);
            if table.clusters.len() != boards {
                return Err(format!("clusters of {} boards for {boards}", table.clusters.len()));
            }
            check_sparse(table.view(), buckets as u64).map_err(str::to_owned)?;
            table.medians.iter().copied().max()
        }
    };
    match highest {
        Some(highest) if (highest as usize) < buckets => Ok(()),
        Some(highest) => Err(format!("bucket {highest} is not among {buckets}")),
        None => Err("it has no buckets".to_owned()),
    }
}
