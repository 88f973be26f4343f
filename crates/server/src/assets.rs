//! The page: files that were built from `web/` and are part of the program.

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

struct Asset {
    path: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

const ASSETS: &[Asset] = &[
    Asset {
        path: "/index.html",
        kind: "text/html; charset=utf-8",
        bytes: include_bytes!("../dist/index.html"),
    },
    Asset {
        path: "/app.js",
        kind: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../dist/app.js"),
    },
    Asset {
        path: "/app.css",
        kind: "text/css; charset=utf-8",
        bytes: include_bytes!("../dist/app.css"),
    },
    Asset { path: "/icon.svg", kind: "image/svg+xml", bytes: include_bytes!("../dist/icon.svg") },
];

/// A file of the page; every other address is the page itself, which finds its way.
pub(crate) async fn asset(uri: axum::http::Uri, headers: HeaderMap) -> Response {
    let found = ASSETS.iter().find(|asset| asset.path == uri.path());
    let is_file = |path: &str| path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    let Some(asset) = found.or((!is_file(uri.path())).then_some(&ASSETS[0])) else {
        return (StatusCode::NOT_FOUND, "no such file").into_response();
    };
    let tag = format!("\"{}\"", &blake3::hash(asset.bytes).to_hex()[..16]);
    let fresh = headers.get(header::IF_NONE_MATCH).is_some_and(|known| *known == *tag);
    // Browsers ask for the icon whenever the address changes; the rest belongs together and is
    // compared at every load.
    let keep = if asset.path == "/icon.svg" { "max-age=86400" } else { "no-cache" };
    let about = [(header::ETAG, tag), (header::CACHE_CONTROL, keep.to_owned())];
    match fresh {
        true => (StatusCode::NOT_MODIFIED, about).into_response(),
        false => (about, [(header::CONTENT_TYPE, asset.kind)], asset.bytes).into_response(),
    }
}
