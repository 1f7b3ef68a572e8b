//! The events of a session, and the sessions of a user.

use serde_json::{Map, Value, json};

use super::{
    period::PeriodQuery,
    reports::{moment, text, vital},
};
use crate::{
    analytics::run::Answers,
    http::pages::prelude::*,
    pages::{
        number,
        part::{empty, notice, time},
        view::Filter,
    },
};

/// Events or visits of a page.
const MAX: usize = 500;

pub(super) fn routes() -> Vec<Route> {
    vec![
        page_route("/console/site/{id}/session/{session}", |route| {
            route.to(show_session)
        }),
        page_route("/console/site/{id}/person/{by}/{person}", |route| {
            route.to(show_person)
        }),
    ]
}

/// Queries one session or person in the range of the address, without its filters.
async fn query_one(
    context: &PageContext,
    website: &str,
    kinds: &[&str],
    field: &str,
    value: &str,
) -> Result<(PeriodQuery, Answers), Fault> {
    let mut period = PeriodQuery::load(context, &[]).await?;
    period.view.filters = vec![Filter {
        field: field.to_owned(),
        op: "eq".to_owned(),
        value: value.to_owned(),
    }];
    let answers = context
        .query(website, period.body(&json!(kinds), MAX))
        .await?;
    Ok((period, answers))
}

async fn show_session(
    context: PageContext,
    ids: web::Path<(String, String)>,
) -> Result<HttpResponse, Fault> {
    let (id, session) = ids.into_inner();
    let website = context.website(&id).await?;
    let (period, answers) = query_one(
        &context,
        &website.id,
        &["session_list", "session_events"],
        "session_id",
        &session,
    )
    .await?;
    let main = html! {
        div.title-row { h1 { "Session " code { (session.get(..8).unwrap_or(&session)) } } }
        @match answers.rows::<Value>("session_list") {
            Ok(rows) => @for row in &rows { section.panel aria-label="Session" { (draw_facts(row, FACTS, &period.date_format)) (draw_visitor_link(row, &website.id, &period)) } },
            Err(message) => (notice("warn", &html! { (message) })),
        }
        @match answers.rows::<Value>("session_events") {
            Ok(rows) if rows.is_empty() => div.panel { (empty("Session not found", &html! { p { "Choose a period that includes the session." } })) },
            Ok(rows) => section.panel aria-label="Events" { (draw_events(&rows, &period.date_format)) },
            Err(message) => (notice("warn", &html! { (message) })),
        }
    };
    Ok(context.show_site(NavItem::Sessions, &website.id, "Session", &main))
}

const FACTS: &[(&str, &str)] = &[
    ("first_visit", "Started"),
    ("last_visit", "Last event"),
    ("page_views", "Pageviews"),
    ("total_events", "Events"),
    ("referrer", "Source"),
    ("country", "Country"),
    ("device_type", "Device"),
    ("browser_name", "Browser"),
    ("os_name", "Operating system"),
];

const PERSON: &[(&str, &str)] = &[
    ("display_name", "Name"),
    ("email", "Email"),
    ("profile_id", "ID"),
    ("first_visit", "First seen"),
    ("last_visit", "Last seen"),
    ("session_count", "Sessions"),
    ("pageviews", "Pageviews"),
    ("total_events", "Events"),
    ("country", "Country"),
    ("city", "City"),
    ("device_type", "Device"),
    ("browser_name", "Browser"),
];

/// The facts that are known.
fn draw_facts(row: &Value, names: &[(&str, &str)], date_format: &DateFormat) -> Markup {
    html! {
        dl.facts {
            @for (name, called) in names {
                @let value = text(&row[*name]);
                @if !value.is_empty() {
                    dt { (called) }
                    dd {
                        @match moment(&value) {
                            Some(at_ms) => (time(at_ms, &date_format.moment(at_ms), date_format)),
                            None => (value),
                        }
                    }
                }
            }
        }
    }
}

/// The link to the visitor.
fn draw_visitor_link(row: &Value, website: &str, period: &PeriodQuery) -> Markup {
    let visitor = text(&row["visitor_id"]);
    let path = format!("/console/site/{website}/person/visitor/{visitor}");
    let mut view = period.view.clone();
    view.filters.clear();
    html! { @if !visitor.is_empty() { p { a href=(view.address(&path)) { "All sessions of this visitor" } } } }
}

fn draw_events(rows: &[Value], date_format: &DateFormat) -> Markup {
    let value = |row: &Value, name: &str| text(&row[name]);
    html! {
        ol.timeline {
            @for row in rows {
                @let kind = value(row, "kind");
                li.(event_class(&kind)) {
                    @if let Some(at_ms) = moment(&value(row, "timestamp")) { (time(at_ms, &date_format.time(at_ms), date_format)) }
                    div {
                        strong { (event_label(&kind, &value(row, "event_name"))) } " "
                        (draw_measured(&kind, row)) " "
                        span { (value(row, "path")) }
                        @for name in ["message", "href"] {
                            @let more = value(row, name);
                            @if !more.is_empty() { p { (more) } }
                        }
                        @if let Some(properties) = row["properties"].as_object().filter(|all| !all.is_empty()) {
                            p.dim { (list_pairs(properties)) }
                        }
                    }
                }
            }
        }
        @if rows.len() == MAX { p.dim.small { "First " (MAX) " events" } }
    }
}

/// The class of an event.
fn event_class(kind: &str) -> &'static str {
    match kind {
        "error" => "bad",
        "custom" => "own",
        "page" => "seen",
        _ => "other",
    }
}

