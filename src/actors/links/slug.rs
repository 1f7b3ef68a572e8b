//! What a slug may be.

use std::ops::RangeInclusive;

/// Slugs that are, or may become, routes of pharos. Part of the error.
const RESERVED: [&str; 24] = [
    "admin",
    "api",
    "app",
    "assets",
    "console",
    "docs",
    "favicon",
    "health",
    "images",
    "invite",
    "links",
    "login",
    "logout",
    "mcp",
    "metrics",
    "public",
    "reset",
    "robots",
    "rpc",
    "static",
    "status",
    "track",
    "well-known",
    "www",
];

const NEW: RangeInclusive<usize> = 3..=50;
const IMPORTED: RangeInclusive<usize> = 1..=190;

/// Files at the root of a host that speak for all of it, without what follows the dot.
const FILES: [&str; 5] = ["ads", "app-ads", "humans", "security", "sitemap"];

/// Which slugs are accepted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SlugRule {
    /// 3 to 50 letters, digits, `-` or `_`.
    #[default]
    New,
    /// Those of other services, which are in use: 1 to 190 letters, digits, `-`, `_`, `.` or `~`, in segments between `/`. No
    /// segment begins with `.`.
    Imported,
}

impl SlugRule {
    /// Refuses other slugs, and reserved ones.
    ///
    /// # Errors
    /// The code of the issue, and why.
    pub(super) fn check(self, slug: &str) -> Result<(), (&'static str, String)> {
        if !self.accepts(slug) {
            let message = match self {
                Self::New => "`slug` must have 3 to 50 letters, digits, `-` or `_`",
                Self::Imported => {
                    "An imported `slug` must have 1 to 190 letters, digits, `-`, `_`, `.` or `~`, in parts between `/`, and no part begins with `.`"
                }
            };
            return Err(("invalid", message.to_owned()));
        }
        // `robots.txt` and `docs/start` are routes, too.
        let first = slug.split(['/', '.']).next().unwrap_or_default();
        let first = first.to_ascii_lowercase();
        if FILES.contains(&first.as_str()) && slug.contains('.') {
            let message =
                format!("`{slug}` is reserved: a file of this name is about the whole host");
            return Err(("reserved", message));
        }
        if RESERVED.contains(&first.as_str()) {
            let message = format!(
                "`{slug}` is reserved. Reserved slugs: {}",
                RESERVED.join(", ")
            );
            return Err(("reserved", message));
        }
        Ok(())
    }

    fn accepts(self, slug: &str) -> bool {
        let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        match self {
            Self::New => NEW.contains(&slug.len()) && slug.bytes().all(is_usual),
            Self::Imported => {
                let is_known = |byte: u8| is_usual(byte) || byte == b'.' || byte == b'~';
                IMPORTED.contains(&slug.len())
                    && slug.split('/').all(|part| {
                        !part.is_empty() && !part.starts_with('.') && part.bytes().all(is_known)
                    })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_slugs_are_plain_and_imported_ones_as_wide_as_elsewhere() {
        let text = |length: usize| "a".repeat(length);
        for (slug, new, imported) in [
            ("abc", true, true),
            ("a_B-9", true, true),
            ("admins", true, true),
            ("security", true, true),
            (&text(50), true, true),
            ("a", false, true),
            ("a/b.c/~d", false, true),
            (&text(190), false, true),
            (&text(191), false, false),
            ("", false, false),
            ("a b", false, false),
            ("aé1", false, false),
            ("a%20b", false, false),
            ("/a", false, false),
            ("a//b", false, false),
            ("a/../b", false, false),
            (".well-known/x", false, false),
        ] {
            assert_eq!(SlugRule::New.check(slug).is_ok(), new, "{slug}");
            assert_eq!(SlugRule::Imported.check(slug).is_ok(), imported, "{slug}");
        }
        for slug in [
            "admin",
            "Admin",
            "docs/start",
            "robots.txt",
            "health/ready",
            "ads.txt",
            "sitemap.xml",
        ] {
            let refused = SlugRule::Imported.check(slug).unwrap_err();
            assert_eq!(refused.0, "reserved", "{slug}");
        }
    }
}
