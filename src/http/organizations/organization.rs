//! Making, seeing, changing and deleting organizations.

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    get, named, own, post, settle,
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
        extract::{CurrentSession, JsonBody},
        people::shapes::{SessionOut, StatusOut},
        routes::{Access, Route},
        schema::schema,
    },
    ids::OrganizationId,
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        post("/api/auth/organization/create", |route| route.to(create))
            .says(
                "Create an organization",
                "Makes an organization that the person owns; the session works in it from now on.",
            )
            .needs(Access::Session)
            .body(schema::<CreateBody>())
            .answers(schema::<OrganizationOut>()),
        post("/api/auth/organization/update", |route| route.to(update))
            .says(
                "Change an organization",
                "Changes name, slug or picture. For owners and admins.",
            )
            .needs(Access::Session)
            .body(schema::<UpdateBody>())
            .answers(schema::<OrganizationOut>()),
        post("/api/auth/organization/delete", |route| route.to(delete))
            .says(
                "Delete an organization",
                "It stops working at once, with its keys, websites and members. For owners, who can restore it for 7 days.",
            )
            .needs(Access::Session)
            .body(schema::<WhichBody>())
            .answers(schema::<OrganizationOut>()),
        post("/api/auth/organization/restore", |route| route.to(restore))
            .says(
                "Restore an organization",
                "Brings an organization back that was deleted less than 7 days ago. For those who owned it.",
            )
            .needs(Access::Session)
            .body(schema::<WhichBody>())
            .answers(schema::<OrganizationOut>()),
    ]
}

