//! Numbers as people read them.
//!
//! ```
//! use lethe_kit::text;
//!
//! assert_eq!(text::thousands(1_712_304), "1,712,304");
//! assert_eq!(text::bytes(1536), "1.5 KiB");
//! assert_eq!(text::seconds(300.0), "5 min");
//! assert_eq!(text::percent(0.98765, 2), "98.77 %");
//! assert_eq!(text::short(12_345.0), "12.3 k");
//! ```

use std::fmt::Display;

use serde::{Serialize, Serializer};

/// A number with a comma at every third digit.
pub fn thousands(number: impl TryInto<u128>) -> String {
    let digits = number.try_into().unwrap_or_default().to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of bytes in the unit that suits it.
pub fn bytes(count: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut size = count as f64;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    let digits = if unit > 0 && size < 10.0 { 1 } else { 0 };
    format!("{size:.digits$} {}", units[unit])
}

/// A time in seconds, or minutes if it is long.
pub fn seconds(time: f64) -> String {
    match time {
        _ if time < 10.0 => format!("{time:.1} s"),
        _ if time < 120.0 => format!("{time:.0} s"),
        _ => format!("{:.0} min", time / 60.0),
    }
}

/// A share in percent.
pub fn percent(share: f64, digits: usize) -> String {
    format!("{:.digits$} %", 100.0 * share)
}

/// A value that may be missing.
pub fn or_dash<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), text)
}

/// A number of any size in about five digits.
pub fn figure(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        1e-3..1e4 => format!("{number:.4}"),
        1e4..1e12 => thousands(number.round() as u128),
        _ => format!("{number:.4e}"),
    }
}

/// A number in three digits, with a unit if it is large.
pub fn short(value: f64) -> String {
    let (size, unit) = match value.abs() {
        0.0 => return "0".to_owned(),
        x if x >= 1e9 => (value / 1e9, " G"),
        x if x >= 1e6 => (value / 1e6, " M"),
        x if x >= 1e4 => (value / 1e3, " k"),
        _ => (value, ""),
    };
    let digits = match size.abs() {
        x if x >= 99.95 => 0,
        x if x >= 9.995 => 1,
        _ => 2,
    };
    format!("{size:.digits$}{unit}")
}

/// A word with an s unless there is exactly one: `1 thread`, `2 threads`.
pub fn counted(count: usize, word: &str) -> String {
    format!("{} {word}{}", thousands(count as u128), if count == 1 { "" } else { "s" })
}

/// Serializes cards as the text that players write.
pub(crate) fn written<T: Display, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Serializes cards that may be missing.
pub(crate) fn written_option<T: Display, S: Serializer>(
    value: &Option<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.as_ref().map(T::to_string).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated_in_numbers_of_any_length() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_712_304, "1,712,304")] {
            assert_eq!(thousands(number as u64), text);
        }
        assert_eq!(thousands(u128::MAX).replace(',', ""), u128::MAX.to_string());
    }

    #[test]
    fn sizes_and_times_have_a_unit_that_suits() {
        let sizes =
            [(0, "0 bytes"), (1023, "1023 bytes"), (1536, "1.5 KiB"), (432 << 20, "432 MiB")];
        sizes.into_iter().for_each(|(count, text)| assert_eq!(bytes(count), text));
        let times = [(0.25, "0.2 s"), (17.6, "18 s"), (300.0, "5 min")];
        times.into_iter().for_each(|(time, text)| assert_eq!(seconds(time), text));
    }

    #[test]
    fn figures_keep_their_size_readable() {
        let known = [(0.0, "0"), (0.25, "0.2500"), (1234.5, "1234.5000"), (1.2e6, "1,200,000")];
        known.into_iter().for_each(|(number, text)| assert_eq!(figure(number), text));
        assert_eq!(figure(1.0e-7), "1.0000e-7");
        let known = [(0.0, "0"), (330.1, "330"), (1.4e8, "140 M"), (-9.5, "-9.50")];
        known.into_iter().for_each(|(value, text)| assert_eq!(short(value), text));
    }
}
