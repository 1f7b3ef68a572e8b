//! The second step of a sign-in with two-factor authentication.

use actix_web::http::StatusCode;

use super::{context::PublicContext, next, public_route};
use crate::{
    actors::organizations::Code,
    http::{pages::prelude::*, people::two_factor},
    locale::Texts,
    pages::part::{Field, Form, hidden},
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        public_route(page_route("/login/code", |route| route.to(show))),
        public_route(form_route("/login/code", |route| route.to(prove))),
    ]
}

const TITLE: &str = "Two-factor authentication";

async fn show(public: PublicContext) -> HttpResponse {
    let next = public.parameter("next");
    let is_backup = !public.parameter("backup").is_empty();
    let texts = public.texts();
    let main = draw(texts, next::safe(&next), is_backup, &Problems::NONE);
    public.centered(StatusCode::OK, texts.label(TITLE), &main)
}

fn draw(texts: Texts, next: &str, is_backup: bool, problems: &Problems) -> Markup {
    let form = Form {
        action: "/login/code",
        send: texts.label("Verify"),
        problems,
        fields: &["code"],
    };
    let field = Field::text(
        "code",
        texts.label(if is_backup { "Backup code" } else { "Code" }),
    );
    let field = field.fills(if is_backup { "off" } else { "one-time-code" });
    let inside = html! {
        (field.draw(problems))
        (hidden("next", next))
        @if is_backup { (hidden("backup", "1")) }
    };
    let other = next::with("/login/code", next);
    let glue = if other.contains('?') { '&' } else { '?' };
    html! {
        h1 { (texts.label(TITLE)) }
        p {
            @if is_backup { (texts.label("Enter a backup code. Each code works once.")) }
            @else { (texts.label("Enter the code from your authenticator app.")) }
        }
        (form.around(&inside))
        p.after {
            @if is_backup { a href=(other) { (texts.label("Use authenticator app")) } }
            @else { a href=(format!("{other}{glue}backup=1")) { (texts.label("Use backup code")) } }
        }
    }
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
        Err(fault) => {
            let texts = public.texts();
            public.reject_centered(fault, texts.label(TITLE), |problems| {
                draw(texts, next, is_backup, problems)
            })
        }
    }
}
