//! Signing in and out.

use super::{
    context::{PublicContext, reject},
    next, providers, public_route,
};
use crate::{
    actors::organizations::SignInOutcome,
    http::{
        Shared,
        pages::prelude::*,
        people::{cookie, proxy, sign_in, two_factor},
    },
    pages::{
        frame::centered_page,
        part::{Field, Form, checkbox, hidden, notice},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        public_route(page_route("/login", |route| route.to(show))),
        public_route(form_route("/login", |route| route.to(sign))),
        public_route(form_route("/logout", |route| route.to(out))),
    ]
}

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
    let page = draw(
        public.shared(),
        &fields,
        notice.map(|(_, message)| *message),
        &Problems::NONE,
    );
    Ok(answer::page(page))
}

/// The values of the form.
struct Fields<'a> {
    email: &'a str,
    next: &'a str,
    remember: bool,
}

fn draw(
    shared: &Shared,
    fields: &Fields<'_>,
    message: Option<&str>,
    problems: &Problems,
) -> Markup {
    let form = Form {
        action: "/login",
        send: "Sign in",
        problems,
        fields: &["email", "password"],
    };
    let email = Field::text("email", "Email")
        .fills("username")
        .value(fields.email);
    let password = Field::text("password", "Password")
        .kind("password")
        .fills("current-password");
    let inside = html! {
        (email.draw(problems))
        (password.draw(problems))
        (checkbox("remember", "Remember me", fields.remember))
        (hidden("next", fields.next))
    };
    let main = html! {
        h1 { "Sign in" }
        @if let Some(message) = message { (notice("good", &html! { (message) })) }
        (form.around(&inside))
        (providers::buttons(shared, fields.next))
        p.after { a href="/reset" { "Forgot password?" } }
    };
    centered_page("Sign in", &main)
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
            return reject(fault, |problems| draw(shared, &fields, None, problems));
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
        SignInOutcome::Waits(token) => {
            let [session, waiting] = two_factor::waiting_cookies(shared, &token, remember);
            answer::start_redirect(&next::with("/login/code", next))
                .insert_header(session)
                .append_header(waiting)
                .finish()
        }
    })
}

async fn out(public: PublicContext) -> Result<HttpResponse, Fault> {
    sign_in::leave(public.shared(), &public.call.caller).await?;
    Ok(answer::start_redirect("/login?done=out")
        .insert_header(cookie::removed(public.shared()))
        .finish())
}
