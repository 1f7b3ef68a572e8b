//! Members of an organization.

use actix_web::{HttpResponse, HttpResponseBuilder, web};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    OrganizationQuery, named, own_organization, post,
    shapes::{MemberOut, RemovedOut, RoleChangedOut},
};
use crate::{
    access::{Role, SessionGrant},
    actors::organizations::{LostAccess, RemoveMember, RoleOutcome, SetRole, SignedIn, Transfer},
    fault::{Fault, Issue},
    http::{
        Shared,
        extract::{CurrentSession, JsonBody},
        people::{cookie, shapes::LostAccessOut},
        routes::{Access, Route},
        schema::schema,
        session_routes::{self, NoQuery, SessionCall},
    },
    ids::OrganizationId,
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = reads();
    routes.extend(writes());
    routes
}

fn reads() -> Vec<Route> {
    vec![
        session_routes::get("/api/auth/organization/list-members", list)
            .says(
                "List members",
                "Who is in the organization, oldest members first.",
            )
            .takes(
                "organizationId",
                "The organization; by default the session's.",
            ),
        session_routes::get("/api/auth/organization/get-active-member", me).says(
            "Get your membership",
            "The person as a member of the organization that the session works in.",
        ),
    ]
}

fn writes() -> Vec<Route> {
    vec![
        post("/api/auth/organization/update-member-role", |route| {
            route.to(update_role)
        })
        .says(
            "Change a member's role",
            "For owners and admins; only owners make owners and change them, and one owner stays. The member's sessions \
             end; one's own goes on under a new cookie. A lower role cancels the open invitations that the member may no \
             longer make, and ends or narrows the API keys that the member made; the answer lists both.",
        )
        .needs(Access::Session)
        .body(schema::<RoleBody>())
        .answers(schema::<RoleChangedOut>()),
        post("/api/auth/organization/transfer-ownership", |route| {
            route.to(transfer)
        })
        .says(
            "Transfer ownership",
            "Makes another member the owner and oneself an admin, in one step. For owners. Your open invitations for owners \
             are canceled; the answer lists them.",
        )
        .needs(Access::Session)
        .body(schema::<TransferBody>())
        .answers(schema::<RoleChangedOut>()),
        session_routes::post("/api/auth/organization/remove-member", remove)
        .says(
            "Remove a member",
            "For owners and admins; only owners remove owners, and one owner stays. The member's open invitations are canceled \
             and the API keys that the member made end; the answer lists both. With `keepKeys` an owner keeps the keys.",
        ),
        session_routes::post("/api/auth/organization/leave", leave)
            .says(
                "Leave an organization",
                "The last owner cannot leave (403). Your open invitations are canceled and the API keys that you made end; the \
                 answer lists both.",
            ),
    ]
}

