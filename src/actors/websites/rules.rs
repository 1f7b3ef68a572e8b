//! Pure decisions: names and domains.

use crate::actors::validation::ValidationError;

const MAX_NAME: usize = 100;
/// The longest host name, and a port.
const MAX_DOMAIN: usize = 253 + 6;
const MAX_LABEL: usize = 63;

/// Whether a website could be made with this name and domain, taken domains aside.
pub fn check(name: &str, domain: &str) -> Result<(), ValidationError> {
    self::name(name)?;
    self::domain(domain)?;
    Ok(())
}

/// A website's name: 1 to 100 of `[\w\s-.]`, white space around it taken away.
pub(super) fn name(text: &str) -> Result<String, ValidationError> {
    let name = text.trim();
    let known = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_-.".contains(c);
    ValidationError::require(
        (1..=MAX_NAME).contains(&name.chars().count()) && name.chars().all(known),
        "name",
        "The name must have 1 to 100 letters, digits, spaces, `_`, `-` or `.`",
    )?;
    Ok(name.to_owned())
}

/// A website's domain as it is stored: host and port, lower case, without scheme, credentials, path or final dot.
pub(super) fn domain(text: &str) -> Result<String, ValidationError> {
    let text = text.trim();
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let rest = rest.strip_prefix("//").unwrap_or(rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let place = authority.rsplit('@').next().unwrap_or_default();
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (place, None),
    };
    let host = host.strip_suffix('.').unwrap_or(host).to_lowercase();
    let port_is_fine = port.is_none_or(|port| {
        port.bytes().all(|digit| digit.is_ascii_digit()) && port.parse::<u16>().is_ok()
    });
    ValidationError::require(
        is_host(&host) && port_is_fine && place.len() <= MAX_DOMAIN,
        "domain",
        "The domain must be a host name such as `example.com`",
    )?;
    Ok(match port {
        Some(port) => format!("{host}:{port}"),
        None => host,
    })
}

/// Labels of letters (of any script), digits and inner hyphens, divided by dots.
fn is_host(host: &str) -> bool {
    host.split('.').all(|label| {
        !label.is_empty()
            && label.len() <= MAX_LABEL
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .chars()
                .all(|c| c.is_alphanumeric() || c == '-' || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn domains_are_normalised() {
        for (given, stored) in [
            ("example.com", "example.com"),
            (" HTTPS://Www.Example.com/path?q#f ", "www.example.com"),
            ("//example.com", "example.com"),
            ("example.com.", "example.com"),
            ("user:word@example.com:8443/x", "example.com:8443"),
            ("localhost", "localhost"),
            ("localhost:3000", "localhost:3000"),
            ("127.0.0.1", "127.0.0.1"),
            ("BÜCHER.example", "bücher.example"),
        ] {
            assert_eq!(domain(given).as_deref(), Ok(stored), "{given}");
        }
    }

    #[test]
    fn what_is_no_host_is_refused() {
        let label = "x".repeat(64);
        let long = "abc.".repeat(80) + "com";
        for given in [
            "",
            " ",
            "https://",
            "a..b",
            "-a.com",
            "a-.com",
            "a b.com",
            "a.com:",
            "a.com:x",
            "a.com:99999",
            "a.com:+80",
            "<script>",
            "a,b",
            &label,
            &long,
        ] {
            assert_eq!(domain(given).unwrap_err().field, "domain", "{given}");
        }
    }

    #[test]
    fn names_follow_the_rule() {
        assert_eq!(name(" My-site_2.0 äö ").unwrap(), "My-site_2.0 äö");
        let long = "x".repeat(101);
        for given in ["", "  ", "a/b", "<b>", "a\u{0}b", &long] {
            assert_eq!(name(given).unwrap_err().field, "name", "{given}");
        }
    }

    proptest! {
        #[test]
        fn a_stored_domain_is_stored_as_itself(text in ".{0,40}") {
            if let Ok(stored) = domain(&text) {
                prop_assert_eq!(domain(&stored), Ok(stored));
            }
        }
    }
}
