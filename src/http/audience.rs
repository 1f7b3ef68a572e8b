//! What a token of an app is for (RFC 8707): the MCP endpoint, or all of `{base_url}`.

use super::Urls;
use crate::{
    access::Scope,
    actors::oauth::{OFFERED, Resource},
};

/// Where agents speak to us.
pub(super) const MCP: &str = "/v1/mcp";

/// Whether a path is the MCP endpoint's, in any of its spellings.
pub(super) fn is_mcp(path: &str) -> bool {
    matches!(path, MCP | "/v1/mcp/" | "/mcp" | "/.well-known/mcp")
}

/// What a request with a token is for, by its path.
pub(super) fn from_path(path: &str) -> Resource {
    if is_mcp(path) {
        Resource::Mcp
    } else {
        Resource::Api
    }
}

/// What a token is asked for, by its address; `None` for what is not ours.
pub(super) fn from_address(urls: &Urls, text: &str) -> Option<Resource> {
    match text.trim_end_matches('/').strip_prefix(&urls.base)? {
        "" => Some(Resource::Api),
        path if is_mcp(path) => Some(Resource::Mcp),
        _ => None,
    }
}

/// What apps may ask for.
pub(super) fn scopes() -> Vec<&'static str> {
    OFFERED.map(Scope::as_str).to_vec()
}
