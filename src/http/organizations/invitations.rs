//! Invitations.

use actix_web::{HttpResponse, http::Method, web};
use schemars::JsonSchema;
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};

use super::{
    OrganizationQuery,
    members::role,
    named, own_organization,
    shapes::{InvitationOut, MemberOut, OrganizationOut},
};
use crate::{
    access::{Principal, Role, SessionGrant},
    actors::organizations::{Accept, CancelInvitation, Invitation, Invite, Reject},
    fault::{Fault, Kind},
    http::{
        Host, Shared,
        auth::Caller,
        routes::Route,
        schema::schema,
        session_routes::{self, NoQuery, SessionCall},
    },
    ids::{InvitationId, OrganizationId},
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        session_routes::post("/api/auth/organization/invite-member", invite)
        .says(
            "Invite a member",
            "Creates an invitation for an email address, valid for 7 days. `link` is shown only once: send it to the person you \
             invite. For owners and admins; only owners invite owners.",
        ),
        session_routes::post("/api/auth/organization/accept-invitation", accept)
        .says(
            "Accept an invitation",
            "Makes you a member; your session works in the organization from now on. Without an account, sign up with the token \
             instead (`/api/auth/sign-up/email`).",
        ),
        session_routes::post("/api/auth/organization/reject-invitation", reject)
        .says("Decline an invitation", "It cannot be accepted any more."),
    ]
}

