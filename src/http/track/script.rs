//! The tracker script: compiled into the program, packed once, the same bytes for everybody.
//!
//! Pages of any origin load it, with and without `crossorigin`, so the answer never depends on who asks.

use std::{io::Write as _, sync::LazyLock};

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{
            ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG,
            EntityTag, Header as _, HeaderName, IfNoneMatch, VARY,
        },
    },
    web::{self, ServiceConfig},
};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest as _, Sha256};

use crate::http::{Host, document::accepts_gzip, routes::Route};

/// What `scripts/tracker` built.
const SCRIPT: &str = include_str!("../../../tracker/dist/pharos.js");

/// Where the script is whatever the settings say.
pub(super) const PATHS: [&str; 2] = ["/pharos.js", "/databuddy.js"];

/// A page may use its copy for an hour, and for a day while it asks for a newer one.
const CACHING: &str = "public, max-age=3600, stale-while-revalidate=86400";
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The script in one encoding, with the tag of just these bytes.
struct Copy {
    bytes: Bytes,
    tag: EntityTag,
}

struct Copies {
    plain: Copy,
    gzip: Copy,
}

static COPIES: LazyLock<Copies> = LazyLock::new(|| Copies {
    plain: Copy::new(Bytes::from_static(SCRIPT.as_bytes())),
    gzip: Copy::new(packed(SCRIPT.as_bytes())),
});

impl Copy {
    fn new(bytes: Bytes) -> Self {
        let tag = data_encoding::HEXLOWER.encode(&Sha256::digest(&bytes)[..16]);
        Self {
            bytes,
            tag: EntityTag::new_strong(tag),
        }
    }
}

fn packed(plain: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(plain);
    encoder.finish().unwrap_or_default().into()
}

pub(super) fn routes() -> Vec<Route> {
    PATHS
        .map(|path| {
            Route::new(Method::GET, Host::Track, path, |route| route.to(script))
                .says(
                    "Tracker script",
                    "The script that pages load; also at `server.tracker_path`. Has an `ETag`.",
                )
                .media("text/javascript")
                .or(304)
        })
        .into()
}

/// Serves the script at a path of the operator's choice as well.
pub(in crate::http) fn also_at(path: &str, config: &mut ServiceConfig) {
    if !PATHS.contains(&path) {
        config.service(
            web::resource(path)
                .route(web::get().to(script))
                .route(web::head().to(script)),
        );
    }
}

async fn script(request: HttpRequest) -> HttpResponse {
    let is_packed = accepts_gzip(&request);
    let copy = if is_packed {
        &COPIES.gzip
    } else {
        &COPIES.plain
    };
    let is_known = match IfNoneMatch::parse(&request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(tags)) => tags.iter().any(|tag| tag.weak_eq(&copy.tag)),
        Err(_) => false,
    };
    let mut answer = if is_known {
        HttpResponse::NotModified()
    } else {
        HttpResponse::Ok()
    };
    answer
        .insert_header((ETAG, copy.tag.to_string()))
        .insert_header((CACHE_CONTROL, CACHING))
        .insert_header((VARY, "Accept-Encoding"))
        .insert_header((ACCESS_CONTROL_ALLOW_ORIGIN, "*"))
        .insert_header((RESOURCE_POLICY, "cross-origin"));
    if is_known {
        return answer.finish();
    }
    if is_packed {
        answer.insert_header((CONTENT_ENCODING, "gzip"));
    }
    answer
        .insert_header((CONTENT_TYPE, "text/javascript; charset=utf-8"))
        .body(copy.bytes.clone())
}
