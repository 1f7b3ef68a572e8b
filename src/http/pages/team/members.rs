//! Who is in the organization, and who is invited.

use std::sync::Arc;

use actix_web::HttpResponse;
use maud::{Markup, html};

use crate::{
    access::{Permission, Role},
    actors::{
        keys::LiveKey,
        organizations::{LostAccess, RoleChanged},
    },
    fault::Fault,
    http::{
        organizations::{
            invitations, members,
            shapes::{InvitationOut, MemberOut},
        },
        pages::{
            answer,
            context::{PageContext, told},
            form::FormData,
            page, sent,
        },
        people::cookie,
        procedures::organizations::{self, PendingBody},
        routes::Route,
    },
    ids::{OrganizationId, UserId},
    pages::{
        frame::Place,
        part::{Field, Form, choice, confirm, copied, empty, hidden, notice, panel, tick, time},
        problem::Problems,
        time::{DateFormat, moment},
    },
};

const PATH: &str = "/console/members";

pub(super) fn routes() -> Vec<Route> {
    vec![
        page(PATH, |route| route.to(show)),
        sent("/console/members/role", |route| route.to(role)),
        sent("/console/members/remove", |route| route.to(remove)),
        sent("/console/members/invite", |route| route.to(invite)),
        sent("/console/members/withdraw", |route| route.to(withdraw)),
    ]
}

/// Roles, with what they may.
const ROLES: [(&str, &str); 4] = [
    ("viewer", "Viewer: sees numbers"),
    ("member", "Member: makes and configures most things"),
    (
        "admin",
        "Admin: everything but owners and the organization itself",
    ),
    ("owner", "Owner: everything"),
];

/// The organization that is worked in.
fn organization(context: &PageContext) -> Result<OrganizationId, Fault> {
    let active = context.session.active_organization.clone();
    active.ok_or_else(|| Fault::invalid("Choose an organization first"))
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let main = draw(&context, &html! {}, &FormData::default(), &Problems::NONE).await?;
    Ok(context.show(Place::Members, "Members", &main))
}

async fn draw(
    context: &PageContext,
    news: &Markup,
    sent: &FormData,
    problems: &Problems,
) -> Result<Markup, Fault> {
    let organization = organization(context)?;
    let members = members::list_members(context.shared(), &context.session, None).await?;
    let pending = PendingBody {
        organization_id: organization.to_string(),
        include_expired: true,
    };
    let invited = context
        .ask(&organizations::GET_PENDING_INVITATIONS, pending)
        .await?;
    let date_format = context.date_format().await?;
    let may = context.may(Permission::MembersManage);
    Ok(html! {
        div.title-row { h1 { "Members" } }
        (news)
        @for said in problems.above(&["email", "role"]) { (notice("bad", &html! { (said) })) }
        section.panel { (table(context, &members, may, &date_format)) }
        div.grid {
            @if may { (panel("Invite somebody", &inviting(sent, problems))) }
            (panel("Invitations", &invitations_of(&invited, may, &date_format, context.shared().clock.now_ms())))
        }
    })
}

/// The keys that a member made.
fn made(context: &PageContext, member: &MemberOut) -> Vec<Arc<LiveKey>> {
    let keys = context.shared().keys.view();
    let own = context.session.active_organization.as_ref();
    own.map(|own| keys.made_by(own, &UserId::from(member.id.as_str())))
        .unwrap_or_default()
}

/// Asks before a member is removed, and says which keys end.
fn removing(context: &PageContext, member: &MemberOut) -> Markup {
    let made = made(context, member);
    let fields = html! {
        (hidden("member", &member.id))
        @if !made.is_empty() {
            p { "API keys that they made stop working:" }
            ul { @for key in &made { li { (key.name) " " code { (key.start) "…" } } } }
            @if context.may(Permission::OwnersManage) {
                p.tick { label { input name="keepKeys" type="checkbox" value="on"; " Keep these API keys working" } }
            }
        }
    };
    let said =
        "They can't see this organization any more. Invitations that they sent are canceled.";
    confirm(
        "Remove…",
        said,
        "/console/members/remove",
        "Remove",
        &fields,
    )
}

