//! What a PostHog event says, in our fields.

use super::{
    super::{Input, Kind, PageView, json},
    whose::Whose,
};
use crate::events::tree::{Object, Text, Value};

/// What is in columns of ours, or says something about the library alone. Of `…*` all that begin so.
const NOT_KEPT: &[&str] = &[
    "$browser*",
    "$config_*",
    "$current_url",
    "$device*",
    "$distinct_id",
    "$exception_*",
    "$geoip_disable",
    "$host",
    "$initial_*",
    "$insert_id",
    "$ip",
    "$is_identified",
    "$is_server",
    "$lib_rate_limit*",
    "$os*",
    "$pageview_id",
    "$pathname",
    "$prev_pageview*",
    "$process_person_profile",
    "$raw_user_agent",
    "$recording_*",
    "$referrer",
    "$referring_domain",
    "$replay_*",
    "$screen_height",
    "$screen_width",
    "$sdk_debug*",
    "$search_engine",
    "$session_*",
    "$set*",
    "$time",
    "$timezone*",
    "$user_agent",
    "$user_id",
    "$viewport_*",
    "$web_vitals_*",
    "$window_id",
    "api_key",
    "distinct_id",
    "token",
];

/// Source, medium, campaign, term and content.
const UTM: [&str; 5] = [
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
];

/// Fills in what is not about whose event it is, and keeps the rest as properties.
pub(super) fn fill<'a>(
    input: &mut Input<'a>,
    name: Text<'a>,
    mut properties: Object<'a>,
    whose: Whose<'a>,
) {
    let number = |name: &str| properties.get(name).and_then(json::to_number);
    let text = |name: &str| properties.get(name).and_then(json::to_text);
    input.kind = match &*name {
        "$pageview" => Kind::View,
        "$pageleave" => Kind::Exit {
            seconds: number("$prev_pageview_duration"),
            scroll: number("$prev_pageview_max_scroll_percentage").map(|share| share * 100.0),
        },
        "$web_vitals" => Kind::Vitals(vitals(&properties)),
        "$exception" => failure_of(&properties),
        _ => Kind::Custom,
    };
    let screen = text("$screen_name").map(|screen| format!("/{screen}").into());
    input.url = text("$current_url").or(screen);
    input.session = text("$session_id");
    if input.kind.has_page() {
        let size =
            |width: &str, height: &str| json::size(properties.get(width), properties.get(height));
        input.page = Some(Box::new(PageView {
            title: text("title").or(text("$title")),
            referrer: text("$referrer"),
            language: text("$browser_language"),
            timezone: text("$timezone"),
            screen: size("$screen_width", "$screen_height"),
            viewport: size("$viewport_width", "$viewport_height"),
            utm: UTM.map(text),
        }));
    }
    if input.kind == Kind::View {
        properties.remove("title");
        properties.retain(|key, _| !key.starts_with("utm_"));
    }
    properties.retain(|key, _| is_kept(key));
    input.name = name;
    input.profile = whose.profile;
    input.anonymous = whose.anonymous;
    input.origin = whose.origin;
    input.properties = properties;
    let revenue = json::take(&mut input.properties, &["revenue", "$revenue"]);
    if let Some(revenue) = revenue {
        let currency = json::take(&mut input.properties, &["currency", "$currency"]);
        input.put_revenue(&revenue, currency.as_ref(), false);
    }
}

fn is_kept(key: &str) -> bool {
    let fits = |rule: &str| match rule.strip_suffix('*') {
        Some(start) => key.starts_with(start),
        None => key == rule,
    };
    // Most differ in the second letter, which is cheaper to look at than texts are to compare.
    let second = key.as_bytes().get(1);
    !NOT_KEPT
        .iter()
        .any(|rule| rule.as_bytes().get(1) == second && fits(rule))
}

fn vitals(properties: &Object<'_>) -> Vec<(&'static str, f64)> {
    let metrics = ["FCP", "LCP", "CLS", "INP"].into_iter();
    let value = |metric: &str| properties.get(&format!("$web_vitals_{metric}_value"));
    metrics
        .filter_map(|metric| Some((metric, json::to_number(value(metric)?)?)))
        .collect()
}

fn failure_of<'a>(properties: &Object<'a>) -> Kind<'a> {
    let first = properties.get("$exception_list").and_then(Value::as_array);
    let first = first.and_then(|all| all.first());
    let text = |listed: &str, own: &str| {
        let listed = first.and_then(|first| first.get(listed));
        listed
            .or_else(|| properties.get(own))
            .and_then(json::to_text)
    };
    let frames = first
        .and_then(|first| first.get("stacktrace"))
        .and_then(|trace| trace.get("frames"))
        .and_then(Value::as_array);
    let line = |frame: &Value<'_>| {
        let part = |name: &str| frame.get(name).and_then(json::to_text).unwrap_or_default();
        format!(
            "at {} ({}:{}:{})",
            part("function"),
            part("filename"),
            part("lineno"),
            part("colno")
        )
    };
    let kind = text("type", "$exception_type");
    Kind::Failure {
        message: text("value", "$exception_message")
            .or_else(|| kind.clone())
            .unwrap_or("Error".into()),
        kind,
        stack: frames.map(|frames| {
            frames
                .iter()
                .map(line)
                .collect::<Vec<_>>()
                .join("\n")
                .into()
        }),
    }
}
