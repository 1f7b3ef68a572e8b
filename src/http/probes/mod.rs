//! What probes ask and send: `/v1/probe/*`. A probe calls; nothing calls a probe.

mod caller;
mod reports;
mod work;

pub(super) use caller::{authenticate, owns};

use actix_web::http::Method;
use serde_json::{Value, json};

use super::{
    Host,
    routes::{Access, Route},
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, Host::Base, "/v1/probe/work", |route| {
            route.to(work::work)
        })
        .needs(Access::Probe)
        .tagged("Uptime")
        .says(
            "Get the work of a probe",
            "The monitors that the probe checks, with all that a check needs. With `after`, the answer comes when they change, after 25 seconds at the latest. `now` is the time of the server.",
        )
        .takes("after", "The revision that the probe has")
        .answers(work_schema()),
        Route::new(Method::POST, Host::Base, "/v1/probe/reports", |route| {
            route.to(reports::reports)
        })
        .needs(Access::Probe)
        .tagged("Uptime")
        .says(
            "Send the results of a probe",
            "At most 500 results in the order of the probe's spool. `x-pharos-signature` is HMAC-SHA-256 of the body under a key of the token. A result that was stored before is ignored.",
        )
        .body(reports_schema())
        .answers(json!({
            "type": "object", "required": ["acknowledged"],
            "properties": {
                "acknowledged": { "type": "integer", "description": "The number of the last result that is stored." },
            },
        })),
    ]
}

fn work_schema() -> Value {
    json!({
        "type": "object", "required": ["revision", "now"],
        "properties": {
            "revision": { "type": "string" },
            "now": { "type": "integer", "description": "Unix milliseconds." },
            "monitors": {
                "type": "array", "description": "All of them; absent if the probe has this revision.",
                "items": {
                    "type": "object", "required": ["id", "number", "kind", "url", "fields"],
                    "properties": {
                        "id": { "type": "string" },
                        "number": { "type": "integer", "description": "What its slots follow from." },
                        "kind": { "type": "string" },
                        "url": { "type": "string" },
                        "asked": { "type": "integer", "description": "When a check out of turn was asked for last, Unix milliseconds." },
                        "fields": { "type": "object", "additionalProperties": {}, "description": "The settings of the monitor, with the secrets of its requests." },
                    },
                },
            },
        },
    })
}

fn reports_schema() -> Value {
    json!({
        "type": "object", "required": ["spool", "first", "reports"],
        "properties": {
            "spool": { "type": "string", "description": "The name of the spool, 1 to 64 characters." },
            "first": { "type": "integer", "minimum": 1, "description": "The number of the first result." },
            "reports": {
                "type": "array", "maxItems": 500,
                "items": {
                    "type": "object", "required": ["monitor", "slot", "check"],
                    "properties": {
                        "monitor": { "type": "string" },
                        "slot": { "type": "integer", "description": "Unix milliseconds." },
                        "slow": { "type": "boolean", "description": "Whether it was good, but degraded." },
                        "check": { "type": "object", "additionalProperties": {} },
                    },
                },
            },
        },
    })
}
