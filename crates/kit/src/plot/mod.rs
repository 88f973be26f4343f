//! Plots and pages: the one SVG emitter and the one HTML page of all reports.
//!
//! ```
//! use lethe_kit::plot::{Plot, document, escape, figure};
//!
//! let mut plot = Plot::new(240.0, [0.0, 60.0], [0.0, 100.0]);
//! plot.y_axis(|value| format!("{value} %"));
//! plot.curve(&[[0.0, 90.0, 5.0], [30.0, 40.0, 3.0], [60.0, 20.0, 1.0]]);
//! plot.x_axis("seconds", |value| value.to_string());
//! let svg = plot.finish("Progress", "");
//! let page = document("A report", &figure(&escape("Progress & more"), &svg), "");
//! assert!(page.contains("Progress &amp; more"));
//! ```

pub mod chart;
pub mod grid;
mod page;
mod svg;

pub(crate) use page::push;
pub use page::{HOVER_SCRIPT, cards, document, escape, figure, table};
pub use svg::{Line, Plot, Ramp};
