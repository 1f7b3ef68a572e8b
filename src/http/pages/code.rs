//! The second step of a sign-in with two-factor authentication.

use actix_web::http::StatusCode;

use super::{
    context::{PublicContext, reject},
    next, public_route,
};
use crate::{
    actors::organizations::Code,
    http::{pages::prelude::*, people::two_factor},
    pages::{
        frame::centered_page,
        part::{Field, Form, hidden},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        public_route(page_route("/login/code", |route| route.to(show))),
        public_route(form_route("/login/code", |route| route.to(prove))),
    ]
}

async fn show(public: PublicContext) -> HttpResponse {
    let next = public.parameter("next");
    let is_backup = !public.parameter("backup").is_empty();
    let page = draw(next::safe(&next), is_backup, &Problems::NONE);
    answer::html(StatusCode::OK, page)
}

fn draw(next: &str, is_backup: bool, problems: &Problems) -> Markup {
    let form = Form {
        action: "/login/code",
        send: "Verify",
        problems,
        fields: &["code"],
    };
    let field = Field::text("code", if is_backup { "Backup code" } else { "Code" });
    let field = field.fills(if is_backup { "off" } else { "one-time-code" });
    let inside = html! {
        (field.draw(problems))
        (hidden("next", next))
        @if is_backup { (hidden("backup", "1")) }
    };
    let other = next::with("/login/code", next);
    let glue = if other.contains('?') { '&' } else { '?' };
    let main = html! {
        h1 { "Two-factor authentication" }
        p {
            @if is_backup { "Enter a backup code. Each code works once." }
            @else { "Enter the code from your authenticator app." }
        }
        (form.around(&inside))
        p.after {
            @if is_backup { a href=(other) { "Use authenticator app" } }
            @else { a href=(format!("{other}{glue}backup=1")) { "Use backup code" } }
        }
    };
    centered_page("Two-factor authentication", &main)
}

async fn prove(public: PublicContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let is_backup = sent.is_on("backup");
    let next = next::safe(sent.raw("next"));
    let code = sent.text("code").to_owned().into();
    let code = if is_backup {
        Code::Backup(code)
    } else {
        Code::App(code)
    };
    let (mut seeing, caller) = (answer::start_redirect(next), &public.call.caller);
    let proven =
        two_factor::prove(&public.request, caller, public.shared(), code, &mut seeing).await;
    match proven {
        Ok(_) => Ok(seeing.finish()),
        Err(fault) => reject(fault, |problems| draw(next, is_backup, problems)),
    }
}
