//! The bar above a page: range, granularity, comparison and filters.

use super::{
    NO_COMPARISON, PeriodQuery,
    filter_words::{field_label, operator_label, value_labels},
};
use crate::{
    analytics::{catalogue::FIELDS, request::Op},
    http::pages::prelude::*,
    pages::{
        frame::site_path,
        part::hidden,
        view::{Days, Filter, View},
    },
};

/// Named ranges with their labels; tabs first, then those of the menu.
pub(in crate::http::pages) const RANGES: &[(&str, &str)] = &[
    ("today", "Today"),
    ("yesterday", "Yesterday"),
    ("last_7d", "7 days"),
    ("last_30d", "30 days"),
    ("last_90d", "90 days"),
    ("last_14d", "14 days"),
    ("this_week", "This week"),
    ("last_week", "Last week"),
    ("this_month", "This month"),
    ("last_month", "Last month"),
    ("this_year", "This year"),
];
/// Ranges that are tabs.
const TABS: usize = 5;

/// Values of `compare` with their titles.
pub(super) const COMPARISONS: [(&str, &str); 3] = [
    ("", "Previous period"),
    ("year", "Previous year"),
    (NO_COMPARISON, "No comparison"),
];

/// The address after a filter's form; `None` if none was sent.
pub(in super::super) fn filtered_address(
    query: &str,
    path: &str,
    panels: &[&str],
) -> Option<String> {
    let pairs: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes())
        .into_owned()
        .collect();
    let sent = |name: &str| {
        let found = pairs.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.trim())
    };
    let view = View::read(query, panels);
    if let Some(view) = apply_settings(&view, &pairs) {
        return Some(view.address(path));
    }
    let (field, op, value) = (sent("field")?, sent("op")?, sent("value")?);
    if value.is_empty() {
        return Some(view.address(path));
    }
    let list = ["in", "not_in"].contains(&op);
    let listed = value
        .split(',')
        .map(str::trim)
        .filter(|one| !one.is_empty());
    let listed = listed.collect::<Vec<_>>().join("|");
    let value = if list { &listed } else { value };
    let named = value.split_once('=').filter(|_| field == "trait");
    let view = match named {
        Some((key, value)) => view.with_filter(&format!("trait:{}", key.trim()), op, value.trim()),
        None => view.with_filter(field, op, value),
    };
    Some(view.address(path))
}

/// The prefix of fields whose filters a form sets.
pub(in super::super) const SET: &str = "set.";

/// The view with the filters of a form; an empty field removes its filter. `None` if none was sent.
fn apply_settings(view: &View, pairs: &[(String, String)]) -> Option<View> {
    let set = pairs
        .iter()
        .filter_map(|(name, value)| Some((name.strip_prefix(SET)?, value.trim())));
    let set: Vec<(&str, &str)> = set.collect();
    let mut view = (!set.is_empty()).then(|| view.clone())?;
    for (field, value) in set {
        view.filters.retain(|filter| filter.field != field);
        if !value.is_empty() {
            view = view.with_filter(field, "eq", value);
        }
    }
    Some(view)
}

/// The bar; steps and comparison where there is a series. Filters by the fields `elsewhere` are chosen elsewhere on the page.
pub(in super::super) fn draw(
    period: &PeriodQuery,
    path: &str,
    is_series: bool,
    elsewhere: &[&str],
) -> Markup {
    let is_here = |filter: &Filter| !elsewhere.contains(&filter.field.as_str());
    let texts = period.texts();
    html! {
        (draw_range(period, path, is_series))
        div.bar.filters {
            @for (place, filter) in period.view.filters.iter().enumerate().filter(|(_, filter)| is_here(filter)) {
                span.chip {
                    strong { (field_label(texts, &filter.field)) } " " (operator_label(texts, &filter.op)) " " span.value { (value_labels(filter)) }
                    a href=(period.view.without_filter(place).address(path)) aria-label=(format!("{}: {}", texts.label("Remove filter"), field_label(texts, &filter.field))) { "×" }
                }
            }
            (draw_filter_form(period, path))
        }
    }
}

/// The range alone; steps and comparison where there is a series.
pub(in crate::http::pages) fn draw_range(
    period: &PeriodQuery,
    path: &str,
    is_series: bool,
) -> Markup {
    html! {
        div.bar {
            (draw_days(period, path))
            (draw_more_days(period, path))
            @if is_series { (draw_steps(period, path)) }
        }
    }
}

fn draw_days(period: &PeriodQuery, path: &str) -> Markup {
    let is = |name: &str| period.view.days == Days::Preset(name.to_owned());
    let texts = period.texts();
    html! {
        nav.tabs aria-label=(texts.label("Date range")) {
            @for (place, (name, title)) in RANGES.iter().take(TABS).enumerate() {
                a href=(period.view.with_preset(name).address(path)) aria-current=[is(name).then_some("true")] aria-keyshortcuts=(place + 1) { (texts.label(title)) }
            }
        }
    }
}

fn draw_more_days(period: &PeriodQuery, path: &str) -> Markup {
    let (view, texts) = (&period.view, period.texts());
    let near = RANGES
        .iter()
        .take(TABS)
        .any(|(name, _)| view.days == Days::Preset((*name).to_owned()));
    let (first, last) = (
        period.range.first.to_string(),
        period.range.last.to_string(),
    );
    html! {
        details.menu {
            summary { @if near { (texts.label("Custom range")) } @else { (period.describe()) } }
            div.sheet {
                ul { @for (name, title) in RANGES.iter().skip(TABS) { li { a href=(view.with_preset(name).address(path)) { (texts.label(title)) } } } }
                form.more method="get" action=(path) {
                    (keep_query(view, &["preset", "from", "to", "by"]))
                    label for="from" { (texts.label("Start date")) }
                    input #from type="date" name="from" value=(first) required;
                    label for="to" { (texts.label("End date")) }
                    input #to type="date" name="to" value=(last) required;
                    button.button.small type="submit" { (texts.label("Apply")) }
                }
            }
        }
    }
}

