//! The members of the organization, and its invitations.

use std::sync::Arc;

use super::{apps, provisioning::Provisioning, second_factors};
use crate::{
    access::Role,
    actors::{
        keys::LiveKey,
        organizations::{LostAccess, RoleOutcome},
    },
    http::{
        organizations::{
            invitations, members,
            shapes::{InvitationOut, MemberOut},
            sign_in,
        },
        pages::{prelude::*, providers},
        people::cookie,
        procedures::{
            apps::ConnectedAppOut,
            bodies::OrganizationBody,
            organizations::{self, PendingBody},
            sso::{LIST_PROVIDERS, ProviderOut},
        },
    },
    ids::{OrganizationId, UserId},
    pages::{
        part::{Field, checkbox, choice, confirm, copyable, empty, hidden, notice, panel, time},
        time::moment,
    },
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = resource::routes::<Members>();
    routes.extend([
        form_route("/console/members/role", |route| route.to(change_role)),
        form_route("/console/members/remove", |route| route.to(remove)),
        form_route("/console/members/invite", |route| route.to(invite)),
        form_route("/console/members/withdraw", |route| route.to(withdraw)),
        form_route("/console/members/sign-in", |route| route.to(require)),
    ]);
    routes
}

/// Roles with their rights.
pub(super) const ROLES: [(&str, &str); 4] = [
    ("viewer", "Viewer (reads data)"),
    ("member", "Member (creates and configures most things)"),
    (
        "admin",
        "Admin (everything except owners and the organization)",
    ),
    ("owner", "Owner (everything)"),
];

/// The active organization.
pub(super) fn organization(context: &PageContext) -> Result<OrganizationId, Fault> {
    let active = context.session.active_organization.clone();
    active.ok_or_else(|| Fault::invalid("Choose an organization first"))
}

pub(super) struct Members {
    people: Vec<MemberOut>,
    invitations: Vec<InvitationOut>,
    /// The provider that members have to sign in with.
    required: Option<String>,
    /// The providers that the organization added, for owners.
    sso: Vec<ProviderOut>,
    provisioning: Provisioning,
    apps: Vec<ConnectedAppOut>,
}

impl Resource for Members {
    const PATH: &'static str = "/console/members";
    const NAV_ITEM: NavItem = NavItem::Members;
    const WRITE: Option<Permission> = Some(Permission::MembersManage);

    fn changed_path(_: &Key) -> String {
        Self::PATH.to_owned()
    }

    async fn load(context: &PageContext, _: &Key) -> Result<Self, Fault> {
        let pending = PendingBody {
            organization_id: organization(context)?.to_string(),
            include_expired: true,
        };
        let procedure = &organizations::GET_PENDING_INVITATIONS;
        let sso = if context.can(Permission::OwnersManage) {
            context
                .ask(&LIST_PROVIDERS, OrganizationBody::default())
                .await?
        } else {
            Vec::new()
        };
        let view = context.shared().organizations.view();
        let own = view.organization(&pending.organization_id);
        Ok(Self {
            required: own.and_then(|own| own.required_provider.clone()),
            people: members::list_members(context.shared(), &context.session, None).await?,
            invitations: context.ask(procedure, pending).await?,
            sso,
            provisioning: Provisioning::load(context).await?,
            apps: apps::load(context).await?,
        })
    }

    fn title(&self) -> &'static str {
        "Members"
    }

    fn head(&self, _: &Page<'_>) -> Markup {
        html! { div.title-row { h1 { (self.title()) } } }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        Ok(html! {
            section.panel { (draw_members(&self.people, page)) }
            @if !self.apps.is_empty() { (panel("Connected apps", &apps::draw(page, &self.apps))) }
            div.grid {
                @if page.can_change { (panel("Invite member", &draw_invite(page))) }
                (panel("Invitations", &draw_invitations(&self.invitations, page)))
                @let has_providers = page.context.shared().federation.providers.iter().next().is_some();
                @if has_providers || self.required.is_some() || page.context.can(Permission::OwnersManage) {
                    (panel("Sign-in", &providers::draw_organization(page, &self.sso, self.required.as_deref())))
                }
                @if page.can_change { (panel("User provisioning (SCIM)", &self.provisioning.draw(page))) }
            }
        })
    }
}

