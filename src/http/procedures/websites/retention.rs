//! What a website's retention would delete, before it does.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{super::Call, GROUP, find};
use crate::{
    access::Permission,
    actors::ingest::{CountExpired, ExpiredRows},
    clock::iso_ms,
    events::{column::kind, segments::RowCounts},
    fault::Fault,
};

const DAY: i64 = 86_400_000;

procedures! { GROUP;
    PREVIEW_RETENTION = "previewRetention", reads(WebsiteConfigure), preview(PreviewBody) -> PreviewOut:
        "Preview how many events a retention period would delete";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "RetentionPreviewBody")]
pub struct PreviewBody {
    pub id: String,
    /// Days after which events would be deleted, 0 = never; by default as many as hold now.
    pub days: Option<u32>,
}

/// What retention would delete, exactly.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RetentionPreview")]
pub struct PreviewOut {
    /// Days after which events would be deleted, 0 = never: what the call says, else the website's settings, else the operator.
    pub days: u32,
    /// Events from before would go; null when none would.
    pub before: Option<String>,
    /// How many rows would go.
    pub events: u64,
    /// The same by kind, as `/profiles/erase` names them, and `tallies` (counts of events that were not stored).
    pub kinds: BTreeMap<&'static str, u64>,
}

/// Rows by the name of their kind.
pub(in crate::http::procedures) fn count_by_name(gone: &RowCounts) -> BTreeMap<&'static str, u64> {
    let mut named = BTreeMap::new();
    for (of, rows) in gone {
        *named.entry(kind::name(*of)).or_default() += rows;
    }
    named
}

async fn preview(call: Call, body: PreviewBody) -> Result<PreviewOut, Fault> {
    let (website, _) = find(&call, Permission::WebsiteConfigure, &body.id)?;
    let asked = CountExpired {
        website: website.key.0,
        days: body.days,
    };
    let ExpiredRows { days, gone } = call.shared.ingest.ask(asked).await?;
    let before = call.shared.clock.now_ms() - i64::from(days) * DAY;
    Ok(PreviewOut {
        days,
        before: (days > 0).then(|| iso_ms(before)),
        events: gone.values().sum(),
        kinds: count_by_name(&gone),
    })
}
