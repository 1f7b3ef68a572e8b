use std::collections::BTreeMap;

use super::*;
use crate::actors::links::{DeepLinkApp, LinkFields};

fn link(slug: &str, fields: LinkFields) -> Link {
    Link {
        id: LinkId::new(),
        key: WebsiteKey(i64::MAX),
        organization: "org".into(),
        created_by: None,
        host: None,
        slug: slug.to_owned(),
        fields,
        password_hash: None,
        created_ms: 0,
        updated_ms: 0,
    }
}

#[test]
fn a_password_is_no_part_of_a_record_and_changes_its_tag() {
    let fields = LinkFields {
        target_url: Some("https://x.com/nasa".into()),
        deep_link_app: Some(DeepLinkApp::X),
        ..LinkFields::default()
    };
    let mut link = link("abc", fields);
    let open = pack(&link, OrganizationKey(6)).unwrap();
    link.password_hash = Some("$argon2id$v=19$secret".into());
    let locked = pack(&link, OrganizationKey(6)).unwrap();
    link.password_hash = Some("$argon2id$v=19$another".into());
    let other = pack(&link, OrganizationKey(6)).unwrap();
    let [open, locked, other] =
        [&open, &locked, &other].map(|bytes| Record::unpack(bytes).unwrap());
    assert_eq!(open.lock(), None);
    assert!(locked.lock().is_some() && locked.lock() != other.lock());
    assert!(open.tag != locked.tag && locked.tag != other.tag);
    let app = open.options.unwrap().app;
    assert_eq!(app, Some("twitter://user?screen_name=nasa"));
}

#[test]
fn a_record_is_what_was_packed() {
    let fields = LinkFields {
        target_url: Some("https://example.com/a?x=1&ref=old&y=%26#part".into()),
        expires_at: Some("2026-12-31T23:59:59.000Z".into()),
        countries: Some(BTreeMap::from([(
            "DE".into(),
            "https://example.de/".into(),
        )])),
        max_clicks: Some(7),
        redirect_status: Some(308),
        query_forwarding: Some(QueryForwarding::Merge),
        ..LinkFields::default()
    };
    let link = link("abc", fields);
    let id = link.id.clone();
    let packed = pack(&link, OrganizationKey(6)).unwrap();
    let record = Record::unpack(&packed).unwrap();
    assert_eq!(Record::packed_slug(&packed), "abc");
    assert_eq!(
        (record.id(), record.key(), record.organization()),
        (id.clone(), WebsiteKey(i64::MAX), OrganizationKey(6))
    );
    assert_eq!(
        record.target,
        format!("https://example.com/a?x=1&y=%26&ref={id}#part")
    );
    assert_eq!(
        record.without_ref(record.target),
        "https://example.com/a?x=1&y=%26#part"
    );
    assert_eq!(record.expires_ms, Some(1_798_761_599_000));
    let options = record.options.clone().unwrap();
    assert_eq!(
        options.countries,
        [("DE", &*format!("https://example.de/?ref={id}"))]
    );
    let german = format!("https://example.de/?ref={id}");
    assert_eq!(record.without_ref(&german), "https://example.de/");
    assert_eq!(options.max_clicks, Some(7));
    let forwarding = Some(QueryForwarding::Merge);
    assert_eq!(
        (options.status, options.forwarding),
        (Some(308), forwarding)
    );
    assert!(Record::unpack(&packed[..packed.len() - 1]).is_none());
}

#[test]
fn a_usual_link_is_small() {
    let fields = LinkFields {
        target_url: Some("https://shop.example.com/products/a-long-name-of-a-product".into()),
        ..LinkFields::default()
    };
    let packed = pack(&link("aB3dE6gH", fields), OrganizationKey(i64::MAX)).unwrap();
    assert!(packed.len() < 170, "{}", packed.len());
}
