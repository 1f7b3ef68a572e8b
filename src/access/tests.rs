//! Who may do what, as tables: every kind of caller against things of their own, of others, public and unknown ones.

use super::{
    KeyGrant, Member, Permission, Principal, Role, Scope, SessionGrant,
    authorize::{self, Site, Tenant, Thing},
};
use crate::{
    fault::{Fault, Kind},
    ids::{OrganizationId, OrganizationKey, WebsiteId, WebsiteKey},
};

/// Of a caller who sees what anybody sees.
const PUBLIC: u16 = 206;

fn site(id: &str, key: i64, organization: &str) -> Site {
    Site {
        id: id.into(),
        key: WebsiteKey(key),
        organization: organization.into(),
        organization_key: OrganizationKey(if organization == "o" { 1 } else { 2 }),
        is_public: false,
    }
}

fn tenant(id: &str) -> Tenant {
    Tenant {
        id: id.into(),
        key: OrganizationKey(if id == "o" { 1 } else { 2 }),
    }
}

fn key(organization: Option<&str>, global: &[Scope], websites: &[(&str, &[Scope])]) -> KeyGrant {
    KeyGrant {
        id: "k".into(),
        organization: organization.map(OrganizationId::from),
        global: global.to_vec(),
        websites: websites
            .iter()
            .map(|(id, scopes)| (WebsiteId::from(*id), scopes.to_vec()))
            .collect(),
        person: None,
    }
}

fn bearer(
    organization: Option<&str>,
    global: &[Scope],
    websites: &[(&str, &[Scope])],
) -> Principal {
    Principal::Key(key(organization, global, websites).into())
}

fn person(memberships: &[(&str, Role)]) -> Principal {
    let member = |(organization, role): &(&str, Role)| Member {
        organization: (*organization).into(),
        role: *role,
    };
    let grant = SessionGrant {
        id: "s".into(),
        user: "u".into(),
        active_organization: None,
        memberships: memberships.iter().map(member).collect(),
    };
    Principal::Session(grant.into())
}

fn status<T>(outcome: &Result<T, Fault>) -> u16 {
    match outcome {
        Ok(_) => 200,
        Err(fault) => match &fault.kind {
            Kind::Unauthenticated => 401,
            Kind::Forbidden => 403,
            Kind::NotFound { .. } => 404,
            other => panic!("{other:?}"),
        },
    }
}

fn message<T>(outcome: Result<T, Fault>) -> String {
    outcome.err().unwrap().message.into_owned()
}

#[test]
fn a_website_is_read_by_its_own_people_and_keys_and_a_public_one_by_anybody_a_little() {
    use Scope::{ManageWebsites, ReadData};
    let (own, second) = (site("w", 10, "o"), site("w2", 11, "o"));
    let open = Site {
        is_public: true,
        ..own.clone()
    };
    // What they get of `w`, of `w2`, of a public `w`, and of one that is not there.
    for (caller, statuses) in [
        (Principal::Anonymous, [401, 401, PUBLIC, 401]),
        (bearer(None, &Scope::ALL, &[]), [403, 403, PUBLIC, 403]),
        (bearer(Some("o"), &[ReadData], &[]), [200, 200, 200, 403]),
        (
            bearer(Some("o"), &[], &[("w", &[ReadData])]),
            [200, 403, 200, 403],
        ),
        (
            bearer(Some("o"), &[ManageWebsites], &[("w", &[ManageWebsites])]),
            [403, 403, PUBLIC, 403],
        ),
        (
            bearer(Some("p"), &[ReadData], &[("w", &[ReadData])]),
            [403, 403, PUBLIC, 403],
        ),
        (
            person(&[("p", Role::Owner), ("o", Role::Viewer)]),
            [200, 200, 200, 403],
        ),
        (person(&[("p", Role::Owner)]), [403, 403, PUBLIC, 403]),
    ] {
        let got = [Some(&own), Some(&second), Some(&open), None].map(|site| {
            let read = authorize::read_website(&caller, site);
            let Ok(proof) = &read else {
                return status(&read);
            };
            assert_eq!(proof.organization(), OrganizationKey(1));
            assert_eq!(proof.website(), site.map(|site| site.key));
            if proof.public_only() { PUBLIC } else { 200 }
        });
        assert_eq!(got, statuses, "{caller:?}");
    }
}

