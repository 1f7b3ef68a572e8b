//! Pure decisions: what a key may be called, what it grants, and when it is refused.

use super::{
    KeyError, LiveKey,
    rights::{Resources, rights},
};
use crate::{
    access::{KeyGrant, Permission, Role, Scope},
    actors::validation::ValidationError,
};

const MAX_NAME: usize = 100;
const MAX_DESCRIPTION: usize = 500;
const MAX_TAGS: usize = 10;
const MAX_TAG: usize = 50;
const MAX_WEBSITES: usize = 1000;
/// Every request of a full window is remembered.
const MAX_REQUESTS: u32 = 1_000_000;
/// A day, in seconds.
const MAX_WINDOW: u32 = 86_400;
/// Keys of one organization, or of one person without an organization; revoked ones included.
const MAX_KEYS: usize = 1000;

/// Checks the fields of a new or changed key.
pub(super) fn admit(key: &LiveKey) -> Result<(), ValidationError> {
    let length = |text: &str| text.chars().count();
    let is_tag = |tag: &String| (1..=MAX_TAG).contains(&length(tag));
    let resources = key.resources.as_ref();
    for (holds, field, message) in [
        (
            (1..=MAX_NAME).contains(&length(&key.name)),
            "name",
            "The name must have 1 to 100 characters",
        ),
        (
            key.description.as_deref().map_or(0, length) <= MAX_DESCRIPTION,
            "description",
            "The description must have at most 500 characters",
        ),
        (
            key.tags.len() <= MAX_TAGS && key.tags.iter().all(is_tag),
            "tags",
            "At most 10 tags of 1 to 50 characters each",
        ),
        (
            resources.map_or(0, |given| given.websites.len()) <= MAX_WEBSITES,
            "resources",
            "A key may name at most 1000 websites",
        ),
        (
            key.rate_limit.max <= MAX_REQUESTS,
            "rateLimit.max",
            "A quota may be at most 1000000 requests",
        ),
        (
            key.rate_limit.window_seconds <= MAX_WINDOW,
            "rateLimit.window",
            "A quota's window may be at most 86400 seconds",
        ),
    ] {
        ValidationError::require(holds, field, message)?;
    }
    Ok(())
}

/// A time at which a key stops working lies ahead.
pub(super) fn check_expiry(expires_ms: Option<i64>, now_ms: i64) -> Result<(), ValidationError> {
    let lies_ahead = expires_ms.is_none_or(|expires_ms| expires_ms > now_ms);
    let message = "The key must expire in the future";
    ValidationError::require(lies_ahead, "expiresAt", message)
}

/// Refuses a person whose role allows less than the key.
pub(super) fn check_scopes(role: Option<Role>, grant: &KeyGrant) -> Result<(), KeyError> {
    let Some(role) = role else {
        return Ok(());
    };
    let single = grant.websites.iter().flat_map(|(_, scopes)| scopes);
    let mut scopes = grant.global.iter().chain(single);
    let beyond = scopes.find(|scope| !role.may_grant(**scope));
    beyond.map_or(Ok(()), |scope| Err(KeyError::BeyondRole(*scope)))
}

/// What a role leaves of a key's rights.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RoleLimit {
    Unchanged,
    /// These scopes and resources.
    Narrowed(Vec<Scope>, Option<Resources>),
    /// Nothing, or people with this role have no keys.
    Ended,
}