/// What is seen of invitations, and taking them back.
pub(super) fn further() -> Vec<Route> {
    vec![
        session_routes::post("/api/auth/organization/cancel-invitation", cancel)
        .says(
            "Cancel an invitation",
            "Its link stops working at once. For owners and admins.",
        ),
        Route::new(Method::GET, Host::Base, "/api/auth/organization/get-invitation", |route| {
            route.to(see)
        })
        .says(
            "Get an invitation",
            "The invitation, its organization and its sender. The token of its link is enough.",
        )
        .wants("id", "The token that the link ends in.")
        .or(404)
        .answers(schema::<SeenOut>()),
        session_routes::get("/api/auth/organization/list-invitations", list)
        .says("List invitations", "The organization's, newest first.")
        .takes("organizationId", "The organization; by default the session's."),
        session_routes::get("/api/auth/organization/list-user-invitations", list_own)
        .says(
            "List your invitations",
            "Open invitations of the person. None while the address is not known to be the person's (`emailVerified`).",
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct InviteBody {
    /// By default the one that the session works in.
    organization_id: Option<String>,
    /// Who is invited.
    email: String,
    /// `owner`, `admin`, `member` or `viewer`.
    role: String,
    /// Whether an open invitation of the same address gives way to this one; else it is 409.
    #[serde(default)]
    resend: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AnswerBody {
    /// The token that the link ends in; or the invitation's id, where the person's address is known to be theirs.
    invitation_id: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CancelBody {
    invitation_id: String,
}

#[derive(Deserialize)]
struct Token {
    id: String,
}

/// An invitation and the way in.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct InvitedOut {
    #[serde(flatten)]
    invitation: InvitationOut,
    /// Where it is accepted. A person who has the link and an account of this address gets in.
    pub(in crate::http) link: String,
    /// Whether the link is mailed too (`mail.smtp_url`).
    pub(in crate::http) mailed: bool,
}

/// An answered invitation.
#[derive(Serialize, JsonSchema)]
struct AcceptedOut {
    invitation: InvitationOut,
    /// The new member; null when it was declined.
    member: Option<MemberOut>,
}

/// An invitation as the invited person sees it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SeenOut {
    #[serde(flatten)]
    invitation: InvitationOut,
    organization: OrganizationOut,
    /// Name of the person who invited.
    inviter_name: Option<String>,
}

async fn invite(call: SessionCall, body: InviteBody) -> Result<InvitedOut, Fault> {
    let wanted = InvitationRequest {
        organization: named(&call.caller, body.organization_id.as_deref())?,
        email: body.email,
        role: role(&body.role)?,
        again: body.resend,
    };
    invite_person(&call.shared, &call.caller, wanted).await
}

pub(in crate::http) struct InvitationRequest {
    pub(in crate::http) organization: OrganizationId,
    pub(in crate::http) email: String,
    pub(in crate::http) role: Role,
    /// Whether an open one of the same address gives way to it.
    pub(in crate::http) again: bool,
}

/// Invites a person in the caller's name.
pub(in crate::http) async fn invite_person(
    shared: &Shared,
    caller: &SessionGrant,
    wanted: InvitationRequest,
) -> Result<InvitedOut, Fault> {
    let message = Invite {
        by: caller.user.clone(),
        organization: wanted.organization,
        email: wanted.email,
        role: wanted.role,
        again: wanted.again,
        base_url: shared.urls.base.clone(),
    };
    let invited = shared.organizations.ask(message).await?;
    let token = invited.token.expose_secret();
    Ok(InvitedOut {
        invitation: InvitationOut::new(&invited.invitation, Role::Owner),
        link: format!("{}/invite/{token}", shared.urls.base),
        mailed: invited.mailed,
    })
}

/// Accepts the invitation of a token for the person who is signed in.
pub(in crate::http) async fn accept_invitation(
    shared: &Shared,
    caller: &SessionGrant,
    token: String,
) -> Result<Invitation, Fault> {
    let message = Accept {
        by: caller.user.clone(),
        session: caller.id.clone(),
        invitation: token.into(),
    };
    Ok(shared.organizations.ask(message).await?)
}

async fn accept(call: SessionCall, body: AnswerBody) -> Result<AcceptedOut, Fault> {
    let accepted = accept_invitation(&call.shared, &call.caller, body.invitation_id).await?;
    let organization = &accepted.organization;
    let members = call.shared.records.members(organization).await?;
    let view = call.shared.organizations.view();
    let own = members
        .iter()
        .find(|member| member.user == call.caller.user);
    let shown = own.and_then(|own| MemberOut::new(&view, organization.as_str(), own, Role::Owner));
    Ok(AcceptedOut {
        invitation: InvitationOut::new(&accepted, Role::Owner),
        member: shown,
    })
}

async fn reject(call: SessionCall, body: AnswerBody) -> Result<AcceptedOut, Fault> {
    let message = Reject {
        by: call.caller.user.clone(),
        invitation: body.invitation_id.into(),
    };
    let rejected = call.shared.organizations.ask(message).await?;
    Ok(AcceptedOut {
        invitation: InvitationOut::new(&rejected, Role::Owner),
        member: None,
    })
}

async fn cancel(call: SessionCall, body: CancelBody) -> Result<InvitationOut, Fault> {
    let canceled = cancel_invitation(&call.shared, &call.caller, body.invitation_id).await?;
    Ok(InvitationOut::new(&canceled, Role::Owner))
}

pub(in crate::http) async fn cancel_invitation(
    shared: &Shared,
    caller: &SessionGrant,
    id: String,
) -> Result<Invitation, Fault> {
    let message = CancelInvitation {
        by: caller.user.clone(),
        session: caller.id.clone(),
        id: InvitationId::from(id),
    };
    Ok(shared.organizations.ask(message).await?)
}

async fn list(call: SessionCall, which: OrganizationQuery) -> Result<Vec<InvitationOut>, Fault> {
    let (organization, role) =
        own_organization(&call.shared, &call.caller, which.organization_id.as_deref())?;
    let invitations = call
        .shared
        .records
        .invitations(&organization.tenant.id)
        .await?;
    let shown = invitations.iter().map(|one| InvitationOut::new(one, role));
    Ok(shown.collect())
}

/// For everyone who has the link, signed in or not; a wrong token is as if there were no invitation.
async fn see(
    caller: Caller,
    shared: web::Data<Shared>,
    token: web::Query<Token>,
) -> Result<HttpResponse, Fault> {
    let unknown = || {
        let kind = Kind::NotFound {
            resource: "invitation",
            id: None,
        };
        Fault::new(kind, "invitation not found")
    };
    let mut found = shared.records.invitation_by_token(&token.id).await?;
    if found.is_none()
        && let Principal::Session(session) = &caller.principal
    {
        let own = shared.records.open_invitations(&session.user).await?;
        found = own.into_iter().find(|one| one.id.as_str() == token.id);
    }
    let seen = found.and_then(|found| show(&shared, &found));
    Ok(HttpResponse::Ok().json(seen.ok_or_else(unknown)?))
}

async fn list_own(call: SessionCall, _: NoQuery) -> Result<Vec<SeenOut>, Fault> {
    let own = call
        .shared
        .records
        .open_invitations(&call.caller.user)
        .await?;
    let shown = own.iter().filter_map(|one| show(&call.shared, one));
    Ok(shown.collect())
}

fn show(shared: &Shared, invitation: &Invitation) -> Option<SeenOut> {
    let view = shared.organizations.view();
    let organization = view.organization(invitation.organization.as_str())?;
    let inviter = invitation.inviter.as_ref();
    let inviter = inviter.and_then(|id| view.person(id));
    Some(SeenOut {
        invitation: InvitationOut::new(invitation, Role::Owner),
        organization: (&**organization).into(),
        inviter_name: inviter.map(|person| person.name.clone()),
    })
}
