//! Signing in and out.

use actix_web::http::StatusCode;

use super::{context::PublicContext, next, passkey, providers, public_route, sso};
use crate::{
    actors::organizations::SignInOutcome,
    http::{
        pages::prelude::*,
        people::{code_step, cookie, proxy, sign_in, two_factor},
    },
    pages::part::{Field, Form, checkbox, hidden, notice},
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        public_route(page_route("/login", |route| route.to(show))),
        public_route(form_route("/login", |route| route.to(sign))),
        public_route(form_route("/login/passkey", |route| {
            route.to(sign_with_passkey)
        })),
        public_route(form_route("/logout", |route| route.to(out))),
    ]
}

const TITLE: &str = "Sign in";
/// Notices above the form, by the `done` parameter.
const NOTICES: [(&str, &str); 3] = [
    (
        "password",
        "Your password is changed. Sign in with the new one.",
    ),
    ("out", "You are signed out."),
    ("gone", "Your account is deleted."),
];

async fn show(public: PublicContext) -> Result<HttpResponse, Fault> {
    let next = public.parameter("next");
    if public.session().is_some() {
        return Ok(answer::redirect(next::safe(&next)));
    }
    if let Some(signed_in) = proxy::sign_in(public.shared(), &public.request).await? {
        let mut answer = answer::start_redirect(next::safe(&next));
        answer.append_header(cookie::set(public.shared(), &signed_in, true));
        return Ok(answer.finish());
    }
    let done = public.parameter("done");
    let notice = NOTICES.iter().find(|(name, _)| *name == done);
    let fields = Fields {
        email: "",
        next: next::safe(&next),
        remember: true,
    };
    let notice = notice.map(|(_, message)| *message);
    let main = draw(&public, &fields, notice, &Problems::NONE);
    Ok(public.centered(StatusCode::OK, public.texts().label(TITLE), &main))
}

/// The values of the form.
struct Fields<'a> {
    email: &'a str,
    next: &'a str,
    remember: bool,
}

fn draw(
    public: &PublicContext,
    fields: &Fields<'_>,
    message: Option<&str>,
    problems: &Problems,
) -> Markup {
    let texts = public.texts();
    let form = Form {
        action: "/login",
        send: texts.label(TITLE),
        problems,
        fields: &["email", "password"],
    };
    let email = Field::text("email", texts.label("Email"))
        .fills("username")
        .value(fields.email);
    let password = Field::text("password", texts.label("Password"))
        .kind("password")
        .fills("current-password");
    let inside = html! {
        (email.draw(problems))
        (password.draw(problems))
        (checkbox("remember", texts.label("Remember me"), fields.remember))
        (hidden("next", fields.next))
    };
    html! {
        h1 { (texts.label(TITLE)) }
        @if let Some(message) = message { (notice("good", &html! { (texts.label(message)) })) }
        (form.around(&inside))
        (passkey::draw_button(texts, public.shared(), "Sign in with a passkey", fields.next))
        (providers::buttons(texts, public.shared(), fields.next))
        p.after { a href=(next::with(sso::PATH, fields.next)) { (texts.label("Use single sign-on")) } }
        p.after { a href="/reset" { (texts.label("Forgot password?")) } }
    }
}

async fn sign(public: PublicContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let (shared, request) = (public.shared(), &public.request);
    let remember = sent.is_on("remember");
    let next = next::safe(sent.raw("next"));
    let (email, password) = (sent.text("email"), sent.raw("password"));
    let opened = sign_in::open(shared, request, email.to_owned(), password.to_owned()).await;
    let opened = match opened {
        Ok(opened) => opened,
        Err(fault) => {
            let fields = Fields {
                email,
                next,
                remember,
            };
            return reject(&public, fault, &fields);
        }
    };
    Ok(match opened {
        SignInOutcome::Session(signed_in) => cookie::sign_in(
            &mut answer::start_redirect(next),
            shared,
            &signed_in,
            remember,
        )
        .finish(),
        SignInOutcome::Waits { token, factors } => {
            let [session, waiting] = two_factor::waiting_cookies(shared, &token, remember);
            answer::start_redirect(&code_step::path(factors, next))
                .insert_header(session)
                .append_header(waiting)
                .finish()
        }
    })
}

/// The page again, with what was wrong.
fn reject(
    public: &PublicContext,
    fault: Fault,
    fields: &Fields<'_>,
) -> Result<HttpResponse, Fault> {
    let title = public.texts().label(TITLE);
    public.reject_centered(fault, title, |problems| {
        draw(public, fields, None, problems)
    })
}

async fn sign_with_passkey(public: PublicContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let next = next::safe(sent.raw("next"));
    match passkey::sign_in(&public, &sent, next).await {
        Ok(answer) => Ok(answer),
        Err(fault) => {
            let fields = Fields {
                email: "",
                next,
                remember: true,
            };
            reject(&public, fault, &fields)
        }
    }
}

async fn out(public: PublicContext) -> Result<HttpResponse, Fault> {
    sign_in::leave(public.shared(), &public.call.caller).await?;
    Ok(answer::start_redirect("/login?done=out")
        .insert_header(cookie::removed(public.shared()))
        .finish())
}