/// What a role leaves of a key's rights; `None` = no role at all.
pub(super) fn limited(
    scopes: &[Scope],
    resources: Option<&Resources>,
    role: Option<Role>,
) -> RoleLimit {
    let Some(role) = role.filter(|role| role.may(Permission::KeysManage)) else {
        return RoleLimit::Ended;
    };
    let allowed = |scopes: &[Scope]| -> Vec<Scope> {
        let scopes = scopes.iter().copied();
        scopes.filter(|scope| role.may_grant(*scope)).collect()
    };
    let left = allowed(scopes);
    let left_of = |resources: &Resources| {
        let mut global = allowed(&resources.global);
        if global.is_empty() && !resources.global.is_empty() {
            // An empty list would take the global access of the other scopes as well.
            global.clone_from(&left);
        }
        let websites = resources.websites.iter();
        Resources {
            global,
            websites: websites
                .map(|(website, own)| (website.clone(), allowed(own)))
                .collect(),
        }
    };
    let left_resources = resources.map(left_of);
    if left == scopes && left_resources.as_ref() == resources {
        return RoleLimit::Unchanged;
    }
    let (global, websites) = rights(&left, left_resources.as_ref());
    if global.is_empty() && websites.iter().all(|(_, own)| own.is_empty()) {
        return RoleLimit::Ended;
    }
    RoleLimit::Narrowed(left, left_resources)
}

/// Whether an owner that has so many keys may have another.
pub(super) fn check_count(keys: usize) -> Result<(), KeyError> {
    if keys < MAX_KEYS {
        Ok(())
    } else {
        Err(KeyError::TooMany(MAX_KEYS))
    }
}

#[cfg(test)]
mod tests {
    use Scope::{ReadData, ReadLinks, TrackEvents};

    use std::collections::BTreeMap;

    use super::*;
    use crate::ids::WebsiteId;

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
    fn nobody_has_a_key_that_may_do_more_than_they() {
        let grant = |global: &[Scope], website: &[Scope]| KeyGrant {
            id: "k".into(),
            organization: None,
            global: global.to_vec(),
            websites: vec![("w".into(), website.to_vec())],
            person: None,
        };
        let manage = Scope::ManageWebsites;
        for (role, grant, may) in [
            (
                Some(Role::Member),
                grant(&[ReadData, TrackEvents], &[ReadLinks]),
                true,
            ),
            (Some(Role::Member), grant(&[ReadData, manage], &[]), false),
            (Some(Role::Member), grant(&[], &[manage]), false),
            (Some(Role::Viewer), grant(&[ReadData], &[]), false),
            (Some(Role::Admin), grant(&Scope::ALL, &Scope::ALL), true),
            (None, grant(&Scope::ALL, &[]), true),
        ] {
            assert_eq!(
                check_scopes(role, &grant).is_ok(),
                may,
                "{role:?} {grant:?}"
            );
        }
        let Err(KeyError::BeyondRole(scope)) =
            check_scopes(Some(Role::Member), &grant(&[manage], &[]))
        else {
            panic!("it was let through");
        };
        assert_eq!(scope, manage);
    }

    #[test]
    fn a_lower_role_narrows_a_key_and_no_role_ends_it() {
        let website = WebsiteId::from("w");
        let places = |global: &[Scope], own: &[Scope]| Resources {
            global: global.to_vec(),
            websites: BTreeMap::from([(website.clone(), own.to_vec())]),
        };
        let both = [ReadData, Scope::ManageWebsites];
        let only = [Scope::ManageWebsites];
        for (role, scopes, resources, left) in [
            (Some(Role::Admin), &both[..], None, RoleLimit::Unchanged),
            (
                Some(Role::Member),
                &both,
                None,
                RoleLimit::Narrowed(vec![ReadData], None),
            ),
            (Some(Role::Member), &only, None, RoleLimit::Ended),
            (Some(Role::Viewer), &[ReadData], None, RoleLimit::Ended),
            (None, &[], None, RoleLimit::Ended),
            (
                Some(Role::Member),
                &[ReadData],
                Some(places(&only, &both)),
                RoleLimit::Narrowed(vec![ReadData], Some(places(&[ReadData], &[ReadData]))),
            ),
            (
                Some(Role::Member),
                &[],
                Some(places(&only, &[])),
                RoleLimit::Ended,
            ),
        ] {
            assert_eq!(
                limited(scopes, resources.as_ref(), role),
                left,
                "{role:?} {scopes:?}"
            );
        }
    }

    #[test]
    fn an_organization_has_a_thousand_keys() {
        check_count(999).unwrap();
        assert!(matches!(check_count(1000), Err(KeyError::TooMany(1000))));
    }
}
