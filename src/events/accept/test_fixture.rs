//! What the tests of every kind of body share.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Context, Target};
use crate::{
    access::authorize::{self, Site},
    events::{
        enrich::{
            Enricher, Options, Request, SenderContext,
            bot::{Headers, Rules},
            geo::ProxyGeo,
            user_agent::Hints,
        },
        event::Trust,
    },
    fault::{Fault, Kind},
    ids::{OrganizationKey, WebsiteKey},
};

pub(super) const NOW: i64 = 1_790_000_000_000;
pub(super) const ORGANIZATION: i64 = 11;
pub(super) const WEBSITE: i64 = 22;

const CHROME: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";

pub(super) fn visit() -> SenderContext {
    context_for(CHROME)
}

pub(super) fn context_for(user_agent: &str) -> SenderContext {
    static ENRICHER: std::sync::LazyLock<Enricher> = std::sync::LazyLock::new(|| {
        let salts = std::sync::Arc::new(|_| Some([7; 32]));
        let enricher = Enricher::open(&Options::default(), salts).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(enricher.ready());
        enricher
    });
    let request = Request {
        ip: Some("8.8.8.8".parse().unwrap()),
        user_agent: Some(user_agent),
        hints: Hints::default(),
        told: ProxyGeo::default(),
        headers: Headers {
            accept_language: true,
            fetch_metadata: true,
        },
        trust: Trust::Client,
        received: NOW,
    };
    ENRICHER.visit(&request).unwrap()
}

pub(super) fn target() -> Target<'static> {
    let site = Site {
        id: "w1".into(),
        key: WebsiteKey(WEBSITE),
        organization: "o1".into(),
        organization_key: OrganizationKey(ORGANIZATION),
        is_public: false,
    };
    Target {
        access: authorize::ingest_with_client_id("w1", Some(&site)).unwrap(),
        domain: "example.com",
        bots: Rules::USUAL,
    }
}

pub(super) fn context(visit: &SenderContext) -> Context<'_> {
    Context {
        visit,
        target: target(),
    }
}

/// `(code, field)` of every issue.
pub(super) fn codes(fault: Fault) -> Vec<(String, String)> {
    match fault.kind {
        Kind::Invalid { issues } => {
            assert_eq!(fault.message, "Invalid request body");
            assert_eq!(fault.code, Some("INVALID_REQUEST_BODY"));
            issues
                .into_iter()
                .map(|issue| (issue.code.into_owned(), issue.field))
                .collect()
        }
        kind => panic!("not a 400: {kind:?}"),
    }
}

/// Keys that mean something to any of the parsers.
const KEYS: &[&str] = &[
    "name",
    "type",
    "properties",
    "eventId",
    "path",
    "anonymousId",
    "profileId",
    "anonymizeVisitorIds",
    "sessionId",
    "timestamp",
    "namespace",
    "source",
    "websiteId",
    "href",
    "text",
    "metricName",
    "metricValue",
    "message",
    "filename",
    "lineno",
    "colno",
    "stack",
    "errorType",
    "referrer",
    "title",
    "language",
    "timezone",
    "screen_resolution",
    "viewport_size",
    "time_on_page",
    "scroll_depth",
    "utm_source",
    "gclid",
    "load_time",
    "eventName",
    "exitType",
    "timeOnPage",
    "interactionCount",
    "rageClickTarget",
    "tool",
    "durationMs",
    "error",
    "errorCode",
    "clientName",
    "userAgent",
];

/// Objects and arrays with the keys that mean something, and values of every type.
pub(super) fn any_body() -> impl Strategy<Value = Value> {
    let keys = prop::sample::select(KEYS);
    let value = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|value| json!(value)),
        any::<i64>().prop_map(|value| json!(value)),
        any::<f64>().prop_map(|value| json!(value)),
        ".{0,40}".prop_map(|value| json!(value)),
        Just(json!(NOW)),
        Just(json!("LCP")),
        Just(json!("outgoing_link")),
        Just(json!("https://example.com/x?utm_source=a")),
        Just(json!([1, {"a": []}])),
        Just(json!({"a": {"b": "\u{0}"}})),
    ];
    let object = prop::collection::vec((keys, value), 0..12).prop_map(|pairs| {
        let map = pairs
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value));
        Value::Object(map.collect())
    });
    prop_oneof![
        object.clone(),
        prop::collection::vec(object, 0..4).prop_map(Value::Array),
    ]
}
