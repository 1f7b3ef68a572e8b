//! An invitation, as whoever has its link sees it: with an account it is accepted, without one an account is made.

use actix_web::{HttpResponse, http::StatusCode, web};
use maud::{Markup, html};

use super::{
    answer,
    context::{PublicContext, told},
    form::FormData,
    next, open, page,
    reset::{password, passwords, segment},
    sent,
};
use crate::{
    actors::organizations::{Invitation, Status},
    fault::Fault,
    http::{
        organizations::invitations,
        people::{
            cookie,
            sign_in::{self, Newcomer},
        },
        routes::Route,
    },
    pages::{
        frame::bare,
        part::{Field, Form},
        problem::Problems,
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        open(page("/invite/{token}", |route| route.to(show))),
        open(sent("/invite/{token}", |route| route.to(take))),
    ]
}

/// What an invitation is about, for whoever has its token.
struct Seen {
    invitation: Invitation,
    organization: String,
}

/// The invitation of a token, if it can be accepted now.
async fn seen(public: &PublicContext, token: &str) -> Result<Option<Seen>, Fault> {
    let shared = public.shared();
    let now_ms = shared.clock.now_ms();
    let found = shared.records.invitation_of(token).await?;
    let open = found.filter(|one| one.status == Status::Pending && one.expires_ms > now_ms);
    let view = shared.organizations.view();
    Ok(open.and_then(|invitation| {
        let organization = view.organization(invitation.organization.as_str())?;
        let organization = organization.name.clone();
        Some(Seen {
            invitation,
            organization,
        })
    }))
}

/// There is no such invitation, or it is over.
fn over() -> HttpResponse {
    let main = html! {
        h1 { "This invitation is not good" }
        p { "It was accepted, taken back or is more than a week old, or its link is not whole. Ask whoever invited you for a new one." }
        p.after { a href="/login" { "Sign in" } }
    };
    answer::html(StatusCode::NOT_FOUND, bare("Invitation", &main))
}

async fn show(public: PublicContext, token: web::Path<String>) -> Result<HttpResponse, Fault> {
    Ok(match seen(&public, &token).await? {
        Some(seen) => answer::shown(draw(&public, &token, &seen, "", &Problems::NONE)),
        None => over(),
    })
}

fn draw(
    public: &PublicContext,
    token: &str,
    seen: &Seen,
    name: &str,
    problems: &Problems,
) -> Markup {
    let path = format!("/invite/{}", segment(token));
    let person = public.session().and_then(|session| {
        let view = public.shared().organizations.view();
        Some(view.person(&session.user)?.email.clone())
    });
    let form = |send, fields| Form {
        action: &path,
        send,
        problems,
        fields,
    };
    let named = Field::text("name", "Your name").fills("name").value(name);
    let main = html! {
        h1 { "Join " (seen.organization) }
        p {
            strong { (seen.invitation.email) } " is invited as " strong { (seen.invitation.role.as_str()) } "."
        }
        @if let Some(email) = person {
            p { "You are signed in as " strong { (email) } "." }
            (form("Accept", &[]).around(&html! {}))
        } @else {
            (form("Make an account and join", &["name", "password", "again"]).around(&html! {
                (named.draw(problems))
                (passwords(problems))
            }))
            p.after { "You have an account? " a href=(next::with("/login", &path)) { "Sign in" } " first." }
        }
    };
    bare("Invitation", &main)
}

async fn take(
    public: PublicContext,
    token: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let Some(seen) = seen(&public, &token).await? else {
        return Ok(over());
    };
    let taken = match public.session() {
        Some(session) => {
            let taken =
                invitations::accept_invitation(public.shared(), session, token.clone()).await;
            taken.map(|_| answer::see("/"))
        }
        None => join(&public, &token, &seen, &sent).await,
    };
    match taken {
        Ok(answer) => Ok(answer),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let page = draw(&public, &token, &seen, sent.text("name"), &problems);
            Ok(refused.html(page))
        }
    }
}

async fn join(
    public: &PublicContext,
    token: &str,
    seen: &Seen,
    sent: &FormData,
) -> Result<HttpResponse, Fault> {
    let newcomer = Newcomer {
        name: sent.text("name").to_owned(),
        email: seen.invitation.email.clone(),
        password: password(sent)?,
        invitation: Some(token.to_owned()),
    };
    let signed_in = sign_in::join(public.shared(), &public.request, newcomer).await?;
    Ok(cookie::sign_in(&mut answer::seeing("/"), public.shared(), &signed_in, true).finish())
}
