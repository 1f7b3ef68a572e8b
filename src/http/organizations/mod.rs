//! `/api/auth/organization/*`: organizations, members and invitations. For sessions only.

pub(super) mod invitations;
pub(super) mod members;
pub(super) mod organization;
mod rights;
pub(super) mod second_factors;
pub(super) mod shapes;
pub(super) mod sign_in;

use std::sync::Arc;

use actix_web::http::Method;
use serde::Deserialize;

use super::{Host, Shared, routes::Route};
use crate::{
    access::{Role, SessionGrant},
    actors::{links::FollowOwner, organizations::Organization, websites::Refresh},
    fault::Fault,
    ids::OrganizationId,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OrganizationQuery {
    organization_id: Option<String>,
}

pub(super) fn routes() -> Vec<Route> {
    let routes = [
        organization::routes(),
        organization::further(),
        members::routes(),
        invitations::routes(),
        invitations::further(),
        rights::routes(),
        second_factors::routes(),
        sign_in::routes(),
    ];
    let tagged = routes.into_iter().flatten().map(|route| {
        let route = route.tagged("Organizations");
        // Bodies that forms can send are refused, as is what is there already.
        match route.method {
            Method::POST => route.or(409).or(415),
            _ => route,
        }
    });
    tagged.collect()
}

fn post(path: &'static str, service: fn(actix_web::Route) -> actix_web::Route) -> Route {
    Route::new(Method::POST, Host::Base, path, service)
}

/// Lets the websites and links of an organization that was deleted, or came back, follow it.
pub(super) async fn settle(shared: &Shared, organization: &OrganizationId) -> Result<(), Fault> {
    shared.websites.ask(Refresh).await?;
    let message = FollowOwner {
        organization: organization.clone(),
    };
    Ok(shared.links.ask(message).await?)
}

/// The organization that is meant: the one named, else the one that the session works in.
/// An organization that the session has no access to is like none: the person may be a member, and have to sign in another way.
fn named(caller: &SessionGrant, organization: Option<&str>) -> Result<OrganizationId, Fault> {
    let id = named_or_deleted(caller, organization)?;
    if caller.role_in(&id).is_none() {
        return Err(Fault::not_found("Organization", id.as_str()));
    }
    Ok(id)
}

/// The same without looking whether it is there.
fn named_or_deleted(
    caller: &SessionGrant,
    organization: Option<&str>,
) -> Result<OrganizationId, Fault> {
    match organization {
        Some(id) => Ok(OrganizationId::from(id)),
        None => caller
            .active_organization
            .clone()
            .ok_or_else(|| Fault::invalid("Organization ID is required")),
    }
}

/// The organization that is meant and the caller's role in it. A foreign one is like none.
fn own_organization(
    shared: &Shared,
    caller: &SessionGrant,
    organization: Option<&str>,
) -> Result<(Arc<Organization>, Role), Fault> {
    let id = named_or_deleted(caller, organization)?;
    let unseen = || Fault::not_found("Organization", id.as_str());
    let role = caller.role_in(&id).ok_or_else(unseen)?;
    let view = shared.organizations.view();
    let found = view.organization(id.as_str()).cloned();
    Ok((found.ok_or_else(unseen)?, role))
}
