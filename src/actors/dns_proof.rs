//! How DNS proves that a name is an organization's: which names can be proved, and by which text record.

/// A proof that is missing counts for this long after it was found, milliseconds.
pub const MISSING_MS: i64 = 3 * 24 * 60 * 60 * 1000;
/// Characters of a name, so that the name of its record fits into DNS.
const MAX_NAME: usize = 240;
/// Characters of a record that are kept, and how many records.
const MAX_SHOWN: (usize, usize) = (100, 10);

/// The name as it is stored, if it can be proved: no IP address, and none below which anybody can register one.
pub(super) fn provable(given: &str) -> Option<String> {
    let name = match url::Host::parse(given.trim_end_matches('.')) {
        Ok(url::Host::Domain(name)) if name.len() <= MAX_NAME => name,
        _ => return None,
    };
    let is_label = |label: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        (1..=63).contains(&label.len()) && label.bytes().all(plain)
    };
    (name.split('.').all(is_label) && psl::domain_str(&name).is_some()).then_some(name)
}

/// The registered domain above a name, or the name itself if that is it. Names below it can have one wildcard record.
/// `None` of addresses and of names without a dot. Below a public suffix every name counts for itself; a suffix itself is what
/// its operator has.
pub(super) fn registrable(name: &str) -> Option<&str> {
    let is_name = matches!(url::Host::parse(name), Ok(url::Host::Domain(_)));
    (is_name && name.contains('.')).then(|| psl::domain_str(name).unwrap_or(name))
}

/// The name of the text record.
pub(super) fn record_name(name: &str) -> String {
    format!("_pharos.{name}")
}

/// What the text record has to hold.
pub(super) fn record_text(token: &str) -> String {
    format!("pharos-verification={token}")
}

/// Records as they are shown beside the one that is missing.
pub(super) fn shown(records: Vec<String>) -> Vec<String> {
    let (length, count) = MAX_SHOWN;
    let records = records.into_iter().take(count);
    records
        .map(|record| record.chars().take(length).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_below_one_registered_domain_share_it() {
        for (name, domain) in [
            ("stats.example.com", Some("example.com")),
            ("example.com", Some("example.com")),
            ("a.b.example.co.uk", Some("example.co.uk")),
            ("pharos.github.io", Some("pharos.github.io")),
            ("github.io", Some("github.io")),
            ("localhost", None),
            ("127.0.0.1", None),
            ("[::1]", None),
            ("", None),
        ] {
            assert_eq!(registrable(name), domain, "{name}");
        }
    }
}
