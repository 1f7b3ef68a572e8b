//! Dub: CSV of its dashboard, or the answer of `GET /links`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Links, domain_of, is_past, slug_of};
use crate::{
    actors::links::{LinkFields, QueryForwarding, Variant},
    importers::{ImportError, Source, record::Record},
};

pub(super) fn read(source: &Source<'_>, links: &mut Links) -> Result<(), ImportError> {
    for record in source.records(&["links", ""])? {
        link(source, links, &record);
    }
    Ok(())
}

fn link(source: &Source<'_>, links: &mut Links, record: &Record) {
    let at = &record.at;
    let short = ["short link", "link"];
    let domain = domain_of(record, &short);
    let of_short = || record.text(&short).and_then(|short| slug_of(&short));
    let slug = record.text(&["key"]).or_else(of_short);
    let target = ["url", "destination url"];
    let Some(fields) = links.basics(record, slug, &target, &[]) else {
        return;
    };
    let slug = fields.slug.clone().unwrap_or_default();
    let mut fields = LinkFields {
        domain,
        expires_at: record.text(&["expiresAt"]),
        expired_redirect_url: record.text(&["expiredUrl"]),
        external_id: record.text(&["externalId"]),
        og_title: record.text(&["title"]),
        og_description: record.text(&["description"]),
        ios_url: record.text(&["ios"]),
        android_url: record.text(&["android"]),
        tags: links.tags(at, &slug, record.list(&["tags"], &[','])),
        // Dub passes parameters on from every link; the visitor's replace those of the destination.
        query_forwarding: Some(QueryForwarding::Merge),
        ..fields
    };
    // An uploaded picture is a `data:` URL.
    for (name, url) in [
        ("image", &mut fields.og_image_url),
        ("video", &mut fields.og_video_url),
    ] {
        *url = record.text(&[name]).filter(|url| url.starts_with("http"));
        if url.is_none() && record.value(&[name]).is_some() {
            links.omit(at, &slug, format!("Its preview {name} isn't a URL"));
        }
    }
    if record.is_on(&["archived"]) {
        links.omit(at, &slug, "It is archived; here it is an ordinary link");
    }
    if record.is_on(&["rewrite"]) {
        let reason = "Link cloaking isn't carried: visitors are redirected";
        links.omit(at, &slug, reason);
    }
    if let Some(password) = record.text(&["password"]) {
        match serde_json::from_value(password.into()) {
            Ok(password) => fields.password = Some(password),
            Err(_) => return links.omit(at, &slug, "Its password can't be read"),
        }
    }
    match targets(record) {
        Ok((countries, variants)) => (fields.countries, fields.variants) = (countries, variants),
        Err(reason) => return links.omit(at, &slug, reason),
    }
    // A test that is over has left its winner as the target.
    let ended = record.text(&["testCompletedAt"]);
    if ended.is_some_and(|ended| is_past(&ended, source.now_ms)) {
        fields.variants = None;
    }
    links.push(at, fields, record.number(&["clicks"]));
}

type Targets = (Option<BTreeMap<String, String>>, Option<Vec<Variant>>);

/// Targets by country and those of a test.
fn targets(record: &Record) -> Result<Targets, &'static str> {
    let countries = match record.value(&["geo"]) {
        Some(Value::Object(countries)) => {
            let read =
                |(code, url): (&String, &Value)| Some((code.clone(), url.as_str()?.to_owned()));
            let read: Option<_> = countries.iter().map(read).collect();
            Some(read.ok_or("Its targets by country can't be read")?)
        }
        _ => None,
    };
    let variants = match record.value(&["testVariants"]) {
        Some(Value::Array(variants)) if !variants.is_empty() => {
            let read = |variant: &Value| {
                Some(Variant {
                    url: variant["url"].as_str()?.to_owned(),
                    weight: u32::try_from(variant["percentage"].as_u64()?).ok()?,
                })
            };
            let read: Option<_> = variants.iter().map(read).collect();
            Some(read.ok_or("Its A/B test can't be read")?)
        }
        _ => None,
    };
    Ok((countries, variants))
}
