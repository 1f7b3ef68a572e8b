//! Whose flags a call is about, and whether it may.

use super::{Call, ScopeBody};
use crate::{
    access::{Permission, Principal, authorize},
    actors::flags::{Author, Scope},
    fault::Fault,
    ids::{OrganizationId, WebsiteId},
};

/// Whose flags are read: `read:data` is enough, and so is `manage:flags`.
pub(super) fn readable(call: &Call, named: &ScopeBody) -> Result<Scope, Fault> {
    let target = target(call, named)?;
    authorize_target(call, Permission::FlagRead, &target)
}

/// Whose flags are changed.
pub(in crate::http::procedures) fn writable(
    call: &Call,
    named: &ScopeBody,
) -> Result<Scope, Fault> {
    let target = target(call, named)?;
    authorize_target(call, Permission::FlagWrite, &target)
}

/// The owner of flags behind a public id: a website by either of its ids, or an organization.
pub(in crate::http) fn find_client_scope(
    call: &Call,
    permission: Permission,
    client: &str,
) -> Result<Scope, Fault> {
    let websites = call.shared.websites.view();
    let website = websites
        .by_id(client)
        .or_else(|| websites.by_client_id(client));
    let own = OrganizationId::from(client);
    let target = match website {
        Some(website) if is_member(call, &website.organization) => {
            ScopeTarget::Website(website.id.as_str())
        }
        None if is_member(call, &own) => ScopeTarget::Organization(own),
        // Foreign and unknown alike: nothing of this name is there.
        _ => ScopeTarget::Nothing(client),
    };
    authorize_target(call, permission, &target)
}

/// Whether the caller belongs to an organization.
fn is_member(call: &Call, organization: &OrganizationId) -> bool {
    match &call.caller {
        Principal::Anonymous => false,
        Principal::Key(key) => key.organization.as_ref() == Some(organization),
        Principal::Session(session) => session.role_in(organization).is_some(),
    }
}

/// What is asked for, whether it is there or not.
enum ScopeTarget<'n> {
    Website(&'n str),
    Organization(OrganizationId),
    /// A public id of nothing that the caller may see.
    Nothing(&'n str),
}

fn target<'n>(call: &'n Call, named: &'n ScopeBody) -> Result<ScopeTarget<'n>, Fault> {
    // A key for one website means it when nothing is named.
    let own = match (&call.caller, &named.organization_id) {
        (Principal::Key(key), None) => key.only_website().map(WebsiteId::as_str),
        _ => None,
    };
    match named.website_id.as_deref().or(own) {
        Some(website) => Ok(ScopeTarget::Website(website)),
        None => Ok(ScopeTarget::Organization(
            call.organization(named.organization_id.as_deref())?,
        )),
    }
}

fn authorize_target(
    call: &Call,
    permission: Permission,
    target: &ScopeTarget<'_>,
) -> Result<Scope, Fault> {
    let check = |permission| match target {
        ScopeTarget::Organization(organization) => {
            let proof = authorize::organization(&call.caller, permission, organization)?;
            Ok(Scope {
                organization: proof.organization().clone(),
                website: None,
            })
        }
        ScopeTarget::Nothing(id) => {
            authorize::website(&call.caller, permission, id, None)?;
            Err(Fault::not_found("website", *id))
        }
        ScopeTarget::Website(id) => {
            let websites = call.shared.websites.view();
            let site = websites.by_id(id).map(|website| website.site());
            let proof = authorize::website(&call.caller, permission, id, site.as_ref())?;
            Ok(Scope {
                organization: proof.organization().clone(),
                website: site.map(|site| site.id),
            })
        }
    };
    check(permission).or_else(|refusal| either(permission, refusal, check))
}

/// The same by the wider right, or the first refusal.
fn either<T>(
    permission: Permission,
    refusal: Fault,
    check: impl Fn(Permission) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let wider = permission.implied_by().map(check);
    wider.and_then(Result::ok).ok_or(refusal)
}

/// Whether the caller may do this with something of flags; unknown and foreign ids are 404.
pub(in crate::http) fn check_access(
    call: &Call,
    permission: Permission,
    (resource, id): (&'static str, &str),
    scope: Option<&Scope>,
) -> Result<(), Fault> {
    let unseen = || Fault::not_found(resource, id);
    let Some(scope) = scope else {
        // Says who may not ask at all.
        authorize::owned(&call.caller, permission, (resource, id), None)?;
        return Err(unseen());
    };
    let owner = Some(&scope.organization);
    let Some(website) = &scope.website else {
        let check = |permission| authorize::owned(&call.caller, permission, (resource, id), owner);
        let allowed = check(permission);
        let allowed = allowed.or_else(|refusal| either(permission, refusal, check));
        return allowed.map(drop);
    };
    if !is_member(call, &scope.organization) {
        authorize::owned(&call.caller, permission, (resource, id), None)?;
        return Err(unseen());
    }
    authorize_target(call, permission, &ScopeTarget::Website(website.as_str())).map(drop)
}

/// Who changes something.
pub(in crate::http) fn author(call: &Call) -> Result<Author, Fault> {
    match &call.caller {
        Principal::Anonymous => Err(Fault::unauthenticated()),
        Principal::Key(key) => Ok(match &key.person {
            Some(person) => Author::User(person.user.clone()),
            None => Author::ApiKey(key.id.clone()),
        }),
        Principal::Session(session) => Ok(Author::User(session.user.clone())),
    }
}
