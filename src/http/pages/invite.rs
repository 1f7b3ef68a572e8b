//! The page of an invitation's link. A person with an account accepts it, everybody else creates an account.

use actix_web::http::StatusCode;

use super::{
    context::PublicContext,
    next, public_route,
    reset::{password, passwords, segment},
};
use crate::{
    actors::organizations::{Invitation, Status, role_label},
    http::{
        organizations::invitations,
        pages::prelude::*,
        people::{
            cookie,
            sign_in::{self, Newcomer},
        },
    },
    pages::part::{Field, Form},
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        public_route(page_route("/invite/{token}", |route| route.to(show))),
        public_route(form_route("/invite/{token}", |route| route.to(take))),
    ]
}

const TITLE: &str = "Invitation";

struct OpenInvitation {
    invitation: Invitation,
    organization: String,
}

/// The invitation of a token, if it can be accepted now.
async fn find_invitation(
    public: &PublicContext,
    token: &str,
) -> Result<Option<OpenInvitation>, Fault> {
    let shared = public.shared();
    let now_ms = shared.clock.now_ms();
    let found = shared.records.invitation_by_token(token).await?;
    let open = found.filter(|one| one.status == Status::Pending && one.expires_ms > now_ms);
    let view = shared.organizations.view();
    Ok(open.and_then(|invitation| {
        let organization = view.organization(invitation.organization.as_str())?;
        let organization = organization.name.clone();
        Some(OpenInvitation {
            invitation,
            organization,
        })
    }))
}

/// There is no such invitation, or it is over.
fn draw_closed(public: &PublicContext) -> HttpResponse {
    let texts = public.texts();
    let main = html! {
        h1 { (texts.label("Invitation not valid")) }
        p { (texts.label("It was accepted, canceled or has expired, or the link is incomplete. Ask for a new invitation.")) }
        p.after { a href="/login" { (texts.label("Sign in")) } }
    };
    public.centered(StatusCode::NOT_FOUND, texts.label(TITLE), &main)
}

async fn show(public: PublicContext, token: web::Path<String>) -> Result<HttpResponse, Fault> {
    Ok(match find_invitation(&public, &token).await? {
        Some(open) => {
            let main = draw(&public, &token, &open, "", &Problems::NONE);
            public.centered(StatusCode::OK, public.texts().label(TITLE), &main)
        }
        None => draw_closed(&public),
    })
}

fn draw(
    public: &PublicContext,
    token: &str,
    open: &OpenInvitation,
    name: &str,
    problems: &Problems,
) -> Markup {
    let texts = public.texts();
    let path = format!("/invite/{}", segment(token));
    let person = public.session().and_then(|session| {
        let view = public.shared().organizations.view();
        Some(view.person(&session.user)?.email.clone())
    });
    let form = |send, fields| Form {
        action: &path,
        send: texts.label(send),
        problems,
        fields,
    };
    let named = Field::text("name", texts.label("Your name"))
        .fills("name")
        .value(name);
    let role = role_label(texts, open.invitation.role);
    html! {
        h1 { (texts.invite_join(&open.organization)) }
        p { (texts.invite_as(&open.invitation.email, &role)) }
        @if let Some(email) = person {
            p { (texts.invite_signed_in(&email)) }
            (form("Accept invitation", &[]).around(&html! {}))
        } @else {
            (form("Create account", &["name", "password", "again"]).around(&html! {
                (named.draw(problems))
                (passwords(texts, problems))
            }))
            p.after { (texts.label("Already have an account?")) " " a href=(next::with("/login", &path)) { (texts.label("Sign in")) } }
        }
    }
}

async fn take(
    public: PublicContext,
    token: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let Some(open) = find_invitation(&public, &token).await? else {
        return Ok(draw_closed(&public));
    };
    let taken = match public.session() {
        Some(session) => {
            let taken =
                invitations::accept_invitation(public.shared(), session, token.clone()).await;
            taken.map(|_| answer::redirect("/"))
        }
        None => join(&public, &token, &open, &sent).await,
    };
    let name = sent.text("name");
    let main = |problems: &Problems| draw(&public, &token, &open, name, problems);
    taken.or_else(|fault| public.reject_centered(fault, public.texts().label(TITLE), main))
}

async fn join(
    public: &PublicContext,
    token: &str,
    open: &OpenInvitation,
    sent: &FormData,
) -> Result<HttpResponse, Fault> {
    let newcomer = Newcomer {
        name: sent.text("name").to_owned(),
        email: open.invitation.email.clone(),
        password: password(sent)?,
        invitation: Some(token.to_owned()),
    };
    let signed_in = sign_in::join(public.shared(), &public.request, newcomer).await?;
    Ok(cookie::sign_in(
        &mut answer::start_redirect("/"),
        public.shared(),
        &signed_in,
        true,
    )
    .finish())
}
