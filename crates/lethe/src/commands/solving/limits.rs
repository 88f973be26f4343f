//! Limits as they are typed: a share of the pot, a time, an amount of memory.

use std::time::Duration;

/// Reads a percentage of the pot, such as `0.1%`, as a fraction.
pub(crate) fn target(text: &str) -> Result<f64, String> {
    let number = text.trim().strip_suffix('%').map(str::trim_end);
    match number.and_then(|number| number.parse::<f64>().ok()) {
        Some(percent) if percent > 0.0 && percent <= 100.0 => Ok(percent / 100.0),
        _ => Err("write a percentage of the pot above 0 and at most 100, such as 0.1%".to_owned()),
    }
}

/// Reads a time such as `30s`, `5m`, `1.5h` or `250ms`.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number = text[..text.len() - unit.len()].parse::<f64>().ok();
    let factor = match unit.trim_start() {
        "ms" => Some(0.001),
        "s" => Some(1.0),
        "m" | "min" => Some(60.0),
        "h" => Some(3600.0),
        _ => None,
    };
    let seconds = number.zip(factor).map(|(number, factor)| number * factor);
    let time = seconds.filter(|&seconds| seconds > 0.0).map(Duration::try_from_secs_f64);
    time.and_then(Result::ok).ok_or_else(|| "write a time such as 30s, 5m or 1.5h".to_owned())
}

/// Reads an amount of memory such as `500M` or `8G`, in bytes.
pub(crate) fn memory(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number = text[..text.len() - unit.len()].parse::<f64>().ok();
    let unit = unit.trim_start().to_ascii_uppercase();
    let factor = match unit.strip_suffix("IB").or(unit.strip_suffix('B')).unwrap_or(&unit) {
        "K" => Some(10),
        "M" => Some(20),
        "G" => Some(30),
        "T" => Some(40),
        _ => None,
    };
    let bytes = number.zip(factor).map(|(number, shift)| number * (1u64 << shift) as f64);
    match bytes {
        Some(bytes) if bytes >= 1.0 && bytes < 2f64.powi(63) => Ok(bytes as u64),
        _ => Err("write an amount such as 500M or 8G".to_owned()),
    }
}

/// The bytes this machine has free, where it says so.
pub(crate) fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let free = line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)?;
    Some(container_memory().map_or(free, |limit| limit.min(free)))
}

/// The bytes the container allows, where there is one with a limit.
fn container_memory() -> Option<u64> {
    std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_with_their_units() {
        assert_eq!(target("0.1%"), Ok(0.001));
        assert_eq!(time("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(time("1.5h"), Ok(Duration::from_secs(5400)));
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(memory("500M"), Ok(500 << 20));
        assert_eq!(memory("1.5 GiB"), Ok(3 << 29));
    }

    #[test]
    fn what_is_no_limit_is_refused() {
        for text in ["", "0.1", "0%", "-1%", "NaN%", "101%", "%"] {
            assert!(target(text).is_err(), "{text}");
        }
        for text in ["", "30", "s", "0s", "-3s", "1e3s", "99999999999999999999999h", "3 days"] {
            assert!(time(text).is_err(), "{text}");
        }
        for text in ["", "8", "G", "0G", "99999999999999T"] {
            assert!(memory(text).is_err(), "{text}");
        }
    }
}
