//! The progress of the lab on a terminal.

use indicatif::ProgressBar;
use lethe_lab::{Estimate, Key, Subject, Watcher};

use lethe_compute::Progress;

use crate::progress::{Bars, bar};

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
        let units = (estimate.seconds * 1000.0) as u64;
        let bar = bar(units, "{msg:40} {wide_bar} {percent:>3} %  {eta:>4} left");
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
