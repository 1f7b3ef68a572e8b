//! Who may manage API keys: people, in a session, and never a key.

use super::{
    Permission, Principal, Role, SessionGrant,
    authorize::{self, Site},
};
use crate::{
    fault::Fault,
    ids::{OrganizationId, UserId},
};

/// Proof that a person may manage keys of an organization, or their own keys that have none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyAccess {
    user: UserId,
    role: Option<Role>,
    organization: Option<OrganizationId>,
}

impl KeyAccess {
    pub fn user(&self) -> &UserId {
        &self.user
    }

    /// The person's role, beyond which they grant nothing; `None` for keys without an organization, which can do nothing.
    pub fn role(&self) -> Option<Role> {
        self.role
    }

    /// Whose keys they are.
    pub fn organization(&self) -> Option<&OrganizationId> {
        self.organization.as_ref()
    }
}

/// May this caller see the organization's keys and make further ones? Without an organization the person is meant alone.
pub fn manage(
    caller: &Principal,
    organization: Option<&OrganizationId>,
) -> Result<KeyAccess, Fault> {
    let session = person(caller)?;
    let Some(organization) = organization else {
        return Ok(KeyAccess {
            user: session.user.clone(),
            role: None,
            organization: None,
        });
    };
    authorize::organization(caller, Permission::KeysManage, organization)?;
    Ok(KeyAccess {
        user: session.user.clone(),
        role: session.role_in(organization),
        organization: Some(organization.clone()),
    })
}

/// Whose key it is.
#[derive(Debug, Clone, Copy)]
pub struct KeyOwner<'k> {
    pub organization: Option<&'k OrganizationId>,
    pub created_by: Option<&'k UserId>,
}

/// May this caller manage this key? Unknown keys and those of others are 404 alike.
pub fn manage_one(
    caller: &Principal,
    id: &str,
    owner: Option<KeyOwner<'_>>,
) -> Result<KeyAccess, Fault> {
    let session = person(caller)?;
    let unseen = || Fault::not_found("API key", id);
    let owner = owner.ok_or_else(unseen)?;
    let is_seen = match owner.organization {
        Some(organization) => session.role_in(organization).is_some(),
        None => owner.created_by == Some(&session.user),
    };
    if !is_seen {
        return Err(unseen());
    }
    manage(caller, owner.organization)
}

/// A key may name websites of its own organization only; others are unknown to it.
pub fn own_website(access: &KeyAccess, id: &str, site: Option<&Site>) -> Result<(), Fault> {
    let own = access.organization();
    match site.filter(|site| own == Some(&site.organization)) {
        Some(_) => Ok(()),
        None => Err(Fault::not_found("website", id)),
    }
}

fn person(caller: &Principal) -> Result<&SessionGrant, Fault> {
    match caller {
        Principal::Anonymous => Err(Fault::unauthenticated()),
        Principal::Key(_) => Err(authorize::no_keys()),
        Principal::Session(session) => Ok(session),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        access::{KeyGrant, Member, Scope},
        fault::Kind,
    };

    fn session(user: &str, organization: &str, role: Role) -> Principal {
        let grant = SessionGrant {
            id: "s".into(),
            user: user.into(),
            active_organization: None,
            memberships: vec![Member {
                organization: organization.into(),
                role,
            }],
        };
        Principal::Session(grant.into())
    }

    fn status(outcome: Result<KeyAccess, Fault>) -> u16 {
        match outcome {
            Ok(_) => 200,
            Err(fault) => match fault.kind {
                Kind::Unauthenticated => 401,
                Kind::Forbidden => 403,
                Kind::NotFound { .. } => 404,
                other => panic!("{other:?}"),
            },
        }
    }

    #[test]
    fn a_key_names_websites_of_its_own_organization_alone() {
        let site = |organization: &str| Site {
            id: "w".into(),
            key: crate::ids::WebsiteKey(1),
            organization: organization.into(),
            organization_key: crate::ids::OrganizationKey(1),
            is_public: true,
        };
        let caller = session("u", "o", Role::Owner);
        let access = manage(&caller, Some(&"o".into())).unwrap();
        assert_eq!(access.organization(), Some(&"o".into()));
        assert!(own_website(&access, "w", Some(&site("o"))).is_ok());
        assert!(own_website(&access, "w", Some(&site("p"))).is_err());
        assert!(own_website(&access, "w", None).is_err());
        let alone = manage(&caller, None).unwrap();
        assert!(own_website(&alone, "w", Some(&site("o"))).is_err());
    }

    #[test]
    fn people_who_configure_websites_manage_their_organizations_keys() {
        let organization = OrganizationId::from("o");
        let key = KeyGrant {
            id: "k".into(),
            organization: Some(organization.clone()),
            global: Scope::ALL.to_vec(),
            websites: Vec::new(),
            person: None,
        };
        for (caller, own) in [
            (Principal::Anonymous, 401),
            (Principal::Key(key.into()), 403),
            (session("u", "o", Role::Viewer), 403),
            (session("u", "o", Role::Member), 200),
            (session("u", "o", Role::Owner), 200),
            (session("u", "other", Role::Owner), 404),
        ] {
            assert_eq!(
                status(manage(&caller, Some(&organization))),
                own,
                "{caller:?}"
            );
            let owner = KeyOwner {
                organization: Some(&organization),
                created_by: None,
            };
            assert_eq!(
                status(manage_one(&caller, "k", Some(owner))),
                own,
                "{caller:?}"
            );
            let unknown = match caller {
                Principal::Session(_) => 404,
                _ => own,
            };
            assert_eq!(
                status(manage_one(&caller, "k", None)),
                unknown,
                "{caller:?}"
            );
        }
    }

    #[test]
    fn keys_without_an_organization_are_their_makers_alone() {
        let (maker, other) = (UserId::from("u"), session("v", "o", Role::Owner));
        let owner = KeyOwner {
            organization: None,
            created_by: Some(&maker),
        };
        let own = session("u", "o", Role::Viewer);
        assert_eq!(status(manage_one(&own, "k", Some(owner))), 200);
        assert_eq!(status(manage_one(&other, "k", Some(owner))), 404);
        assert_eq!(manage(&own, None).unwrap().role(), None);
    }
}
