//! Pure decisions: what a key may be called, what it grants, and when it is refused.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{CreateKey, KeyQuota};
use crate::{
    access::Scope,
    fault::{Fault, Issue},
    ids::WebsiteId,
};

const MAX_NAME: usize = 100;
const MAX_DESCRIPTION: usize = 500;
const MAX_TAGS: usize = 10;
const MAX_TAG: usize = 50;
const MAX_WEBSITES: usize = 1000;

/// The resources that a key's scopes hold for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// Scopes for all websites of the organization; not empty means global access.
    #[serde(default)]
    pub global: Vec<Scope>,
    /// Scopes for single websites.
    #[serde(default)]
    pub websites: BTreeMap<WebsiteId, Vec<Scope>>,
}

/// Global scopes, and scopes by website.
pub(super) type Rights = (Vec<Scope>, Vec<(WebsiteId, Vec<Scope>)>);

/// What a key grants. Without `resources` its scopes hold everywhere; with them they hold wherever it has access,
/// beside the scopes named there.
pub(super) fn rights(scopes: &[Scope], resources: Option<&Resources>) -> Rights {
    let Some(resources) = resources else {
        return (union(scopes, &[]), Vec::new());
    };
    let global = if resources.global.is_empty() {
        Vec::new()
    } else {
        union(scopes, &resources.global)
    };
    let websites = resources
        .websites
        .iter()
        .map(|(website, own)| (website.clone(), union(scopes, own)))
        .collect();
    (global, websites)
}

fn union(one: &[Scope], other: &[Scope]) -> Vec<Scope> {
    Scope::ALL
        .into_iter()
        .filter(|scope| one.contains(scope) || other.contains(scope))
        .collect()
}

/// A field of a new key that is not acceptable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    field: &'static str,
    message: &'static str,
}

impl Refusal {
    pub(super) fn into_fault(self) -> Fault {
        let issue = Issue::new("invalid", self.field, self.message);
        Fault::issues(self.message, vec![issue])
    }
}

/// Checks a new key.
pub(super) fn admit(key: &CreateKey, now_ms: i64) -> Result<(), Refusal> {
    let refuse = |field, message| Err(Refusal { field, message });
    let length = |text: &str| text.chars().count();
    if key.name.trim().is_empty() || length(&key.name) > MAX_NAME {
        return refuse("name", "The name must have 1 to 100 characters");
    }
    let described = key.description.as_deref().map_or(0, length);
    if described > MAX_DESCRIPTION {
        return refuse(
            "description",
            "The description must have at most 500 characters",
        );
    }
    let tag_is_fine = |tag: &String| (1..=MAX_TAG).contains(&length(tag));
    if key.tags.len() > MAX_TAGS || !key.tags.iter().all(tag_is_fine) {
        return refuse("tags", "At most 10 tags of 1 to 50 characters each");
    }
    let websites = key
        .resources
        .as_ref()
        .map_or(0, |given| given.websites.len());
    if websites > MAX_WEBSITES {
        return refuse("resources", "A key may name at most 1000 websites");
    }
    let KeyQuota {
        max,
        window_seconds,
        ..
    } = key.quota;
    let storable = |number: u32| (1..=i32::MAX as u32).contains(&number);
    if !storable(max) || !storable(window_seconds) {
        return refuse("rateLimit", "The limit and its window must be 1 or more");
    }
    if key
        .expires_ms
        .is_some_and(|expires_ms| expires_ms <= now_ms)
    {
        return refuse("expiresAt", "The key must expire in the future");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use Scope::{ReadData, ReadLinks, TrackEvents};

    use super::*;

    #[test]
    fn scopes_without_resources_hold_everywhere() {
        let (global, websites) = rights(&[TrackEvents, ReadData, ReadData], None);
        assert_eq!(global, [ReadData, TrackEvents]);
        assert!(websites.is_empty());
    }

    #[test]
    fn resources_narrow_where_scopes_hold() {
        let website = WebsiteId::from("w");
        let only_website = Resources {
            global: Vec::new(),
            websites: BTreeMap::from([(website.clone(), vec![TrackEvents])]),
        };
        let (global, websites) = rights(&[ReadData], Some(&only_website));
        assert!(global.is_empty());
        assert_eq!(websites, [(website, vec![ReadData, TrackEvents])]);

        let everywhere = Resources {
            global: vec![ReadLinks],
            websites: BTreeMap::new(),
        };
        let (global, _) = rights(&[ReadData], Some(&everywhere));
        assert_eq!(global, [ReadData, ReadLinks]);

        let nowhere = rights(&[ReadData], Some(&Resources::default()));
        assert_eq!(nowhere, (Vec::new(), Vec::new()));
    }

    #[test]
    fn each_field_is_refused_by_name() {
        type Change = fn(&mut CreateKey);
        let changes: [(&str, Change); 9] = [
            ("name", |key| key.name = " ".to_owned()),
            ("name", |key| key.name = "x".repeat(101)),
            ("description", |key| key.description = Some("x".repeat(501))),
            ("tags", |key| key.tags = vec!["t".to_owned(); 11]),
            ("tags", |key| key.tags = vec![String::new()]),
            ("rateLimit", |key| key.quota.max = 0),
            ("rateLimit", |key| key.quota.window_seconds = u32::MAX),
            ("expiresAt", |key| key.expires_ms = Some(1000)),
            ("expiresAt", |key| key.expires_ms = Some(-1)),
        ];
        admit(&CreateKey::named("good"), 1000).unwrap();
        for (field, change) in changes {
            let mut key = CreateKey::named("good");
            change(&mut key);
            assert_eq!(admit(&key, 1000).unwrap_err().field, field);
        }
    }
}
