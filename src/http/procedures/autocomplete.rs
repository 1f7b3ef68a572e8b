//! `/autocomplete/get` (wire.md 5.17): what filters can be filled in with, from what was there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Call, Group, Input, Needs, Procedure, studies, websites};
use crate::{access::Permission, analytics::run, clock::iso_ms, fault::Fault};

const GROUP: Group = Group {
    router: "autocomplete",
    path: "autocomplete",
    tag: "Autocomplete",
};
/// Values of each list.
const MOST: u64 = 100;
/// Days that are looked at when nothing is said, today among them.
const USUAL_DAYS: i64 = 30;
const DAY_MS: i64 = 86_400_000;
/// The type behind each list, in their order.
const TYPES: [&str; 9] = [
    "custom_events",
    "top_pages",
    "browser_name",
    "os_name",
    "country",
    "device_types",
    "utm_sources",
    "utm_mediums",
    "utm_campaigns",
];

pub(super) fn procedures() -> Vec<Procedure> {
    vec![
        GROUP
            .procedure(
                "get",
                Needs::Permission(Permission::WebsiteRead),
                "The most frequent values of what events can be filtered by, at most 100 each",
                get,
            )
            .reading(),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AutocompleteQuestion")]
#[serde(rename_all = "camelCase")]
struct Body {
    /// The website's id.
    website_id: String,
    /// The first day or moment; by default 29 days before today.
    start_date: Option<String>,
    /// The last day or moment; by default today.
    end_date: Option<String>,
}

impl Input for Body {}

/// What there is, most frequent first.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Autocomplete")]
#[serde(rename_all = "camelCase")]
struct Found {
    custom_events: Vec<String>,
    page_paths: Vec<String>,
    browsers: Vec<String>,
    operating_systems: Vec<String>,
    countries: Vec<String>,
    device_types: Vec<String>,
    utm_sources: Vec<String>,
    utm_mediums: Vec<String>,
    utm_campaigns: Vec<String>,
}

async fn get(call: Call, body: Body) -> Result<Found, Fault> {
    let (website, _) = websites::find(&call, Permission::WebsiteRead, &body.website_id)?;
    let target = studies::target(&call, &website)?;
    let now_ms = call.shared.clock.now_ms();
    let day = |ms: i64| iso_ms(ms)[..10].to_owned();
    let first = body.start_date;
    let first = first.unwrap_or_else(|| day(now_ms - (USUAL_DAYS - 1) * DAY_MS));
    let question = json!({
        "parameters": TYPES, "startDate": first, "endDate": body.end_date.unwrap_or_else(|| day(now_ms)), "limit": MOST,
    });
    let of_now = run::Call {
        body: &question,
        timezone: None,
        now_ms,
    };
    let answer = run::execute(&call.shared.events, &target, of_now).await?;
    let list = |place: usize| values(&answer["data"], TYPES[place]);
    Ok(Found {
        custom_events: list(0)?,
        page_paths: list(1)?,
        browsers: list(2)?,
        operating_systems: list(3)?,
        countries: list(4)?,
        device_types: list(5)?,
        utm_sources: list(6)?,
        utm_mediums: list(7)?,
        utm_campaigns: list(8)?,
    })
}

/// The names of a type's rows that name something.
fn values(data: &Value, kind: &str) -> Result<Vec<String>, Fault> {
    let all = data.as_array().into_iter().flatten();
    let own = all.into_iter().find(|one| one["parameter"] == kind);
    let own = own.filter(|one| one["success"] == true);
    let own = own.ok_or_else(|| Fault::unavailable("The query engine is not available"))?;
    let rows = own["data"].as_array().into_iter().flatten();
    let names = rows.filter_map(|row| row["name"].as_str());
    let named = names.filter(|name| !name.is_empty() && *name != "Unknown");
    Ok(named.map(str::to_owned).collect())
}
