//! `metadata.json`: what an artifact is, in text.
//!
//! An object with one key a line. The first is `"checksum"`: the BLAKE3 of the text itself with 64
//! zeros in that place. The last, `"reports"`, is by far the longest; it is read only when asked for,
//! so that opening an artifact stays cheap.

use serde::{Deserialize, Serialize};

use super::format::FORMAT_VERSION;
use crate::plan::{PerStreet, Plan};
use crate::report::StreetReport;

/// The name of the metadata file.
pub(crate) const METADATA: &str = "metadata.json";

const PREFIX: &str = "{\n\"checksum\": \"";
const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// What an artifact says of itself, apart from its reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    /// The version of the artifact format.
    pub format: u32,
    /// The version of the library that wrote it.
    pub program: String,
    /// The name of the directory it was built as.
    pub name: String,
    /// The version of the algorithms that built it; in artifacts that do not say so, the first.
    #[serde(default = "first")]
    pub algorithm: u32,
    /// The hash of the plan and of the algorithms' version.
    pub plan_hash: String,
    /// The plan as it was carried out.
    pub plan: Plan,
    /// When it was finished, in seconds since 1970.
    pub created: u64,
    /// How long the build took, in seconds.
    pub seconds: f64,
    /// How many threads built it.
    pub threads: usize,
    /// The table files.
    pub files: Vec<FileEntry>,
}

/// A table file of an artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name within the directory.
    pub name: String,
    /// Its length, the header included.
    pub bytes: u64,
    /// Its checksum, as in its header, in hexadecimal digits.
    pub checksum: String,
}

/// What a build adds to an artifact's metadata when it is finished.
#[derive(Clone, Debug, PartialEq)]
pub struct BuildSummary {
    /// What is to be said of each street.
    pub reports: PerStreet<StreetReport>,
    /// How long the build took, in seconds.
    pub seconds: f64,
    /// How many threads built it.
    pub threads: usize,
}

/// Why a text is not the metadata of an artifact.
#[derive(Debug)]
pub(crate) enum MetadataFault {
    Newer(u32),
    Damaged(String),
}

impl Metadata {
    /// The file of this name.
    pub fn file(&self, name: &str) -> Option<&FileEntry> {
        self.files.iter().find(|file| file.name == name)
    }

    /// The length of all table files together.
    pub fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.bytes))
    }

    /// The text of the metadata file; none if the reports hold a number that JSON cannot.
    pub(crate) fn to_text(&self, reports: &PerStreet<StreetReport>) -> Result<String, String> {
        let error = |error: serde_json::Error| error.to_string();
        let serde_json::Value::Object(fields) = serde_json::to_value(self).map_err(error)? else {
            unreachable!("a struct is an object")
        };
        let mut text = format!("{PREFIX}{ZEROS}\"");
        for (key, value) in &fields {
            text += &format!(",\n\"{key}\": {value}");
        }
        text += ",\n\"reports\": {";
        for (place, (street, report)) in reports.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            let report = serde_json::to_string(report).map_err(error)?;
            text += &format!("{comma}\n\"{street}\": {report}");
        }
        text += "\n}\n}\n";
        // An infinite or undefined number is written as null, and would not come back.
        read_reports(&text)?;
        let checksum = blake3::hash(text.as_bytes()).to_hex();
        text.replace_range(PREFIX.len()..PREFIX.len() + ZEROS.len(), &checksum);
        Metadata::current(&text)?;
        Ok(text)
    }

    /// Reads the text of a metadata file, all but the reports.
    pub(crate) fn from_text(text: &str) -> Result<Metadata, MetadataFault> {
        Metadata::current(text).map_err(|reason| match version(text) {
            Some(newer) if newer > FORMAT_VERSION => MetadataFault::Newer(newer),
            _ => MetadataFault::Damaged(reason),
        })
    }

    fn current(text: &str) -> Result<Metadata, String> {
        let rest = text.strip_prefix(PREFIX).ok_or("it does not begin with its checksum")?;
        let (checksum, rest) =
            rest.split_at_checked(ZEROS.len()).ok_or("it ends within its checksum")?;
        let mut hasher = blake3::Hasher::new();
        for part in [PREFIX, ZEROS, rest] {
            hasher.update(part.as_bytes());
        }
        if hasher.finalize().to_hex().as_str() != checksum {
            return Err("its checksum does not match its text".to_owned());
        }
        // What comes before the reports is an object too, but for the comma and the brace.
        let head = text.find(",\n\"reports\": ").map(|end| text[..end].to_owned() + "}");
        let read = serde_json::from_str(head.as_deref().unwrap_or(text));
        let metadata: Metadata = read.map_err(|error| error.to_string())?;
        if !(1..=FORMAT_VERSION).contains(&metadata.format) {
            return Err(format!("its format version is {}", metadata.format));
        }
        if metadata.plan.hash_by(metadata.algorithm) != metadata.plan_hash {
            return Err("its plan does not match the hash of its plan".to_owned());
        }
        let words = [&metadata.name, &metadata.program].into_iter();
        let words = words.chain(metadata.files.iter().map(|file| &file.name));
        if words.flat_map(|word| word.chars()).any(char::is_control) {
            return Err("a name in it has control characters".to_owned());
        }
        Ok(metadata)
    }
}

/// The version of algorithms before versions were recorded.
fn first() -> u32 {
    1
}

/// The format version that a text claims, whatever else it holds.
fn version(text: &str) -> Option<u32> {
    #[derive(Deserialize)]
    struct Version {
        format: u32,
    }
    serde_json::from_str::<Version>(text).ok().map(|version| version.format)
}

/// The reports in the text of a metadata file.
pub(crate) fn read_reports(text: &str) -> Result<PerStreet<StreetReport>, String> {
    #[derive(Deserialize)]
    struct Reports {
        reports: PerStreet<StreetReport>,
    }
    let read = serde_json::from_str::<Reports>(text);
    read.map(|read| read.reports).map_err(|error| error.to_string())
}
