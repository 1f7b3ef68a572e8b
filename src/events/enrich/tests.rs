use std::collections::BTreeSet;

use super::*;

const NOW: i64 = 1_790_000_000_000;
const IPHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";

fn request(trust: Trust) -> Request<'static> {
    Request {
        ip: Some("193.0.6.139".parse().unwrap()),
        user_agent: Some(IPHONE),
        hints: Hints::default(),
        headers: Headers::default(),
        told: ProxyGeo::default(),
        trust,
        received: NOW,
    }
}

async fn enricher(salts: impl Salts + 'static) -> Enricher {
    let enricher = Enricher::open(&Options::default(), Arc::new(salts)).unwrap();
    enricher.ready().await;
    enricher
}

fn stamped(visit: &SenderContext, identity: Identity<'_>) -> Event {
    let mut event = Event::default();
    visit.stamp(&mut event, identity);
    event
}

#[tokio::test]
async fn a_visit_says_where_and_with_what() {
    let enricher = enricher(|_| Some([1; 32])).await;
    let visit = enricher.visit(&request(Trust::Client)).unwrap();
    let event = stamped(&visit, Identity::default());
    assert_eq!(event.country.as_deref(), Some("NL"));
    assert_eq!(event.device_type.as_deref(), Some("mobile"));
    assert_eq!(event.os_name.as_deref(), Some("iOS"));
    assert_eq!((event.received, event.visitor, event.session), (NOW, 0, 0));
}

#[tokio::test]
async fn a_call_with_a_key_says_nothing_about_a_visitor() {
    let enricher = enricher(|_| Some([1; 32])).await;
    let bot = Request {
        user_agent: Some("Googlebot/2.1"),
        ..request(Trust::Key)
    };
    let visit = enricher.visit(&bot).unwrap();
    let event = stamped(
        &visit,
        Identity {
            anonymous: "a",
            ..Identity::default()
        },
    );
    assert_eq!(
        (event.country, event.browser_name, event.device_type),
        (None, None, None)
    );
    assert_eq!((event.bot, event.trust), (Bot::No, Trust::Key));
    assert_ne!(event.visitor, 0);
}

#[tokio::test]
async fn the_same_browser_is_another_visitor_tomorrow() {
    let enricher = enricher(|day: i64| Some([day as u8; 32])).await;
    let visitor = |received: i64| {
        let request = Request {
            received,
            ..request(Trust::Client)
        };
        let visit = enricher.visit(&request).unwrap();
        stamped(
            &visit,
            Identity {
                anonymous: "anon_1",
                ..Identity::default()
            },
        )
        .visitor
    };
    assert_eq!(visitor(NOW), visitor(NOW + 1));
    assert_ne!(visitor(NOW), visitor(NOW + 86_400_000));
}

#[tokio::test]
async fn without_a_salt_nobody_is_taken() {
    let enricher = enricher(|_| None).await;
    assert_eq!(enricher.visit(&request(Trust::Client)).err(), Some(NoSalt));
}

#[test]
fn every_data_file_is_in_the_manifest_and_has_a_licence() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tables");
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let files = manifest["file"].as_array().unwrap();
    let text = |file: &toml::Value, key: &str| file[key].as_str().unwrap().to_owned();
    let listed: BTreeSet<String> = files.iter().map(|file| text(file, "name")).collect();
    let there: BTreeSet<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "MANIFEST.toml")
        .collect();
    assert_eq!(listed, there);
    for file in files {
        for key in ["about", "source", "version", "date", "licence", "made_by"] {
            assert!(!text(file, key).is_empty(), "{key}");
        }
    }
}

#[tokio::test]
async fn browser_and_system_are_told_in_words() {
    let enricher = enricher(|_| Some([1; 32])).await;
    let told = enricher.browser(IPHONE).unwrap();
    assert!(
        told.contains("Safari") && told.ends_with(" on iOS"),
        "{told}"
    );
    assert_eq!(enricher.browser("-"), None);
}
