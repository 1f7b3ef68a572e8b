//! API keys: their list, a new one, and one with its settings and secret.

mod new;
mod show;

use super::{form::Kind, resource::creation};
use crate::{
    http::{
        pages::prelude::*,
        procedures::apikeys::{
            self,
            wire::{KeyDetails, KeyOut, ListBody, SecretOut},
        },
    },
    pages::{
        part::{Heading, ListPage, copyable, notice, resource_table, time},
        time::{ago, moment},
    },
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = vec![page_route("/console/keys", |route| route.to(show))];
    routes.extend(creation::<new::NewKey>());
    routes.extend(show::routes());
    routes
}

const DESCRIPTION: Input = Input::line("description", "Description");
const EXPIRES: Input = Input::new(Kind::Moment, "expiresAt", "Expires")
    .hint("In your time zone. Leave empty for never.");

/// The state of a key at a moment.
fn draw_state(key: &KeyOut, now_ms: i64) -> Markup {
    let ends = key.expires_at.as_deref().and_then(moment);
    html! {
        @if key.revoked_at.is_some() { span.state.bad { "Revoked" } }
        @else if ends.is_some_and(|ends| ends <= now_ms) { span.state.bad { "Expired" } }
        @else if !key.enabled { span.state.warn { "Disabled" } }
        @else { span.state.good { "Active" } }
    }
}

/// The last use of a key.
fn last_use(key: &KeyOut, date_format: &DateFormat, now_ms: i64) -> Markup {
    if let Some(at) = key.last_used_at.as_deref().and_then(moment) {
        time(at, &ago(at, now_ms), date_format)
    } else {
        html! { span.dim { "Never" } }
    }
}

/// The page with a new secret, which is shown once.
fn draw_secret(context: &PageContext, title: &str, secret: &SecretOut) -> HttpResponse {
    let main = html! {
        div.title-row { h1 { (title) } }
        (notice("good", &html! {
            p { strong { "Secret created. " } "Copy it now. It isn't shown again." }
        }))
        section.panel {
            (copyable("API key secret", &secret.secret))
            p { "Send it as " code { "x-api-key" } " or " code { "Authorization: Bearer …" } ". " a href="/docs" { "Read the documentation" } }
            p { a.button href=(KeyDetails::path(&[&secret.id])) { "View API key" } }
        }
    };
    context.show(NavItem::Keys, title, &main)
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let keys = context.ask(&apikeys::LIST, ListBody::default()).await?;
    let date_format = context.date_format().await?;
    let can_write = context.can(Permission::KeysManage);
    let page = ListPage {
        title: "API keys",
        create: can_write.then_some(("/console/keys/new", "Create API key")),
        none: "No API keys yet",
        about: "Programs use an API key to send events, query data or manage resources.",
        live: None,
    };
    let now_ms = context.shared().clock.now_ms();
    let table = (!keys.is_empty()).then(|| table(&keys, &date_format, now_ms));
    Ok(context.show(NavItem::Keys, page.title, &page.draw(&html! {}, table)))
}

fn table(keys: &[KeyOut], date_format: &DateFormat, now_ms: i64) -> Markup {
    let headings = ["Key", "Status", "Permissions", "Last used"].map(Heading::Text);
    let rows = html! {
        @for key in keys { tr {
            td {
                a.name href=(KeyDetails::path(&[&key.id])) { (key.name) }
                span.dim { code { (key.start) "…" } }
            }
            td { (draw_state(key, now_ms)) }
            td.wide data-label="Permissions" { @for (place, scope) in key.scopes.iter().enumerate() { @if place > 0 { ", " } (scope.as_str()) } }
            td data-label="Last used" { (last_use(key, date_format, now_ms)) }
        } }
    };
    resource_table("API keys, newest first", &headings, &rows)
}

/// Scopes with their labels.
pub(super) const SCOPES: &[(&str, &str)] = &[
    ("read:data", "Query data and list websites (read:data)"),
    ("track:events", "Send events (track:events)"),
    ("read:links", "Read short links (read:links)"),
    ("write:links", "Create and change short links (write:links)"),
    ("read:monitors", "Read monitors (read:monitors)"),
    (
        "write:monitors",
        "Create and change monitors (write:monitors)",
    ),
    ("read:status_pages", "Read status pages (read:status_pages)"),
    (
        "write:status_pages",
        "Change status pages and incidents (write:status_pages)",
    ),
    ("manage:websites", "Manage websites (manage:websites)"),
    ("manage:flags", "Manage feature flags (manage:flags)"),
    (
        "manage:config",
        "Manage alerts and organization settings (manage:config)",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Scope;

    #[test]
    fn every_scope_has_a_label() {
        let named = SCOPES.iter().map(|(name, _)| *name);
        assert!(named.eq(Scope::ALL.map(Scope::as_str)));
    }
}
