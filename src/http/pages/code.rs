//! The second step of a sign-in with two-factor authentication.

use actix_web::http::StatusCode;

use super::{context::PublicContext, passkey, public_route};
use crate::{
    actors::organizations::Code,
    http::{
        pages::prelude::*,
        people::{code_step::CodeStep as Step, two_factor},
    },
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
    let step = Step::read(|name| public.parameter(name));
    let main = draw(&public, &step, &Problems::NONE);
    public.centered(StatusCode::OK, public.texts().label(TITLE), &main)
}

fn draw(public: &PublicContext, step: &Step, problems: &Problems) -> Markup {
    let (texts, is_backup) = (public.texts(), step.is_backup);
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
        @for (name, value) in step.values() { (hidden(name, value)) }
    };
    let other = Step {
        next: step.next.clone(),
        is_backup: !is_backup,
        ..*step
    };
    html! {
        h1 { (texts.label(TITLE)) }
        p {
            @if is_backup { (texts.label("Enter a backup code. Each code works once.")) }
            @else { (texts.label("Enter the code from your authenticator app.")) }
        }
        (form.around(&inside))
        @if step.has_passkey { (passkey::draw_button(texts, public.shared(), "Use a passkey", &step.next)) }
        @if step.has_app || !is_backup {
            p.after { a href=(other.path()) { @if is_backup { (texts.label("Use authenticator app")) } @else { (texts.label("Use backup code")) } } }
        }
    }
}

async fn prove(public: PublicContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let step = Step::read(|name| sent.raw(name).to_owned());
    let code = sent.text("code").to_owned().into();
    let code = if step.is_backup {
        Code::Backup(code)
    } else {
        Code::App(code)
    };
    let (mut seeing, caller) = (answer::start_redirect(&step.next), &public.call.caller);
    let proven =
        two_factor::prove(&public.request, caller, public.shared(), code, &mut seeing).await;
    match proven {
        Ok(_) => Ok(seeing.finish()),
        Err(fault) => public.reject_centered(fault, public.texts().label(TITLE), |problems| {
            draw(&public, &step, problems)
        }),
    }
}
