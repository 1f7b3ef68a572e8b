//! What must be true of a share link (pure).

use serde_json::{Map, Value};
use url::Url;

use super::model::{ShareFields, moment};
use crate::{
    actors::{issues::Issues, patch::patched, random::BASE62},
    clock::iso_ms,
    fault::Issue,
};

/// Share links of a website or a board.
pub(super) const MAX: u64 = 100;
/// Characters of a slug, of nearly 6 random bits each.
pub(super) const SLUG_LENGTH: usize = 22;
const MAX_ORIGINS: usize = 20;

/// Whether a text has the form of a slug.
pub fn is_slug(text: &str) -> bool {
    text.len() == SLUG_LENGTH && text.bytes().all(|byte| BASE62.contains(&byte))
}

/// The same, tidied and acceptable.
pub(super) fn checked(fields: ShareFields) -> Result<ShareFields, Vec<Issue>> {
    let mut issues = Issues::default();
    let name = fields.name.trim().to_owned();
    let fits = (1..=100).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    let message = "`name` has 1 to 100 characters";
    issues.require(fits, "invalid_value", "name", message);
    let expires_at = fields.expires_at.filter(|text| !text.is_empty());
    let expires_at = expires_at.and_then(|text| {
        let message = "`expiresAt` is a time such as 2026-12-31T23:59:59Z";
        let read = moment(&text).ok_or(message);
        issues.accept(read, "invalid", "expiresAt").map(iso_ms)
    });
    fields.allowed_ips.check("allowedIps", &mut issues);
    let mut embed_origins = Vec::new();
    for (at, text) in fields.embed_origins.iter().enumerate() {
        let message = format!(
            "“{text}” isn't an origin. Enter one such as https://example.com, without a path."
        );
        let read = origin(text).ok_or(message);
        let place = format!("embedOrigins[{at}]");
        embed_origins.extend(issues.accept(read, "invalid", &place));
    }
    embed_origins.dedup();
    let fits = embed_origins.len() <= MAX_ORIGINS;
    let message = format!("at most {MAX_ORIGINS} origins");
    issues.require(fits, "invalid_value", "embedOrigins", message);
    issues.finish(ShareFields {
        name,
        expires_at,
        embed_origins,
        members_only: fields.members_only,
        allowed_ips: fields.allowed_ips,
        password: fields.password,
    })
}

/// The same with some fields changed.
pub(super) fn changed(
    fields: &ShareFields,
    change: &Map<String, Value>,
) -> Result<ShareFields, Vec<Issue>> {
    let mut change = change.clone();
    if let Some(origins) = change
        .get_mut("embedOrigins")
        .filter(|value| value.is_null())
    {
        *origins = Value::Array(Vec::new());
    }
    checked(patched(("share link", fields), &change, "")?)
}

/// An origin as browsers write it. Whatever else could be said to them in a policy is refused.
fn origin(text: &str) -> Option<String> {
    let url = Url::parse(text.trim()).ok()?;
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let is_named = url.username().is_empty() && url.password().is_none();
    let is_web = ["http", "https"].contains(&url.scheme());
    let origin = url.origin().ascii_serialization();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:/[]".contains(&byte);
    (is_bare && is_named && is_web && origin.bytes().all(is_plain)).then_some(origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_exactly_that_and_says_nothing_else_to_browsers() {
        for (given, expected) in [
            ("https://Example.com", "https://example.com"),
            (" https://example.com:443/ ", "https://example.com"),
            ("http://localhost:3000", "http://localhost:3000"),
        ] {
            assert_eq!(origin(given).as_deref(), Some(expected));
        }
        for wrong in [
            "*",
            "https://*.example.com",
            "example.com",
            "https://example.com/a",
            "https://a@example.com",
            "https://example.com; script-src *",
            "https://a;b",
            "https://a,b",
            "https://a'b",
            "https:",
            "data:,",
            "file:///",
        ] {
            assert_eq!(origin(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_slug_has_more_than_128_random_bits() {
        assert!(62_f64.log2() * f64::from(u8::try_from(SLUG_LENGTH).unwrap()) > 128.0);
        assert!(is_slug("0123456789abcdefghijAZ"));
        for wrong in ["", "0123456789abcdefghijA", "0123456789abcdefghijA-"] {
            assert!(!is_slug(wrong));
        }
    }
}
