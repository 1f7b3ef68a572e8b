//! Processor time per event, stage by stage, on the way from a request's body to a segment. Every figure is the time
//! of all threads of the process divided by the events: microseconds of CPU an event costs at that stage.
#![expect(
    clippy::unwrap_used,
    reason = "a measurement that cannot be set up has to stop"
)]

#[path = "support/machine.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod machine;
#[path = "support/stage.rs"]
mod stage;

use std::{hint::black_box, sync::Arc};

use criterion::{Criterion, criterion_group, criterion_main};
use pharos::events::log::frame;
use pharos::{
    access::authorize::{self, Site},
    clock::Clock,
    events::{
        accept::{Context, Target, batch, custom},
        dedup::{self, index::DedupIndex},
        engine::load::catch_up,
        enrich::{
            Enricher, Identity, Options, Request, SenderContext,
            bot::{Headers, Rules},
            geo::{Countries, ProxyGeo},
            user_agent::{Agents, Hints},
        },
        event::{Event, Trust},
        segments,
        tail::decode,
    },
    ids::{OrganizationKey, WebsiteKey},
};
use serde_json::json;

use self::stage::{Engine, NOW, Spool, frames, generation, per_event, rows};

const CHROME: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36";
/// Events of a seal in production.
const SEAL: u32 = 1 << 16;

fn target() -> Target<'static> {
    let site = Site {
        id: "w1".into(),
        key: WebsiteKey(22),
        organization: "o1".into(),
        organization_key: OrganizationKey(11),
        is_public: false,
    };
    Target {
        access: authorize::ingest_with_client_id("w1", Some(&site)).unwrap(),
        domain: "shop.example",
        bots: Rules::USUAL,
    }
}

fn request() -> Request<'static> {
    Request {
        ip: Some("8.8.8.8".parse().unwrap()),
        user_agent: Some(CHROME),
        hints: Hints::default(),
        told: ProxyGeo::default(),
        headers: Headers {
            accept_language: true,
            fetch_metadata: true,
        },
        trust: Trust::Client,
        received: NOW,
    }
}

fn enricher() -> Enricher {
    let enricher = Enricher::open(&Options::default(), Arc::new(|_| Some([7; 32]))).unwrap();
    stage::runtime().block_on(enricher.ready());
    enricher
}

fn custom_body(count: usize) -> String {
    let event = |n: usize| {
        json!({
            "name": "purchase", "eventId": format!("evt_{n:016x}"), "websiteId": "w1",
            "anonymousId": format!("anon_{n:016x}"), "sessionId": format!("sess_{n:016x}"),
            "path": "https://shop.example/checkout",
            "properties": { "plan": "pro", "value": n, "currency": "EUR", "coupon": null },
        })
    };
    match count {
        1 => event(1).to_string(),
        many => json!((0..many).map(event).collect::<Vec<_>>()).to_string(),
    }
}

fn page_body(count: usize) -> String {
    let event = |n: usize| {
        json!({
            "type": "track", "eventId": format!("evt_{n:016x}"), "name": "screen_view",
            "anonymousId": "anon_1", "sessionId": "sess_1", "timestamp": NOW - 1_000,
            "path": "https://shop.example/blog/web-vitals?utm_source=newsletter&utm_medium=email",
            "title": "Web vitals, explained", "referrer": "https://www.google.com/search?q=vitals",
            "screen_resolution": "1920x1080", "viewport_size": "1905x945", "language": "en-US",
            "timezone": "Europe/Berlin", "page_count": n, "load_time": 812, "ttfb": 94,
        })
    };
    json!((0..count).map(event).collect::<Vec<_>>()).to_string()
}

/// Body to validated, enriched events: reading JSON, checking every field, stamping the visit.
fn accept(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("1 accept");
    let visit = enricher().visit(&request()).unwrap();
    for (name, count) in [("track one", 1), ("track array of 100", 100)] {
        let body = custom_body(count);
        per_event(&mut group, name, count as u32, || {
            let read = custom::read(black_box(body.as_bytes())).unwrap();
            black_box(read.accept(&visit, |_| Ok(target())).unwrap());
        });
    }
    for (name, count) in [("batch one page", 1), ("batch of 10 pages", 10)] {
        let body = page_body(count);
        let context = Context {
            visit: &visit,
            target: target(),
        };
        per_event(&mut group, name, count as u32, || {
            let batch = batch::accept(black_box(body.as_bytes()), &context).unwrap();
            assert_eq!(batch.accepted.len(), count);
            black_box(batch);
        });
    }
    group.finish();
}

