//! Short links as `GET /rest/v3/short-urls` of Shlink answers them. A link that Shlink would open to more people is left out, and
//! what else it has no place for is listed.

use serde_json::{Value, json};

use super::About;
use crate::{
    actors::links::{QueryForwarding, Sort},
    analytics::run::Period,
    fault::Fault,
    http::{
        procedures::{Call, links, links::LinkOut},
        v1::{self, export::range},
    },
    ids::LinkId,
};

/// Links of a file.
const MAX: usize = 100_000;

pub(super) async fn write(call: Call, about: About) -> Result<Value, Fault> {
    let organization = call.organization(about.organization_id.as_deref())?;
    let (mut data, mut omitted) = (Vec::new(), Vec::new());
    let period = Period {
        range: range(None, None)?,
        now_ms: call.shared.clock.now_ms(),
    };
    let mut read = 0;
    loop {
        let page =
            links::list_page(&call, Some(organization.as_str()), (Sort::Oldest, read)).await?;
        if page.is_empty() {
            break;
        }
        read += page.len() as u64;
        let ids: Vec<&str> = page.iter().map(|link| link.id.as_str()).collect();
        let clicks = v1::clicks(&call.shared, &call.caller, &organization, (&ids, period)).await?;
        for link in &page {
            let slug = link.fields.slug.as_deref().unwrap_or_default();
            let omission =
                |reason: &str| json!({ "what": format!("link {slug}"), "reason": reason });
            if let Some(reason) = refusal(link) {
                omitted.push(omission(reason));
                continue;
            }
            omitted.extend(lost(link).map(|reason| omission(&reason)));
            let visits = clicks.get(&LinkId::from(link.id.as_str())).copied();
            data.push(short_url(link, visits.unwrap_or_default()));
        }
        if data.len() > MAX {
            let message = format!("These are more than {MAX} links. Use `ndjson` or `csv`");
            return Err(Fault::invalid(message));
        }
    }
    let count = data.len();
    Ok(json!({
        "shortUrls": { "data": data, "pagination": {
            "currentPage": 1, "pagesCount": 1, "itemsPerPage": count, "itemsInCurrentPage": count, "totalItems": count,
        } },
        "omitted": omitted,
    }))
}

/// Why a link can't be carried at all.
fn refusal(link: &LinkOut) -> Option<&'static str> {
    let fields = &link.fields;
    if link.has_password {
        Some("It has a password, and Shlink would open it to everyone")
    } else if fields.taken_down == Some(true) {
        Some("It is taken down, and Shlink would open it")
    } else if fields.variants.is_some() {
        Some("It has several destination URLs, and Shlink chooses none by weight")
    } else {
        None
    }
}

/// What of a link isn't carried, as a sentence.
fn lost(link: &LinkOut) -> Option<String> {
    let fields = &link.fields;
    let parts = [
        ("targeting by country", fields.countries.is_some()),
        ("targeting by language", fields.languages.is_some()),
        ("fallback URL", fields.expired_redirect_url.is_some()),
        ("app", fields.deep_link_app.is_some()),
        (
            "redirect type",
            fields.redirect_status.is_some_and(|status| status != 302),
        ),
        (
            "repeated query parameters",
            fields.query_forwarding == Some(QueryForwarding::Append),
        ),
        ("folder", fields.folder_id.is_some()),
        ("external ID", fields.external_id.is_some()),
        (
            "preview",
            [
                &fields.og_title,
                &fields.og_description,
                &fields.og_image_url,
                &fields.og_video_url,
            ]
            .into_iter()
            .any(Option::is_some),
        ),
    ];
    let lost: Vec<&str> = parts
        .iter()
        .filter(|(_, is_set)| *is_set)
        .map(|(what, _)| *what)
        .collect();
    (!lost.is_empty()).then(|| format!("Not carried: {}", lost.join(", ")))
}

fn short_url(link: &LinkOut, visits: u64) -> Value {
    let fields = &link.fields;
    json!({
        "shortCode": fields.slug, "shortUrl": link.short_url, "longUrl": fields.target_url,
        "deviceLongUrls": { "android": fields.android_url, "ios": fields.ios_url, "desktop": null },
        "dateCreated": link.created_at, "tags": fields.tags.as_deref().unwrap_or_default(),
        "visitsSummary": { "total": visits, "nonBots": visits, "bots": 0 },
        "meta": { "validSince": null, "validUntil": fields.expires_at, "maxVisits": fields.max_clicks },
        "domain": fields.domain, "title": fields.name, "crawlable": false, "forwardQuery": fields.query_forwarding.is_some(),
        "hasRedirectRules": false,
    })
}
