//! One link: its address, its clicks, its settings, its end.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{draw_marks, fields, folders, inputs, link_name, path};
use crate::{
    access::Permission,
    analytics::run::Answers,
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            daily::Daily,
            form::FormData,
            page, sent,
        },
        procedures::links::{self, LinkOut},
        qr,
        routes::Route,
    },
    pages::{
        frame::Place,
        number,
        part::{Form, Ranked, confirm, copied, notice, panel, ranked, time},
        problem::Problems,
        time::{DateFormat, moment},
    },
};

/// Lists of a link's clicks: query type, title, what a row is.
const LISTS: [(&str, &str, &str); 4] = [
    ("link_top_referrers", "Where they came from", "Site"),
    ("link_top_countries", "Countries", "Country"),
    ("link_top_devices", "Devices", "Device"),
    ("link_top_browsers", "Browsers", "Browser"),
];

pub(super) fn routes() -> Vec<Route> {
    vec![
        page("/console/link/{link}", |route| route.to(show)),
        sent("/console/link/{link}", |route| route.to(change)),
        sent("/console/link/{link}/delete", |route| route.to(delete)),
    ]
}

async fn found(context: &PageContext, id: &str) -> Result<LinkOut, Fault> {
    let id = id.to_owned();
    context.ask(&links::GET, links::IdBody { id }).await
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let link = found(&context, &id).await?;
    let date_format = context.date_format().await?;
    let whole = serde_json::to_value(&link).map_err(Fault::internal)?;
    let form = fields::form(&whole, &date_format);
    let (title, main) = draw(&context, &link, &form, &Problems::NONE, &date_format).await?;
    Ok(context.show(Place::Links, &title, &main))
}

async fn change(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let date_format = context.date_format().await?;
    let changed = async {
        let input = links::UpdateBody {
            id: id.to_string(),
            fields: fields::body(&sent, &date_format)?,
        };
        context.ask(&links::UPDATE, input).await
    }
    .await;
    match changed {
        Ok(link) => Ok(answer::see(&format!("{}?done=1", path(&link.id)))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let link = found(&context, &id).await?;
            let sent = if link.has_password {
                sent.and("hasPassword", "on")
            } else {
                sent
            };
            let (title, main) = draw(&context, &link, &sent, &problems, &date_format).await?;
            Ok(context.again(refused, Place::Links, &title, &main))
        }
    }
}

async fn delete(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let id = id.into_inner();
    context.ask(&links::DELETE, links::IdBody { id }).await?;
    Ok(answer::see("/console/links"))
}

async fn draw(
    context: &PageContext,
    link: &LinkOut,
    form: &FormData,
    problems: &Problems,
    date_format: &DateFormat,
) -> Result<(String, Markup), Fault> {
    let daily = Daily::asked(context, date_format);
    let (first, last) = daily.range();
    let mut types = vec!["link_total_clicks", "link_clicks_by_day"];
    types.extend(LISTS.map(|(name, ..)| name));
    let body = json!({
        "parameters": types, "startDate": first, "endDate": last, "granularity": "daily", "timeZone": date_format.zone.name(),
    });
    let answers = context.query_link(&link.id, body).await;
    let now_ms = context.shared().clock.now_ms();
    let may = context.may(Permission::LinkWrite) || !problems.is_empty();
    let main = html! {
        div.title-row { h1 { (link_name(link)) } (draw_marks(link, now_ms)) div.actions { (daily.tabs(&path(&link.id))) } }
        @if context.parameter("done") == "1" { (notice("good", &html! { "Saved." })) }
        @if link.fields.taken_down == Some(true) { (notice("bad", &html! { "It is taken down: whoever follows it is told that it is gone." })) }
        @match &answers {
            Ok(answers) => (clicked(answers, &daily)),
            // Who may see a link may not always see its clicks.
            Err(fault) => (notice("note", &html! { (fault.message) })),
        }
        div.grid {
            div {
                (panel("Address", &address(link, date_format)))
                @if may {
                    (panel("Delete", &confirm(
                        "Delete this link…", "Its address stops working at once and may be used for another link. Its clicks are kept for seven days.",
                        &format!("{}/delete", path(&link.id)), "Delete it", &html! {},
                    )))
                }
            }
            @if may { (panel("Settings", &settings(context, link, form, problems).await?)) }
        }
    };
    Ok((link_name(link).to_owned(), main))
}

async fn settings(
    context: &PageContext,
    link: &LinkOut,
    form: &FormData,
    problems: &Problems,
) -> Result<Markup, Fault> {
    let folders = folders(context).await?;
    let action = path(&link.id);
    let around = Form {
        action: &action,
        send: "Save",
        problems,
        fields: &fields::NAMES,
    };
    Ok(around.around(&inputs::draw(form, &folders, problems)))
}

fn address(link: &LinkOut, date_format: &DateFormat) -> Markup {
    let image = |ending: &str| format!("/links/{}/qr.{ending}", link.id);
    html! {
        (copied("Short address", &link.short_url))
        @if let Some(at) = moment(&link.created_at) { p.dim { "Made " (time(at, &date_format.moment(at), date_format)) } }
        (qr::picture(&link.short_url, &format!("QR code of {}", link.short_url)))
        p.small { a href=(image("svg")) download { "QR code as SVG" } " · " a href=(image("png")) download { "as PNG" } }
    }
}

/// A day of clicks.
#[derive(Deserialize)]
struct Day {
    date: String,
    clicks: u64,
}

fn clicked(answers: &Answers, daily: &Daily) -> Markup {
    let total: Result<Vec<Value>, String> = answers.rows("link_total_clicks");
    let total = total.map(|rows| {
        rows.first()
            .and_then(|row| row["total"].as_u64())
            .unwrap_or(0)
    });
    let days: Result<Vec<Day>, String> = answers.rows("link_clicks_by_day");
    let (total, days) = match (total, days) {
        (Ok(total), Ok(days)) => (total, days),
        (Err(said), _) | (_, Err(said)) => return notice("warn", &html! { (said) }),
    };
    let on = |day: &str| {
        let own = days.iter().filter(|row| row.date.starts_with(day));
        Some(own.map(|row| row.clicks).sum::<u64>() as f64)
    };
    let written = |clicks: f64| number::full(clicks as u64);
    html! {
        (panel(&format!("{} in {} days", number::counted(total, "click", "clicks"), daily.count), &daily.chart("Clicks", (true, 0.0), &written, on)))
        @if total > 0 {
            div.grid { @for (name, title, what) in LISTS { (panel(title, &top(answers, name, what))) } }
        }
    }
}

#[derive(Deserialize)]
struct Row {
    name: String,
    #[serde(alias = "visitors")]
    clicks: u64,
}

fn top(answers: &Answers, name: &str, what: &str) -> Markup {
    match answers.rows::<Row>(name) {
        Ok(rows) => {
            let rows = rows.into_iter().map(|row| Ranked {
                name: row.name,
                way: None,
                numbers: vec![row.clicks],
            });
            ranked(what, &["Clicks"], &rows.collect::<Vec<_>>())
        }
        Err(said) => notice("warn", &html! { (said) }),
    }
}
