//! Which requests are answered at all, and the headers of every answer.
//!
//! A browser that shows some other site must not reach this server: a page may resolve its own name
//! to the loopback address (DNS rebinding), or send a request across origins. The first is seen by its
//! `Host`, the second by its `Origin` or `Sec-Fetch-Site`. A script sends none of these but `Host`.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::error::ApiError;

/// The largest body of a request, in bytes.
pub(crate) const BODY_LIMIT: usize = 256 * 1024;

/// What a page of this server may load and do: its own files and its own API.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types svelte-trusted-html";

/// The cookie that holds the token.
const COOKIE: &str = "lethe_token";

/// Who may ask.
#[derive(Debug)]
pub(crate) struct Guard {
    /// The values of `Host` that name this server.
    hosts: Vec<String>,
    /// What every request must carry where the server can be reached from elsewhere.
    token: Option<String>,
}

impl Guard {
    /// The guard of a server that listens on an address.
    pub(crate) fn new(address: SocketAddr, token: Option<String>) -> Guard {
        let port = address.port();
        let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        names.push(match address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        });
        let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        if port == 80 {
            hosts.extend(names);
        }
        Guard { hosts, token }
    }

    /// Whether a `Host` names this server. With a token any does that is an address: the token keeps
    /// others out, and a rebound page has a name.
    fn knows(&self, host: &str) -> bool {
        let is_address = || host.parse::<SocketAddr>().is_ok() || host.parse::<IpAddr>().is_ok();
        self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host))
            || self.token.is_some() && is_address()
    }

    fn check(&self, request: &Request) -> Result<(), ApiError> {
        let refuse = |why: String| Err(ApiError::new(StatusCode::FORBIDDEN, why));
        let headers = request.headers();
        let host = request.uri().authority().map(|host| host.as_str()).or(text(headers, "host"));
        let host = host.unwrap_or_default();
        if headers.get_all(header::HOST).iter().count() > 1 || !self.knows(host) {
            return refuse(format!(
                "Host {} is not this server; open it as http://{}",
                host.escape_debug(),
                self.hosts[0]
            ));
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let same = |origin: &str| origin.eq_ignore_ascii_case(&format!("http://{host}"));
            if let Some(origin) = headers.get(header::ORIGIN)
                && !origin.to_str().is_ok_and(same)
            {
                return refuse("Origin is another site".to_owned());
            }
            if let Some(site) = headers.get("sec-fetch-site")
                && !matches!(site.as_bytes(), b"same-origin" | b"none")
            {
                return refuse("Sec-Fetch-Site is another site".to_owned());
            }
        }
        match &self.token {
            Some(token) if !carries(request, token) => {
                let why = "give the token that the server printed: open its address with ?token=…, \
                           or send Authorization: Bearer …";
                Err(ApiError::new(StatusCode::UNAUTHORIZED, why))
            }
            _ => Ok(()),
        }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Whether a request carries the token: as a bearer, in its cookie, or in its address.
fn carries(request: &Request, token: &str) -> bool {
    let headers = request.headers();
    let bearer = text(headers, "authorization").and_then(|value| value.strip_prefix("Bearer "));
    let cookies = text(headers, "cookie").unwrap_or_default().split("; ");
    let mut cookies = cookies.filter_map(|cookie| cookie.split_once('='));
    let cookie = cookies.find(|(name, _)| *name == COOKIE).map(|(_, value)| value);
    [bearer, cookie, in_query(request)].into_iter().flatten().any(|given| same(given, token))
}

fn in_query(request: &Request) -> Option<&str> {
    let mut pairs = request.uri().query()?.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| *name == "token").map(|(_, value)| value)
}

/// Whether two texts are equal, in a time that does not depend on where they differ.
fn same(given: &str, token: &str) -> bool {
    blake3::hash(given.as_bytes()) == blake3::hash(token.as_bytes())
}

/// Refuses what must not be answered, and adds the headers of every answer.
pub(crate) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let keeps_token = app.guard.token.is_some() && in_query(&request).is_some();
    let is_api = request.uri().path().starts_with("/api/");
    let mut response = match app.guard.check(&request) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    let headers = response.headers_mut();
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    if is_api {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if let (true, StatusCode::OK, Some(token)) = (keeps_token, response.status(), &app.guard.token)
    {
        let cookie = format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict");
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
    }
    response
}