/// What a request says about its visitor, and what of that goes on every event (part of `accept` above).
fn enrich(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("2 enrich");
    let agents = Agents::new();
    let mut version = 0_u64;
    per_event(&mut group, "user agent, never seen", 1, || {
        version += 1;
        black_box(agents.get(&format!("{CHROME} Build/{version}"), &Hints::default()));
    });
    per_event(&mut group, "user agent, remembered", 1, || {
        black_box(agents.get(black_box(CHROME), &Hints::default()));
    });
    let countries = Countries::built_in();
    let address = "8.8.8.8".parse().unwrap();
    per_event(&mut group, "country", 1, || {
        black_box(countries.find(black_box(address)));
    });
    let (enricher, request) = (enricher(), request());
    per_event(&mut group, "visit of a request", 1, || {
        black_box(enricher.visit(black_box(&request)).unwrap());
    });
    let visit = enricher.visit(&request).unwrap();
    let mut event = Event::default();
    per_event(&mut group, "stamp", 1, || stamp(&visit, &mut event));
    group.finish();
}

fn stamp(visit: &SenderContext, event: &mut Event) {
    let identity = Identity {
        anonymous: "anon_0000000000000001",
        session: "sess_0000000000000001",
        ..Identity::default()
    };
    visit.stamp(event, black_box(identity));
    black_box(event);
}

/// Events to bytes of the log.
fn encode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("3 encode");
    let events = rows(1_000);
    per_event(&mut group, "postcard", 1_000, || {
        for accepted in &events {
            black_box(postcard::to_stdvec(&accepted.event).unwrap());
        }
    });
    per_event(&mut group, "dedup key", 1, || {
        black_box(dedup::key(
            &[7; 32],
            Trust::Client,
            11,
            22,
            black_box("evt_0000000000000001"),
        ));
    });
    let keys = tempfile::tempdir().unwrap();
    let index = DedupIndex::start(keys.path(), 0, 86_400_000, Clock::fixed(NOW)).unwrap();
    let mut seen = dedup::RecentKeys::new(&index, 1);
    let mut key = 0_u128;
    per_event(&mut group, "judge and remember a key", 1, || {
        // A generation's worth of keys, repeatedly.
        key = (key + 1) % u128::from(SEAL);
        let spread = key.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        if !seen.contains(black_box(spread)) {
            seen.insert(spread);
        }
    });
    let body = postcard::to_stdvec(&events[0].event).unwrap();
    let mut out = Vec::with_capacity(1 << 16);
    per_event(&mut group, "frame with checksum", 1, || {
        out.clear();
        frame::encode(&mut out, 1, 1, 7, NOW, |out| {
            out.extend_from_slice(black_box(&body));
        });
        black_box(&out);
    });
    group.finish();
}

/// `EventStore::append` without the sync: encoding, judging, writing, showing to the tail, and the hand-over between
/// threads. Requests arrive 64 at a time, as group commit takes them.
fn append(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("4 append");
    group.sample_size(20);
    for (name, events) in [("requests of one", 1), ("requests of 100", 100)] {
        let mut spool = Spool::open();
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|times| spool.append(times, 64, events));
        });
        spool.close();
    }
    group.finish();
}

/// What happens behind the answer: from the tail to the engine's columns, and from there to a segment.
fn behind(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("5 behind the answer");
    group.sample_size(10);
    let held = frames(&rows(u64::from(SEAL)));
    per_event(&mut group, "decode", SEAL, || {
        for frame in &held {
            black_box(decode(frame));
        }
    });
    let engine = Engine::open();
    group.bench_function("decode and load into the engine", |bencher| {
        bencher.iter_custom(|times| {
            stage::timed(times, SEAL, || {
                catch_up(
                    &engine.connection,
                    engine.epoch,
                    &generation(&held),
                    engine.directory.path(),
                )
                .unwrap();
            })
        });
    });
    group.bench_function("seal (decode, sort, write, sync)", |bencher| {
        bencher.iter_custom(|times| {
            stage::timed(times, SEAL, || {
                let generation = generation(&held);
                let lsns = (1, generation.last_lsn());
                let directory = engine.directory.path();
                segments::seal(directory, &generation, lsns).unwrap();
            })
        });
    });
    group.finish();
}

criterion_group!(stages, accept, enrich, encode, append, behind);
criterion_main!(stages);
