//! Shlink: `short_urls.csv` of its web client, or the answer of `GET /rest/v3/short-urls`.

use serde_json::Value;

use super::{Links, domain_of, is_past};
use crate::{
    actors::links::QueryForwarding,
    importers::{ImportError, Source, record::Record},
};

pub(super) fn read(source: &Source<'_>, links: &mut Links) -> Result<(), ImportError> {
    for record in source.records(&["shortUrls.data", "data", ""])? {
        link(source, links, &record);
    }
    Ok(())
}

fn link(source: &Source<'_>, links: &mut Links, record: &Record) {
    let at = &record.at;
    let slug = record.text(&["shortCode"]);
    let Some(mut fields) = links.basics(record, slug, &["longUrl"], &["title"]) else {
        return;
    };
    // Nothing stands for the default domain.
    fields.domain = domain_of(record, &[]);
    let slug = fields.slug.clone().unwrap_or_default();
    let empty = Value::Null;
    let meta = record.value(&["meta"]).unwrap_or(&empty);
    let visits = record.value(&["visitsSummary"]).unwrap_or(&empty);
    let clicks = visits["total"].as_u64();
    let clicks = clicks.or_else(|| record.number(&["visits", "visitsCount"]));
    if let Some(begins) = meta["validSince"].as_str()
        && !is_past(begins, source.now_ms)
    {
        let reason = format!("It begins at {begins}, and our links work at once");
        return links.omit(at, &slug, reason);
    }
    fields.expires_at = meta["validUntil"].as_str().map(str::to_owned);
    if let Some(most) = meta["maxVisits"].as_u64() {
        // Ours counts from now on.
        let left = most.saturating_sub(clicks.unwrap_or_default());
        if left == 0 {
            let reason = format!("It has reached its limit of {most} visits");
            return links.omit(at, &slug, reason);
        }
        fields.max_clicks = Some(left);
    }
    // A visitor's query parameter replaces one of the same name there, too.
    fields.query_forwarding = record
        .is_on(&["forwardQuery"])
        .then_some(QueryForwarding::Merge);
    let devices = record.value(&["deviceLongUrls"]).unwrap_or(&empty);
    fields.android_url = devices["android"].as_str().map(str::to_owned);
    fields.ios_url = devices["ios"].as_str().map(str::to_owned);
    if devices["desktop"].is_string() {
        links.omit(at, &slug, "Its destination URL for desktops isn't carried");
    }
    if record.is_on(&["hasRedirectRules"]) {
        let reason = "Its redirect rules aren't in the export. Add them as targeting";
        links.omit(at, &slug, reason);
    }
    let tags = record.list(&["tags"], &['|']);
    fields.tags = links.tags(at, &slug, tags);
    links.push(at, fields, clicks);
}
