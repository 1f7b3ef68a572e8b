//! Kutt: the answer of `GET /api/v2/links`.

use super::{Links, domain_of};
use crate::importers::{ImportError, Source};

pub(super) fn read(source: &Source<'_>, links: &mut Links) -> Result<(), ImportError> {
    for record in source.records(&["data", ""])? {
        let at = &record.at;
        let slug = record.text(&["address"]);
        let Some(mut fields) = links.basics(&record, slug, &["target"], &["description"]) else {
            continue;
        };
        let slug = fields.slug.clone().unwrap_or_default();
        if record.is_on(&["banned"]) {
            links.omit(at, &slug, "It is banned");
        } else if record.is_on(&["password"]) {
            let reason = "It has a password, which the export doesn't hold. Without it, it would be open to everyone";
            links.omit(at, &slug, reason);
        } else {
            fields.domain = domain_of(&record, &["link"]);
            fields.expires_at = record.text(&["expire_in"]);
            links.push(at, fields, record.number(&["visit_count"]));
        }
    }
    Ok(())
}
