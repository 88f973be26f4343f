//! Limits as people write them: a share of the pot, a time, an amount of memory, a number.
//!
//! ```
//! use std::time::Duration;
//! use lethe_kit::limits;
//!
//! assert_eq!(limits::percent("0.1%"), Ok(0.001));
//! assert_eq!(limits::time("1.5h"), Ok(Duration::from_secs(5400)));
//! assert_eq!(limits::memory("500M"), Ok(500 << 20));
//! assert_eq!(limits::count("20k"), Ok(20_000));
//! ```

use std::time::Duration;

/// The exploitability to reach where no limit is given: 0.1 % of the pot.
pub const TARGET: f64 = 0.001;

/// A text that is not a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// Not a percentage of the pot.
    #[error("expected a percentage of the pot above 0 and at most 100, such as 0.1%")]
    Percent,
    /// A number without `%`.
    #[error("expected a percentage of the pot: write 0.1% for a thousandth of it")]
    NoPercentSign,
    /// Not a time.
    #[error("expected a time such as 30s, 5m or 1.5h")]
    Time,
    /// Not a number.
    #[error("expected a number such as 50000, 100k or 1M")]
    Count,
    /// Not an amount of memory.
    #[error("expected an amount of memory such as 500M or 8G")]
    Memory,
}

/// Reads a percentage such as `0.1%` as a fraction.
pub fn percent(text: &str) -> Result<f64, LimitError> {
    let (number, unit) = split(text);
    match (number, unit) {
        (Some(percent), "%") if percent > 0.0 && percent <= 100.0 => Ok(percent / 100.0),
        (Some(_), "") => Err(LimitError::NoPercentSign),
        _ => Err(LimitError::Percent),
    }
}

/// Reads a time such as `30s`, `5m`, `1.5h` or `250ms`.
pub fn time(text: &str) -> Result<Duration, LimitError> {
    let (number, unit) = split(text);
    let factor = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(LimitError::Time),
    };
    let seconds = number.map(|number| number * factor).filter(|&seconds| seconds > 0.0);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or(LimitError::Time)
}

/// Reads a number such as `50000`, `100k` or `1.5M`, at most a trillion.
pub fn count(text: &str) -> Result<u64, LimitError> {
    const MOST: f64 = 1e12;
    let (number, unit) = split(text);
    let factor = match unit {
        "" => 1.0,
        "k" | "K" => 1e3,
        "m" | "M" => 1e6,
        "g" | "G" => 1e9,
        _ => return Err(LimitError::Count),
    };
    let count = number.map(|number| (number * factor).round());
    count.filter(|count| *count <= MOST).map(|count| count as u64).ok_or(LimitError::Count)
}

/// Reads an amount of memory such as `500M` or `8G`, in bytes.
pub fn memory(text: &str) -> Result<u64, LimitError> {
    let (number, unit) = split(text);
    let unit = unit.to_ascii_uppercase();
    let shift = match unit.strip_suffix("IB").or(unit.strip_suffix('B')).unwrap_or(&unit) {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(LimitError::Memory),
    };
    match number.map(|number| number * (1u64 << shift) as f64) {
        Some(bytes) if bytes >= 1.0 && bytes < 2f64.powi(63) => Ok(bytes as u64),
        _ => Err(LimitError::Memory),
    }
}

/// A number and the unit after it.
fn split(text: &str) -> (Option<f64>, &str) {
    let text = text.trim();
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    (text[..text.len() - unit.len()].parse().ok(), unit.trim_start())
}

/// The bytes of memory that are free, where the system says.
pub fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let free = line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)?;
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let limit: Option<u64> = container.and_then(|limit| limit.trim().parse().ok());
    Some(limit.map_or(free, |limit| limit.min(free)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_with_their_units() {
        assert_eq!(percent(" 0.1 %"), Ok(0.001));
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(memory("1.5 GiB"), Ok(3 << 29));
        for (text, number) in [("0", 0), ("1M", 1_000_000), ("1.5k", 1500), ("20G", 20_000_000_000)]
        {
            assert_eq!(count(text), Ok(number), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "0%", "-1%", "NaN%", "101%", "%"] {
            assert_eq!(percent(text), Err(LimitError::Percent), "{text}");
        }
        assert_eq!(percent("0.1"), Err(LimitError::NoPercentSign));
        for text in ["", "30", "s", "0s", "-3s", "1e3s", "99999999999999999999999h", "3 days"] {
            assert_eq!(time(text), Err(LimitError::Time), "{text}");
        }
        for text in ["", "-5", "1e6", "M", "1kk", "nan", "inf", "9999999G", "1 T"] {
            assert_eq!(count(text), Err(LimitError::Count), "{text}");
        }
        for text in ["", "8", "G", "0G", "99999999999999T"] {
            assert_eq!(memory(text), Err(LimitError::Memory), "{text}");
        }
    }
}
