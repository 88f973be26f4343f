//! `Server`: the address it listens on, its connections and its end.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use lethe_compute::{Pool, PoolError};
use lethe_kit::data::DataDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

use crate::app::App;
use crate::guard::{Guard, guard};
use crate::jobs::Jobs;
use crate::play::Tables;
use crate::{assets, routes};

/// How long a connection may take to send the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// The most connections at a time.
const CONNECTIONS: usize = 4096;
/// How long the end may take: stopping what runs and saving what it reached.
const END: Duration = Duration::from_millis(800);

/// What a server is told.
#[derive(Clone, Debug)]
pub struct Config {
    /// The address to listen on. Any but a loopback address makes a token.
    pub host: IpAddr,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// Where abstractions, runs, solutions and spots are.
    pub data: DataDir,
    /// The threads of a solve, and of views.
    pub threads: usize,
}

/// A server that listens and does not answer yet.
#[derive(Debug)]
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    token: Option<String>,
    app: Arc<App>,
}

impl Server {
    /// Listens.
    pub fn bind(config: Config) -> Result<Server, BindError> {
        let asked = SocketAddr::new(config.host, config.port);
        raise_file_limit();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(16)
            .enable_all()
            .build()
            .map_err(BindError::Threads)?;
        let listener =
            runtime.block_on(TcpListener::bind(asked)).map_err(|why| match why.kind() {
                io::ErrorKind::AddrInUse => match other_server(asked) {
                    Some(other) => BindError::Lethe { address: asked, other },
                    None => BindError::Taken { address: asked },
                },
                _ => BindError::Bind { address: asked, why },
            })?;
        let failed = |why| BindError::Bind { address: asked, why };
        let address = listener.local_addr().map_err(failed)?;
        let token = match address.ip().is_loopback() {
            true => None,
            false => Some(new_token().map_err(|error| failed(io::Error::other(error)))?),
        };
        let jobs = Jobs::new(Arc::new(Pool::new(config.threads)?)).map_err(BindError::Threads)?;
        let guard = Guard::new(address, token.clone());
        let pool = Arc::new(Pool::new(config.threads)?);
        let tables = Tables::new(Arc::new(Pool::new(config.threads)?));
        let app = Arc::new(App::new(config.data, guard, jobs, tables, pool));
        Ok(Server { runtime, listener, address, token, app })
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the page, with the token where there is one.
    pub fn url(&self) -> String {
        let ip = self.address.ip();
        let host = match ip {
            ip if ip.is_loopback() => "localhost".to_owned(),
            IpAddr::V4(ip) if ip.is_unspecified() => "127.0.0.1".to_owned(),
            IpAddr::V6(ip) if ip.is_unspecified() => "[::1]".to_owned(),
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        let token = self.token.as_ref().map_or_else(String::new, |token| format!("?token={token}"));
        format!("http://{host}:{}/{token}", self.address.port())
    }

    /// Answers until `is_over`, then stops what runs and saves what it reached, all within a second.
    /// Returns the files it saved.
    pub fn run(self, is_over: impl Fn() -> bool) -> Vec<PathBuf> {
        let Server { runtime, listener, app, .. } = self;
        let router = Router::new()
            .merge(routes::api())
            .fallback(axum::routing::get(assets::asset))
            .layer(middleware::from_fn_with_state(app.clone(), guard))
            .with_state(app.clone());
        runtime.spawn(accept(listener, router));
        while !is_over() {
            std::thread::sleep(Duration::from_millis(20));
        }
        let saved = app.jobs.shut_down(&app.data.solutions(), END);
        app.tables.shut_down(END / 4);
        runtime.shutdown_background();
        saved
    }
}

/// Takes connections, each in a task of its own.
async fn accept(listener: TcpListener, router: Router) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file descriptors, most likely: those of others will be closed.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let mut http = hyper::server::conn::http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEAD);
            // A client that goes away is no error of ours.
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
            drop(place);
        });
    }
}

/// Lets the process have as many connections as the system allows, up to what the server takes.
fn raise_file_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        let most = limit.maximum.unwrap_or(u64::MAX).min(2 * CONNECTIONS as u64);
        if limit.current.is_some_and(|current| current < most) {
            // Where it is refused the server has fewer connections.
            let _ =
                setrlimit(Resource::Nofile, Rlimit { current: Some(most), maximum: limit.maximum });
        }
    }
}

/// 128 random bits in hexadecimal digits.
fn new_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What the server at an address says it is, if it is one of ours.
fn other_server(address: SocketAddr) -> Option<String> {
    let patience = Duration::from_millis(500);
    let mut stream = TcpStream::connect_timeout(&address, patience).ok()?;
    stream.set_read_timeout(Some(patience)).ok()?;
    let ask =
        format!("GET /api/v1/server HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(ask.as_bytes()).ok()?;
    let mut answer = Vec::new();
    let _ = stream.take(1 << 16).read_to_end(&mut answer);
    let text = String::from_utf8(answer).ok()?;
    let found: serde_json::Value = serde_json::from_str(text.split_once("\r\n\r\n")?.1).ok()?;
    if found.get("error").is_some() {
        return Some("lethe, which asks for its token".to_owned());
    }
    let word = |key: &str| {
        found.get(key).map(|value| value.as_str().map_or(value.to_string(), str::to_owned))
    };
    (word("program")? == "lethe").then_some(())?;
    Some(format!(
        "lethe {} with the data directory {} (process {})",
        word("version")?,
        word("data")?,
        word("process")?
    ))
}

/// A server that cannot listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// Another server of ours is there.
    #[error("port {} is taken by {other}: open http://localhost:{}, or choose another --port",
            address.port(), address.port())]
    Lethe {
        /// The address.
        address: SocketAddr,
        /// What it says it is.
        other: String,
    },
    /// Another program is there.
    #[error("port {} is taken by another program; choose another --port", address.port())]
    Taken {
        /// The address.
        address: SocketAddr,
    },
    /// The address cannot be used.
    #[error("cannot listen on {address}: {why}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        why: io::Error,
    },
    /// Threads cannot be started.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// Threads of the server cannot be started.
    #[error("cannot start the threads of the server: {0}")]
    Threads(io::Error),
}
