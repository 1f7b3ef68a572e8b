//! The active sessions of the person.

use serde::Deserialize;

use super::Account;
use crate::{
    actors::organizations::SessionChoice,
    http::{
        pages::{prelude::*, providers::method_label},
        people::sessions,
    },
    ids::SessionId,
    pages::{
        part::{button, hidden, time},
        time::{ago, moment},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        form_route("/console/account/sessions/end", |route| route.to(end)),
        form_route("/console/account/sessions/end-others", |route| {
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
    method: String,
    provider: Option<String>,
}

/// The active sessions, newest first.
pub(super) fn draw(context: &PageContext, date_format: &DateFormat) -> Result<Markup, Fault> {
    let listed = sessions::list_sessions(context.shared(), &context.session.user);
    let listed = serde_json::to_value(listed).map_err(Fault::internal)?;
    let all = Vec::<Session>::deserialize(&listed).map_err(Fault::internal)?;
    let now_ms = context.shared().clock.now_ms();
    let own = context.session.id.as_str();
    Ok(html! {
        table.table.sites {
            caption.hide { "Sessions, newest first" }
            thead { tr { th scope="col" { "Browser" } th scope="col" { "Sign-in" } th scope="col" { "Created" } th scope="col" { "Last active" } th scope="col" { span.hide { "Actions" } } } }
            tbody { @for one in &all { tr {
                @let raw = one.user_agent.as_deref().unwrap_or("Unknown");
                @let browser = context.shared().enricher.browser(raw);
                td { span.name title=(raw) { (browser.as_deref().unwrap_or(raw)) } @if one.id == own { span.dim { "This session" } } }
                td data-label="Sign-in" { (method_label(&one.method, one.provider.as_deref())) }
                td data-label="Created" { @if let Some(at) = moment(&one.created_at) { (time(at, &date_format.moment(at), date_format)) } }
                td data-label="Last active" { @if let Some(at) = moment(&one.updated_at) { (time(at, &ago(at, now_ms), date_format)) } }
                td { @if one.id != own {
                    form.plain method="post" action="/console/account/sessions/end" { (hidden("id", &one.id)) button.button.small type="submit" { "End session" } }
                } }
            } } }
        }
        @if all.len() > 1 { p { (button("/console/account/sessions/end-others", "Sign out of all other sessions")) } }
    })
}

async fn end(form: Submission) -> Result<HttpResponse, Fault> {
    let which = SessionChoice::One(SessionId::from(form.sent.text("id").to_owned()));
    let outcome = sessions::end(form.context.shared(), &form.context.session.user, which).await;
    form.finish_change::<Account>(outcome).await
}

async fn end_others(form: Submission) -> Result<HttpResponse, Fault> {
    let which = SessionChoice::Others(form.context.session.id.clone());
    let outcome = sessions::end(form.context.shared(), &form.context.session.user, which).await;
    form.finish_change::<Account>(outcome).await
}
