//! F30: a hundred anonymous requests of every kind at once, each at its documented maximum. Memory stays below the figure that
//! `docs/deployment.md` states, and `/health` answers meanwhile.

use std::{
    collections::BTreeMap,
    io::Write as _,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, anyhow, ensure};
use flate2::{Compression, write::GzEncoder};
use reqwest::{Client, RequestBuilder, redirect::Policy};
use serde_json::{Value, json};
use tokio::{runtime::Builder, task::JoinSet};

use crate::{
    Setting,
    program::{House, Running},
    report::Report,
    watch::Watch,
};

/// Requests of a kind at a time.
const AT_ONCE: usize = 100;
/// Resident memory that the defaults may take, bytes (`docs/deployment.md`).
const MEMORY: u64 = 832 << 20;
/// Within this, `/health` is answered.
const SOON: Duration = Duration::from_millis(100);
/// How often `/health` is asked.
const LOOK: Duration = Duration::from_millis(20);
/// Different paths of the website, as long as paths may be.
const PATHS: usize = 10_000;
const PATH_LENGTH: usize = 2_048;
/// What a body may have, bytes.
const BODY: usize = 2 << 20;
const DAY_MS: u64 = 86_400_000;

pub(crate) async fn run(setting: &Setting) -> anyhow::Result<Report> {
    let mut report = Report::new("F30 flood");
    let mut settings = vec![
        // The limits by address would answer most of it.
        ("PHAROS__LIMITS__QUERY_REQUESTS_ANONYMOUS", "0"),
        ("PHAROS__LIMITS__COMPILE_REQUESTS_ANONYMOUS", "0"),
        ("PHAROS__LIMITS__FLAGS_REQUESTS", "0"),
        ("PHAROS__QUERY__CACHE", "0"),
    ];
    if setting.sabotage {
        settings.push(("PHAROS__QUERY__MEMORY", "2G"));
        settings.push(("PHAROS__LIMITS__BODY_BYTES", "1073741824"));
    }
    let house = House::new(setting, None, &settings)?;
    let running = house.start().await?;
    prepare(&house).await?;
    let health = Health::start(&house);
    let (rounds, mut slowest) = (setting.times(1, 5), Duration::ZERO);
    for kind in kinds(&house, setting)? {
        let mut answers = BTreeMap::new();
        for _ in 0..rounds {
            for (status, count) in flood(&kind.request, &running).await? {
                *answers.entry(status).or_insert(0) += count;
            }
        }
        let meanwhile = health.slowest();
        slowest = slowest.max(meanwhile);
        report.figure(format!(
            "{} {answers:?}, {} MB, health {} ms",
            kind.name,
            running.peak() >> 20,
            meanwhile.as_millis(),
        ));
        report.check(!answers.contains_key(&500), || {
            format!("{} was answered with 500", kind.name)
        });
        report.check(answers.contains_key(&kind.expected), || {
            format!("{} was never answered with {}", kind.name, kind.expected)
        });
    }
    let (asked, failed) = health.stop()?;
    report.figure(format!("{asked} times asked for health"));
    report.check(asked > 0 && failed == 0, || {
        format!("/health failed {failed} of {asked} times")
    });
    report.check(!setting.timed() || slowest < SOON, || {
        format!("/health took {} ms", slowest.as_millis())
    });
    let peak = running.peak();
    report.check(peak < MEMORY, || format!("{} MB resident", peak >> 20));
    running.stop().await?;
    Ok(report)
}

/// A public website with as many long paths as an answer may have rows, and a link.
async fn prepare(house: &House) -> anyhow::Result<()> {
    let publish = json!({ "id": house.website, "isPublic": true });
    house.call("/websites/togglePublic", &publish).await?;
    let link = json!({ "slug": "flood", "name": "l", "targetUrl": "https://example.com/" });
    house.call("/links/create", &link).await?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis() as u64;
    let http = Client::new();
    let url = format!("{}/batch?client_id={}", house.track(), house.website);
    for first in (0..PATHS).step_by(500) {
        let views = (first..first + 500).map(|n| view(n, now - (n as u64 % 30) * DAY_MS));
        let answer = http.post(&url).header("x-api-key", &house.key);
        let answer = answer.json(&views.collect::<Vec<_>>()).send().await?;
        ensure!(answer.status() == 200, "{}", answer.text().await?);
    }
    Ok(())
}

fn view(n: usize, time: u64) -> Value {
    let path = format!("https://localhost/{n:06}/");
    let rest = "p".repeat(PATH_LENGTH - path.len());
    json!({
        "eventId": format!("f{n}"), "name": "screen_view", "timestamp": time,
        "anonymousId": format!("v{n}"), "sessionId": format!("s{n}"), "path": format!("{path}{rest}"),
    })
}

/// A kind of request, and a status that at least one of them is answered with.
struct Kind {
    name: &'static str,
    expected: u16,
    request: RequestBuilder,
}

