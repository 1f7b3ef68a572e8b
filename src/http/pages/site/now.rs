//! What goes on on a website right now: the last five minutes, looked at again every few seconds.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::website;
use crate::{
    fault::Fault,
    http::{
        pages::{asked::Answers, page, visit::Visit},
        routes::Route,
    },
    pages::{
        frame::Place,
        number,
        part::{Ranked, empty, notice, ranked},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page("/console/site/{id}/now", |route| route.to(show))]
}

/// Columns with their headings.
type Numbers = [(&'static str, &'static str); 2];

/// Query types of now, what their rows are called, and their numbers.
const LISTS: [(&str, &str, Numbers); 5] = [
    ("realtime_pages", "Pages", VIEWED),
    ("realtime_referrers", "Referrers", VIEWED),
    ("realtime_countries", "Countries", VIEWED),
    ("realtime_devices", "Devices", VIEWED),
    (
        "realtime_events",
        "Events",
        [("total_events", "Events"), ("unique_users", "Visitors")],
    ),
];
const VIEWED: Numbers = [("pageviews", "Views"), ("visitors", "Visitors")];

async fn show(visit: Visit, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = website(&visit, &id).await?;
    let mut parameters = vec!["active_stats"];
    parameters.extend(LISTS.iter().map(|(kind, ..)| *kind));
    let body = json!({ "parameters": parameters, "preset": "today", "limit": 10 });
    let answers = visit.query(&website.id, body).await?;
    let main = html! {
        div.title-row { h1 { "Now on " (website.name) } }
        div #now data-live="10" { (draw(&answers, &website.id)) }
    };
    Ok(visit.show_site(Place::Now, &website.id, "Now", &main))
}

fn draw(answers: &Answers, website: &str) -> Markup {
    let active = match answers.rows::<Value>("active_stats") {
        Ok(rows) => rows.into_iter().next().unwrap_or_default(),
        Err(said) => return notice("warn", &html! { (said) }),
    };
    let count = |name: &str| active[name].as_u64().unwrap_or(0);
    let (visitors, visits) = (count("active_users"), count("active_sessions"));
    html! {
        p.lead aria-live="polite" {
            strong { (number::counted(visitors, "visitor", "visitors")) }
            " in " (number::counted(visits, "visit", "visits")) " did something in the last five minutes."
        }
        @if visitors == 0 {
            div.panel { (empty("Nobody is there", &html! {
                p { "Whoever opens a page shows up here within seconds." }
                a.button href=(format!("/console/site/{website}")) { "The last days" }
            })) }
        }
        div.grid { @for (kind, title, numbers) in &LISTS { (list(answers, kind, title, numbers)) } }
    }
}

fn list(answers: &Answers, kind: &str, title: &str, numbers: &Numbers) -> Markup {
    let rows = match answers.rows::<Value>(kind) {
        Ok(rows) if rows.is_empty() => return html! {},
        Ok(rows) => rows,
        Err(said) => return notice("warn", &html! { (said) }),
    };
    let row = |row: &Value| Ranked {
        name: row["name"].as_str().unwrap_or(number::NONE).to_owned(),
        way: None,
        numbers: numbers
            .iter()
            .map(|(name, _)| row[*name].as_u64().unwrap_or(0))
            .collect(),
    };
    let rows: Vec<Ranked> = rows.iter().map(row).collect();
    let headings: Vec<&str> = numbers.iter().map(|(_, heading)| *heading).collect();
    html! { section.panel aria-label=(title) { (ranked(title, &headings, &rows)) } }
}
