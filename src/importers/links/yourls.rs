//! YOURLS: the table `yourls_url` as CSV or JSON, or JSON of the API's `stats`.

use super::{Links, domain_of, slug_of};
use crate::importers::{ImportError, Source};

pub(super) fn read(source: &Source<'_>, links: &mut Links) -> Result<(), ImportError> {
    for record in source.records(&["links", "data", ""])? {
        let short = || record.text(&["shorturl"]).and_then(|short| slug_of(&short));
        let slug = record.text(&["keyword"]).or_else(short);
        let target = ["url", "long url"];
        if let Some(mut fields) = links.basics(&record, slug, &target, &["title"]) {
            fields.domain = domain_of(&record, &["shorturl"]);
            links.push(&record.at, fields, record.number(&["clicks"]));
        }
    }
    Ok(())
}