/// The keys that a member created.
fn find_keys(context: &PageContext, member: &MemberOut) -> Vec<Arc<LiveKey>> {
    let keys = context.shared().keys.view();
    let own = context.session.active_organization.as_ref();
    own.map(|own| keys.made_by(own, &UserId::from(member.id.as_str())))
        .unwrap_or_default()
}

/// The button that removes a member, behind the keys that end.
fn draw_removal(context: &PageContext, member: &MemberOut) -> Markup {
    let keys = find_keys(context, member);
    let fields = html! {
        (hidden("member", &member.id))
        @if !keys.is_empty() {
            p { "API keys that they created stop working:" }
            ul { @for key in &keys { li { (key.name) " " code { (key.start) "…" } } } }
            @if context.can(Permission::OwnersManage) {
                label.tick { input name="keepKeys" type="checkbox" value="on"; "Keep these API keys working" }
            }
        }
    };
    let consequence =
        "They lose access to this organization. Invitations that they sent are canceled.";
    confirm(
        "Remove member…",
        consequence,
        "/console/members/remove",
        "Remove member",
        &fields,
    )
}

/// The keys and invitations that ended with a member's rights.
fn draw_losses(lost: &LostAccess) -> Markup {
    html! { (notice("good", &html! {
        p { strong { "Done. " }
            @match lost.invitations.len() {
                0 => {}
                1 => { "1 open invitation was canceled." }
                many => { (many) " open invitations were canceled." }
            }
        }
        @if !lost.keys.is_empty() {
            p { "API keys:" }
            ul { @for key in &lost.keys { li { (key.name) " " code { (key.start) "…" } " " (key.outcome.as_str()) } } }
        }
    })) }
}

fn draw_members(members: &[MemberOut], page: &Page<'_>) -> Markup {
    let (context, date_format) = (page.context, page.date_format);
    let me = context.session.user.as_str();
    let among = Role::ALL.map(|role| (role.as_str(), role.as_str()));
    html! {
        table.table.sites {
            caption.hide { "Members, oldest first" }
            thead { tr { th scope="col" { "Member" } th scope="col" { "Joined" } th scope="col" { "Role" } } }
            tbody { @for member in members { tr {
                td {
                    span.name { (member.user.name) @if member.id == me { span.dim { " (you)" } } }
                    @if let Some(email) = &member.user.email { span.dim { (email) } }
                }
                td data-label="Joined" { @if let Some(at) = moment(&member.created_at) { (time(at, &date_format.date(at), date_format)) } }
                td {
                    @if page.can_change {
                        form.inline method="post" action="/console/members/role" {
                            (hidden("member", &member.id))
                            select name="role" aria-label=(format!("Role of {}", member.user.name)) {
                                @for (value, label) in among { option value=(value) selected[value == member.role] { (label) } }
                            }
                            @if context.can(Permission::OwnersManage) && !find_keys(context, member).is_empty() {
                                label.tick { input name="keepKeys" type="checkbox" value="on"; "Keep their API keys" }
                            }
                            button.button.small type="submit" { "Change role" }
                        }
                        (draw_removal(context, member))
                        (second_factors::draw_removal(context, member))
                    } @else { (member.role) }
                }
            } } }
        }
    }
}

fn draw_invite(page: &Page<'_>) -> Markup {
    let (sent, problems) = (page.sent, page.problems);
    let role = sent.some("role").unwrap_or("viewer");
    let fields = html! {
        (Field::text("email", "Email").kind("email").value(sent.raw("email")).draw(problems))
        (choice("role", "Role", &ROLES, role))
        (checkbox("again", "Replace an open invitation for this address", sent.is_on("again")))
    };
    small_form("/console/members/invite", "Invite member", &fields)
}

