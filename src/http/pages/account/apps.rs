//! The apps that the person has connected.

use super::Account;
use crate::{
    actors::oauth::ListedGrant,
    http::{
        oauth::grants,
        pages::{consent::destination, prelude::*},
    },
    pages::{
        part::{hidden, time},
        time::ago,
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![form_route("/console/account/apps/revoke", |route| {
        route.to(revoke)
    })]
}

/// The apps, newest first.
pub(super) async fn draw(context: &PageContext, date_format: &DateFormat) -> Result<Markup, Fault> {
    let listed = context.shared().oauth.list(&context.session.user).await?;
    if listed.is_empty() {
        return Ok(html! {
            p { "No connected apps yet. Apps and AI agents that you allow to use pharos appear here." }
        });
    }
    let now_ms = context.shared().clock.now_ms();
    let organizations = context.shared().organizations.view();
    Ok(html! {
        table.table.sites {
            caption.hide { "Connected apps, newest first" }
            thead { tr {
                th scope="col" { "App" } th scope="col" { "Organization" } th scope="col" { "Permissions" }
                th scope="col" { "Connected" } th scope="col" { "Last used" } th scope="col" { span.hide { "Actions" } }
            } }
            tbody { @for ListedGrant { grant, app } in &listed { tr {
                @let organization = organizations.organization(grant.organization.as_str());
                td { span.name { (app.name) } span.dim { (destination(&app.redirect_uris)) } }
                td data-label="Organization" { (organization.map_or("Deleted", |organization| organization.name.as_str())) }
                td.wide data-label="Permissions" { @for (place, scope) in grant.scopes.iter().enumerate() { @if place > 0 { ", " } (scope.as_str()) } }
                td data-label="Connected" { (time(grant.created_ms, &date_format.moment(grant.created_ms), date_format)) }
                td data-label="Last used" { @match grant.last_used_ms { Some(at) => (time(at, &ago(at, now_ms), date_format)), None => "Never" } }
                td { form.plain method="post" action="/console/account/apps/revoke" { (hidden("id", grant.id.as_str())) button.button.small type="submit" { "Revoke access" } } }
            } } }
        }
    })
}

async fn revoke(form: Submission) -> Result<HttpResponse, Fault> {
    let id = form.sent.text("id").to_owned();
    let outcome = grants::end(form.context.shared(), &form.context.session, id).await;
    form.finish_change::<Account>(outcome).await
}
