//! Adding bucket equity tables to a finished artifact.

use std::fs;
use std::io::Write;
use std::path::Path;

use lethe_cards::Street;
use lethe_compute::Job;
use lethe_files::temporary_name;

use super::Abstraction;
use super::error::{OpenError, WriteError};
use super::format::{FORMAT_VERSION, Part};
use super::metadata::{METADATA, Metadata, read_reports};
use super::open::read_metadata;
use super::staging::{Lock, remove_leftovers, sync_dir};
use super::write::{bucket_equities_header, bucket_equities_payload, write_table_now};
use crate::bucket_equities::BucketEquities;
use crate::plan::PerStreet;
use crate::report::StreetReport;

/// What staging directories inside an artifact are named after.
const STAGING: &str = "pairs";

/// Adds the equities of a street's buckets against one another to a finished artifact.
///
/// The artifact opens at every moment: without the table until it is complete, with it from then on.
/// Those who have it open see it as it was.
pub fn add_bucket_equities(
    dir: &Path,
    street: Street,
    equities: &BucketEquities,
    job: Job<'_>,
) -> Result<(), WriteError> {
    let header = bucket_equities_header(street, equities)?;
    let path = dir.canonicalize().map_err(|source| OpenError::read(dir, source))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let _lock = Lock::take(path.parent().unwrap_or(&path), &name)?;
    let buckets = Abstraction::open(dir)?.buckets(street);
    if equities.buckets != buckets {
        let reason = format!("it is of {} buckets, the artifact of {buckets}", equities.buckets);
        return Err(WriteError::Shape { street, reason });
    }
    let (mut metadata, text) = read_metadata(dir)?;
    let reports = read_reports(&text)
        .map_err(|reason| OpenError::Metadata { path: dir.join(METADATA), reason })?;
    remove_leftovers(dir, &format!(".{STAGING}.tmp-"))?;
    metadata.format = FORMAT_VERSION;

    let file = Part::BucketEquities.file_name(street);
    let staging = dir.join(temporary_name(STAGING.as_ref()));
    fs::create_dir(&staging).map_err(WriteError::io("create", &staging))?;
    let payload = bucket_equities_payload(equities);
    let added =
        write_table_now(&staging, header, &metadata.plan_hash, &payload, job).and_then(|entry| {
            if metadata.files.contains(&entry) {
                // The same bytes: nothing of the metadata changes, whatever became of the file.
            } else if metadata.file(&file).is_some() {
                metadata.files.retain(|other| other.name != file);
                replace_metadata(dir, &staging, &metadata, &reports)?;
            }
            let target = dir.join(&file);
            fs::rename(staging.join(&file), &target)
                .map_err(WriteError::io("rename into place", &target))?;
            if !metadata.files.contains(&entry) {
                metadata.files.push(entry);
                metadata.files.sort_by(|a, b| a.name.cmp(&b.name));
                replace_metadata(dir, &staging, &metadata, &reports)?;
            }
            Ok(())
        });
    let removed = fs::remove_dir_all(&staging).map_err(WriteError::io("remove", &staging));
    added.and(removed)?;
    sync_dir(dir)
}

/// Writes new metadata into the staging directory and renames them into place.
fn replace_metadata(
    dir: &Path,
    staging: &Path,
    metadata: &Metadata,
    reports: &PerStreet<StreetReport>,
) -> Result<(), WriteError> {
    let text = metadata.to_text(reports).map_err(|reason| WriteError::Report { reason })?;
    let new = staging.join(METADATA);
    lethe_files::write(&new, |out| out.write_all(text.as_bytes()))?;
    sync_dir(dir)?;
    let target = dir.join(METADATA);
    fs::rename(&new, &target).map_err(WriteError::io("rename into place", &target))
}