/// What ended with the rights that a member lost.
fn ended(lost: &LostAccess) -> Markup {
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

fn table(
    context: &PageContext,
    members: &[MemberOut],
    may: bool,
    date_format: &DateFormat,
) -> Markup {
    let me = context.session.user.as_str();
    let among = Role::ALL.map(|role| (role.as_str(), role.as_str()));
    html! {
        table.table.sites {
            caption.hide { "Members, who was first first" }
            thead { tr { th scope="col" { "Person" } th scope="col" { "Since" } th scope="col" { "Role" } } }
            tbody { @for member in members { tr {
                td {
                    span.name { (member.user.name) @if member.id == me { span.dim { " (you)" } } }
                    @if let Some(email) = &member.user.email { span.dim { (email) } }
                }
                td data-label="Since" { @if let Some(at) = moment(&member.created_at) { (time(at, &date_format.date(at), date_format)) } }
                td {
                    @if may {
                        form.inline method="post" action="/console/members/role" {
                            (hidden("member", &member.id))
                            select name="role" aria-label=(format!("Role of {}", member.user.name)) {
                                @for (value, label) in among { option value=(value) selected[value == member.role] { (label) } }
                            }
                            @if context.may(Permission::OwnersManage) && !made(context, member).is_empty() {
                                label { input name="keepKeys" type="checkbox" value="on"; " Keep their API keys" }
                            }
                            button.button.small type="submit" { "Change" }
                        }
                        (removing(context, member))
                    } @else { (member.role) }
                }
            } } }
        }
    }
}

fn inviting(sent: &FormData, problems: &Problems) -> Markup {
    // What is not about its fields is said above the page.
    let own = ["email", "role"];
    let form = Form {
        action: "/console/members/invite",
        send: "Invite",
        problems: &Problems::NONE,
        fields: &own,
    };
    let role = sent.some("role").unwrap_or("viewer");
    form.around(&html! {
        (Field::text("email", "E-mail address").kind("email").value(sent.raw("email")).draw(problems))
        (choice("role", "Role", &ROLES, role))
        (tick("again", "Replace an open invitation of this address", sent.is_on("again")))
    })
}

fn invitations_of(
    invited: &[InvitationOut],
    may: bool,
    date_format: &DateFormat,
    now_ms: i64,
) -> Markup {
    html! {
        @if invited.is_empty() { (empty("Nobody is invited", &html! { "Invitations that wait for an answer stand here." })) }
        @else {
            table.table {
                thead { tr { th scope="col" { "Who" } th scope="col" { "Role" } th scope="col" { "Until" } th { span.hide { "Take back" } } } }
                tbody { @for one in invited {
                    @let until = moment(&one.expires_at);
                    tr {
                        td { (one.email.as_deref().unwrap_or("somebody")) }
                        td { (one.role) }
                        td { @if let Some(at) = until { (time(at, &date_format.date(at), date_format)) @if at <= now_ms { " " span.state.warn { "expired" } } } }
                        td { @if may {
                            form.plain method="post" action="/console/members/withdraw" { (hidden("invitation", &one.id)) button.button.small type="submit" { "Take back" } }
                        } }
                    }
                } }
            }
        }
    }
}

/// The page again, with what is wrong.
async fn again(
    context: &PageContext,
    sent: &FormData,
    fault: Fault,
) -> Result<HttpResponse, Fault> {
    let (refused, problems) = told(fault)?;
    let main = draw(context, &html! {}, sent, &problems).await?;
    Ok(context.again(refused, Place::Members, "Members", &main))
}

fn target(organization: OrganizationId, sent: &FormData) -> members::Target {
    members::Target {
        organization,
        member: sent.text("member").to_owned(),
        keep_keys: sent.is_on("keepKeys"),
    }
}

/// The way back, or the page with what ended.
async fn done(context: &PageContext, lost: &LostAccess) -> Result<HttpResponse, Fault> {
    if *lost == LostAccess::default() {
        return Ok(answer::see(PATH));
    }
    let main = draw(context, &ended(lost), &FormData::default(), &Problems::NONE).await?;
    Ok(context.show(Place::Members, "Members", &main))
}

async fn role(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let organization = organization(&context)?;
    let changed = match members::role(sent.text("role")) {
        Ok(role) => {
            let target = target(organization, &sent);
            members::change_role(context.shared(), &context.session, target, role).await
        }
        Err(fault) => Err(fault),
    };
    match changed {
        Ok(RoleChanged {
            renewed: Some(renewed),
            ..
        }) => Ok(answer::seeing(PATH)
            .insert_header(cookie::set(context.shared(), &renewed, true))
            .finish()),
        Ok(RoleChanged { lost, .. }) => done(&context, &lost).await,
        Err(fault) => again(&context, &FormData::default(), fault).await,
    }
}

async fn remove(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let organization = organization(&context)?;
    let target = target(organization, &sent);
    match members::remove_member(context.shared(), &context.session, target).await {
        Ok(lost) => done(&context, &lost).await,
        Err(fault) => again(&context, &FormData::default(), fault).await,
    }
}

async fn invite(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let organization = organization(&context)?;
    let invited = match members::role(sent.text("role")) {
        Ok(role) => {
            let wanted = invitations::InvitationRequest {
                organization,
                email: sent.text("email").to_owned(),
                role,
                again: sent.is_on("again"),
            };
            invitations::invite_person(context.shared(), &context.session, wanted).await
        }
        Err(fault) => Err(fault),
    };
    match invited {
        Ok(invited) => {
            let news = html! { (notice("good", &html! {
                p { strong { "The invitation is made. " }
                    @if invited.mailed { "Its link is on the way by mail, and stands here this once:" }
                    @else { "Give this link to whoever is invited; it is shown this once:" }
                }
                (copied("Link of the invitation", &invited.link))
            })) };
            let main = draw(&context, &news, &FormData::default(), &Problems::NONE).await?;
            Ok(context.show(Place::Members, "Members", &main))
        }
        Err(fault) => again(&context, &sent, fault).await,
    }
}

async fn withdraw(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    invitations::cancel_invitation(
        context.shared(),
        &context.session,
        sent.text("invitation").to_owned(),
    )
    .await?;
    Ok(answer::see(PATH))
}
