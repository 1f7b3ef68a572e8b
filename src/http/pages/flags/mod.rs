//! Feature flags: their list, one with its settings, evaluations, schedules and history, and target groups.

mod compatibility;
mod evaluations;
mod explain;
mod fields;
mod groups;
mod history;
mod list;
mod preview;
mod rules;
mod schedules;
mod show;
mod snippets;
mod stale;
mod variants;

use self::show::NewFlag;
use super::resource::creation;
use crate::{
    actors::flags::{FlagType, Status},
    http::{
        pages::prelude::*,
        procedures::flags::{ListBody, ScopeBody, shapes::FlagOut},
    },
    pages::number,
};

pub(super) fn routes() -> Vec<Route> {
    let new = creation::<NewFlag>().into();
    [
        list::routes(),
        new,
        show::routes(),
        schedules::routes(),
        groups::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn body_scope(website: Option<&str>, organization: Option<&str>) -> ScopeBody {
    ScopeBody {
        website_id: website.map(str::to_owned),
        organization_id: organization.map(str::to_owned),
    }
}

/// The inputs that list the flags of all websites and of the organization.
pub(super) fn list_bodies(context: &PageContext) -> Vec<ListBody> {
    let websites = context.websites().into_iter();
    let websites = websites.map(|one| body_scope(Some(&one.id), None));
    let own = context.session.active_organization.iter();
    let own = own.map(|own| body_scope(None, Some(own.as_str())));
    let body = |scope| ListBody {
        scope,
        status: None,
    };
    websites.chain(own).map(body).collect()
}

/// The status of a flag, in a word.
fn draw_status(flag: &FlagOut) -> Markup {
    let (class, word) = match flag.status {
        Status::Active => ("good", "Active"),
        Status::Archived => ("", "Archived"),
        Status::Inactive => ("warn", "Inactive"),
    };
    html! { span class={ "state " (class) } { (word) } }
}

/// The decision of a flag, in words.
fn describe_decision(flag: &FlagOut) -> String {
    let rules = match flag.rules.len() {
        0 => String::new(),
        1 => "1 rule, then ".to_owned(),
        count => format!("{count} rules, then "),
    };
    let share = flag.rollout_percentage.unwrap_or(0);
    let rest = match flag.kind {
        FlagType::Rollout => format!("on for {}", number::percent(share.into())),
        FlagType::Multivariant => "split among its variants".to_owned(),
        FlagType::Boolean if flag.default_value => "on for everyone".to_owned(),
        FlagType::Boolean => "off for everyone".to_owned(),
    };
    rules + &rest
}
