//! `/v1/query*`: the analytics family.

mod clicks;
pub(super) mod export;
mod query;
mod segments;
pub(super) mod target;
mod websites;

pub(super) use clicks::clicks;
pub(super) use query::{answered, answered_about};
pub(super) use target::{TargetQuery, resolve, shared_website, website};

use actix_web::http::Method;
use serde_json::json;

use super::{
    Host,
    routes::{Access, Route},
    schema::one_or_batch,
};
use crate::{access::Scope, analytics::export::Format};

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
            .takes("website_id", "The website; a key for one website needs none")
            .takes_as(
                "format",
                "`csv` (the default), `json`, `ndjson`, `txt` (separated by tabs) or `parquet`",
                json!({ "enum": Format::ALL.map(|(name, _)| name), "default": "csv" }),
            )
            .takes("start_date", "First day (UTC), by default the first of all; `startDate` says it as well")
            .takes("end_date", "Last day (UTC), by default today; `endDate` says it as well")
            .takes("startDate", "The same as `start_date`")
            .takes("endDate", "The same as `end_date`")
            .media("text/csv")
            .or_media(&["application/json", "application/x-ndjson", "text/tab-separated-values", "application/vnd.apache.parquet"]),
        Route::new(Method::GET, Host::Base, "/v1/query/types", |route| route.to(query::types))
            .says("List query types", "Every query type with its filters and limits.")
            .takes_as(
                "include_meta",
                "`true` adds description, output fields and visualization hints",
                json!({ "type": "boolean", "default": false }),
            )
            .answers(json!({
                "type": "object", "required": ["success", "types", "configs", "presets"],
                "properties": {
                    "success": { "const": true }, "requestId": { "type": "string" },
                    "types": { "type": "array", "items": { "$ref": "#/components/schemas/QueryTypeName" } },
                    "configs": {
                        "type": "object", "additionalProperties": { "$ref": "#/components/schemas/QueryTypeConfig" },
                    },
                    "presets": { "type": "array", "items": { "type": "string" } },
                },
            })),
        targeted(Route::new(Method::POST, Host::Base, "/v1/query/compile", |route| route.to(query::compile)))
            .says("Compile a query", "Validates and compiles a query without executing it; says what it would read.")
            .body(one_or_batch(&[json!({ "$ref": "#/components/schemas/LowLevelQuery" })]))
            .answers(json!({ "anyOf": [
                { "$ref": "#/components/schemas/CompileResult" }, { "$ref": "#/components/schemas/CompileBatchResult" },
            ] })),
        targeted(Route::new(Method::POST, Host::Base, "/v1/query", |route| route.to(query::execute)))
            .says("Run queries", "Executes one query or a batch of up to 50. All bodies and parameters together may be answered with 200,000 rows and 32 MB, without credentials with a quarter of that. A larger answer is refused with 400 and `VALIDATION_ERROR`; `details` name the budget and the parameter that asked for most.")
            .body(one_or_batch(&[]))
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