#[derive(Serialize, JsonSchema)]
struct MembersOut {
    members: Vec<MemberOut>,
    total: usize,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RoleBody {
    /// By default the one that the session works in.
    organization_id: Option<String>,
    /// The member's id, or address.
    member_id: String,
    /// `owner`, `admin`, `member` or `viewer`.
    role: String,
    /// For owners: API keys that the member made keep working, although the new role is a lower one. They belong to no person
    /// from then on.
    #[serde(default)]
    keep_keys: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TransferBody {
    /// By default the one that the session works in.
    organization_id: Option<String>,
    /// The id, or address, of the member who becomes the owner.
    member_id: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RemoveBody {
    /// By default the one that the session works in.
    organization_id: Option<String>,
    /// The member's id, or address.
    member_id_or_email: String,
    /// For owners: API keys that the member made keep working. They belong to no person from then on.
    #[serde(default)]
    keep_keys: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LeaveBody {
    organization_id: String,
    /// For owners: API keys that you made keep working. They belong to no person from then on.
    #[serde(default)]
    keep_keys: bool,
}

/// A role as it is written.
pub(in crate::http) fn role(text: &str) -> Result<Role, Fault> {
    Role::parse(text).ok_or_else(|| {
        let message = "must be `owner`, `admin`, `member` or `viewer`";
        let issue = Issue::new("invalid_value", "role", message);
        Fault::issues("Invalid request body", vec![issue])
    })
}

async fn list(call: SessionCall, which: OrganizationQuery) -> Result<MembersOut, Fault> {
    let members =
        list_members(&call.shared, &call.caller, which.organization_id.as_deref()).await?;
    let total = members.len();
    Ok(MembersOut { members, total })
}

/// Who is in an organization, as the caller may see them.
pub(in crate::http) async fn list_members(
    shared: &Shared,
    caller: &SessionGrant,
    organization: Option<&str>,
) -> Result<Vec<MemberOut>, Fault> {
    let (organization, role) = own_organization(shared, caller, organization)?;
    let id = &organization.tenant.id;
    let members = shared.records.members(id).await?;
    let view = shared.organizations.view();
    let shown = |member| MemberOut::new(&view, id.as_str(), member, role);
    Ok(members.iter().filter_map(shown).collect())
}

async fn me(call: SessionCall, _: NoQuery) -> Result<MemberOut, Fault> {
    let (organization, _) = own_organization(&call.shared, &call.caller, None)?;
    let id = &organization.tenant.id;
    // Everybody may know their own address.
    find_member(&call.shared, id, call.caller.user.as_str(), Role::Owner).await
}

async fn update_role(
    CurrentSession(caller): CurrentSession,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<RoleBody>,
) -> Result<HttpResponse, Fault> {
    let organization = named(&caller, body.organization_id.as_deref())?;
    let target = Target {
        organization: organization.clone(),
        member: body.member_id.clone(),
        keep_keys: body.keep_keys,
    };
    let changed = change_role(&shared, &caller, target, role(&body.role)?).await?;
    shown_change(&shared, &caller, &organization, &body.member_id, changed).await
}

/// A member who gets other rights.
pub(in crate::http) struct Target {
    pub(in crate::http) organization: OrganizationId,
    /// The member's id, or address.
    pub(in crate::http) member: String,
    /// Whether keys that the member made keep working.
    pub(in crate::http) keep_keys: bool,
}

/// Gives a member of an organization another role; one's own session goes on under a new cookie.
pub(in crate::http) async fn change_role(
    shared: &Shared,
    caller: &SessionGrant,
    target: Target,
    role: Role,
) -> Result<RoleOutcome, Fault> {
    let message = SetRole {
        by: caller.user.clone(),
        session: caller.id.clone(),
        organization: target.organization,
        member: target.member,
        role,
        keep_keys: target.keep_keys,
    };
    Ok(shared.organizations.ask(message).await?)
}

async fn transfer(
    CurrentSession(caller): CurrentSession,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<TransferBody>,
) -> Result<HttpResponse, Fault> {
    let organization = named(&caller, body.organization_id.as_deref())?;
    let message = Transfer {
        by: caller.user.clone(),
        session: caller.id.clone(),
        organization: organization.clone(),
        member: body.member_id.clone(),
    };
    let changed = shared.organizations.ask(message).await?;
    shown_change(&shared, &caller, &organization, &body.member_id, changed).await
}

async fn remove(call: SessionCall, body: RemoveBody) -> Result<RemovedOut, Fault> {
    let target = Target {
        organization: named(&call.caller, body.organization_id.as_deref())?,
        member: body.member_id_or_email,
        keep_keys: body.keep_keys,
    };
    respond_removed(&call, target).await
}

/// Takes a member out of an organization.
pub(in crate::http) async fn remove_member(
    shared: &Shared,
    caller: &SessionGrant,
    target: Target,
) -> Result<LostAccess, Fault> {
    let message = RemoveMember {
        by: caller.user.clone(),
        organization: target.organization,
        member: target.member,
        keep_keys: target.keep_keys,
    };
    Ok(shared.organizations.ask(message).await?.lost)
}

async fn respond_removed(call: &SessionCall, target: Target) -> Result<RemovedOut, Fault> {
    let lost = remove_member(&call.shared, &call.caller, target).await?;
    Ok(RemovedOut {
        status: true,
        lost: lost.into(),
    })
}

async fn leave(call: SessionCall, body: LeaveBody) -> Result<RemovedOut, Fault> {
    let target = Target {
        organization: named(&call.caller, Some(&body.organization_id))?,
        member: call.caller.user.to_string(),
        keep_keys: body.keep_keys,
    };
    respond_removed(&call, target).await
}

/// The member as the caller sees them after a change, and what ended with it.
async fn shown_change(
    shared: &Shared,
    caller: &SessionGrant,
    organization: &OrganizationId,
    named: &str,
    changed: RoleOutcome,
) -> Result<HttpResponse, Fault> {
    let RoleOutcome { renewed, lost } = changed;
    let member = member_after(shared, caller, organization, named).await?;
    let lost = LostAccessOut::from(lost);
    Ok(answer(shared, renewed.as_ref()).json(RoleChangedOut { member, lost }))
}

/// An answer that carries the caller's new cookie, if there is one.
fn answer(shared: &Shared, renewed: Option<&SignedIn>) -> HttpResponseBuilder {
    let mut answer = HttpResponse::Ok();
    if let Some(renewed) = renewed {
        answer.insert_header(cookie::set(shared, renewed, true));
    }
    answer
}

/// The member as the caller sees them after a change.
async fn member_after(
    shared: &Shared,
    caller: &SessionGrant,
    organization: &OrganizationId,
    named: &str,
) -> Result<MemberOut, Fault> {
    let view = shared.organizations.view();
    let person = view.person(&caller.user);
    let seen_by = person.and_then(|person| person.role_in(organization.as_str()));
    find_member(shared, organization, named, seen_by.unwrap_or(Role::Viewer)).await
}

async fn find_member(
    shared: &Shared,
    organization: &OrganizationId,
    named: &str,
    seen_by: Role,
) -> Result<MemberOut, Fault> {
    let members = shared.records.members(organization).await?;
    let view = shared.organizations.view();
    let email = named.trim().to_lowercase();
    let id = view
        .person_by_email(&email)
        .map(|person| person.id.as_str());
    let found = members.iter().find(|member| {
        let user = member.user.as_str();
        user == named || id == Some(user)
    });
    found
        .and_then(|member| MemberOut::new(&view, organization.as_str(), member, seen_by))
        .ok_or_else(|| Fault::not_found("member", named))
}
