//! All goals or funnels of a website, with how many people went through in some days.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use futures_util::future::join_all;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    kind::Kind,
    outcome::{Conversion, question},
};
use crate::{
    access::Permission,
    fault::Fault,
    http::{
        pages::{
            answer,
            context::PageContext,
            page,
            site::{
                days::{PeriodQuery, bar, chosen},
                website,
            },
        },
        routes::Route,
    },
    pages::{
        number,
        part::{empty, meter},
    },
};

/// Those with numbers beside them.
const MAX: usize = 100;

pub(super) fn routes() -> Vec<Route> {
    vec![
        page("/console/site/{id}/goals", |route| route.to(show)),
        page("/console/site/{id}/funnels", |route| route.to(show)),
    ]
}

/// What lists need of a goal or a funnel.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Saved {
    id: String,
    name: String,
    is_active: bool,
    target: Option<String>,
    #[serde(default)]
    steps: Vec<Value>,
}

impl Saved {
    /// What takes it, in a line.
    fn taken(&self) -> String {
        let steps = self.steps.iter().filter_map(|step| step["target"].as_str());
        let own = self.target.as_deref();
        own.into_iter().chain(steps).collect::<Vec<_>>().join(" → ")
    }
}

/// One of `goals.bulkAnalytics`.
#[derive(Deserialize)]
struct Answered {
    data: Option<Conversion>,
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let kind = Kind::of(&context);
    let website = website(&context, &id).await?;
    let path = kind.path(&website.id);
    let query = context.request.query_string();
    if let Some(address) = chosen(query, &path, &[]) {
        return Ok(answer::see(&address));
    }
    let asked = PeriodQuery::read(
        query,
        &[],
        context.date_format().await?,
        context.shared().clock.now_ms(),
    );
    let input = json!({ "websiteId": website.id });
    let all: Vec<Saved> = context.ask(kind.router(), "list", input).await?;
    let numbers = numbers(&context, kind, &website.id, &asked, &all).await?;
    let new = html! {
        @if context.may(Permission::WebsiteConfigure) { a.button.first href=(format!("{path}/new")) { "Make a " (kind.one()) } }
    };
    let main = html! {
        div.title-row { h1 { (kind.title()) } @if !all.is_empty() { div.actions { (new) } } }
        (bar(&asked, &path, false))
        section.panel {
            @if all.is_empty() { (empty(&format!("There is no {} yet", kind.one()), &html! { p { (kind.says()) } (new) })) }
            @else { (table(kind, &website.id, &asked, &all, &numbers)) }
        }
    };
    Ok(context.show_site(kind.place(), &website.id, kind.title(), &main))
}

/// The numbers of each, where they could be asked.
async fn numbers(
    context: &PageContext,
    kind: Kind,
    site: &str,
    asked: &PeriodQuery,
    all: &[Saved],
) -> Result<BTreeMap<String, Conversion>, Fault> {
    let ids: Vec<&str> = all.iter().take(MAX).map(|one| one.id.as_str()).collect();
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut input = question(asked, site);
    if kind == Kind::Goal {
        input["goalIds"] = json!(ids);
        let found: BTreeMap<String, Answered> =
            context.ask("goals", "bulkAnalytics", input).await?;
        return Ok(found
            .into_iter()
            .filter_map(|(id, one)| Some((id, one.data?)))
            .collect());
    }
    let one = async |id: &&str| {
        let mut input = input.clone();
        input["funnelId"] = json!(id);
        let found: Result<Conversion, Fault> = context.ask("funnels", "getAnalytics", input).await;
        Some(((*id).to_owned(), found.ok()?))
    };
    let found = join_all(ids.iter().map(one)).await;
    Ok(found.into_iter().flatten().collect())
}

fn table(
    kind: Kind,
    site: &str,
    asked: &PeriodQuery,
    all: &[Saved],
    numbers: &BTreeMap<String, Conversion>,
) -> Markup {
    let none = || number::NONE.to_owned();
    let [whole, did, share, _] = kind.numbers();
    html! {
        table.table.list.sites {
            caption.hide { (kind.title()) ", newest first" }
            thead { tr { th scope="col" { "Name" } th.num scope="col" { (whole) } th.num scope="col" { (did) } th.num scope="col" { (share) } } }
            tbody { @for one in all {
                @let found = numbers.get(&one.id);
                tr {
                    td {
                        (meter(found.map_or(0.0, |found| found.overall_conversion_rate)))
                        span.word { a.name href=(asked.view.address(&kind.path_of(site, &one.id))) { (one.name) } @if !one.is_active { " " span.state { "not in use" } " " } span.dim.small { (one.taken()) } }
                    }
                    td.num data-label=(whole) { (found.map_or_else(none, |found| number::full(found.total_users_entered))) }
                    td.num data-label=(did) { (found.map_or_else(none, |found| number::full(found.total_users_completed))) }
                    td.num data-label=(share) { (found.map_or_else(none, |found| number::percent(found.overall_conversion_rate))) }
                }
            } }
        }
    }
}
