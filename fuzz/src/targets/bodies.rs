//! The bodies of ingestion, one function per route, and packed ones.

use std::sync::{Arc, LazyLock};

use pharos::{
    access::authorize::{self, Site},
    events::{
        accept::{
            self, Context, Target, agent, call, custom, engagement, error, identify, legacy, pixel,
            vital,
        },
        enrich::{
            Enricher, Options, Request, SenderContext,
            bot::{Headers, Rules},
            geo::ProxyGeo,
            user_agent::Hints,
        },
        event::Trust,
    },
    http::track::unpack,
    ids::{OrganizationKey, WebsiteKey},
};

use super::promises::{NOW, is_json, is_refusal, judge, keeps_limits};

/// What comes out of a packed body; small: both sides of it are met.
const UNPACKED: usize = 4_096;

fn enricher() -> &'static Enricher {
    static ENRICHER: LazyLock<Enricher> = LazyLock::new(|| {
        let salts = Arc::new(|_| Some([7; 32]));
        let enricher = Enricher::open(&Options::default(), salts).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(enricher.ready());
        enricher
    });
    &ENRICHER
}

/// A request of an unknown browser.
fn visit() -> &'static SenderContext {
    static VISIT: LazyLock<SenderContext> = LazyLock::new(|| {
        let request = Request {
            ip: None,
            user_agent: None,
            hints: Hints::default(),
            headers: Headers::default(),
            told: ProxyGeo::default(),
            trust: Trust::Client,
            received: NOW,
        };
        enricher().visit(&request).unwrap()
    });
    &VISIT
}

fn target() -> Target<'static> {
    static SITE: LazyLock<Site> = LazyLock::new(|| Site {
        id: "w1".into(),
        key: WebsiteKey(22),
        organization: "o1".into(),
        organization_key: OrganizationKey(11),
        is_public: false,
    });
    Target {
        access: authorize::ingest_with_client_id("w1", Some(&SITE)).unwrap(),
        domain: "example.com",
        bots: Rules::USUAL,
    }
}

pub(super) fn context() -> Context<'static> {
    Context {
        visit: visit(),
        target: target(),
    }
}

/// `POST /track`.
pub fn track(bytes: &[u8]) {
    assert!(accept::count(bytes) <= 1 + bytes.len() as u64);
    judge(custom::read(bytes).and_then(|body| {
        is_json(bytes);
        assert!(body.website_ids().count() <= bytes.len());
        body.accept(visit(), |_| Ok(target()))
    }));
}

/// `POST /`.
pub fn page(bytes: &[u8]) {
    let one = accept::page::accept(bytes, &context()).inspect(|_| is_json(bytes));
    judge(one.map(|(_, accepted)| vec![accepted]));
}

/// `POST /batch`.
pub fn batch(bytes: &[u8]) {
    match accept::batch::accept(bytes, &context()) {
        Ok(batch) => {
            is_json(bytes);
            batch.accepted.iter().for_each(keeps_limits);
            assert_eq!(batch.track + batch.outgoing_link, batch.accepted.len());
            let stored = batch
                .results
                .iter()
                .filter(|result| result.status == "success");
            assert_eq!(stored.count(), batch.accepted.len());
        }
        Err(fault) => is_refusal(&fault),
    }
}

/// `POST /vitals`.
pub fn vitals(bytes: &[u8]) {
    judge(vital::accept(bytes, &context()).inspect(|_| is_json(bytes)));
}

/// `POST /errors`.
pub fn errors(bytes: &[u8]) {
    judge(error::accept(bytes, &context()).inspect(|_| is_json(bytes)));
}

/// `POST /engagement`.
pub fn engagement(bytes: &[u8]) {
    judge(engagement::accept(bytes, &context()).inspect(|_| is_json(bytes)));
}

/// `POST /events`.
pub fn events(bytes: &[u8]) {
    judge(legacy::accept(bytes, &context()).inspect(|_| is_json(bytes)));
}

/// `POST /mcp`.
pub fn calls(bytes: &[u8]) {
    judge(call::read(bytes).and_then(|body| {
        is_json(bytes);
        assert!(body.website_ids().count() > 0);
        body.accept(visit(), |_| Ok(target()))
    }));
}

/// `POST /ai-traffic`.
pub fn agents(bytes: &[u8]) {
    let report = agent::read(bytes).and_then(|body| {
        is_json(bytes);
        body.accept(&target(), Trust::Client, NOW)
    });
    judge(report.map(|report| report.request(enricher(), &target()).into_iter().collect()));
}

/// `POST /identify`.
pub fn identify(bytes: &[u8]) {
    match identify::read(bytes).and_then(identify::Body::accept) {
        Ok(said) => {
            is_json(bytes);
            assert!((1..=256).contains(&said.profile.chars().count()));
            assert!(said.anonymous.chars().count() <= 256);
            assert!(said.traits.len() <= 50);
        }
        Err(fault) => is_refusal(&fault),
    }
}

/// The query of `GET /px.jpg`.
pub fn pixel(bytes: &[u8]) {
    if let Ok(query) = std::str::from_utf8(bytes) {
        judge(pixel::accept(query, &context()));
    }
}

/// A packed body of any route.
pub fn gzip(bytes: &[u8]) {
    match unpack(bytes, UNPACKED) {
        Ok(plain) => assert!(plain.len() <= UNPACKED),
        Err(fault) => is_refusal(&fault),
    }
}
