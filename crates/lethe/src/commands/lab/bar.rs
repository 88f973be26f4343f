//! The progress of the lab on a terminal.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use lethe_lab::{Estimate, Key, Subject, Watcher};

use lethe_compute::Progress;

use crate::progress::Bars;

/// One bar over all cells, in milliseconds of the estimate, with the cell at work before it.
#[derive(Debug)]
pub(super) struct Bar {
    bar: ProgressBar,
    /// Listens for Ctrl-C.
    progress: Bars,
    done: f64,
}

impl Bar {
    pub(super) fn new(estimate: &Estimate) -> Bar {
        let bar = if std::io::stderr().is_terminal() {
            let units = (estimate.seconds * 1000.0) as u64;
            let bar = ProgressBar::with_draw_target(Some(units), ProgressDrawTarget::stderr());
            let template = "{msg:40} {wide_bar} {percent:>3} %  {eta:>4} left";
            let style = ProgressStyle::with_template(template);
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style.progress_chars("━╸ "));
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        } else {
            ProgressBar::hidden()
        };
        Bar { bar, progress: Bars::new(), done: 0.0 }
    }
}

impl Watcher for Bar {
    fn begin(&mut self, cell: &Key) {
        let what = match &cell.subject {
            Subject::Lossless => "lossless".to_owned(),
            Subject::Method { name, buckets: Some(buckets), .. } => format!("{name} {buckets}"),
            Subject::Method { name, .. } | Subject::Artifact { name, .. } => name.clone(),
        };
        self.bar.set_message(format!("{} {what}", cell.board));
    }

    fn advance(&mut self, seconds: f64) {
        self.done += seconds;
        self.bar.set_position((self.done * 1000.0) as u64);
    }

    fn stopped(&self) -> bool {
        self.progress.cancelled()
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
