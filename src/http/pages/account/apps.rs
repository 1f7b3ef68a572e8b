//! The apps that the person has connected.

use super::Account;
use crate::{
    actors::oauth::GrantsOf,
    http::{
        oauth::grants,
        pages::{consent::destination, prelude::*},
        procedures::apps::ConnectedAppOut,
    },
    pages::{
        part::{hidden, time},
        time::{ago, moment},
    },
};

const REVOKE: &str = "/console/account/apps/revoke";

pub(super) fn routes() -> Vec<Route> {
    vec![form_route(REVOKE, |route| route.to(revoke))]
}

/// The apps, newest first.
pub(super) async fn draw(context: &PageContext, date_format: &DateFormat) -> Result<Markup, Fault> {
    let own = GrantsOf::User(&context.session.user);
    let listed = context.shared().oauth.list(own).await?;
    let listed: Vec<_> = listed.into_iter().map(ConnectedAppOut::from).collect();
    if listed.is_empty() {
        return Ok(html! {
            p { "No connected apps yet. Apps and AI agents that you allow to use pharos appear here." }
        });
    }
    let view = context.shared().organizations.view();
    let organization = |app: &ConnectedAppOut| {
        let known = view.organization(&app.organization_id);
        known.map_or_else(|| "Deleted".to_owned(), |known| known.name.clone())
    };
    let place = ("Organization", &organization as Place<'_>);
    Ok(draw_apps(context, date_format, &listed, place, REVOKE))
}

/// What a table says of an app beside its name.
pub(in crate::http::pages) type Place<'a> = &'a dyn Fn(&ConnectedAppOut) -> String;

/// Apps with their permissions, and how to end their access.
pub(in crate::http::pages) fn draw_apps(
    context: &PageContext,
    date_format: &DateFormat,
    apps: &[ConnectedAppOut],
    (heading, place): (&str, Place<'_>),
    revoke: &str,
) -> Markup {
    let now_ms = context.shared().clock.now_ms();
    html! {
        table.table.sites {
            caption.hide { "Connected apps, newest first" }
            thead { tr {
                th scope="col" { "App" } th scope="col" { (heading) } th scope="col" { "Permissions" }
                th scope="col" { "Connected" } th scope="col" { "Last used" } th scope="col" { span.hide { "Actions" } }
            } }
            tbody { @for app in apps { tr {
                td { span.name { (app.name) } span.dim { (destination(&app.redirect_uris)) } }
                td data-label=(heading) { (place(app)) }
                td.wide data-label="Permissions" { @for (place, scope) in app.scopes.iter().enumerate() { @if place > 0 { ", " } (scope.as_str()) } }
                td data-label="Connected" { @if let Some(at) = moment(&app.created_at) { (time(at, &date_format.moment(at), date_format)) } }
                td data-label="Last used" { @match app.last_used_at.as_deref().and_then(moment) { Some(at) => (time(at, &ago(at, now_ms), date_format)), None => "Never" } }
                td { form.plain method="post" action=(revoke) { (hidden("id", &app.id)) button.button.small type="submit" { "Revoke access" } } }
            } } }
        }
    }
}

async fn revoke(form: Submission) -> Result<HttpResponse, Fault> {
    let id = form.sent.text("id").to_owned();
    let outcome = grants::end(form.context.shared(), &form.context.session, id).await;
    form.finish_change::<Account>(outcome).await
}
