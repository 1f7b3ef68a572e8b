//! Where a person is signed in.

use actix_web::HttpResponse;
use maud::{Markup, html};
use serde::Deserialize;

use super::done;
use crate::{
    actors::organizations::Which,
    fault::Fault,
    http::{
        pages::{context::PageContext, form::FormData, sent},
        people::sessions,
        routes::Route,
    },
    ids::SessionId,
    pages::{
        part::{button, hidden, time},
        time::{DateFormat, ago, moment},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        sent("/console/account/sessions/end", |route| route.to(end)),
        sent("/console/account/sessions/end-others", |route| {
            route.to(end_others)
        }),
    ]
}

/// A session, as the list needs it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Session {
    id: String,
    created_at: String,
    updated_at: String,
    user_agent: Option<String>,
}

/// What is open, newest first.
pub(super) fn draw(context: &PageContext, date_format: &DateFormat) -> Result<Markup, Fault> {
    let listed = sessions::list_sessions(context.shared(), &context.session.user);
    let listed = serde_json::to_value(listed).map_err(Fault::internal)?;
    let all = Vec::<Session>::deserialize(&listed).map_err(Fault::internal)?;
    let now_ms = context.shared().clock.now_ms();
    let own = context.session.id.as_str();
    Ok(html! {
        table.table.sites {
            caption.hide { "Sessions, newest first" }
            thead { tr { th scope="col" { "Browser" } th scope="col" { "Since" } th scope="col" { "Used" } th scope="col" { span.hide { "End" } } } }
            tbody { @for one in &all { tr {
                @let raw = one.user_agent.as_deref().unwrap_or("Unknown");
                @let browser = context.shared().enricher.browser(raw);
                td { span.name title=(raw) { (browser.as_deref().unwrap_or(raw)) } @if one.id == own { span.dim { "this one" } } }
                td data-label="Since" { @if let Some(at) = moment(&one.created_at) { (time(at, &date_format.moment(at), date_format)) } }
                td data-label="Used" { @if let Some(at) = moment(&one.updated_at) { (time(at, &ago(at, now_ms), date_format)) } }
                td { @if one.id != own {
                    form.plain method="post" action="/console/account/sessions/end" { (hidden("id", &one.id)) button.button.small type="submit" { "End it" } }
                } }
            } } }
        }
        @if all.len() > 1 { p { (button("/console/account/sessions/end-others", "Sign out everywhere else")) } }
    })
}

async fn end(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let which = Which::One(SessionId::from(sent.text("id").to_owned()));
    let outcome = sessions::end(context.shared(), &context.session.user, which).await;
    done(&context, outcome).await
}

async fn end_others(context: PageContext) -> Result<HttpResponse, Fault> {
    let which = Which::Others(context.session.id.clone());
    let outcome = sessions::end(context.shared(), &context.session.user, which).await;
    done(&context, outcome).await
}
