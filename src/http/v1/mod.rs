//! `/v1/query*`: the analytics family (spec, "Analytics query family").

mod clicks;
pub(super) mod export;
mod query;
mod segments;
pub(super) mod target;
mod websites;

pub(super) use clicks::clicks;
pub(super) use query::answered;
pub(super) use target::{TargetQuery, website};

use actix_web::http::Method;
use serde_json::json;

use super::{
    Host,
    routes::{Access, Route},
};
use crate::access::Scope;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, Host::Base, "/v1/query/websites", |route| route.to(websites::list))
            .says("List accessible websites", "The websites whose analytics the caller may read.")
            .tagged("Websites")
            .needs(Access::Scoped(Scope::ReadData))
            .answers(websites::schema()),
        Route::new(Method::GET, Host::Base, "/v1/export", |route| route.to(export::export))
            .says("Export events", "All that is stored of a website as a file, in order of time, streamed. What fails in the middle breaks the transfer off.")
            .tagged("Websites")
            .needs(Access::Scoped(Scope::ReadData))
            .wants("website_id", "The website")
            .takes("format", "`csv` (the default), `json`, `ndjson`, `txt` (separated by tabs) or `parquet`")
            .takes("start_date", "First day (UTC), by default the first of all")
            .takes("end_date", "Last day (UTC), by default today")
            .media("text/csv")
            .answers(json!({ "type": "string" })),
        Route::new(Method::GET, Host::Base, "/v1/query/types", |route| route.to(query::types))
            .says("List query types", "Every query type with its filters and limits.")
            .takes("include_meta", "`true` adds description, output fields and visualization hints")
            .answers(json!({
                "type": "object", "required": ["success", "types", "configs"],
                "properties": {
                    "success": { "const": true },
                    "types": { "type": "array", "items": { "$ref": "#/components/schemas/QueryTypeName" } },
                    "configs": { "type": "object" },
                    "presets": { "type": "array", "items": { "type": "string" } },
                },
            })),
        targeted(Route::new(Method::POST, Host::Base, "/v1/query/compile", |route| route.to(query::compile)))
            .says("Compile a query", "Validates and compiles a query without executing it; says what it would read.")
            .body(json!({ "anyOf": [
                { "$ref": "#/components/schemas/QueryBody" },
                { "type": "array", "maxItems": 50, "items": { "$ref": "#/components/schemas/QueryBody" } },
                { "type": "object", "required": ["type", "from", "to"], "description": "The low-level shape." },
            ] }))
            .answers(json!({ "type": "object", "required": ["success"], "properties": {
                "success": { "const": true },
                "sql": { "type": "string", "description": "The first parameter's statement" },
                "params": { "type": "object", "description": "Its values, `p1`, `p2`, … in the order of its `?`" },
                "statements": {
                    "type": "array", "items": { "$ref": "#/components/schemas/CompiledQuery" },
                    "description": "One for each parameter",
                },
                "batch": { "const": true },
                "results": { "type": "array", "items": { "type": "object" } },
            } })),
        targeted(Route::new(Method::POST, Host::Base, "/v1/query", |route| route.to(query::execute)))
            .says("Run queries", "Executes one query or a batch of up to 50. All bodies and parameters together may be answered with 200,000 rows and 32 MB, without credentials with a quarter of that. A larger answer is refused with 400 and `VALIDATION_ERROR`; `details` name the budget and the parameter that asked for most.")
            .body(json!({ "anyOf": [
                { "$ref": "#/components/schemas/QueryBody" },
                { "type": "array", "maxItems": 50, "items": { "$ref": "#/components/schemas/QueryBody" } },
            ] }))
            .answers(json!({ "anyOf": [
                { "$ref": "#/components/schemas/QueryResult" }, { "$ref": "#/components/schemas/BatchResult" },
            ] })),
    ]
}

fn targeted(route: Route) -> Route {
    route
        .needs(Access::Scoped(Scope::ReadData))
        .takes("website_id", "Target website")
        .takes("link_id", "Target short link")
        .takes("schedule_id", "Target uptime monitor")
        .takes("organization_id", "Target organization")
        .takes("timezone", "Time zone of dates, default UTC")
}
