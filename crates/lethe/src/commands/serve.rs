//! `lethe serve`: the explorer in the browser.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};

use lethe_server::{Config, Server};

use crate::error::InputError;
use crate::output::Output;
use crate::progress::{self, Bars};

/// Opens the explorer in the browser: set up spots, solve them, walk the solutions
///
/// Spots, solutions, blueprints and abstractions of the data directory in one local page, which also
/// shows solves while they run. Everything the page does is an HTTP API that scripts can use:
/// /api/v1/openapi.json describes it.
///
/// It answers only this machine, unless --host names another address to listen on: then it prints a
/// token that every request must carry. Ctrl-C stops what runs and saves what it reached.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe serve
  lethe serve --port 8000 --no-open")]
pub(crate) struct Args {
    /// The port to listen on; 0: any that is free
    #[arg(long, value_name = "N", default_value = "7777")]
    port: u16,
    /// The address to listen on
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
}

/// Serves until it is stopped.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let config = Config {
        host: args.host,
        port: args.port,
        data: out.data().clone(),
        threads: out.threads(),
    };
    let server = Server::bind(config).map_err(InputError::new)?;
    // From now on a signal is noted.
    let _bars = Bars::new();
    let url = server.url();
    writeln!(out, "Lethe is at {url}")?;
    writeln!(out, "Ctrl-C ends it.")?;
    out.flush()?;
    if !args.no_open {
        open(&url);
    }
    for path in server.run(progress::is_stopped) {
        writeln!(out, "saved {}", path.display())?;
    }
    Ok(())
}

/// Opens an address in the browser, where there is one.
fn open(url: &str) {
    let (program, first): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let shows = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    if program != "xdg-open" || shows {
        let quiet = std::process::Stdio::null;
        let started = std::process::Command::new(program)
            .args(first)
            .arg(url)
            .stdin(quiet())
            .stdout(quiet())
            .stderr(quiet())
            .spawn();
        // The address was printed: without a browser it is typed.
        drop(started);
    }
}