/// Every kind that somebody without a key or a session can send, as large as it may be.
#[expect(clippy::too_many_lines, reason = "a table of requests")]
fn kinds(house: &House, setting: &Setting) -> anyhow::Result<Vec<Kind>> {
    let http = Client::builder().redirect(Policy::none()).build()?;
    let (base, track) = (house.base(), house.track());
    let website = &house.website;
    let query = format!("{base}/v1/query?website_id={website}");
    let compile = format!("{base}/v1/query/compile?website_id={website}");
    let bodies = if setting.long { 50 } else { 5 };
    let batch = Value::Array((0..bodies).map(|n| question(n * 100, 10_000)).collect());
    // Its answer is as large as one may be.
    let full = json!({ "parameters": ["top_pages"], "preset": "last_90d", "limit": 1_900 });
    let event = json!({ "name": "n".repeat(256), "properties": { "p": "x".repeat(30_000) } });
    let events = fill(&event)?;
    let exported = json!({
        "timestamp": 1, "path": "https://localhost/", "metricName": "LCP", "metricValue": 1,
    });
    let packed = pack(&events)?;
    let properties = format!("{{\"p\":\"{}\"}}", "x".repeat(6_000));
    let post = |url: String, body: Vec<u8>| {
        let request = http.post(url).header("content-type", "application/json");
        request.body(body)
    };
    let track_url = format!("{track}/track?website_id={website}");
    let json_of = |value: &Value| serde_json::to_vec(value);
    let asked = [("clientId", website.as_str()), ("properties", &properties)];
    let flags = url::Url::parse_with_params(&format!("{base}/public/v1/flags/bulk"), asked)?;
    let flags = http.get(flags);
    let sign_in = json!({ "email": "a@example.com", "password": "p".repeat(128) });
    let all = [
        (
            "batch of queries",
            400,
            post(query.clone(), json_of(&batch)?),
        ),
        ("large query", 200, post(query, json_of(&full)?)),
        ("compile", 200, post(compile, json_of(&batch)?)),
        ("track", 200, post(track_url.clone(), events)),
        (
            "packed track",
            200,
            post(track_url, packed).header("content-encoding", "gzip"),
        ),
        (
            "vitals",
            400,
            post(
                format!("{track}/vitals?client_id={website}"),
                fill(&exported)?,
            ),
        ),
        ("flags", 200, flags),
        (
            "sign-in",
            401,
            post(format!("{base}/api/auth/sign-in/email"), json_of(&sign_in)?),
        ),
        (
            "OpenAPI document",
            200,
            http.get(format!("{base}/openapi.json")),
        ),
        ("guides", 200, http.get(format!("{base}/docs"))),
        (
            "public dashboard",
            200,
            http.get(format!("{base}/share/{website}")),
        ),
        (
            "redirect",
            302,
            http.get(format!("{}/flood", house.links())),
        ),
    ];
    let kind = |(name, expected, request)| Kind {
        name,
        expected,
        request,
    };
    Ok(all.into_iter().map(kind).collect())
}

/// A body of a hundred parameters, each with a range of its own, so that none is the same as another.
fn question(first: usize, limit: usize) -> Value {
    let parameters = (first..first + 100).map(|n| {
        let (year, month, day) = (2000 + n / 336, n / 28 % 12 + 1, n % 28 + 1);
        json!({
            "name": "top_pages", "id": format!("q{n}"),
            "start_date": format!("{year}-{month:02}-{day:02}"), "end_date": "2099-12-31",
        })
    });
    let parameters: Vec<Value> = parameters.collect();
    json!({ "parameters": parameters, "preset": "last_90d", "limit": limit })
}

/// An array of as many of these as a body may have.
fn fill(one: &Value) -> anyhow::Result<Vec<u8>> {
    let one = serde_json::to_vec(one)?;
    let count = (BODY - 2) / (one.len() + 1);
    let mut body = vec![b'['];
    body.extend(vec![one; count].join(&b','));
    body.push(b']');
    Ok(body)
}

fn pack(body: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(body)?;
    Ok(packed.finish()?)
}

/// Sends a request a hundred times at once and reads the answers to their ends; how often each status came.
async fn flood(request: &RequestBuilder, running: &Running) -> anyhow::Result<BTreeMap<u16, u64>> {
    let mut tasks = JoinSet::new();
    for _ in 0..AT_ONCE {
        let request = request.try_clone().context("a body that is a stream")?;
        tasks.spawn(async move {
            // A connection that is refused or cut is an answer, too.
            let Ok(mut answer) = request.send().await else {
                return 0;
            };
            while let Ok(Some(_)) = answer.chunk().await {}
            answer.status().as_u16()
        });
    }
    let mut counted = BTreeMap::new();
    while let Some(status) = tasks.join_next().await {
        *counted.entry(status?).or_insert(0) += 1;
    }
    ensure!(running.resident() > 0, "the program is gone");
    Ok(counted)
}

/// Asks for `/health` all the time, on a thread of its own: behind a hundred large bodies that are being sent, it would
/// measure the drill.
struct Health {
    stop: Arc<AtomicBool>,
    slowest: Arc<AtomicU64>,
    asking: JoinHandle<anyhow::Result<(u64, u64)>>,
}

impl Health {
    fn start(house: &House) -> Self {
        let (stop, slowest) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
        let url = format!("{}/health", house.base());
        let (stopped, longest) = (Arc::clone(&stop), Arc::clone(&slowest));
        let asking = thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            Ok(runtime.block_on(async {
                let http = Client::new();
                let (mut asked, mut failed) = (0, 0);
                while !stopped.load(Ordering::Relaxed) {
                    let begun = Watch::start();
                    let answer = http.get(&url).send().await;
                    asked += 1;
                    failed += u64::from(!answer.is_ok_and(|answer| answer.status() == 200));
                    longest.fetch_max(begun.elapsed().as_micros() as u64, Ordering::Relaxed);
                    tokio::time::sleep(LOOK).await;
                }
                (asked, failed)
            }))
        });
        Self {
            stop,
            slowest,
            asking,
        }
    }

    /// The slowest answer since the last call.
    fn slowest(&self) -> Duration {
        Duration::from_micros(self.slowest.swap(0, Ordering::Relaxed))
    }

    /// Ends it: how often it asked, and how often it failed.
    fn stop(self) -> anyhow::Result<(u64, u64)> {
        self.stop.store(true, Ordering::Relaxed);
        let outcome = self.asking.join();
        outcome.map_err(|_| anyhow!("asking for health panicked"))?
    }
}
