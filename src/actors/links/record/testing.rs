//! Records without a link, for tests of their readers.

use super::*;

/// A record that leads to `target` until it expires.
///
/// # Panics
/// The id is invalid.
pub fn packed(
    id: &LinkId,
    (key, organization): (WebsiteKey, OrganizationKey),
    (target, expires_ms): (&str, Option<u64>),
    options: Option<RecordOptions<'_>>,
) -> Vec<u8> {
    let record = Record {
        format: FORMAT,
        slug: "slug",
        id: *Uuid::parse_str(id.as_str()).unwrap().as_bytes(),
        key: key.0 as u64,
        organization: organization.0 as u64,
        expires_ms,
        target,
        tag: 7,
        options,
    };
    postcard::to_stdvec(&record).unwrap()
}