#[test]
fn an_organization_is_read_by_members_and_by_keys_with_the_scope_for_all_of_it() {
    use Scope::{ReadData, ReadMonitors};
    let own = tenant("o");
    let thing = Thing {
        key: WebsiteKey(20),
        organization: "o".into(),
        organization_key: OrganizationKey(1),
    };
    // The organization, its links, its monitors, and none of them.
    for (caller, statuses) in [
        (Principal::Anonymous, [401; 4]),
        (bearer(None, &Scope::ALL, &[]), [403; 4]),
        (bearer(Some("o"), &[ReadData], &[]), [200, 200, 200, 403]),
        (
            bearer(Some("o"), &[ReadMonitors], &[]),
            [403, 403, 200, 403],
        ),
        (bearer(Some("o"), &[], &[("w", &Scope::ALL)]), [403; 4]),
        (bearer(Some("p"), &Scope::ALL, &[]), [403; 4]),
        (person(&[("o", Role::Viewer)]), [200, 200, 200, 403]),
        (person(&[("p", Role::Owner)]), [403; 4]),
    ] {
        let whole = authorize::read_organization(&caller, Some(&own));
        if let Ok(proof) = &whole {
            assert_eq!(
                (proof.organization(), proof.website()),
                (OrganizationKey(1), None)
            );
            assert!(!proof.public_only());
        }
        let things = [authorize::read_link, authorize::read_schedule];
        let things = things.map(|read| read(&caller, Some(&thing)));
        for proof in things.iter().flatten() {
            assert_eq!(proof.website(), Some(WebsiteKey(20)));
            assert_eq!(
                (proof.organization(), proof.public_only()),
                (OrganizationKey(1), false)
            );
        }
        let unknown = [
            status(&authorize::read_organization(&caller, None)),
            status(&authorize::read_link(&caller, None)),
            status(&authorize::read_schedule(&caller, None)),
        ];
        assert!(unknown.iter().all(|status| *status == unknown[0]));
        let got = [
            status(&whole),
            status(&things[0]),
            status(&things[1]),
            unknown[0],
        ];
        assert_eq!(got, statuses, "{caller:?}");
    }
    let nowhere = bearer(None, &Scope::ALL, &[]);
    let read = authorize::read_website(&nowhere, None);
    assert_eq!(message(read), "API key must be scoped to an organization");
}

#[test]
fn procedures_follow_roles_and_scopes_and_never_tell_what_others_have() {
    let own = OrganizationId::from("o");
    let (site, foreign) = (site("w", 10, "o"), site("x", 12, "p"));
    for &permission in Permission::ALL {
        let others: Vec<Scope> = Scope::ALL
            .into_iter()
            .filter(|scope| Some(*scope) != permission.scope())
            .collect();
        let scope: Vec<Scope> = permission.scope().into_iter().collect();
        let by_key = if scope.is_empty() { 403 } else { 200 };
        let mut cases = vec![
            // In the organization; a website of it; one of others; something that it owns; something unknown.
            (Principal::Anonymous, [401; 5]),
            (bearer(None, &Scope::ALL, &[]), [403; 5]),
            (
                bearer(Some("o"), &scope, &[]),
                [by_key, by_key, 404, by_key, 404],
            ),
            (
                bearer(Some("o"), &[], &[("w", &scope)]),
                [403, by_key, 404, 403, 404],
            ),
            (bearer(Some("o"), &others, &[]), [403, 403, 404, 403, 404]),
            (
                bearer(Some("p"), &Scope::ALL, &[]),
                [404, 404, if scope.is_empty() { 403 } else { 200 }, 404, 404],
            ),
        ];
        for role in Role::ALL {
            let may = if permission.held_by(role) { 200 } else { 403 };
            cases.push((person(&[("o", role)]), [may, may, 404, may, 404]));
            cases.push((person(&[("p", role)]), [404, 404, may, 404, 404]));
        }
        for (caller, statuses) in cases {
            let organization = authorize::organization(&caller, permission, &own);
            let website = authorize::website(&caller, permission, "w", Some(&site));
            let owned = authorize::owned(&caller, permission, ("link", "l"), Some(&own));
            for proof in [&organization, &website, &owned].into_iter().flatten() {
                assert_eq!(proof.organization(), &own);
            }
            let unknown = [
                status(&authorize::website(&caller, permission, "w", None)),
                status(&authorize::owned(&caller, permission, ("link", "l"), None)),
            ];
            assert_eq!(unknown[0], unknown[1]);
            let got = [
                status(&organization),
                status(&website),
                status(&authorize::website(
                    &caller,
                    permission,
                    "x",
                    Some(&foreign),
                )),
                status(&owned),
                unknown[0],
            ];
            assert_eq!(got, statuses, "{permission:?} {caller:?}");
        }
    }
}

