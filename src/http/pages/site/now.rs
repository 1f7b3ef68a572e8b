//! What goes on on a website right now: the last five minutes, looked at again every few seconds.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::{site_name, website};
use crate::{
    analytics::run::Answers,
    fault::Fault,
    http::{
        pages::{context::PageContext, page},
        routes::Route,
    },
    pages::{
        frame::{Place, site_path},
        number,
        part::{Ranked, empty, notice, ranked},
        view::View,
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page("/console/site/{id}/now", |route| route.to(show))]
}

/// Columns with their headings.
type Numbers = [(&'static str, &'static str); 2];

/// A list of now.
struct List {
    /// Its query type.
    kind: &'static str,
    /// What its rows are called.
    title: &'static str,
    /// By which field the day is filtered on a click.
    field: &'static str,
    numbers: Numbers,
}

const fn viewed(kind: &'static str, title: &'static str, field: &'static str) -> List {
    List {
        kind,
        title,
        field,
        numbers: VIEWED,
    }
}

const LISTS: [List; 5] = [
    viewed("realtime_pages", "Pages", "path"),
    viewed("realtime_referrers", "Referrers", "referrer"),
    viewed("realtime_countries", "Countries", "country"),
    viewed("realtime_devices", "Devices", "device_type"),
    List {
        numbers: [("total_events", "Events"), ("unique_users", "Visitors")],
        ..viewed("realtime_events", "Events", "event_name")
    },
];
const VIEWED: Numbers = [("pageviews", "Views"), ("visitors", "Visitors")];

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = website(&context, &id).await?;
    let mut parameters = vec!["active_stats"];
    parameters.extend(LISTS.iter().map(|list| list.kind));
    let body = json!({ "parameters": parameters, "preset": "today", "limit": 10 });
    let answers = context.query(&website.id, body).await?;
    let main = html! {
        div.title-row { h1 { "Now on " (site_name(&website)) } }
        div #now data-live="10" { (draw(&answers, &website.id)) }
    };
    Ok(context.show_site(Place::Now, &website.id, "Now", &main))
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
        div.grid { @for one in &LISTS { (list(answers, one, website)) } }
    }
}

fn list(answers: &Answers, list: &List, website: &str) -> Markup {
    let rows = match answers.rows::<Value>(list.kind) {
        Ok(rows) if rows.is_empty() => return html! {},
        Ok(rows) => rows,
        Err(said) => return notice("warn", &html! { (said) }),
    };
    let row = |row: &Value| {
        let name = row["name"].as_str().unwrap_or_default();
        let value = match list.field {
            "country" => row["country_code"].as_str().unwrap_or_default(),
            _ => name,
        };
        let view = View::default()
            .on("today")
            .with_filter(list.field, "eq", value);
        let address = view.address(&site_path(website));
        let way = (!value.is_empty()).then(|| (address, format!("Only {name}, today")));
        let number = |(column, _): &(&str, &str)| row[*column].as_u64().unwrap_or(0);
        Ranked {
            name: name.to_owned(),
            way,
            numbers: list.numbers.iter().map(number).collect(),
        }
    };
    let rows: Vec<Ranked> = rows.iter().map(row).collect();
    let headings: Vec<&str> = list.numbers.iter().map(|(_, heading)| *heading).collect();
    html! { section.panel aria-label=(list.title) { (ranked(list.title, &headings, &rows)) } }
}