/// The parameters of the address that a form keeps.
fn keep_query(view: &View, but: &[&str]) -> Markup {
    html! {
        @for (name, value) in view.pairs() {
            @if !but.contains(&name) { (hidden(name, &value)) }
        }
    }
}

fn draw_steps(period: &PeriodQuery, path: &str) -> Markup {
    let (view, texts) = (&period.view, period.texts());
    let by = |grain: &str| {
        View {
            grain: grain.to_owned(),
            ..view.clone()
        }
        .address(path)
    };
    let with = |other: &str| {
        View {
            compare: other.to_owned(),
            ..view.clone()
        }
        .address(path)
    };
    html! {
        nav.tabs aria-label=(texts.label("Interval")) {
            @if period.may_be_hourly() {
                a href=(by("hourly")) aria-current=[(period.granularity() == "hourly").then_some("true")] aria-keyshortcuts="h" { (texts.label("Hourly")) }
            }
            a href=(by("daily")) aria-current=[(period.granularity() == "daily").then_some("true")] aria-keyshortcuts="b" { (texts.label("Daily")) }
        }
        nav.tabs aria-label=(texts.label("Comparison")) {
            @for (name, title) in COMPARISONS {
                a href=(with(name)) aria-current=[(view.compare == name).then_some("true")] { (texts.label(title)) }
            }
        }
    }
}

fn draw_filter_form(period: &PeriodQuery, path: &str) -> Markup {
    let (values, texts) = (values_path(path), period.texts());
    html! {
        details.menu {
            summary aria-keyshortcuts="f" { (texts.label("Filter")) }
            form.sheet method="get" action=(path) data-suggest=[&values] {
                (keep_query(&period.view, &[]))
                label for="field" { (texts.label("Field")) }
                select #field name="field" {
                    @for field in FIELDS[0] { option value=(field.name) { (field_label(texts, field.name)) } }
                    option value="event_name" { (texts.label("Event")) }
                    @if values.is_some() { option value="trait" { "Trait" } }
                }
                label for="op" { (texts.label("Operator")) }
                select #op name="op" {
                    @for (name, _) in Op::ALL { option value=(name) { (operator_label(texts, name)) } }
                }
                label for="value" { (texts.label("Value")) }
                input #value name="value" required autocomplete="off" list="values" aria-describedby="value-hint";
                datalist #values {}
                p.hint #value-hint {
                    (texts.label("Separate several values with commas."))
                    @if values.is_some() { " Traits: " code { "plan=pro" } "." }
                }
                button.button.small type="submit" { (texts.label("Add filter")) }
            }
        }
    }
}

/// Where the script asks for values that complete what is typed. A shared page has nothing there.
fn values_path(path: &str) -> Option<String> {
    let site = path.strip_prefix("/console/site/")?.split('/').next()?;
    Some(format!("{}/values", site_path(site)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::time::DateFormat;

    #[test]
    fn a_form_leads_to_an_address_without_it() {
        let lead = |query: &str| filtered_address(query, "/x", &[]);
        assert_eq!(lead("preset=today"), None);
        assert_eq!(
            lead("preset=today&field=path&op=contains&value=+%2Fa+").as_deref(),
            Some("/x?preset=today&f=path%3Acontains%3A%2Fa")
        );
        assert_eq!(
            lead("field=country&op=in&value=DE,+FR,,").as_deref(),
            Some("/x?f=country%3Ain%3ADE%7CFR")
        );
        assert_eq!(
            lead("field=trait&op=eq&value=plan+%3D+pro").as_deref(),
            Some("/x?f=trait%3Aplan%3Aeq%3Apro")
        );
        assert_eq!(lead("field=path&op=eq&value=").as_deref(), Some("/x"));
        assert_eq!(
            lead("preset=today&f=journey_steps:eq:3&f=path:eq:/a&set.journey_steps=+7&set.journey_start=").as_deref(),
            Some("/x?preset=today&f=path%3Aeq%3A%2Fa&f=journey_steps%3Aeq%3A7")
        );
        assert_eq!(
            lead("f=journey_steps:eq:3&set.journey_steps=").as_deref(),
            Some("/x")
        );
    }

    #[test]
    fn filters_are_said_once_and_countries_by_name() {
        let query = "f=country:in:DE%7CXX&f=journey_steps:eq:3";
        let period = PeriodQuery::read(query, &[], DateFormat::default(), 1_791_979_200_000);
        let drawn = draw(&period, "/x", false, &["journey_steps"]).into_string();
        assert!(drawn.contains("Germany, XX"), "{drawn}");
        assert_eq!(drawn.matches("class=\"chip\"").count(), 1, "{drawn}");
        // The other one is still there when this one is taken away.
        let way = "href=\"/x?f=journey_steps%3Aeq%3A3\" aria-label=\"Remove filter";
        assert!(drawn.contains(way), "{drawn}");
        let all = draw(&period, "/x", false, &[]).into_string();
        assert_eq!(all.matches("class=\"chip\"").count(), 2, "{all}");
    }
}
