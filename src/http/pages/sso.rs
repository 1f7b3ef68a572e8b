//! Single sign-on: from an address to the provider of its organization.

use actix_web::http::StatusCode;

use super::{context::PublicContext, next, public_route};
use crate::{
    http::{pages::prelude::*, people::sso},
    pages::part::{Field, Form, hidden},
};

pub(super) const PATH: &str = "/login/sso";
const TITLE: &str = "Single sign-on";

pub(super) fn routes() -> Vec<Route> {
    vec![
        public_route(page_route(PATH, |route| route.to(show))),
        public_route(form_route(PATH, |route| route.to(find))),
    ]
}

async fn show(public: PublicContext) -> HttpResponse {
    let next = public.parameter("next");
    let main = draw(public.texts(), "", next::safe(&next), &Problems::NONE);
    public.centered(StatusCode::OK, public.texts().label(TITLE), &main)
}

fn draw(texts: Texts, email: &str, next: &str, problems: &Problems) -> Markup {
    let form = Form {
        action: PATH,
        send: texts.label("Continue"),
        problems,
        fields: &["email"],
    };
    let field = Field::text("email", texts.label("Email"))
        .kind("email")
        .fills("username")
        .value(email);
    html! {
        h1 { (texts.label(TITLE)) }
        p { (texts.label("Enter your work email.")) }
        (form.around(&html! { (field.draw(problems)) (hidden("next", next)) }))
        p.after { a href=(next::with("/login", next)) { (texts.label("Back to sign in")) } }
    }
}

/// Shows where the sign-in goes on. It is a link, because the answer to a form may lead to no other site.
async fn find(public: PublicContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let (texts, email, next) = (
        public.texts(),
        sent.text("email"),
        next::safe(sent.raw("next")),
    );
    let providers = match sso::find_providers(public.shared(), &public.request, email).await {
        Ok(providers) => providers,
        Err(fault) => {
            return public.reject_centered(fault, texts.label(TITLE), |problems| {
                draw(texts, email, next, problems)
            });
        }
    };
    let main = html! {
        h1 { (texts.label(TITLE)) }
        @for provider in &providers {
            @let start = format!("/api/auth/oidc/{}", provider.id);
            p.provider { a.button href=(next::with(&start, next)) { (texts.label("Continue with")) " " (provider.fields.label) } }
        }
        p.after { a href=(next::with("/login", next)) { (texts.label("Back to sign in")) } }
    };
    Ok(public.centered(StatusCode::OK, texts.label(TITLE), &main))
}
