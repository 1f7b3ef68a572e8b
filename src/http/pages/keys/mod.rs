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
const ENDS: Input =
    Input::new(Kind::Moment, "expiresAt", "Ends").hint("In your time zone. Empty: never.");

/// The state of a key at a moment.
fn draw_state(key: &KeyOut, now_ms: i64) -> Markup {
    let ends = key.expires_at.as_deref().and_then(moment);
    html! {
        @if key.revoked_at.is_some() { span.state.bad { "revoked" } }
        @else if ends.is_some_and(|ends| ends <= now_ms) { span.state.bad { "expired" } }
        @else if !key.enabled { span.state.warn { "switched off" } }
        @else { span.state.good { "works" } }
    }
}

/// The last use of a key.
fn last_use(key: &KeyOut, date_format: &DateFormat, now_ms: i64) -> Markup {
    if let Some(at) = key.last_used_at.as_deref().and_then(moment) {
        time(at, &ago(at, now_ms), date_format)
    } else {
        html! { span.dim { "never" } }
    }
}

/// A new secret, which is shown once.
fn draw_secret(secret: &SecretOut) -> Markup {
    html! {
        (notice("good", &html! {
            p { strong { "This is the secret. " } "Nobody can see it again: put it where it is needed, now." }
        }))
        section.panel {
            (copyable("Secret of the key", &secret.secret))
            p { "Programs send it as " code { "x-api-key" } " or as " code { "Authorization: Bearer …" } ". " a href="/docs" { "How" } }
            p { a.button href=(KeyDetails::path(&[&secret.id])) { "To the key" } }
        }
    }
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let keys = context.ask(&apikeys::LIST, ListBody::default()).await?;
    let date_format = context.date_format().await?;
    let can_write = context.can(Permission::KeysManage);
    let page = ListPage {
        title: "API keys",
        create: can_write.then_some(("/console/keys/new", "Make a key")),
        none: "There is no key yet",
        about: "Programs sign their requests with a key: servers that send events, scripts that ask for numbers, apps that read flags.",
        live: None,
    };
    let now_ms = context.shared().clock.now_ms();
    let table = (!keys.is_empty()).then(|| table(&keys, &date_format, now_ms));
    Ok(context.show(NavItem::Keys, page.title, &page.draw(&html! {}, table)))
}

fn table(keys: &[KeyOut], date_format: &DateFormat, now_ms: i64) -> Markup {
    let headings = ["Key", "State", "May", "Used last"].map(Heading::Text);
    let rows = html! {
        @for key in keys { tr {
            td {
                a.name href=(KeyDetails::path(&[&key.id])) { (key.name) }
                span.dim { code { (key.start) "…" } }
            }
            td { (draw_state(key, now_ms)) }
            td.wide data-label="May" { @for (place, scope) in key.scopes.iter().enumerate() { @if place > 0 { ", " } (scope.as_str()) } }
            td data-label="Used" { (last_use(key, date_format, now_ms)) }
        } }
    };
    resource_table("API keys, newest first", &headings, &rows)
}

/// Scopes with their labels.
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
