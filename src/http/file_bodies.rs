//! Which requests carry a file.

use actix_web::http::Method;

/// Whether a request's body is a file that is written to the disk as it comes, which has a limit of its own.
pub(super) fn carries_file(method: &Method, path: &str) -> bool {
    let part = path
        .strip_prefix("/v1/imports/")
        .is_some_and(|rest| rest.ends_with("/content"));
    (*method == Method::PUT && part) || (*method == Method::POST && path == "/console/import")
}
