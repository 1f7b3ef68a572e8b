//! API keys: all of them, making one, and one with its rights, its end and a new secret.

mod new;
mod show;

use actix_web::HttpResponse;
use maud::{Markup, html};

use super::{
    context::PageContext,
    form::{Input, Kind},
    page,
};
use crate::{
    access::Permission,
    fault::Fault,
    http::{
        procedures::apikeys::{
            self,
            wire::{KeyOut, ListBody, SecretOut},
        },
        routes::Route,
    },
    pages::{
        frame::Place,
        part::{copied, empty, notice, time},
        time::{DateFormat, ago, moment},
    },
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = vec![page("/console/keys", |route| route.to(show))];
    routes.extend(new::routes());
    routes.extend(show::routes());
    routes
}

/// Where a key's page is.
fn path(id: &str) -> String {
    format!("/console/key/{id}")
}

const DESCRIPTION: Input = Input::line("description", "Description");
const ENDS: Input =
    Input::of(Kind::Moment, "expiresAt", "Ends").hint("In your time zone. Empty: never.");

/// Whether a key works, at a moment.
fn state(key: &KeyOut, now_ms: i64) -> Markup {
    let ends = key.expires_at.as_deref().and_then(moment);
    html! {
        @if key.revoked_at.is_some() { span.state.bad { "revoked" } }
        @else if ends.is_some_and(|ends| ends <= now_ms) { span.state.bad { "expired" } }
        @else if !key.enabled { span.state.warn { "switched off" } }
        @else { span.state.good { "works" } }
    }
}

/// When a key was used last.
fn last_use(key: &KeyOut, date_format: &DateFormat, now_ms: i64) -> Markup {
    if let Some(at) = key.last_used_at.as_deref().and_then(moment) {
        time(at, &ago(at, now_ms), date_format)
    } else {
        html! { span.dim { "never" } }
    }
}

/// A new secret, shown this once.
fn draw_secret(secret: &SecretOut) -> Markup {
    html! {
        (notice("good", &html! {
            p { strong { "This is the secret. " } "Nobody can see it again: put it where it is needed, now." }
        }))
        section.panel {
            (copied("Secret of the key", &secret.secret))
            p { "Programs send it as " code { "x-api-key" } " or as " code { "Authorization: Bearer …" } ". " a href="/docs" { "How" } }
            p { a.button href=(path(&secret.id)) { "To the key" } }
        }
    }
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let keys = context.ask(&apikeys::LIST, ListBody::default()).await?;
    let date_format = context.date_format().await?;
    let main = html! {
        div.title-row {
            h1 { "API keys" }
            @if context.may(Permission::KeysManage) {
                div.actions { a.button.first href="/console/keys/new" { "Make a key" } }
            }
        }
        section.panel {
            @if keys.is_empty() {
                (empty("There is no key yet", &html! {
                    p { "Programs sign their requests with a key: servers that send events, scripts that ask for numbers, apps that read flags." }
                    a.button.first href="/console/keys/new" { "Make a key" }
                }))
            } @else {
                (table(&keys, &date_format, context.shared().clock.now_ms()))
            }
        }
    };
    Ok(context.show(Place::Keys, "API keys", &main))
}

fn table(keys: &[KeyOut], date_format: &DateFormat, now_ms: i64) -> Markup {
    html! {
        table.table.sites {
            caption.hide { "API keys, newest first" }
            thead { tr {
                th scope="col" { "Key" }
                th scope="col" { "State" }
                th scope="col" { "May" }
                th scope="col" { "Used last" }
            } }
            tbody { @for key in keys { tr {
                td {
                    a.name href=(path(&key.id)) { (key.name) }
                    span.dim { code { (key.start) "…" } }
                }
                td { (state(key, now_ms)) }
                td.wide data-label="May" { @for (place, scope) in key.scopes.iter().enumerate() { @if place > 0 { ", " } (scope.as_str()) } }
                td data-label="Used" { (last_use(key, date_format, now_ms)) }
            } } }
        }
    }
}

/// What keys may do, in words.
const SCOPES: &[(&str, &str)] = &[
    (
        "read:data",
        "Ask for numbers, and list websites (read:data)",
    ),
    ("track:events", "Send events (track:events)"),
    ("read:links", "See short links (read:links)"),
    ("write:links", "Make and change short links (write:links)"),
    ("read:monitors", "See monitors (read:monitors)"),
    (
        "write:monitors",
        "Make and change monitors (write:monitors)",
    ),
    ("read:status_pages", "See status pages (read:status_pages)"),
    (
        "write:status_pages",
        "Change status pages and incidents (write:status_pages)",
    ),
    ("manage:websites", "Change websites (manage:websites)"),
    ("manage:flags", "Change flags (manage:flags)"),
    (
        "manage:config",
        "Change alarms and the organization's settings (manage:config)",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Scope;

    #[test]
    fn every_scope_has_words() {
        let named = SCOPES.iter().map(|(name, _)| *name);
        assert!(named.eq(Scope::ALL.map(Scope::as_str)));
    }
}
