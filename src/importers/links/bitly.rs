//! Bitly: CSV of its dashboard, or the answer of `GET /v4/groups/{guid}/bitlinks`.

use super::{Links, domain_of, host_of, slug_of};
use crate::importers::{ImportError, Source, record::Record};

const SHORT: [&str; 5] = ["link", "bitlink", "short link", "short url", "id"];
const LONG: [&str; 4] = ["long url", "destination url", "destination", "original url"];
const CLICKS: [&str; 4] = ["clicks", "total clicks", "engagements", "total engagements"];

/// Custom back-halves of a link.
const MAX_CUSTOM: usize = 20;

pub(super) fn read(source: &Source<'_>, links: &mut Links) -> Result<(), ImportError> {
    for record in source.records(&["links", ""])? {
        link(links, &record);
    }
    Ok(())
}

fn link(links: &mut Links, record: &Record) {
    let at = &record.at;
    let slug = record.text(&SHORT).and_then(|short| slug_of(&short));
    let Some(mut fields) = links.basics(record, slug, &LONG, &["title"]) else {
        return;
    };
    fields.domain = domain_of(record, &SHORT);
    let slug = fields.slug.clone().unwrap_or_default();
    let tags = record.list(&["tags"], &[',', ';', '|']);
    fields.tags = links.tags(at, &slug, tags);
    if record
        .value(&["deeplinks"])
        .is_some_and(|all| all.as_array().is_none_or(|all| !all.is_empty()))
    {
        let reason = "Its deep links aren't carried. Choose an app of the link here";
        links.omit(at, &slug, reason);
    }
    // Every custom back-half leads to the same target.
    let customs = record.list(&["custom bitlinks"], &[',', ' ']);
    if customs.len() > MAX_CUSTOM {
        let reason = format!("Of its custom back-halves, the first {MAX_CUSTOM} are imported");
        links.omit(at, &slug, reason);
    }
    for custom in customs.into_iter().take(MAX_CUSTOM) {
        let domain = host_of(&custom);
        let Some(custom) = slug_of(&custom) else {
            continue;
        };
        // The list has the link itself, too.
        if (&custom, &domain) == (&slug, &fields.domain) {
            continue;
        }
        let mut fields = fields.clone();
        (fields.slug, fields.domain) = (Some(custom), domain);
        links.push(at, fields, None);
    }
    links.push(at, fields, record.number(&CLICKS));
}