#[test]
fn refusals_say_what_is_missing() {
    let (o, id) = (OrganizationId::from("o"), ("link", "l"));
    let refused =
        |caller: &Principal, permission| message(authorize::organization(caller, permission, &o));
    let bare = bearer(Some("o"), &[], &[]);
    assert_eq!(
        refused(&bare, Permission::LinkWrite),
        "API key missing write:links scope"
    );
    assert_eq!(
        refused(&bare, Permission::KeysManage),
        "An API key cannot do this: sign in"
    );
    let viewer = person(&[("o", Role::Viewer)]);
    let said = refused(&viewer, Permission::LinkWrite);
    assert_eq!(said, "Missing required link permissions: write");
    let all = Permission::ALL.iter();
    let mut words: Vec<_> = all.map(|permission| permission.words()).collect();
    words.sort_unstable();
    words.dedup();
    assert_eq!(
        words.len(),
        Permission::ALL.len(),
        "each says something else"
    );
    let unknown = authorize::owned(&viewer, Permission::LinkRead, id, None);
    assert_eq!(message(unknown), "link not found");
}

#[test]
fn events_are_taken_for_what_the_key_or_the_client_id_is_for() {
    use Scope::{ReadData, TrackEvents};
    let (own, own_site, second, foreign) = (
        tenant("o"),
        site("w", 10, "o"),
        site("w2", 11, "o"),
        site("x", 12, "p"),
    );
    // For the organization; for `w`; for `w2`; for one of others.
    for (key, statuses) in [
        (key(None, &[TrackEvents], &[]), [403; 4]),
        (key(Some("o"), &[TrackEvents], &[]), [200, 200, 200, 404]),
        (
            key(Some("o"), &[], &[("w", &[TrackEvents])]),
            [403, 200, 403, 404],
        ),
        (
            key(Some("o"), &[ReadData], &[("w", &[ReadData])]),
            [403, 403, 403, 404],
        ),
    ] {
        let ingest = |site: Option<&Site>| {
            let named = site.map(|site| (site.id.as_str(), Some(site)));
            let taken = authorize::ingest_with_key(&key, Some(&own), named);
            if let Ok(proof) = &taken {
                let website = site.map_or(WebsiteKey::NONE, |site| site.key);
                assert_eq!(
                    (proof.organization(), proof.website()),
                    (OrganizationKey(1), website)
                );
            }
            taken
        };
        let got = [None, Some(&own_site), Some(&second), Some(&foreign)]
            .map(|site| status(&ingest(site)));
        assert_eq!(got, statuses, "{key:?}");
    }
    let all = key(Some("o"), &[TrackEvents], &[]);
    let unknown = authorize::ingest_with_key(&all, Some(&own), Some(("w", None)));
    assert_eq!(unknown.unwrap_err().code, Some("WEBSITE_NOT_FOUND"));
    for tenant in [None, Some(&tenant("p"))] {
        assert_eq!(status(&authorize::ingest_with_key(&all, tenant, None)), 403);
    }
    let bare = authorize::ingest_with_key(&key(Some("o"), &[], &[]), Some(&own), None);
    assert_eq!(bare.unwrap_err().code, Some("MISSING_SCOPE"));
}

