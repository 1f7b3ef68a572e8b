//! A new password: asking for a link, and using it.

use actix_web::http::StatusCode;

use super::{context::PublicContext, public_route};
use crate::{
    fault::Issue,
    http::{pages::prelude::*, people::reset},
    locale::Texts,
    pages::part::{Field, Form, notice},
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        public_route(page_route("/reset", |route| route.to(forgot))),
        public_route(form_route("/reset", |route| route.to(send))),
        public_route(page_route("/reset/{token}", |route| route.to(show))),
        public_route(form_route("/reset/{token}", |route| route.to(set))),
    ]
}

const TITLE: &str = "Reset password";
const SENT: &str = "Check your email";
const NEW: &str = "New password";
/// The label of the way back.
const BACK: &str = "Back to sign in";

async fn forgot(public: PublicContext) -> HttpResponse {
    let texts = public.texts();
    let main = draw_request(texts, "", &Problems::NONE);
    public.centered(StatusCode::OK, texts.label(TITLE), &main)
}

fn draw_request(texts: Texts, email: &str, problems: &Problems) -> Markup {
    let form = Form {
        action: "/reset",
        send: texts.label("Send reset link"),
        problems,
        fields: &["email"],
    };
    let field = Field::text("email", texts.label("Email"))
        .fills("username")
        .value(email);
    html! {
        h1 { (texts.label(TITLE)) }
        p { (texts.label("Enter the email of your account to get a reset link. The link expires after one hour.")) }
        (form.around(&field.draw(problems)))
        p.after { a href="/login" { (texts.label(BACK)) } }
    }
}

async fn send(public: PublicContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let (email, texts) = (sent.text("email"), public.texts());
    if let Err(fault) = reset::send(public.shared(), &public.request, email.to_owned()).await {
        return public.reject_centered(fault, texts.label(TITLE), |problems| {
            draw_request(texts, email, problems)
        });
    }
    let main = html! {
        h1 { (texts.label(SENT)) }
        p { (texts.reset_sent(email)) }
        p.after { a href="/login" { (texts.label(BACK)) } }
    };
    Ok(public.centered(StatusCode::OK, texts.label(SENT), &main))
}

async fn show(public: PublicContext, token: web::Path<String>) -> HttpResponse {
    let texts = public.texts();
    let main = draw(texts, &token, &Problems::NONE);
    public.centered(StatusCode::OK, texts.label(NEW), &main)
}

fn draw(texts: Texts, token: &str, problems: &Problems) -> Markup {
    let action = format!("/reset/{}", segment(token));
    let form = Form {
        action: &action,
        send: texts.label("Set password"),
        problems,
        fields: &["password", "again"],
    };
    let inside = passwords(texts, problems);
    html! {
        h1 { (texts.label(NEW)) }
        (notice("note", &html! { (texts.label("This signs you out everywhere. Sign in again with the new password.")) }))
        (form.around(&inside))
    }
}

/// The two fields of a new password.
pub(super) fn passwords(texts: Texts, problems: &Problems) -> Markup {
    let password = Field::text("password", texts.label(NEW))
        .kind("password")
        .fills("new-password");
    let again = Field::text("again", texts.label("Confirm password"))
        .kind("password")
        .fills("new-password");
    html! {
        (password.hint(texts.label("At least 8 characters.")).draw(problems))
        (again.draw(problems))
    }
}

/// The new password, if it was given twice.
pub(super) fn password(sent: &FormData) -> Result<String, Fault> {
    let password = sent.raw("password");
    if password == sent.raw("again") {
        return Ok(password.to_owned());
    }
    let issue = Issue::new("different", "again", "The passwords don't match");
    Err(Fault::issues("The passwords don't match", vec![issue]))
}

/// Text as one segment of a path.
pub(super) fn segment(text: &str) -> String {
    let whole = url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    whole.replace('+', "%20")
}

async fn set(
    public: PublicContext,
    token: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let done = match password(&sent) {
        Ok(password) => reset::set(public.shared(), &public.request, token.clone(), password).await,
        Err(fault) => Err(fault),
    };
    match done {
        Ok(()) => Ok(answer::redirect("/login?done=password")),
        Err(fault) => {
            let texts = public.texts();
            public.reject_centered(fault, texts.label(NEW), |problems| {
                draw(texts, &token, problems)
            })
        }
    }
}
