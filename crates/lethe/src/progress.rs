//! Progress bars on standard error, and what to do when asked to stop.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lethe_compute::{Job, Pool, Progress};
use lethe_kit::abstractions::Phase;
#[cfg(unix)]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Signals that ask the program to end.
#[derive(Default)]
struct Signals {
    /// Whether one has come.
    stopped: Arc<AtomicBool>,
    /// The last one.
    last: Arc<AtomicUsize>,
}

static SIGNALS: LazyLock<Signals> = LazyLock::new(Signals::default);

impl Signals {
    /// From now on the first signal is noted, and the second ends the program at once.
    fn note(&self) -> io::Result<()> {
        let mut signals = vec![SIGINT, SIGTERM];
        #[cfg(unix)]
        if !is_ignored(SIGHUP) {
            signals.push(SIGHUP);
        }
        for signal in signals {
            // In this order, so that the first of these sees what earlier signals did.
            flag::register_conditional_shutdown(signal, 128 + signal, self.stopped.clone())?;
            flag::register_usize(signal, self.last.clone(), signal as usize)?;
            flag::register(signal, self.stopped.clone())?;
        }
        Ok(())
    }
}

/// Whether whoever started the program wants it to survive a signal, as `nohup` does.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Whether Ctrl-C was pressed, or a signal asked the program to end.
pub(crate) fn is_stopped() -> bool {
    SIGNALS.stopped.load(Ordering::Relaxed)
}

/// The exit code of a program that was stopped: 128 and the number of the signal, as shells do.
pub(crate) fn stopped_code() -> u8 {
    let signal = SIGNALS.last.load(Ordering::Relaxed);
    128 + u8::try_from(signal).ok().filter(|&signal| signal > 0).unwrap_or(SIGINT as u8)
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
    /// Begins to watch. From now on Ctrl-C, `SIGTERM` or `SIGHUP` stops the computation, and a second
    /// one the program.
    pub(crate) fn new() -> Bars {
        static NOTED: Once = Once::new();
        // Where this fails a signal ends the program at once, which leaves what a crash leaves.
        NOTED.call_once(|| drop(SIGNALS.note()));
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