#[test]
fn a_client_id_is_enough_for_its_website() {
    let own_site = site("w", 10, "o");
    let taken = authorize::ingest_with_client_id("c", Some(&own_site)).unwrap();
    assert_eq!(
        (taken.organization(), taken.website()),
        (OrganizationKey(1), WebsiteKey(10))
    );
    let unknown = authorize::ingest_with_client_id("c", None).unwrap_err();
    assert_eq!(
        (unknown.code, unknown.message.as_ref()),
        (Some("WEBSITE_NOT_FOUND"), "Website not found")
    );
    assert_eq!(
        authorize::website_mismatch().code,
        Some("WEBSITE_SCOPE_MISMATCH")
    );
    assert_eq!(
        authorize::website_without_organization().code,
        Some("WEBSITE_MISSING_ORGANIZATION")
    );
}

#[test]
fn what_is_read_for_somebody_stays_in_their_organization() {
    let (own, foreign) = (site("w", 10, "o"), site("x", 12, "p"));
    let owner = person(&[("o", Role::Owner)]);
    let proof = authorize::website(&owner, Permission::WebsiteConfigure, "w", Some(&own)).unwrap();
    let read = authorize::read_to_change(&proof, &own).unwrap();
    assert_eq!(
        (read.organization(), read.website()),
        (OrganizationKey(1), Some(WebsiteKey(10)))
    );
    assert!(!read.public_only());
    assert_eq!(authorize::read_to_change(&proof, &foreign), None);
    let behalf = |site| authorize::read_on_behalf(&tenant("o"), site);
    let whole = behalf(None).unwrap();
    assert_eq!(
        (whole.organization(), whole.website()),
        (OrganizationKey(1), None)
    );
    assert!(!whole.public_only());
    assert_eq!(behalf(Some(&own)).unwrap().website(), Some(WebsiteKey(10)));
    assert_eq!(behalf(Some(&foreign)), None);
}

#[test]
fn a_key_knows_where_its_scopes_hold() {
    use Scope::{ReadData, ReadLinks};
    let one = key(Some("o"), &[], &[("w", &[ReadData])]);
    assert!(one.holds_anywhere(ReadData) && !one.holds(ReadData));
    assert!(!one.holds_anywhere(ReadLinks));
    assert_eq!(one.only_website(), Some(&"w".into()));
    let two = key(Some("o"), &[], &[("w", &[ReadData]), ("w2", &[ReadData])]);
    let wide = key(Some("o"), &[ReadLinks], &[("w", &[ReadData])]);
    assert!(wide.holds_anywhere(ReadLinks) && wide.holds_anywhere(ReadData));
    for key in [two, wide, key(Some("o"), &[ReadData], &[])] {
        assert_eq!(key.only_website(), None, "{key:?}");
    }
    let names = |caller: &Principal| -> Vec<String> {
        let organizations = caller.organizations().into_iter();
        organizations.map(ToString::to_string).collect()
    };
    assert!(names(&Principal::Anonymous).is_empty());
    assert!(names(&bearer(None, &[], &[])).is_empty());
    assert_eq!(names(&bearer(Some("o"), &[], &[])), ["o"]);
    assert_eq!(
        names(&person(&[("o", Role::Viewer), ("p", Role::Owner)])),
        ["o", "p"]
    );
}

#[test]
fn only_who_may_change_flags_sees_them_by_another_right() {
    for &permission in Permission::ALL {
        let implied = (permission == Permission::FlagRead).then_some(Permission::FlagWrite);
        assert_eq!(permission.implied_by(), implied, "{permission:?}");
    }
}

#[test]
fn scopes_are_spelled_as_on_the_wire() {
    for scope in Scope::ALL {
        assert_eq!(serde_json::json!(scope), scope.as_str());
        assert_eq!(Scope::parse(scope.as_str()), Some(scope));
    }
    assert_eq!(Scope::parse("Read:data"), None);
}
