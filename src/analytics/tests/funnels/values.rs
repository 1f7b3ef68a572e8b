//! What there is to filter by, counted one by one.

use std::collections::BTreeMap;

use super::world::Case;
use crate::{
    analytics::{catalogue::country_name, run::Values},
    events::event::{Bot, Details, Event},
};

/// Names by how often they are there, then by the alphabet.
fn list<'e>(
    events: &'e [&'e Event],
    most: usize,
    said: impl Fn(&'e Event) -> Option<&'e str>,
) -> Vec<String> {
    let mut counts = BTreeMap::new();
    for name in events.iter().filter_map(|event| said(event)) {
        if !name.is_empty() {
            *counts.entry(name).or_insert(0_i64) -= 1;
        }
    }
    let mut names: Vec<_> = counts.into_iter().collect();
    // Stable, and the map had them sorted.
    names.sort_by_key(|(_, count)| *count);
    let names = names.into_iter().take(most);
    names.map(|(name, _)| name.to_owned()).collect()
}

pub(super) fn values(case: &Case, most: usize) -> Values {
    let (from, to) = (case.range.from, case.range.to.min(case.now + 3_600_001));
    let asked = case.events().iter().filter(|event| {
        event.website == super::super::WEBSITE
            && event.bot == Bot::No
            && (from..to).contains(&event.time)
    });
    let (custom, rest): (Vec<&Event>, Vec<&Event>) =
        asked.partition(|event| matches!(event.details, Details::Custom));
    let viewed =
        |event: &&Event| matches!(event.details, Details::Page(_)) && event.name == "screen_view";
    let views: Vec<&Event> = rest.into_iter().filter(viewed).collect();
    let countries = list(&views, most, |event| event.country.as_deref());
    let named = |code: String| country_name(&code).map_or(code, str::to_owned);
    Values {
        browsers: list(&views, most, |event| event.browser_name.as_deref()),
        systems: list(&views, most, |event| event.os_name.as_deref()),
        countries: countries.into_iter().map(named).collect(),
        devices: list(&views, most, |event| event.device_type.as_deref()),
        utm_sources: list(&views, most, |event| event.utm.source.as_deref()),
        utm_mediums: list(&views, most, |event| event.utm.medium.as_deref()),
        utm_campaigns: list(&views, most, |event| event.utm.campaign.as_deref()),
        paths: list(&views, most, |event| Some(event.path.as_str())),
        events: list(&custom, most, |event| Some(event.name.as_str())),
    }
}
