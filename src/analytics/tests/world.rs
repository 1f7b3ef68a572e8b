//! Random events of every kind, few enough values that groups overlap and ties happen.

use proptest::{prelude::*, sample::select};

use super::{LINK, MONITOR, ORGANIZATION, WEBSITE};
use crate::events::{
    enrich::bot::{BotKind, Signals},
    event::{
        AgentRequest, Bot, Call, Check, Details, Engagement, Event, Failure, Page, RAW, SALTED,
        Status, TIMELESS, Trust, Utm, identity,
    },
};

const HOUR: i64 = 3_600_000;

/// A moment, and what happened in the days before it.
#[derive(Debug, Clone)]
pub(super) struct World {
    pub(super) now: i64,
    pub(super) events: Vec<Event>,
}

/// Moments around which zones change their clocks, and one around which none does.
const MOMENTS: [&str; 6] = [
    "2025-06-12T15:30:00Z",
    "2024-10-28T09:00:00Z",
    "2024-11-04T05:15:00Z",
    "2025-03-31T00:10:00Z",
    "2025-04-06T13:59:59Z",
    "2025-03-09T23:00:00Z",
];

pub(super) fn worlds() -> impl Strategy<Value = World> {
    let now = select(MOMENTS.to_vec()).prop_map(|text| {
        chrono::DateTime::parse_from_rfc3339(text)
            .unwrap()
            .timestamp_millis()
    });
    let events = proptest::collection::vec(event(), 0..120);
    let loyal = proptest::collection::vec(loyal(), 0..30);
    (now, events, loyal).prop_map(|(now, mut events, loyal)| {
        events.extend(loyal);
        for (index, event) in events.iter_mut().enumerate() {
            event.time += now;
            // No two events are received at the same moment: what lists end their order with.
            event.received = event.time + index as i64;
            match event.details {
                Details::Click => event.website = LINK + event.website % 2,
                Details::Check(_) => event.website = MONITOR + event.website % 2,
                _ => {}
            }
            if event.details == Details::Alias {
                event.time = TIMELESS;
                event.visitor = event.visitor.max(1);
                event.profile = Some(["anna", "carl"][index % 2].to_owned());
            }
        }
        World { now, events }
    })
}

fn some(texts: &'static [&'static str]) -> impl Strategy<Value = Option<String>> {
    select(texts).prop_map(|text| (text != "-").then(|| text.to_owned()))
}

fn quarters(most: u32) -> impl Strategy<Value = f32> {
    (0..most * 4).prop_map(|quarters| quarters as f32 / 4.0)
}

/// Whole numbers: their percentiles never fall between two numbers of two decimals.
fn whole(most: u32) -> impl Strategy<Value = f32> {
    (0..most).prop_map(|whole| whole as f32)
}

/// An event at a time relative to now: mostly within three days, now and then of the last minutes.
fn event() -> impl Strategy<Value = Event> {
    let ago = prop_oneof![
        3 => 0..72 * HOUR / 60_000,
        1 => 0..8_i64,
    ];
    let when = (ago, 0..3_i64).prop_map(|(minutes, ms)| -minutes * 60_000 - ms);
    (when, visitor_seed(), whence(), with(), details()).prop_map(
        |(time, who, whence, with, (name, details))| {
            let (visitor, session, site, trust, bot) = who;
            let (path, host, referrer, channel, utm) = whence;
            let (device, place) = with;
            let named = matches!(details, Details::Agent(_));
            let (visitor, session) = if named { (0, 0) } else { (visitor, session) };
            let (bot, bot_signals) = verdict(bot, named);
            Event {
                organization: ORGANIZATION,
                website: if site == 0 { 12 } else { WEBSITE },
                time,
                name: name.to_owned(),
                visitor,
                session,
                profile: match visitor {
                    1 | 2 => Some("anna".to_owned()),
                    3 => Some("bob".to_owned()),
                    _ => None,
                }
                .filter(|_| trust),
                host,
                path,
                referrer: referrer.map(|(referrer, ..)| referrer.to_owned()),
                referrer_domain: referrer.map(|(_, domain, _)| domain.to_owned()),
                source: referrer.map(|(.., source)| source.to_owned()),
                channel,
                utm,
                country: place.0,
                region: place.1,
                city: place.2,
                language: place.3,
                timezone: place.4,
                device_type: device.0,
                browser_name: device.1,
                browser_version: device.2,
                os_name: device.3,
                os_version: device.4,
                screen: device.5,
                viewport: device.6,
                trust: if trust { Trust::Key } else { Trust::Client },
                bot,
                bot_signals,
                device_brand: (bot_signals % 3 == 1).then(|| "Apple".to_owned()),
                device_model: (session % 3 == 1).then(|| "iPad".to_owned()),
                click_id: (visitor % 3 == 1).then(|| "gclid".to_owned()),
                link: (visitor % 4 == 1).then(|| "link".to_owned()),
                namespace: (session % 2 == 1).then(|| "shop".to_owned()),
                properties: properties(time, visitor),
                details,
                ..Event::default()
            }
        },
    )
}

