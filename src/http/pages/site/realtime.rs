//! The last five minutes of a website, refreshed every few seconds.

use serde_json::{Value, json};

use super::{
    dashboard::{List, SENT},
    site_name,
};
use crate::{
    analytics::run::Answers,
    http::pages::prelude::*,
    pages::{
        frame::site_path,
        number,
        part::{empty, notice},
        view::View,
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/site/{id}/now", |route| route.to(show))]
}

const LISTS: [List; 5] = [
    List::new("", "Pages", "realtime_pages", "path"),
    List::new("", "Referrers", "realtime_referrers", "referrer"),
    List::new("", "Countries", "realtime_countries", "country").by("country_code"),
    List::new("", "Devices", "realtime_devices", "device_type"),
    List::new("", "Events", "realtime_events", "event_name").counting(SENT),
];

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = context.website(&id).await?;
    let mut parameters = vec!["active_stats"];
    parameters.extend(LISTS.iter().map(|list| list.kind));
    let body = json!({ "parameters": parameters, "preset": "today", "limit": 10 });
    let answers = context.query(&website.id, body).await?;
    let main = html! {
        div.title-row { h1 { "Now on " (site_name(&website)) } }
        div #now data-live="10" { (draw(&answers, &website.id)) }
    };
    Ok(context.show_site(NavItem::Realtime, &website.id, "Now", &main))
}

fn draw(answers: &Answers, website: &str) -> Markup {
    let active = match answers.rows::<Value>("active_stats") {
        Ok(rows) => rows.into_iter().next().unwrap_or_default(),
        Err(message) => return notice("warn", &html! { (message) }),
    };
    let count = |name: &str| active[name].as_u64().unwrap_or(0);
    let (visitors, visits) = (count("active_users"), count("active_sessions"));
    html! {
        p.lead aria-live="polite" {
            strong { (number::with_noun(visitors, "visitor", "visitors")) }
            " in " (number::with_noun(visits, "visit", "visits")) " did something in the last five minutes."
        }
        @if visitors == 0 {
            div.panel { (empty("Nobody is there", &html! {
                p { "Whoever opens a page shows up here within seconds." }
                a.button href=(format!("/console/site/{website}")) { "The last days" }
            })) }
        }
        div.grid { @for list in &LISTS { (draw_list(answers, list, website)) } }
    }
}

fn draw_list(answers: &Answers, list: &List, website: &str) -> Markup {
    let rows = match answers.rows::<Value>(list.kind) {
        Ok(rows) if rows.is_empty() => return html! {},
        Ok(rows) => rows,
        Err(message) => return notice("warn", &html! { (message) }),
    };
    let name = |row: &Value| {
        let text = |column: &str| row[column].as_str().unwrap_or_default();
        let (name, value) = (text("name"), text(list.value));
        let view = View::default()
            .with_preset("today")
            .with_filter(list.field, "eq", value);
        let address = view.address(&site_path(website));
        let link = (!value.is_empty()).then(|| (address, format!("Only {name}, today")));
        (name.to_owned(), link)
    };
    html! { section.panel aria-label=(list.title) { (list.draw(&rows, name)) } }
}
