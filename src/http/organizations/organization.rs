//! Making, seeing, changing and deleting organizations.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    named, own_organization, settle,
    shapes::{InvitationOut, MemberOut, OrganizationOut},
};
use crate::{
    access::{Role, SessionGrant},
    actors::{
        audit::Actor,
        organizations::{
            CreateOrganization, DeleteOrganization, LiveSession, Organization, OrganizationChange,
            RestoreOrganization, SetActive, UpdateOrganization,
        },
    },
    fault::{Fault, Issue, Kind},
    http::{
        Shared,
        people::shapes::{SessionOut, StatusOut},
        routes::Route,
        session_routes::{self, NoQuery, SessionCall},
    },
    ids::OrganizationId,
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        session_routes::post("/api/auth/organization/create", create)
            .says(
                "Create an organization",
                "Makes an organization that the person owns; the session works in it from now on.",
            ),
        session_routes::post("/api/auth/organization/update", update)
            .says(
                "Change an organization",
                "Changes name, slug or picture. For owners and admins.",
            ),
        session_routes::post("/api/auth/organization/delete", delete)
            .says(
                "Delete an organization",
                "It stops working at once, with its keys, websites and members. For owners, who can restore it for 7 days.",
            ),
        session_routes::post("/api/auth/organization/restore", restore)
            .says(
                "Restore an organization",
                "Brings an organization back that was deleted less than 7 days ago. For those who owned it.",
            ),
    ]
}

