//! A curve in block characters.

use lethe_kit::report::Curve;
use lethe_kit::text::short;

const WIDTH: usize = 64;
const HEIGHT: usize = 8;

/// The curve as columns of blocks, with its greatest and least value at the left and the time below.
pub(super) fn draw(curve: &Curve) -> String {
    const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let [low, high] = curve.range();
    let step = curve.end / WIDTH as f64;
    let heights: Vec<Option<usize>> = (0..WIDTH)
        .map(|column| {
            let value = value_in(curve, column as f64 * step, (column + 1) as f64 * step)?;
            let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
            // What is there is seen, however little.
            Some(((share * (8 * HEIGHT) as f64).round() as usize).max(1))
        })
        .collect();
    let labels = [short(high), short(low)];
    let margin = labels.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    for row in (0..HEIGHT).rev() {
        let label = match row {
            _ if row == HEIGHT - 1 => &labels[0],
            0 => &labels[1],
            _ => "",
        };
        let blocks = heights.iter().map(|height| {
            let filled = height.map_or(0, |height| height.saturating_sub(8 * row).min(8));
            EIGHTHS[filled]
        });
        let line = format!("{label:>margin$} │{}", blocks.collect::<String>());
        text += line.trim_end();
        text.push('\n');
    }
    let (unit, size) = curve.time_unit();
    let end = format!("{:.0} {unit}", curve.end / size);
    let gap = WIDTH.saturating_sub(1);
    text + &format!("{:margin$} └{}\n{:margin$}  0{end:>gap$}\n", "", "─".repeat(WIDTH), "")
}

/// The value to draw between two times: the mean of the points there, or where none is, the line.
fn value_in(curve: &Curve, from: f64, to: f64) -> Option<f64> {
    let inside = curve.points.iter().filter(|[x, ..]| from < *x && *x <= to);
    let (count, sum) = inside.fold((0, 0.0), |(count, sum), [_, y, _]| (count + 1, sum + y));
    if count > 0 { Some(sum / f64::from(count)) } else { curve.at((from + to) / 2.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_falls_as_its_curve_does() {
        let points = (1..=10).map(|i| [f64::from(i), 100.0 / f64::from(i), 0.0]).collect();
        let text = draw(&Curve { name: "", unit: "", points, end: 10.0 });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), HEIGHT + 2);
        assert!(lines[0].starts_with("100 │"), "{text}");
        assert!(lines[HEIGHT - 1].starts_with("  0 │"), "{text}");
        assert!(lines[HEIGHT + 1].ends_with("10 s"), "{text}");
        let filled = |line: &str| line.chars().filter(|&c| c >= '▁').count();
        assert!(filled(lines[0]) < filled(lines[HEIGHT - 1]), "{text}");
    }

    #[test]
    fn one_point_and_no_time_can_be_drawn() {
        let points = vec![[0.0, 0.0, 0.0]];
        assert!(!draw(&Curve { name: "", unit: "", points, end: 0.0 }).is_empty());
    }
}
