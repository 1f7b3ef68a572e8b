//! The second step of a sign-in with two-factor authentication.

use actix_web::http::StatusCode;

use super::{context::PublicContext, next, passkey, public_route};
use crate::{
    actors::organizations::{Code, SecondFactors},
    http::{pages::prelude::*, people::two_factor},
    pages::part::{Field, Form, hidden},
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        public_route(page_route("/login/code", |route| route.to(show))),
        public_route(form_route("/login/code", |route| route.to(prove))),
    ]
}

const TITLE: &str = "Two-factor authentication";

/// What the page asks for.
struct Step {
    next: String,
    /// A backup code instead of the app's.
    is_backup: bool,
    /// Whether the person has an app.
    has_app: bool,
    has_passkey: bool,
}

/// The address of the page for a person who has these.
pub(super) fn path(factors: SecondFactors, next: &str) -> String {
    let step = Step {
        next: next.to_owned(),
        is_backup: !factors.app,
        has_app: factors.app,
        has_passkey: factors.passkey,
    };
    step.path()
}

impl Step {
    /// What an address or a form says.
    fn read(value: impl Fn(&str) -> String) -> Self {
        Self {
            next: next::safe(&value("next")).to_owned(),
            is_backup: !value("backup").is_empty(),
            has_app: value("app") != "none",
            has_passkey: !value("passkey").is_empty(),
        }
    }

    /// What it adds to an address or a form.
    fn values(&self) -> Vec<(&'static str, &str)> {
        let said = [
            ("next", self.next.as_str(), self.next != "/"),
            ("backup", "1", self.is_backup),
            ("app", "none", !self.has_app),
            ("passkey", "1", self.has_passkey),
        ];
        let said = said.into_iter().filter(|(_, _, is_said)| *is_said);
        said.map(|(name, value, _)| (name, value)).collect()
    }

    fn path(&self) -> String {
        let values = self.values();
        if values.is_empty() {
            return "/login/code".to_owned();
        }
        let query = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(values)
            .finish();
        format!("/login/code?{query}")
    }
}

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