/// Sometimes a suspected bot, or a bot that the website allows.
fn verdict(pick: u8, named: bool) -> (Bot, u32) {
    let headers = Signals::NO_LANGUAGE.with(Signals::NO_FETCH_METADATA).0;
    match pick {
        _ if named => (Bot::Declared, Signals::bit(BotKind::AiUser)),
        0 => {
            let suspected = Signals::bit(BotKind::Suspected);
            (Bot::Suspected, suspected | Signals::AUTOMATION.0 | headers)
        }
        1 => (Bot::Declared, Signals::bit(BotKind::Preview)),
        2 => (Bot::No, headers),
        3 => (Bot::No, Signals::NO_AGENT.0),
        _ => (Bot::No, 0),
    }
}

type VisitorSeed = (u64, u64, u8, bool, u8);

fn visitor_seed() -> impl Strategy<Value = VisitorSeed> {
    let visitor = prop_oneof![4 => 0..5_u64, 1 => Just(identity("anna"))];
    (visitor, 0..7_u64, 0..12_u8, any::<bool>(), 0..10_u8)
}

type Referrer = (&'static str, &'static str, &'static str);
type Whence = (
    String,
    Option<String>,
    Option<Referrer>,
    Option<String>,
    Utm,
);

fn whence() -> impl Strategy<Value = Whence> {
    let path = select(vec!["/", "/a", "/a/b", "/ä?", ""]).prop_map(str::to_owned);
    let referrer = select(vec![
        None,
        Some(("google.com/search", "google.com", "Google")),
        Some(("example.com/x", "example.com", "example.com")),
        Some(("blog.example.com", "example.com", "example.com")),
        Some(("t.co/abc", "t.co", "X")),
    ]);
    let utm = (
        some(&["-", "", "news"]),
        some(&["-", "mail"]),
        some(&["-", "spring", "fall"]),
        some(&["-", "shoes"]),
        some(&["-", "top"]),
    );
    let utm = utm.prop_map(|(source, medium, campaign, term, content)| Utm {
        source,
        medium,
        campaign,
        term,
        content,
    });
    let channel = some(&["-", "search", "social", "ai"]);
    let host = some(&["-", "example.com", "www.example.com"]);
    (path, host, referrer, channel, utm)
}

type Text = Option<String>;
type With = (
    (Text, Text, Text, Text, Text, Text, Text),
    (Text, Text, Text, Text, Text),
);

fn with() -> impl Strategy<Value = With> {
    let device = (
        some(&["-", "desktop", "mobile"]),
        some(&["-", "Chrome", "Safari", ""]),
        some(&["-", "120", "17.5"]),
        some(&["-", "Linux", "iOS"]),
        some(&["-", "17"]),
        some(&["-", "1000x800", "390x844"]),
        some(&["-", "1000x700", "980x500", "500x700", "390x600", "1200x800"]),
    );
    let place = (
        some(&["-", "DE", "US", "FR", "ZZ", ""]),
        some(&["-", "Berlin", "Maine"]),
        some(&["-", "Paris"]),
        some(&["-", "de", "en-US"]),
        some(&["-", "Europe/Berlin"]),
    );
    (device, place)
}

/// The caller's properties, made of what is there already.
fn properties(time: i64, visitor: u64) -> Option<String> {
    let texts = [
        None,
        Some(""),
        Some("{}"),
        Some(r#"{"plan":"pro","seats":3}"#),
        Some(r#"{"plan":"free","ok":true,"note":null}"#),
        Some(r#"{"plan":7,"a/b~c":"x","nested":{"k":[1,2]}}"#),
        Some(r#"{"flag":"dark","value":true}"#),
        Some(r#"{"flag":7}"#),
        Some(r#"{"ä \"q\"":"1.5","price":12.5}"#),
        Some(r#"{"revenue":19.99,"currency":"eur","product":"p"}"#),
        Some(r#"{"revenue":"7.25","currency":"EUR"}"#),
        Some(r#"{"revenue":-3,"currency":"USD","product":"p"}"#),
        Some(r#"{"revenue":100000,"product":7}"#),
        Some(r#"{"revenue":"12 EUR","currency":"EUR"}"#),
        Some(r#"{"revenue":true}"#),
        Some(
            r#"{"dns_us":1500,"tcp_us":20750,"tls_us":0,"ttfb_us":"90250","transfer_us":500,"total_us":113000}"#,
        ),
        Some(r#"{"dns_us":250,"tcp_us":null,"tls_us":true,"ttfb_us":"late"}"#),
    ];
    let pick = (time.unsigned_abs() / 60_000 + visitor) % texts.len() as u64;
    texts[pick as usize]
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

fn details() -> impl Strategy<Value = (&'static str, Details)> {
    prop_oneof![
        8 => page(),
        2 => select(vec!["signup", "buy", "$flag", "$flag_evaluated"]).prop_map(|name| (name, Details::Custom)),
        2 => outgoing().prop_map(|details| ("", details)),
        3 => vital(),
        2 => failure(),
        3 => engagement().prop_map(|span| ("", Details::Engagement(Box::new(span)))),
        1 => call(),
        2 => agent(),
        2 => Just(("", Details::Click)),
        3 => check().prop_map(|check| ("http", Details::Check(Box::new(check)))),
        2 => counter(),
        1 => select(vec![RAW, SALTED]).prop_map(|form| (form, Details::Alias)),
    ]
}

fn page() -> impl Strategy<Value = (&'static str, Details)> {
    let name = prop_oneof![5 => Just("screen_view"), 3 => Just("page_exit"), 1 => Just("click")];

    let measured = (
        proptest::option::of(quarters(40)),
        proptest::option::of(quarters(101)),
        proptest::option::of(0..4_u32),
        proptest::option::of(whole(2_000)),
        proptest::option::of(whole(500)),
        proptest::option::of(whole(200)),
        proptest::option::of(whole(100)),
        some(&["-", "wifi", "4g"]),
    );
    (name, measured).prop_map(|(name, measured)| {
        let (time_on_page, scroll_depth, interactions, load, dom, ttfb, render, connection) =
            measured;
        let page = Page {
            time_on_page,
            scroll_depth,
            interactions,
            load_time: load,
            dom_ready_time: dom,
            ttfb,
            render_time: render,
            connection,
            ..Page::default()
        };
        (name, Details::Page(page))
    })
}

fn outgoing() -> impl Strategy<Value = Details> {
    let href = select(vec![
        "https://www.rust-lang.org/learn?a=1",
        "https://rust-lang.org:443/x#y",
        "http://user@Sub.Example.org/",
        "https://a.io",
        "http://x",
        "mailto:a@b.example",
        "https://a.example/undefined",
    ]);
    let text = select(vec!["", "Rust", "null", "Sign up"]);
    (href, text).prop_map(|(href, text)| Details::Outgoing {
        href: href.to_owned(),
        text: text.to_owned(),
    })
}

fn vital() -> impl Strategy<Value = (&'static str, Details)> {
    let metric = select(vec!["LCP", "FCP", "CLS", "INP", "TTFB", "FPS"]);
    // Halves: their percentiles never fall between two numbers of four decimals.
    (metric, 0..500_u32).prop_map(|(metric, halves)| {
        let value = f64::from(halves) / 2.0;
        (metric, Details::Vital { value })
    })
}

fn failure() -> impl Strategy<Value = (&'static str, Details)> {
    let name = select(vec!["TypeError", "Error", "RangeError"]);
    let message = select(vec!["x is undefined", "boom", ""]);
    let line = proptest::option::of(1..5_u32);
    (name, message, line).prop_map(|(name, message, line)| {
        let failure = Failure {
            message: message.to_owned(),
            line,
            stack: line.map(|_| "at a (b.js:1)".to_owned()),
            ..Failure::default()
        };
        (name, Details::Error(failure))
    })
}

fn engagement() -> impl Strategy<Value = Engagement> {
    let targets = &["-", "", "button:buy", "a:more"];
    let times = (
        quarters(60),
        quarters(30),
        proptest::option::of(quarters(900)),
        quarters(101),
    );
    let clicks = (0..3_u32, 0..3_u32, some(targets), some(targets));
    let forms = (
        0..3_u32,
        0..2_u32,
        some(&["-", "input:email", "input:name"]),
        0..2_u32,
    );
    (times, clicks, forms, 0..9_u32).prop_map(|(times, clicks, forms, interactions)| Engagement {
        time_on_page: times.0,
        active_time: times.1,
        first_interaction: times.2,
        scroll_depth: times.3,
        interactions,
        rage_clicks: clicks.0,
        dead_clicks: clicks.1,
        rage_target: clicks.2,
        dead_target: clicks.3,
        form_fields: forms.0,
        form_submits: forms.1,
        last_field: forms.2,
        errors: forms.3,
        ..Engagement::default()
    })
}

fn call() -> impl Strategy<Value = (&'static str, Details)> {
    let tool = select(vec!["search", "get_page"]);
    let client = some(&["-", "Cursor", "ChatGPT"]);
    (tool, client, 0..200_u32, 0..4_u8).prop_map(|(tool, client, duration_ms, failed)| {
        let is_error = failed == 0;
        let call = Call {
            duration_ms,
            is_error,
            error: is_error.then(|| "no such page".to_owned()),
            error_code: is_error.then(|| "not_found".to_owned()),
            client,
            server_name: (duration_ms % 2 == 0).then(|| "docs".to_owned()),
            environment: (duration_ms % 3 == 0).then(|| "production".to_owned()),
            ..Call::default()
        };
        (tool, Details::Call(Box::new(call)))
    })
}

fn agent() -> impl Strategy<Value = (&'static str, Details)> {
    let known = select(vec![
        ("GPTBot", "ChatGPT", "OpenAI", "ai_training"),
        ("OAI-SearchBot", "ChatGPT", "OpenAI", "ai_search"),
        ("Claude-User", "Claude", "Anthropic", "ai_user"),
        ("NewAgent", "", "", "ai_agent"),
    ]);
    (known, any::<bool>()).prop_map(|((name, product, operator, purpose), is_reported)| {
        let agent = AgentRequest {
            product: product.to_owned(),
            operator: operator.to_owned(),
            purpose: purpose.to_owned(),
            is_reported,
        };
        (name, Details::Agent(Box::new(agent)))
    })
}

fn check() -> impl Strategy<Value = Check> {
    let status = select(vec![
        Status::Up,
        Status::Up,
        Status::Down,
        Status::Down,
        Status::Pending,
        Status::Maintenance,
        Status::Missed,
    ]);
    let answer = select(vec![0_u32, 200, 503]);
    let times = (
        proptest::option::of(whole(90)),
        proptest::option::of(0..300_u32),
    );
    let certificate = (
        proptest::option::of(select(vec![1_700_000_000_000_i64, 1_800_000_000_000])),
        proptest::option::of(any::<bool>()),
    );
    let texts = (some(&["-", "192.0.2.1"]), some(&["-", "Timeout"]));
    (status, answer, times, certificate, texts).prop_map(
        |(status, http_code, times, certificate, texts)| Check {
            url: "https://example.com/".to_owned(),
            status,
            http_code,
            ttfb_ms: times.0,
            total_ms: times.1,
            ip: texts.0,
            ssl_expiry: certificate.0,
            ssl_valid: certificate.1,
            error: texts.1,
        },
    )
}

/// Custom events over two weeks, mostly of people who are known: who comes back.
fn loyal() -> impl Strategy<Value = Event> {
    let minutes = 0..14 * 24 * 60_i64;
    let profile = some(&["-", "", "anna", "bob", "carl"]);
    let name = select(vec!["signup", "buy"]);
    (minutes, profile, name, 0..4_u64).prop_map(|(minutes, profile, name, session)| Event {
        organization: ORGANIZATION,
        website: if session == 3 { 12 } else { WEBSITE },
        time: -minutes * 60_000,
        name: name.to_owned(),
        visitor: session,
        session,
        profile,
        namespace: (session == 1).then(|| "shop".to_owned()),
        details: Details::Custom,
        ..Event::default()
    })
}

fn counter() -> impl Strategy<Value = (&'static str, Details)> {
    let reason = select(vec![
        "duplicate",
        "bot",
        "opted_out",
        "excluded_path",
        "invalid_body",
        "origin_not_authorized",
        "ip_not_authorized",
        "rate_limited",
        "unavailable",
    ]);
    (reason, 1..5_u64).prop_map(|(reason, count)| (reason, Details::Counter { count }))
}