/// Switching between organizations, and seeing them.
pub(super) fn further() -> Vec<Route> {
    vec![
        post("/api/auth/organization/set-active", |route| {
            route.to(set_active)
        })
        .says(
            "Switch organizations",
            "Chooses the organization that the session works in, by id or slug; null = none.",
        )
        .needs(Access::Session)
        .body(schema::<SetActiveBody>())
        .answers(schema::<ActiveOut>()),
        post("/api/auth/organization/check-slug", |route| {
            route.to(check_slug)
        })
        .says("Is a slug free?", "409 when an organization has it.")
        .needs(Access::Session)
        .body(schema::<SlugBody>())
        .answers(schema::<StatusOut>()),
        get("/api/auth/organization/list", |route| route.to(list))
            .says(
                "My organizations",
                "Those that the person is a member of, oldest membership first.",
            )
            .needs(Access::Session)
            .answers(schema::<Vec<OrganizationOut>>()),
        get("/api/auth/organization/get-full-organization", |route| {
            route.to(full)
        })
        .says(
            "An organization with its people",
            "The organization with its members and invitations.",
        )
        .takes(
            "organizationId",
            "The organization; by default the session's.",
        )
        .takes("organizationSlug", "The same, by slug.")
        .needs(Access::Session)
        .answers(schema::<FullOut>()),
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
struct WhichBody {
    /// The organization.
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
struct Which {
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

fn shown(organization: &Organization) -> HttpResponse {
    HttpResponse::Ok().json(OrganizationOut::from(organization))
}

/// Makes an organization of a person, whose session works in it from now on.
pub(in crate::http) async fn made(
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

async fn create(
    CurrentSession(caller): CurrentSession,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<CreateBody>,
) -> Result<HttpResponse, Fault> {
    let message = CreateOrganization {
        by: caller.user.clone(),
        session: (!body.keep_current_active_organization).then(|| caller.id.clone()),
        name: body.name,
        slug: body.slug,
        logo: body.logo,
    };
    Ok(shown(&*shared.organizations.ask(message).await?))
}

async fn update(
    CurrentSession(caller): CurrentSession,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<UpdateBody>,
) -> Result<HttpResponse, Fault> {
    let UpdateData { name, slug, logo } = body.data;
    if name.is_none() && slug.is_none() && logo.is_none() {
        let message = "name `name`, `slug` or `logo`: there is nothing to change";
        let issue = Issue::new("missing", "data", message);
        return Err(Fault::issues("Invalid request body", vec![issue]));
    }
    let message = UpdateOrganization {
        by: Actor::User(caller.user.clone()),
        organization: named(&caller, body.organization_id.as_deref())?,
        change: OrganizationChange {
            name,
            slug,
            logo,
            ..OrganizationChange::default()
        },
    };
    Ok(shown(&*shared.organizations.ask(message).await?))
}

async fn delete(
    CurrentSession(caller): CurrentSession,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<WhichBody>,
) -> Result<HttpResponse, Fault> {
    let message = DeleteOrganization {
        by: caller.user.clone(),
        organization: OrganizationId::from(body.organization_id),
    };
    let deleted = shared.organizations.ask(message).await?;
    settle(&shared, &deleted.tenant.id).await?;
    Ok(shown(&deleted))
}

async fn restore(
    CurrentSession(caller): CurrentSession,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<WhichBody>,
) -> Result<HttpResponse, Fault> {
    let message = RestoreOrganization {
        by: caller.user.clone(),
        organization: OrganizationId::from(body.organization_id),
    };
    let restored = shared.organizations.ask(message).await?;
    settle(&shared, &restored.tenant.id).await?;
    Ok(shown(&restored))
}

/// Lets a session work in another organization, or in none.
pub(in crate::http) async fn switched(
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

async fn set_active(
    CurrentSession(caller): CurrentSession,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<SetActiveBody>,
) -> Result<HttpResponse, Fault> {
    let organization = match (body.organization_id, body.organization_slug) {
        (Some(id), _) => Some(OrganizationId::from(id)),
        (None, Some(slug)) => Some(by_slug(&shared, &slug)?),
        (None, None) => None,
    };
    let session = switched(&shared, &caller, organization).await?;
    let active = session.grant.active_organization.as_ref();
    let view = shared.organizations.view();
    let organization = active.and_then(|id| view.organization(id.as_str()));
    Ok(HttpResponse::Ok().json(ActiveOut {
        session: (&*session).into(),
        organization: organization.map(|one| (&**one).into()),
    }))
}

async fn check_slug(
    CurrentSession(_): CurrentSession,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<SlugBody>,
) -> Result<HttpResponse, Fault> {
    let taken = shared.records.is_slug_taken(&body.slug).await?;
    if taken {
        let kind = Kind::Conflict {
            resource: "Organization",
            id: Some(body.slug),
        };
        return Err(Fault::new(kind, "An organization has this slug already"));
    }
    Ok(HttpResponse::Ok().json(StatusOut::DONE))
}

async fn list(CurrentSession(caller): CurrentSession, shared: web::Data<Shared>) -> HttpResponse {
    let view = shared.organizations.view();
    let own = caller.memberships.iter();
    let own = own.filter_map(|member| view.organization(member.organization.as_str()));
    let own = own.map(|organization| OrganizationOut::from(&**organization));
    HttpResponse::Ok().json(own.collect::<Vec<_>>())
}

async fn full(
    CurrentSession(caller): CurrentSession,
    shared: web::Data<Shared>,
    which: web::Query<Which>,
) -> Result<HttpResponse, Fault> {
    let id = match (&which.organization_id, &which.organization_slug) {
        (None, Some(slug)) => Some(by_slug(&shared, slug)?.to_string()),
        (id, _) => id.clone(),
    };
    let (organization, role) = own(&shared, &caller, id.as_deref())?;
    let (members, invitations) = people(&shared, &organization, role).await?;
    Ok(HttpResponse::Ok().json(FullOut {
        organization: (&*organization).into(),
        members,
        invitations,
    }))
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
    let shown = |member| MemberOut::of(&view, id.as_str(), member, seen_by);
    let members = members.iter().filter_map(shown).collect();
    let shown = |invitation| InvitationOut::of(invitation, seen_by);
    Ok((members, invitations.iter().map(shown).collect()))
}

fn by_slug(shared: &Shared, slug: &str) -> Result<OrganizationId, Fault> {
    let found = shared.organizations.view().by_slug(slug);
    found.ok_or_else(|| Fault::not_found("Organization", slug))
}
