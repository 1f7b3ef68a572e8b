//! Short links: their list, one with its clicks and settings, and folders.

mod conversions;
mod fields;
mod folders;
mod list;
mod preview;
mod referrers;
mod show;

use std::collections::HashMap;

use self::show::NewLink;
use super::resource::creation;
use crate::{
    actors::hosts::HostUse,
    analytics::{
        range::{Preset, Range},
        run::Period,
    },
    http::{
        pages::prelude::*,
        procedures::{
            bodies::OrganizationBody,
            domains::{self, DomainOut},
            link_folders::{self, CountedOut},
            links::LinkOut,
        },
        v1,
    },
    ids::LinkId,
    pages::{frame::Choice, time::moment},
};

pub(super) fn routes() -> Vec<Route> {
    [
        list::routes(),
        creation::<NewLink>().into(),
        folders::routes(),
        preview::routes(),
        resource::routes::<LinkOut>(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

pub(super) fn link_name(link: &LinkOut) -> &str {
    let name = link.fields.name.as_ref().or(link.fields.slug.as_ref());
    name.map_or("", String::as_str)
}

/// The marks of a link at a moment.
fn draw_marks(link: &LinkOut, now_ms: i64) -> Markup {
    let ends = link.fields.expires_at.as_deref().and_then(moment);
    html! {
        @if link.fields.taken_down == Some(true) { " " span.state.bad { "taken down" } }
        @if ends.is_some_and(|ends| ends <= now_ms) { " " span.state.warn { "expired" } }
        @if link.has_password { " " span.state { "password" } }
    }
}

async fn load_folders(context: &PageContext) -> Result<Vec<CountedOut>, Fault> {
    let all = OrganizationBody::default();
    context.ask(&link_folders::LIST, all).await
}

/// Folders that a link can be put into, and domains that it can be on.
async fn load_choices(context: &PageContext) -> Result<Choices, Fault> {
    let folders = load_folders(context).await?.into_iter();
    let choice = |CountedOut { folder, .. }| Choice {
        id: folder.id,
        name: folder.name,
    };
    let all = OrganizationBody::default();
    let domains = context.ask(&domains::LIST, all).await?.into_iter();
    let domains = domains.filter(|one| one.verified && one.serves == HostUse::Links);
    let named = |one: DomainOut| Choice {
        id: one.host.clone(),
        name: one.host,
    };
    Ok(Choices::default()
        .with("folderId", folders.map(choice).collect())
        .with("domain", domains.map(named).collect()))
}

/// Clicks of the last 30 days by link id; `None` if they are unknown.
async fn count_clicks(
    context: &PageContext,
    links: &[LinkOut],
    date_format: &DateFormat,
) -> Option<HashMap<LinkId, u64>> {
    let organization = context.session.active_organization.as_ref()?;
    let ids: Vec<&str> = links.iter().map(|link| link.id.as_str()).collect();
    let now_ms = context.shared().clock.now_ms();
    let range = Range::preset(Preset::Last30d, now_ms, date_format.zone);
    let period = Period { range, now_ms };
    let caller = &context.call.caller;
    let clicks = v1::clicks(context.shared(), caller, organization, (&ids, period)).await;
    clicks.ok()
}
