//! Exports of panels and tables.

use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use serde_json::{Value, json};

use super::{dashboard, period::PeriodQuery, reports};
use crate::{
    analytics::request::MAX_LIMIT,
    http::{pages::prelude::*, table},
};

pub(super) fn routes() -> Vec<Route> {
    let path = "/console/site/{id}/export";
    vec![page_route(path, |route| route.to(export))]
}

/// The query type of the export: the list of a panel, or a table.
fn find_kind(context: &PageContext, period: &PeriodQuery) -> Result<&'static str, Fault> {
    let (list, table) = (context.parameter("list"), context.parameter("table"));
    let found = if table.is_empty() {
        dashboard::kind(period, &list)
    } else {
        Some(dashboard::SERIES)
            .filter(|series| *series == table)
            .or_else(|| reports::kind(&table))
    };
    found.ok_or_else(|| Fault::not_found("list", list + &table))
}

async fn export(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = context.website(&id).await?;
    let period = PeriodQuery::load(&context, &dashboard::panel_names()).await?;
    let kind = find_kind(&context, &period)?;
    let answers = context
        .query(&website.id, period.body(&json!([kind]), MAX_LIMIT as usize))
        .await?;
    let rows = answers.rows::<Value>(kind).map_err(Fault::unavailable)?;
    let is_json = context.parameter("as") == "json";
    let (media, ending) = if is_json {
        ("application/json", "json")
    } else {
        ("text/csv; charset=utf-8", "csv")
    };
    let text = if is_json {
        json!(rows).to_string()
    } else {
        csv(&rows).map_err(Fault::internal)?
    };
    let (first, last) = (period.range.first, period.range.last);
    let named = format!("attachment; filename=\"{kind}-{first}-{last}.{ending}\"");
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, media))
        .insert_header((CONTENT_DISPOSITION, named))
        .body(text))
}

/// Rows under their columns.
fn csv(rows: &[Value]) -> Result<String, csv::Error> {
    let columns = table::columns(rows);
    Ok(table::heading(&columns)? + &table::body(&columns, rows)?)
}