/// The label of an event.
pub(super) fn event_label(kind: &str, name: &str) -> String {
    match (kind, name) {
        (_, "screen_view") => "Viewed page".to_owned(),
        (_, "page_exit") => "Left page".to_owned(),
        ("engagement", _) => "Stayed on page".to_owned(),
        ("outgoing_link", _) => "Opened outbound link".to_owned(),
        ("error", name) => format!("Error {name}"),
        (_, name) => name.to_owned(),
    }
}

/// The number of an event: a web vital, or the time on the page.
fn draw_measured(kind: &str, row: &Value) -> Markup {
    let spent = row["time_on_page"].as_f64().filter(|spent| *spent > 0.0);
    let glue = if kind == "engagement" { "for" } else { "after" };
    html! {
        @match row["value"].as_f64() {
            Some(value) if kind == "web_vital" => (vital(&text(&row["event_name"]), value)),
            Some(value) => span.dim { (number::decimal(value)) },
            None => @if let Some(spent) = spent { span.dim { (glue) " " (number::duration(spent)) } },
        }
    }
}

/// Names and values of an object: `plan: pro, seats: 3`.
fn list_pairs(pairs: &Map<String, Value>) -> String {
    let pair = |(name, value): (&String, &Value)| format!("{name}: {}", text(value));
    pairs.iter().map(pair).collect::<Vec<_>>().join(", ")
}

/// The traits of a user, if there are any.
fn draw_traits(traits: &Value) -> Markup {
    let traits = traits.as_object().filter(|traits| !traits.is_empty());
    html! {
        @if let Some(traits) = traits {
            h2 { "Traits" }
            dl.facts { @for (name, value) in traits { dt { (name) } dd { (text(value)) } } }
        }
    }
}

async fn show_person(
    context: PageContext,
    ids: web::Path<(String, String, String)>,
) -> Result<HttpResponse, Fault> {
    let (id, by, person) = ids.into_inner();
    let website = context.website(&id).await?;
    let field = match by.as_str() {
        "profile" => "profile_id",
        "visitor" => "anonymous_id",
        _ => return Err(Fault::not_found("person", person)),
    };
    let (period, answers) = query_one(
        &context,
        &website.id,
        &["profile_detail", "profile_sessions"],
        field,
        &person,
    )
    .await?;
    let date_format = &period.date_format;
    let main = html! {
        div.title-row { h1 { @if by == "profile" { (person) } @else { "Visitor " code { (person.get(..8).unwrap_or(&person)) } } } }
        @match answers.rows::<Value>("profile_detail") {
            Ok(rows) if rows.is_empty() => div.panel { (empty("User not found", &html! { p { "Choose a period in which the user was active." } })) },
            Ok(rows) => @for row in &rows { section.panel aria-label="User" { (draw_facts(row, PERSON, date_format)) (draw_traits(&row["traits"])) } },
            Err(message) => (notice("warn", &html! { (message) })),
        }
        @match answers.rows::<Value>("profile_sessions") {
            Ok(rows) if rows.is_empty() => {},
            Ok(rows) => section.panel { h2 { "Sessions" } (draw_sessions(&rows, &website.id, &period)) },
            Err(message) => (notice("warn", &html! { (message) })),
        }
    };
    Ok(context.show_site(NavItem::Users, &website.id, "User", &main))
}

fn draw_sessions(rows: &[Value], website: &str, period: &PeriodQuery) -> Markup {
    let mut view = period.view.clone();
    view.filters.clear();
    html! {
        ol.timeline {
            @for row in rows {
                @let session = text(&row["session_id"]);
                li.seen {
                    @if let Some(at_ms) = moment(&text(&row["first_visit"])) { (time(at_ms, &period.date_format.moment(at_ms), &period.date_format)) }
                    div {
                        a href=(view.address(&format!("/console/site/{website}/session/{session}"))) {
                            (number::with_noun(row["page_views"].as_u64().unwrap_or(0), "pageview", "pageviews")) ", "
                            (number::with_noun(row["total_events"].as_u64().unwrap_or(0), "event", "events"))
                        }
                        span.dim { " " (text(&row["device_type"])) " " (text(&row["browser_name"])) " " (text(&row["referrer"])) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_and_users_are_described_in_words() {
        let row = json!({ "timestamp": "2026-10-14T12:00:00.000Z", "kind": "error", "event_name": "TypeError", "message": "<b>", "path": "/" });
        let drawn = draw_events(&[row], &DateFormat::default()).into_string();
        assert!(
            drawn.contains("Error TypeError")
                && drawn.contains("&lt;b&gt;")
                && drawn.contains("class=\"bad\""),
            "{drawn}"
        );
        assert_eq!(event_label("page", "screen_view"), "Viewed page");
        let stayed = json!({ "timestamp": "2026-10-14T12:00:00.000Z", "kind": "engagement", "event_name": "engagement", "time_on_page": 16, "properties": { "plan": "pro" } });
        let drawn = draw_events(&[stayed], &DateFormat::default()).into_string();
        assert!(
            drawn.contains("Stayed on page")
                && drawn.contains("for 16")
                && drawn.contains("plan: pro"),
            "{drawn}"
        );
        assert_eq!(draw_traits(&json!({})).into_string(), "");
        let traits = draw_traits(&json!({ "plan": "<pro>" })).into_string();
        assert!(
            traits.contains("<dt>plan</dt><dd>&lt;pro&gt;</dd>"),
            "{traits}"
        );
        let known = draw_facts(
            &json!({ "referrer": "", "page_views": 3, "country": null }),
            FACTS,
            &DateFormat::default(),
        );
        let known = known.into_string();
        assert!(
            known.contains("<dt>Pageviews</dt><dd>3</dd>") && !known.contains("Country"),
            "{known}"
        );
    }
}
