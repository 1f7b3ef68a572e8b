//! `/autocomplete/get`: what filters can be filled in with, from what was there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, Group,
    definitions::{self, QuestionBody},
    websites,
};
use crate::{access::Permission, analytics::run, fault::Fault};

const GROUP: Group = Group::new("autocomplete", "Autocomplete");
/// Values of each list.
const MAX: u32 = 100;

procedures! { GROUP;
    GET = "get", reads(WebsiteRead), get(Body) -> AutocompleteOut:
        "The most frequent values of what events can be filtered by, at most 100 each";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AutocompleteQuestion")]
#[serde(rename_all = "camelCase")]
pub struct Body {
    pub website_id: String,
    /// The first day or moment; by default 29 days before today.
    pub start_date: Option<String>,
    /// The last day or moment; by default today.
    pub end_date: Option<String>,
}

/// What there is, most frequent first.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Autocomplete")]
#[serde(rename_all = "camelCase")]
pub struct AutocompleteOut {
    pub custom_events: Vec<String>,
    pub page_paths: Vec<String>,
    pub browsers: Vec<String>,
    pub operating_systems: Vec<String>,
    pub countries: Vec<String>,
    pub device_types: Vec<String>,
    pub utm_sources: Vec<String>,
    pub utm_mediums: Vec<String>,
    pub utm_campaigns: Vec<String>,
}

async fn get(call: Call, body: Body) -> Result<AutocompleteOut, Fault> {
    let (website, _) = websites::find(&call, Permission::WebsiteRead, &body.website_id)?;
    let target = definitions::target(&call, &website)?;
    let now_ms = call.shared.clock.now_ms();
    let period = QuestionBody::between(body.start_date, body.end_date, now_ms)?;
    let found = run::values(&call.shared.events, &target, period, MAX).await?;
    Ok(AutocompleteOut {
        custom_events: found.events,
        page_paths: found.paths,
        browsers: found.browsers,
        operating_systems: found.systems,
        countries: found.countries,
        device_types: found.devices,
        utm_sources: found.utm_sources,
        utm_mediums: found.utm_mediums,
        utm_campaigns: found.utm_campaigns,
    })
}
