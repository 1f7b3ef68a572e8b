//! A new password: asking for a link, and using it.

use super::{
    context::{PublicContext, reject},
    public_route,
};
use crate::{
    fault::Issue,
    http::{pages::prelude::*, people::reset},
    pages::{
        frame::centered_page,
        part::{Field, Form, notice},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        public_route(page_route("/reset", |route| route.to(forgot))),
        public_route(form_route("/reset", |route| route.to(send))),
        public_route(page_route("/reset/{token}", |route| route.to(show))),
        public_route(form_route("/reset/{token}", |route| route.to(set))),
    ]
}

async fn forgot() -> HttpResponse {
    answer::page(draw_request("", &Problems::NONE))
}

fn draw_request(email: &str, problems: &Problems) -> Markup {
    let form = Form {
        action: "/reset",
        send: "Send reset link",
        problems,
        fields: &["email"],
    };
    let field = Field::text("email", "Email").fills("username").value(email);
    let main = html! {
        h1 { "Reset password" }
        p { "Enter the email of your account to get a reset link. The link expires after one hour." }
        (form.around(&field.draw(problems)))
        p.after { a href="/login" { "Back to sign in" } }
    };
    centered_page("Reset password", &main)
}

async fn send(public: PublicContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let email = sent.text("email");
    if let Err(fault) = reset::send(public.shared(), &public.request, email.to_owned()).await {
        return reject(fault, |problems| draw_request(email, problems));
    }
    let main = html! {
        h1 { "Check your email" }
        p { "If " strong { (email) } " has an account, a reset link is on its way." }
        p.after { a href="/login" { "Back to sign in" } }
    };
    Ok(answer::page(centered_page("Check your email", &main)))
}

async fn show(token: web::Path<String>) -> HttpResponse {
    answer::page(draw(&token, &Problems::NONE))
}

fn draw(token: &str, problems: &Problems) -> Markup {
    let action = format!("/reset/{}", segment(token));
    let form = Form {
        action: &action,
        send: "Set password",
        problems,
        fields: &["password", "again"],
    };
    let inside = passwords(problems);
    let main = html! {
        h1 { "New password" }
        (notice("note", &html! { "This signs you out everywhere. Sign in again with the new password." }))
        (form.around(&inside))
    };
    centered_page("New password", &main)
}

/// The two fields of a new password.
pub(super) fn passwords(problems: &Problems) -> Markup {
    let password = Field::text("password", "New password")
        .kind("password")
        .fills("new-password");
    let again = Field::text("again", "Confirm password")
        .kind("password")
        .fills("new-password");
    html! {
        (password.hint("At least 8 characters.").draw(problems))
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
        Err(fault) => reject(fault, |problems| draw(&token, problems)),
    }
}
