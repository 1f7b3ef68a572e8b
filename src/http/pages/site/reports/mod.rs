//! Reports: pages of trends and tables, each a row of [`REPORTS`].

mod cell;
mod cohorts;
mod error_statuses;
mod paths;
mod progress;
mod properties;
mod settings;
mod table;
mod table_query;
mod tables;
mod trend;
mod trend_table;
mod vitals;

use futures_util::{StreamExt as _, stream::iter};
use serde_json::json;

pub(super) use self::cell::{moment, text, vital};
use self::{
    error_statuses::Statuses,
    progress::{Place, Progress},
    table_query::TABS,
    tables::{REPORTS, Report},
};
use super::{
    data_access::draw_query,
    period::{PeriodQuery, bar, filtered_address},
};
use crate::{
    http::pages::{prelude::*, stream},
    pages::{
        frame::framed_page,
        part::{empty, notice},
    },
};

pub(super) fn routes() -> Vec<Route> {
    let reports = REPORTS.into_iter();
    let pages = reports.map(|report| page_route(report.path, |route| route.to(show)));
    pages.chain(error_statuses::routes()).collect()
}

/// The query type of this name, if a table shows it.
pub(super) fn kind(name: &str) -> Option<&'static str> {
    let tables = REPORTS.into_iter().flat_map(|report| report.tables);
    tables.map(|table| table.kind).find(|kind| *kind == name)
}

/// The report of a request's route.
fn find_report(context: &PageContext) -> Option<&'static Report> {
    let pattern = context.request.match_pattern()?;
    let mut reports = REPORTS.into_iter();
    reports.find(|report| report.path == pattern)
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = context.website(&id).await?;
    let report = find_report(&context).ok_or_else(|| Fault::not_found("page", id.as_str()))?;
    let path = report.path.replace("{id}", &website.id);
    if let Some(address) = filtered_address(context.request.query_string(), &path, &TABS) {
        return Ok(answer::redirect(&address));
    }
    let reader = context.read_website(&website.id).await?;
    let period = PeriodQuery::load(&context, &TABS).await?;
    let subject = report
        .subject
        .map(|(field, all)| (value(&period, field), all));
    if let Some((None, all)) = subject {
        let all = period.view.address(&all.replace("{id}", &website.id));
        let main = draw_without_subject(report, &all);
        return Ok(context.show_site(report.place, &website.id, report.title, &main));
    }
    let title = match &subject {
        Some((Some(name), _)) => name.as_str(),
        _ => report.title,
    };
    let head = html! {
        div.title-row { h1 { (title) } span.dim { (report.says) } }
        (bar(&period, &path, false, &report.own_fields()))
        @for message in period.problems.above(&[]) { (notice("bad", &html! { (message) })) }
    };
    let frame = context.frame(report.place, Some(&website.id));
    let page = framed_page(&frame, title, &head);
    let shows_errors = report
        .tables
        .iter()
        .any(|table| table.kind == error_statuses::KIND);
    let statuses = if shows_errors {
        Statuses::load(&context, &website.id).await?
    } else {
        Statuses::default()
    };
    let place = Place {
        path,
        website: website.id,
        page: context.parameter("page"),
    };
    let progress = Progress::new(report, period, place, statuses);
    let query = draw_query(
        &context.shared().urls.base,
        &progress.place.website,
        &json!(progress.bodies),
    );
    let parts = progress.parts(reader).chain(iter([query]));
    Ok(stream::stream(page, parts))
}

/// The value of a filter of the address by a field.
fn value(period: &PeriodQuery, field: &str) -> Option<String> {
    let mut filters = period.view.filters.iter();
    let own = filters.find(|one| one.field == field)?;
    Some(own.value.clone())
}

/// The page of one event, whose address names none.
fn draw_without_subject(report: &Report, all: &str) -> Markup {
    html! {
        div.title-row { h1 { (report.title) } }
        div.panel { (empty("No event selected", &html! { a.button href=(all) { "Open events" } })) }
    }
}
