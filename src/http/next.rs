//! The address after a sign-in. It is never another site, because any link to the sign-in can name it.

/// The path, if it is one of this site; else the first page.
pub(super) fn safe(next: &str) -> &str {
    let is_path = next.starts_with('/') && !next.starts_with("//");
    // Browsers read a backslash as a slash, and leave out white space.
    let is_plain = !next
        .chars()
        .any(|letter| letter == '\\' || letter.is_control() || letter.is_whitespace());
    if is_path && is_plain { next } else { "/" }
}

/// A path with `next` behind it, unless that is the first page anyway.
pub(super) fn with(path: &str, next: &str) -> String {
    match safe(next) {
        "/" => path.to_owned(),
        next => {
            let pair = [("next", next)];
            let query = url::form_urlencoded::Serializer::new(String::new())
                .extend_pairs(pair)
                .finish();
            format!("{path}?{query}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_led_to_another_site() {
        for ours in ["/", "/console/sites/new", "/invite/a?b=c&d=//e"] {
            assert_eq!(safe(ours), ours);
        }
        for theirs in [
            "",
            "//evil.example",
            "https://evil.example",
            "/\\evil.example",
            "\\/evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            " //evil.example",
            "javascript:alert(1)",
            "evil.example/",
        ] {
            assert_eq!(safe(theirs), "/", "{theirs:?}");
        }
        assert_eq!(with("/login", "/a?b=c"), "/login?next=%2Fa%3Fb%3Dc");
        assert_eq!(with("/login", "//evil"), "/login");
    }
}
