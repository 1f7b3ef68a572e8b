//! Stale flags, which can be removed from the code.

use std::collections::HashMap;

use futures_util::future::join_all;

use super::body_scope;
use crate::{
    actors::flags::StaleReason,
    http::{
        pages::prelude::*,
        procedures::flags::{
            insight::{self, StaleBody},
            shapes::FlagOut,
        },
    },
    pages::{part::notice, time::moment},
};

/// Days for which nothing happened.
const DAYS: u32 = 30;
const DAY_MS: i64 = 86_400_000;

/// Why flags are stale, by their ids.
pub(super) type Stale = HashMap<String, Vec<StaleReason>>;

/// Finds the stale flags. Only websites with a flag that is old enough are asked. Without an answer no flag is stale, so that
/// the pages of flags need no query.
pub(super) async fn find_stale(context: &PageContext, flags: &[FlagOut]) -> Stale {
    let border = context.shared().clock.now_ms() - i64::from(DAYS) * DAY_MS;
    let is_old = |flag: &&FlagOut| moment(&flag.updated_at).is_some_and(|at| at <= border);
    let mut scopes: Vec<(Option<&str>, Option<&str>)> = flags
        .iter()
        .filter(is_old)
        .map(|flag| (flag.website_id.as_deref(), flag.organization_id.as_deref()))
        .collect();
    scopes.sort_unstable();
    scopes.dedup();
    let bodies = scopes.into_iter().map(|(website, organization)| StaleBody {
        scope: body_scope(website, organization),
        days: DAYS,
    });
    let asked = bodies.map(|body| context.ask(&insight::STALE, body));
    let found = join_all(asked).await.into_iter().flatten().flatten();
    found.map(|one| (one.id, one.reasons)).collect()
}

/// The badge of a stale flag.
pub(super) fn draw_badge(stale: &Stale, flag: &FlagOut) -> Markup {
    html! { @if stale.contains_key(&flag.id) { " " span.state.warn { "Stale" } } }
}

/// What a stale flag's page says of it.
pub(super) fn draw_notice(stale: &Stale, flag: &FlagOut) -> Markup {
    let Some(reasons) = stale.get(&flag.id) else {
        return html! {};
    };
    notice(
        "warn",
        &html! {
            p { strong { "This flag is stale. " } "It hasn't changed in " (DAYS) " days. Remove it from your code." }
            ul { @for reason in reasons { li { (describe_reason(*reason)) } } }
        },
    )
}

const fn describe_reason(reason: StaleReason) -> &'static str {
    match reason {
        StaleReason::NotActive => "It isn't active.",
        StaleReason::SameForEverybody => "It has the same value for everyone.",
        StaleReason::NotEvaluated => "No page reported an evaluation.",
    }
}
