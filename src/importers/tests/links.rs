use serde_json::{Value, json};

use super::{find, fixture, has_omission, names, source};
use crate::importers::{Definition, Plan, links::LinkFormat};

fn read(format: LinkFormat, bytes: &[u8]) -> Plan {
    format.read(&source(bytes)).unwrap()
}

fn link(plan: &Plan, slug: &str) -> Value {
    match find(plan, slug) {
        Definition::Link(link) => {
            let mut fields = json!(link.fields);
            fields
                .as_object_mut()
                .unwrap()
                .retain(|_, value| !value.is_null());
            fields
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn shlink_keeps_slugs_tags_ends_and_what_is_left_of_limits() {
    let plan = read(LinkFormat::Shlink, fixture!("shlink.csv"));
    // What our rules refuse is refused by them, not here.
    assert_eq!(
        names(&plan),
        ["spring-24", "Ab_9-x", "ü-b", ".a/b", "admin"]
    );
    let expected = json!({
        "name": "Spring sale, 2024", "targetUrl": "https://shop.example/spring?utm_source=mail",
        "slug": "spring-24", "domain": "s.test", "tags": ["sale", "mail"],
    });
    assert_eq!(link(&plan, "spring-24"), expected);
    assert_eq!(link(&plan, "Ab_9-x")["name"], "Ab_9-x");
    assert!(has_omission(
        &plan,
        "1207 former clicks of 2 links",
        "from now on"
    ));

    let plan = read(LinkFormat::Shlink, fixture!("shlink.json"));
    assert_eq!(names(&plan), ["limited", "ruled"]);
    let limited = link(&plan, "limited");
    assert_eq!(limited["maxClicks"], 60);
    assert_eq!(limited["expiresAt"], "2027-01-01T00:00:00+01:00");
    assert_eq!(limited["androidUrl"], "https://play.example/app");
    assert!(has_omission(&plan, "link used-up", "limit of 10 visits"));
    assert!(has_omission(&plan, "link later", "begins at 2027-06-01"));
    assert!(has_omission(&plan, "link ruled", "redirect rules"));
}

#[test]
fn bitly_keeps_custom_back_halves_as_links_of_their_own() {
    let plan = read(LinkFormat::Bitly, fixture!("bitly.json"));
    assert_eq!(names(&plan), ["summer-deal", "3xYzAbC", "4abc"]);
    let target = "https://shop.example/summer";
    assert_eq!(link(&plan, "summer-deal")["targetUrl"], target);
    assert_eq!(link(&plan, "3xYzAbC")["targetUrl"], target);
    assert!(has_omission(&plan, "link 4abc", "deep links"));
    let plan = read(LinkFormat::Bitly, fixture!("bitly.csv"));
    assert_eq!(names(&plan), ["3xYzAbC"]);
    assert_eq!(link(&plan, "3xYzAbC")["tags"], json!(["summer", "mail"]));
    assert!(has_omission(&plan, "link nothing", "no destination"));
    assert!(has_omission(&plan, "1250 former clicks of 1 links", ""));
}

#[test]
fn dub_keeps_countries_tests_previews_and_passwords() {
    let plan = read(LinkFormat::Dub, fixture!("dub.json"));
    assert_eq!(names(&plan), ["launch", "split", "pic"]);
    let launch = link(&plan, "launch");
    for (field, value) in [
        (
            "countries",
            json!({ "DE": "https://shop.example/de", "FR": "https://shop.example/fr" }),
        ),
        ("expiredRedirectUrl", json!("https://shop.example/over")),
        ("externalId", json!("ext_7")),
        ("ogImageUrl", json!("https://shop.example/og.png")),
        ("iosUrl", json!("https://apps.example/ios")),
        ("tags", json!(["launch"])),
    ] {
        assert_eq!(launch[field], value, "{field}");
    }
    let split = link(&plan, "split");
    assert_eq!(
        split["variants"][1],
        json!({ "url": "https://shop.example/b", "weight": 40 })
    );
    let Definition::Link(split) = find(&plan, "split") else {
        panic!()
    };
    assert!(split.fields.password.is_some(), "it stays locked");
    assert!(has_omission(&plan, "link pic", "cloaking"));
    assert!(has_omission(&plan, "link pic", "preview image"));
    let plan = read(LinkFormat::Dub, fixture!("dub.csv"));
    assert_eq!(link(&plan, "launch")["tags"], json!(["launch", "mail"]));
}

#[test]
fn yourls_and_kutt_are_read_from_tables_and_answers() {
    let plan = read(LinkFormat::Yourls, fixture!("yourls.csv"));
    assert_eq!(names(&plan), ["ozh", "docs"]);
    assert!(has_omission(&plan, "902 former clicks of 2 links", ""));
    let plan = read(LinkFormat::Yourls, fixture!("yourls.json"));
    assert_eq!(names(&plan), ["ozh", "news"]);
    let plan = read(LinkFormat::Kutt, fixture!("kutt.json"));
    assert_eq!(names(&plan), ["brochure", "plain"]);
    assert_eq!(
        link(&plan, "brochure")["expiresAt"],
        "2027-03-01T00:00:00.000Z"
    );
    assert!(has_omission(&plan, "link secret", "password"));
    assert!(has_omission(&plan, "link spam", "banned"));
}

#[test]
fn titles_and_tags_beyond_our_bounds_are_cut_and_told() {
    let long = "a".repeat(300);
    let tags: Vec<String> = (0..25).map(|nth| format!("t{nth}")).collect();
    let item = json!([{ "shortCode": "abc", "longUrl": "https://a.example", "title": format!("x\n {long}"), "tags": tags }]);
    let plan = read(LinkFormat::Shlink, item.to_string().as_bytes());
    let link = link(&plan, "abc");
    assert_eq!(link["name"].as_str().unwrap().len(), 255);
    assert!(link["name"].as_str().unwrap().starts_with("x aaa"));
    assert_eq!(link["tags"].as_array().unwrap().len(), 20);
    assert!(has_omission(&plan, "link abc", "cut to 255"));
    assert!(has_omission(&plan, "link abc", "t20, t21, t22, t23, t24"));
}