/// Switching between organizations, and seeing them.
pub(super) fn further() -> Vec<Route> {
    vec![
        session_routes::post("/api/auth/organization/set-active", set_active).says(
            "Switch organizations",
            "Chooses the organization that the session works in, by id or slug; null = none.",
        ),
        session_routes::post("/api/auth/organization/check-slug", check_slug).says(
            "Check whether a slug is free",
            "409 when an organization has it.",
        ),
        session_routes::get("/api/auth/organization/list", list).says(
            "List your organizations",
            "Those that the person is a member of, oldest membership first.",
        ),
        session_routes::get("/api/auth/organization/get-full-organization", full)
            .says(
                "Get an organization with members and invitations",
                "The organization with its members and invitations.",
            )
            .takes(
                "organizationId",
                "The organization; by default the session's.",
            )
            .takes("organizationSlug", "The same, by slug."),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CreateBody {
    /// 1 to 100 characters.
    name: String,
    /// Its name in URLs, lower-case letters, digits and hyphens; made from the name when absent.
    slug: Option<String>,
    /// Address of its picture, https.
    logo: Option<String>,
    /// Whether the session goes on working where it does.
    #[serde(default)]
    keep_current_active_organization: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UpdateBody {
    /// By default the one that the session works in.
    organization_id: Option<String>,
    data: UpdateData,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("minProperties" = 1))]
struct UpdateData {
    /// The new name.
    name: Option<String>,
    /// The new name in URLs.
    slug: Option<String>,
    /// Address of the new picture; an empty one takes it away.
    logo: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OrganizationIdBody {
    organization_id: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SetActiveBody {
    /// The organization; null = none.
    organization_id: Option<String>,
    /// The same, by slug.
    organization_slug: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct SlugBody {
    /// Lower-case letters, digits and hyphens.
    slug: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OrganizationSelector {
    organization_id: Option<String>,
    organization_slug: Option<String>,
}

/// Where the session works now.
#[derive(Serialize, JsonSchema)]
struct ActiveOut {
    session: SessionOut,
    organization: Option<OrganizationOut>,
}

/// An organization with its people.
#[derive(Serialize, JsonSchema)]
struct FullOut {
    #[serde(flatten)]
    organization: OrganizationOut,
    members: Vec<MemberOut>,
    invitations: Vec<InvitationOut>,
}

/// Makes an organization of a person, whose session works in it from now on.
pub(in crate::http) async fn create_organization(
    shared: &Shared,
    caller: &SessionGrant,
    name: String,
) -> Result<Arc<Organization>, Fault> {
    let message = CreateOrganization {
        by: caller.user.clone(),
        session: Some(caller.id.clone()),
        name,
        slug: None,
        logo: None,
    };
    Ok(shared.organizations.ask(message).await?)
}

async fn create(call: SessionCall, body: CreateBody) -> Result<OrganizationOut, Fault> {
    let message = CreateOrganization {
        by: call.caller.user.clone(),
        session: (!body.keep_current_active_organization).then(|| call.caller.id.clone()),
        name: body.name,
        slug: body.slug,
        logo: body.logo,
    };
    let organization = call.shared.organizations.ask(message).await?;
    Ok((&*organization).into())
}

async fn update(call: SessionCall, body: UpdateBody) -> Result<OrganizationOut, Fault> {
    let UpdateData { name, slug, logo } = body.data;
    if name.is_none() && slug.is_none() && logo.is_none() {
        let message = "name `name`, `slug` or `logo`: there is nothing to change";
        let issue = Issue::new("missing", "data", message);
        return Err(Fault::issues("Invalid request body", vec![issue]));
    }
    let message = UpdateOrganization {
        by: Actor::User(call.caller.user.clone()),
        organization: named(&call.caller, body.organization_id.as_deref())?,
        change: OrganizationChange {
            name,
            slug,
            logo,
            ..OrganizationChange::default()
        },
    };
    let organization = call.shared.organizations.ask(message).await?;
    Ok((&*organization).into())
}

async fn delete(call: SessionCall, body: OrganizationIdBody) -> Result<OrganizationOut, Fault> {
    let message = DeleteOrganization {
        by: call.caller.user.clone(),
        organization: named(&call.caller, Some(&body.organization_id))?,
    };
    let deleted = call.shared.organizations.ask(message).await?;
    settle(&call.shared, &deleted.tenant.id).await?;
    Ok((&*deleted).into())
}

async fn restore(call: SessionCall, body: OrganizationIdBody) -> Result<OrganizationOut, Fault> {
    let message = RestoreOrganization {
        by: call.caller.user.clone(),
        organization: OrganizationId::from(body.organization_id),
    };
    let restored = call.shared.organizations.ask(message).await?;
    settle(&call.shared, &restored.tenant.id).await?;
    Ok((&*restored).into())
}

/// Lets a session work in another organization, or in none.
pub(in crate::http) async fn switch_organization(
    shared: &Shared,
    caller: &SessionGrant,
    organization: Option<OrganizationId>,
) -> Result<Arc<LiveSession>, Fault> {
    let message = SetActive {
        session: caller.id.clone(),
        organization,
    };
    Ok(shared.organizations.ask(message).await?)
}

async fn set_active(call: SessionCall, body: SetActiveBody) -> Result<ActiveOut, Fault> {
    let organization = match (body.organization_id, body.organization_slug) {
        (Some(id), _) => Some(OrganizationId::from(id)),
        (None, Some(slug)) => Some(by_slug(&call.shared, &slug)?),
        (None, None) => None,
    };
    let session = switch_organization(&call.shared, &call.caller, organization).await?;
    let active = session.grant.active_organization.as_ref();
    let view = call.shared.organizations.view();
    let organization = active.and_then(|id| view.organization(id.as_str()));
    Ok(ActiveOut {
        session: (&*session).into(),
        organization: organization.map(|one| (&**one).into()),
    })
}

async fn check_slug(call: SessionCall, body: SlugBody) -> Result<StatusOut, Fault> {
    let taken = call.shared.records.is_slug_taken(&body.slug).await?;
    if taken {
        let kind = Kind::Conflict {
            resource: "Organization",
            id: Some(body.slug),
        };
        return Err(Fault::new(kind, "An organization has this slug already"));
    }
    Ok(StatusOut::DONE)
}

async fn list(call: SessionCall, _: NoQuery) -> Result<Vec<OrganizationOut>, Fault> {
    let view = call.shared.organizations.view();
    let own = call.caller.memberships.iter();
    let own = own.filter_map(|member| view.organization(member.organization.as_str()));
    Ok(own.map(|organization| (&**organization).into()).collect())
}

async fn full(call: SessionCall, which: OrganizationSelector) -> Result<FullOut, Fault> {
    let id = match (&which.organization_id, &which.organization_slug) {
        (None, Some(slug)) => Some(by_slug(&call.shared, slug)?.to_string()),
        (id, _) => id.clone(),
    };
    let (organization, role) = own_organization(&call.shared, &call.caller, id.as_deref())?;
    let (members, invitations) = people(&call.shared, &organization, role).await?;
    Ok(FullOut {
        organization: (&*organization).into(),
        members,
        invitations,
    })
}

async fn people(
    shared: &Shared,
    organization: &Organization,
    seen_by: Role,
) -> Result<(Vec<MemberOut>, Vec<InvitationOut>), Fault> {
    let id = &organization.tenant.id;
    let members = shared.records.members(id).await?;
    let invitations = shared.records.invitations(id).await?;
    let view = shared.organizations.view();
    let shown = |member| MemberOut::new(&view, id.as_str(), member, seen_by);
    let members = members.iter().filter_map(shown).collect();
    let shown = |invitation| InvitationOut::new(invitation, seen_by);
    Ok((members, invitations.iter().map(shown).collect()))
}

fn by_slug(shared: &Shared, slug: &str) -> Result<OrganizationId, Fault> {
    let found = shared.organizations.view().by_slug(slug);
    found.ok_or_else(|| Fault::not_found("Organization", slug))
}
