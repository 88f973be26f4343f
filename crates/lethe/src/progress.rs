//! Progress bars on standard error, and what to do when asked to stop.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lethe_compute::{Job, Pool, Progress};
use lethe_kit::abstractions::Phase;

/// Whether Ctrl-C was pressed, or a signal asked the program to end.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Whether Ctrl-C was pressed, or a signal asked the program to end.
pub(crate) fn is_stopped() -> bool {
    STOPPED.load(Ordering::Relaxed)
}

/// Watches a computation: a bar for each phase if standard error is a terminal, the time of each
/// phase, and an end at Ctrl-C.
#[derive(Debug)]
pub(crate) struct Bars {
    state: Mutex<State>,
    drawn: bool,
}

#[derive(Debug, Default)]
struct State {
    current: Option<Current>,
    done: Vec<Phase>,
}

#[derive(Debug)]
struct Current {
    name: String,
    begun: Instant,
    bar: ProgressBar,
}

impl Bars {
    /// Begins to watch. From now on Ctrl-C stops the computation, and a second one the program.
    pub(crate) fn new() -> Bars {
        static HANDLER: Once = Once::new();
        HANDLER.call_once(|| {
            // Without a handler Ctrl-C ends the program at once, which leaves nothing that opens.
            let _ = ctrlc::set_handler(|| {
                if STOPPED.swap(true, Ordering::Relaxed) {
                    std::process::exit(130);
                }
            });
        });
        Bars { state: Mutex::default(), drawn: std::io::stderr().is_terminal() }
    }

    /// A job on all cores that these bars show.
    pub(crate) fn job(&self) -> Job<'_> {
        self.job_on(Pool::global())
    }

    /// A job on a pool that these bars show.
    pub(crate) fn job_on<'a>(&'a self, pool: &'a Pool) -> Job<'a> {
        Job::new(pool).watched_by(self)
    }

    /// Ends the last phase and returns how long each took.
    pub(crate) fn finish(&self) -> Vec<Phase> {
        let mut state = self.state();
        state.end();
        std::mem::take(&mut state.done)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn end(&mut self) {
        if let Some(Current { name, begun, bar }) = self.current.take() {
            bar.finish_and_clear();
            self.done.push(Phase { name, seconds: begun.elapsed().as_secs_f64() });
        }
    }
}

/// A bar on standard error; hidden unless that is a terminal.
pub(crate) fn bar(units: u64, template: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(units), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template(template);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.progress_chars("━╸ "));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

impl Bars {
    /// Sets the text in front of the bar.
    pub(crate) fn label(&self, text: &str) {
        if let Some(current) = &self.state().current {
            current.bar.set_message(text.to_owned());
        }
    }
}

impl Progress for Bars {
    fn begin(&self, phase: &str, units: u64) {
        let mut state = self.state();
        state.end();
        let bar = bar(units, "{msg:24} {wide_bar} {percent:>3} %  {eta:>4} left");
        bar.set_message(phase.to_owned());
        state.current = Some(Current { name: phase.to_owned(), begun: Instant::now(), bar });
    }

    fn advance(&self, units: u64) {
        if self.drawn
            && let Some(current) = &self.state().current
        {
            current.bar.inc(units);
        }
    }

    fn cancelled(&self) -> bool {
        is_stopped()
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        self.state().end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phase_is_timed_in_order() {
        let progress = Bars { state: Mutex::default(), drawn: false };
        progress.begin("first", 2);
        progress.advance(2);
        progress.begin("second", 1);
        assert!(!progress.cancelled());
        let phases = progress.finish();
        let names: Vec<&str> = phases.iter().map(|phase| phase.name.as_str()).collect();
        assert_eq!(names, ["first", "second"]);
        assert!(progress.finish().is_empty());
    }
}
