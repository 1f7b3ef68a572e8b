//! What keeps a website's events out, and what to change.

use serde::{Deserialize, Deserializer};

use super::{Website, ingest_rules::HostPort};

/// Requests that the website's rules refused, of one origin for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Blocked {
    /// The page's origin, if the request named one.
    #[serde(deserialize_with = "named_origin")]
    pub origin: Option<String>,
    /// `origin_not_authorized`, `origin_missing` or `ip_not_authorized`.
    pub reason: String,
    pub count: u64,
    /// The last one, ISO 8601.
    pub last_seen: String,
    pub fix: String,
}

/// Rows write `(none)` for requests without an origin.
fn named_origin<'de, D: Deserializer<'de>>(row: D) -> Result<Option<String>, D::Error> {
    let origin = Option::<String>::deserialize(row)?;
    Ok(origin.filter(|origin| origin != "(none)"))
}

/// The worst of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackingIssue {
    pub blocked: Blocked,
    /// Host of the page.
    pub origin_host: Option<String>,
    /// Whether nothing but refusals comes.
    pub is_critical: bool,
    /// In a sentence.
    pub message: String,
}

/// The worst tracking issue of a website, if any; `stored` events came in the same time.
pub fn find_tracking_issue(
    website: &Website,
    blocked: Vec<Blocked>,
    stored: u64,
) -> Option<TrackingIssue> {
    let settings = &website.settings;
    if settings.tracking_issue_warnings_disabled {
        return None;
    }
    let ignored: Vec<HostPort> = settings
        .ignored_tracking_origins
        .iter()
        .filter_map(|entry| HostPort::from_entry(entry))
        .collect();
    let place = |one: &Blocked| one.origin.as_deref().and_then(HostPort::from_origin);
    let matters = |one: &Blocked| {
        place(one).is_none_or(|place| !ignored.iter().any(|entry| entry.matches(&place)))
    };
    let worst = blocked
        .into_iter()
        .filter(matters)
        .max_by_key(|one| one.count)?;
    let requests = match worst.count {
        1 => "1 request".to_owned(),
        count => format!("{count} requests"),
    };
    let message = match (worst.reason.as_str(), worst.origin.as_deref()) {
        ("ip_not_authorized", _) => {
            format!("{requests} came from addresses that are not allowed")
        }
        ("origin_missing", _) | (_, None) => {
            format!("{requests} named no origin, and this website lists its origins")
        }
        (_, Some(origin)) => format!(
            "{requests} came from {origin}, which is not {}",
            website.domain
        ),
    };
    Some(TrackingIssue {
        origin_host: place(&worst).map(|place| place.host),
        is_critical: stored == 0,
        message,
        blocked: worst,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        actors::websites::{WebsiteSettings, WebsiteStatus},
        ids::{OrganizationKey, WebsiteKey},
    };

    fn website(settings: WebsiteSettings) -> Website {
        Website {
            compatibility: Vec::new(),
            id: "w".into(),
            client_id: "w".into(),
            key: WebsiteKey(1),
            organization: "o".into(),
            organization_key: OrganizationKey(2),
            name: "w".into(),
            domain: "example.com".into(),
            status: WebsiteStatus::Active,
            is_public: false,
            settings,
            ingest_rules: crate::actors::websites::IngestRules::default(),
            created_ms: 0,
            updated_ms: 0,
        }
    }

    fn blocked(origin: Option<&str>, reason: &str, count: u64) -> Blocked {
        Blocked {
            origin: origin.map(str::to_owned),
            reason: reason.to_owned(),
            count,
            last_seen: String::new(),
            fix: String::new(),
        }
    }

    #[test]
    fn the_worst_is_told_and_how_bad_it_is() {
        let plain = website(WebsiteSettings::default());
        let all = vec![
            blocked(
                Some("https://shop.example:8443"),
                "origin_not_authorized",
                7,
            ),
            blocked(None, "ip_not_authorized", 3),
        ];
        let told = find_tracking_issue(&plain, all.clone(), 0).unwrap();
        assert_eq!(told.origin_host.as_deref(), Some("shop.example"));
        assert!(
            told.is_critical
                && told
                    .message
                    .contains("7 requests came from https://shop.example:8443")
        );
        assert!(!find_tracking_issue(&plain, all, 1).unwrap().is_critical);
        assert_eq!(find_tracking_issue(&plain, Vec::new(), 0), None);
        let missing =
            find_tracking_issue(&plain, vec![blocked(None, "origin_missing", 1)], 1).unwrap();
        assert_eq!((missing.origin_host, missing.blocked.count), (None, 1));
    }

    #[test]
    fn what_is_ignored_is_no_trouble() {
        let ignoring = |entries: &[&str], disabled| {
            website(WebsiteSettings {
                ignored_tracking_origins: entries.iter().map(|entry| (*entry).to_owned()).collect(),
                tracking_issue_warnings_disabled: disabled,
                ..WebsiteSettings::default()
            })
        };
        let all = || {
            vec![
                blocked(Some("https://a.preview.dev"), "origin_not_authorized", 9),
                blocked(Some("https://preview.dev"), "origin_not_authorized", 1),
            ]
        };
        let told = find_tracking_issue(&ignoring(&["*.preview.dev"], false), all(), 1).unwrap();
        assert_eq!(told.blocked.count, 1);
        assert_eq!(
            find_tracking_issue(&ignoring(&["*"], false), all(), 1),
            None
        );
        assert_eq!(find_tracking_issue(&ignoring(&[], true), all(), 1), None);
    }
}