fn draw_invitations(invitations: &[InvitationOut], page: &Page<'_>) -> Markup {
    let date_format = page.date_format;
    html! {
        @if invitations.is_empty() { (empty("No open invitations", &html! { "Invitations appear here until they are accepted." })) }
        @else {
            table.table {
                thead { tr { th scope="col" { "Email" } th scope="col" { "Role" } th scope="col" { "Expires" } th { span.hide { "Actions" } } } }
                tbody { @for one in invitations {
                    @let until = moment(&one.expires_at);
                    tr {
                        td { (one.email.as_deref().unwrap_or("Unknown")) }
                        td { (one.role) }
                        td { @if let Some(at) = until { (time(at, &date_format.date(at), date_format)) @if at <= page.now_ms { " " span.state.warn { "Expired" } } } }
                        td { @if page.can_change {
                            form.plain method="post" action="/console/members/withdraw" { (hidden("invitation", &one.id)) button.button.small type="submit" { "Revoke invitation" } }
                        } }
                    }
                } }
            }
        }
    }
}

fn read_target(context: &PageContext, sent: &FormData) -> Result<members::Target, Fault> {
    Ok(members::Target {
        organization: organization(context)?,
        member: sent.text("member").to_owned(),
        keep_keys: sent.is_on("keepKeys"),
    })
}

/// The reply to a change, with the access that ended.
fn reply(lost: &LostAccess) -> Reply {
    if *lost == LostAccess::default() {
        Reply::Redirect(Members::PATH.to_owned())
    } else {
        Reply::News(draw_losses(lost))
    }
}

async fn change_role(form: Submission) -> Result<HttpResponse, Fault> {
    let target = read_target(&form.context, &form.sent)?;
    let outcome = async {
        let role = members::role(form.sent.text("role"))?;
        let changed =
            members::change_role(form.context.shared(), &form.context.session, target, role);
        let RoleOutcome { lost, renewed, .. } = changed.await?;
        let Some(renewed) = renewed else {
            return Ok(reply(&lost));
        };
        let cookie = cookie::set(form.context.shared(), &renewed, true);
        let mut response = answer::start_redirect(Members::PATH);
        Ok(Reply::Response(response.insert_header(cookie).finish()))
    };
    form.finish::<Members>(outcome.await).await
}

async fn remove(form: Submission) -> Result<HttpResponse, Fault> {
    let target = read_target(&form.context, &form.sent)?;
    let lost = members::remove_member(form.context.shared(), &form.context.session, target).await;
    let outcome = lost.map(|lost| reply(&lost));
    form.finish::<Members>(outcome).await
}

async fn invite(form: Submission) -> Result<HttpResponse, Fault> {
    let organization = organization(&form.context)?;
    let outcome = async {
        let wanted = invitations::InvitationRequest {
            organization,
            email: form.sent.text("email").to_owned(),
            role: members::role(form.sent.text("role"))?,
            again: form.sent.is_on("again"),
        };
        let invited =
            invitations::invite_person(form.context.shared(), &form.context.session, wanted)
                .await?;
        Ok(Reply::News(html! { (notice("good", &html! {
            p { strong { "Invitation created. " }
                @if invited.mailed { "The link is sent by email. It is shown here once:" }
                @else { "Send this link to the person you invite. It is shown once:" }
            }
            (copyable("Invitation link", &invited.link))
        })) }))
    };
    form.finish::<Members>(outcome.await).await
}

async fn withdraw(form: Submission) -> Result<HttpResponse, Fault> {
    let invitation = form.sent.text("invitation").to_owned();
    invitations::cancel_invitation(form.context.shared(), &form.context.session, invitation)
        .await?;
    Ok(answer::redirect(Members::PATH))
}

async fn require(form: Submission) -> Result<HttpResponse, Fault> {
    let provider = form.sent.text("provider").to_owned();
    let (shared, session) = (form.context.shared(), &form.context.session);
    let provider = (!provider.is_empty()).then_some(provider);
    let outcome = sign_in::require_provider(shared, session, None, provider).await;
    form.finish_change::<Members>(outcome).await
}
