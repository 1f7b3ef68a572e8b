//! The last minutes of a website, refreshed every few seconds: who is there, views by minute, and the latest events.

use serde_json::{Value, json};

use super::{
    dashboard::{List, SENT, draw_country_map},
    site_name,
    timeline::event_label,
};
use crate::{
    analytics::run::Answers,
    http::pages::prelude::*,
    pages::{
        chart::{Line, Step},
        frame::site_path,
        number,
        part::{empty, notice, time},
        time::moment,
        view::View,
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/site/{id}/now", |route| route.to(show))]
}

/// The query type of the map.
const COUNTRIES: &str = "realtime_countries";

const LISTS: [List; 5] = [
    List::new("", "Pages", "realtime_pages", "path"),
    List::new("", "Referrers", "realtime_referrers", "referrer"),
    List::new("", "Countries", COUNTRIES, "country").by("country_code"),
    List::new("", "Devices", "realtime_devices", "device_type"),
    List::new("", "Events", "realtime_events", "event_name").counting(SENT),
];

/// Rows of an answer with all countries.
const MAX_COUNTRIES: usize = 300;
/// Rows of a list.
const MAX_LISTED: usize = 10;
const MINUTE_MS: i64 = 60_000;
/// Minutes of the chart.
const MINUTES: i64 = 30;

/// The page while it is drawn.
struct Realtime<'a> {
    answers: &'a Answers,
    website: &'a str,
    date_format: &'a DateFormat,
    now_ms: i64,
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = context.website(&id).await?;
    let mut lists = vec!["active_stats"];
    let kinds = LISTS.iter().map(|list| list.kind);
    lists.extend(kinds.filter(|kind| *kind != COUNTRIES));
    let bodies = json!([
        { "parameters": lists, "preset": "today", "limit": MAX_LISTED },
        { "parameters": [COUNTRIES], "preset": "today", "limit": MAX_COUNTRIES },
        { "parameters": ["realtime_minutes", "realtime_feed"], "preset": "today", "limit": MINUTES + 1 },
    ]);
    let answers = context.query(&website.id, bodies).await?;
    let page = Realtime {
        answers: &answers,
        website: &website.id,
        date_format: &context.date_format().await?,
        now_ms: context.shared().clock.now_ms(),
    };
    let main = html! {
        div.title-row { h1 { "Realtime" } span.dim { (site_name(&website)) } }
        div #now data-live="10" { (page.draw()) }
    };
    Ok(context.show_site(NavItem::Realtime, &website.id, "Realtime", &main))
}

impl Realtime<'_> {
    fn draw(&self) -> Markup {
        let active = match self.answers.rows::<Value>("active_stats") {
            Ok(rows) => rows.into_iter().next().unwrap_or_default(),
            Err(message) => return notice("warn", &html! { (message) }),
        };
        let count = |name: &str| active[name].as_u64().unwrap_or(0);
        let (visitors, sessions) = (count("active_users"), count("active_sessions"));
        html! {
            p.lead aria-live="polite" {
                strong { (number::with_noun(visitors, "visitor", "visitors")) }
                " online, in " (number::with_noun(sessions, "session", "sessions")) " of the last 5 minutes."
            }
            @if visitors == 0 {
                div.panel { (empty("No active visitors", &html! {
                    p { "Visitors appear here within seconds." }
                    a.button href=(site_path(self.website)) { "Open dashboard" }
                })) }
            }
            (self.draw_minutes())
            div.grid {
                (self.draw_feed())
                @for list in &LISTS { (self.draw_list(list)) }
            }
        }
    }

    /// The pageviews of every minute, the current one last.
    fn draw_minutes(&self) -> Markup {
        let rows = match self.answers.rows::<Value>("realtime_minutes") {
            Ok(rows) if rows.is_empty() => return html! {},
            Ok(rows) => rows,
            Err(message) => return notice("warn", &html! { (message) }),
        };
        let now = self.now_ms - self.now_ms.rem_euclid(MINUTE_MS);
        let minutes: Vec<i64> = (0..MINUTES)
            .rev()
            .map(|back| now - back * MINUTE_MS)
            .collect();
        let views = |minute: &i64| {
            let is_own = |row: &&Value| row["minute"].as_str().and_then(moment) == Some(*minute);
            let row = rows.iter().find(is_own);
            row.map_or(0.0, |row| row["pageviews"].as_f64().unwrap_or(0.0))
        };
        let step = |minute: &i64| Step {
            name: self.date_format.time(*minute),
            word: self.date_format.time(*minute),
            value: Some(views(minute)),
            before: None,
        };
        let steps: Vec<Step> = minutes.iter().map(step).collect();
        let line = Line {
            title: "Pageviews by minute",
            steps: &steps,
            goes_on: true,
            whole: true,
            reach: 0.0,
            marks: &[],
            written: &number::decimal,
        };
        html! {
            section.panel aria-label="Pageviews by minute" {
                h2 { "Pageviews by minute" }
                (line.draw())
            }
        }
    }

    /// The latest events, newest first.
    fn draw_feed(&self) -> Markup {
        let rows = match self.answers.rows::<Value>("realtime_feed") {
            Ok(rows) if rows.is_empty() => return html! {},
            Ok(rows) => rows,
            Err(message) => return notice("warn", &html! { (message) }),
        };
        html! {
            section.panel aria-label="Latest events" {
                h2 { "Latest events" }
                ol.timeline { @for row in &rows { (self.draw_event(row)) } }
            }
        }
    }

    fn draw_event(&self, row: &Value) -> Markup {
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        let session = format!(
            "{}/session/{}?preset=today",
            site_path(self.website),
            text("session_id")
        );
        let from = [text("country"), text("device_type"), text("browser_name")];
        let from: Vec<&str> = from
            .into_iter()
            .filter(|word| !["", "Unknown"].contains(word))
            .collect();
        let label = event_label(text("kind"), text("event_name"));
        html! {
            li {
                @if let Some(at_ms) = moment(text("timestamp")) { (time(at_ms, &self.date_format.time(at_ms), self.date_format)) }
                div {
                    @if text("session_id").is_empty() { strong { (label) } } @else { a href=(session) { (label) } }
                    " " span { (text("path")) } " "
                    span.dim { (from.join(", ")) }
                }
            }
        }
    }

    fn draw_list(&self, list: &List) -> Markup {
        let rows = match self.answers.rows::<Value>(list.kind) {
            Ok(rows) if rows.is_empty() => return html! {},
            Ok(rows) => rows,
            Err(message) => return notice("warn", &html! { (message) }),
        };
        let address = |row: &Value| self.filter_address(list, row);
        let name = |row: &Value| {
            let name = row["name"].as_str().unwrap_or_default();
            let link = address(row).map(|address| (address, format!("Filter today by {name}")));
            (name.to_owned(), link)
        };
        let has_map = list.kind == COUNTRIES && rows.iter().any(|row| address(row).is_some());
        let listed = &rows[..rows.len().min(MAX_LISTED)];
        html! {
            section.panel aria-label=(list.title) {
                @if has_map { (draw_country_map(Texts::ENGLISH, list, &rows, address)) }
                (list.draw(Texts::ENGLISH, listed, name))
            }
        }
    }

    /// The dashboard of today, filtered by a row.
    fn filter_address(&self, list: &List, row: &Value) -> Option<String> {
        let value = row[list.value].as_str().filter(|value| !value.is_empty())?;
        let view = View::default()
            .with_preset("today")
            .with_filter(list.field, "eq", value);
        Some(view.address(&site_path(self.website)))
    }
}
