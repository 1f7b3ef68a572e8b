//! Threat T17: the twenty most expensive questions of the catalogue, all at once, again and again, by a caller without
//! limits. Meanwhile ingestion and health answer as fast as they should, memory stays, and nothing is lost.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, ensure};
use reqwest::Client;
use serde_json::{Value, json};
use tokio::{task::JoinSet, time::MissedTickBehavior};

use crate::{Setting, client::until, program::House, report::Report, watch::Watch};

/// Questions at a time.
const QUESTIONS: usize = 20;
/// Within this, ingestion and health are answered, but for one in a hundred.
const SOON: Duration = Duration::from_millis(100);
/// Memory that it may take, bytes: the engine's is a part of it.
const MEMORY: u64 = 512 << 20;
/// The engine's own.
const ENGINE: &str = "128M";
/// Events of a request.
const BATCH: u64 = 500;
const DAY_MS: u64 = 86_400_000;
const PATIENCE: Duration = Duration::from_mins(2);

pub(crate) async fn run(setting: &Setting) -> anyhow::Result<Report> {
    let mut report = Report::new("T17 worst queries");
    let mut settings = vec![
        // What was answered before must not make it easy.
        ("PHAROS__QUERY__CACHE", "0"),
        ("PHAROS__QUERY__MEMORY", ENGINE),
    ];
    if !setting.long {
        settings.push(("PHAROS_DRILL_SEAL_ROWS", "2000"));
    }
    if setting.sabotage {
        // Ingestion is not spared.
        settings.push(("PHAROS__LIMITS__TRACK_REQUESTS", "40"));
    }
    let house = Arc::new(House::new(setting, None, &settings)?);
    let running = house.start().await?;
    let events = if setting.long { 1_000_000 } else { 6_000 };
    fill(&house, events).await?;
    let questions = worst(&house).await?;
    let length = Duration::from_secs(if setting.long { 60 } else { 3 });
    let rate = if setting.long { 500 } else { 20 };
    let calm = probe(&house, rate, length / 4).await?;
    let before = running.resident();

    let attack = Attack::start(&house, &questions);
    let busy = probe(&house, rate, length).await?;
    let answers = attack.stop().await?;
    let peak = running.peak();

    report.figure(format!(
        "{events} events, {} of the slowest kinds of question ({:.2} to {:.2} s alone) at a time for {} s: {answers:?}",
        questions.len(),
        questions.last().map_or(0.0, |last| last.alone.as_secs_f64()),
        questions.first().map_or(0.0, |first| first.alone.as_secs_f64()),
        length.as_secs(),
    ));
    report.figure(format!(
        "p99 at {rate} events/s: {calm} before and {busy} meanwhile"
    ));
    report.figure(format!(
        "{} MB resident before, {} at the peak",
        before >> 20,
        peak >> 20
    ));
    judge(&mut report, setting, &answers, (&calm, &busy), &house);
    report.check(questions.len() == QUESTIONS, || {
        "too few questions".to_owned()
    });
    report.check(peak < MEMORY, || format!("{} MB resident", peak >> 20));
    // Nobody has left a place taken, and everything that was acknowledged is there.
    let free = async || Ok(house.metric("pharos_queries_running").await? == 0.0);
    until("an idle engine", PATIENCE, free).await?;
    let (sent, stored) = (calm.taken + busy.taken, stored(&house).await?);
    // What nobody waited for to the end may be there as well.
    report.check(sent <= stored, || {
        format!("{sent} events taken and {stored} stored")
    });
    running.stop().await?;
    Ok(report)
}

/// What has to hold of the answers, and of those to everybody else.
fn judge(
    report: &mut Report,
    setting: &Setting,
    answers: &BTreeMap<String, u64>,
    (calm, busy): (&Probe, &Probe),
    house: &House,
) {
    report.check(answers.contains_key("answered"), || {
        "no question was answered".to_owned()
    });
    let odd = answers.keys().filter(|what| what.starts_with("odd"));
    let odd: Vec<&String> = odd.collect();
    report.check(odd.is_empty(), || {
        let said = house.lines_with("was not answered");
        format!("answers that there are not: {odd:?}, of {said:#?}")
    });
    report.check(calm.is_well() && busy.is_well(), || {
        "events or health refused".to_owned()
    });
    report.check(!setting.timed() || busy.track < SOON, || {
        "ingestion was slow".to_owned()
    });
    report.check(!setting.timed() || busy.health < SOON, || {
        "health was slow".to_owned()
    });
}

/// Stores events of 90 days in which nearly everything is different: pages, people, campaigns, properties.
async fn fill(house: &Arc<House>, events: u64) -> anyhow::Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis() as u64;
    let next = Arc::new(Mutex::new(0));
    let mut tasks = JoinSet::new();
    for _ in 0..8 {
        let (house, next) = (Arc::clone(house), Arc::clone(&next));
        tasks.spawn(async move {
            let http = Client::new();
            loop {
                let first = {
                    let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
                    *next += BATCH;
                    *next - BATCH
                };
                if first >= events {
                    return anyhow::Ok(());
                }
                let custom = (first / BATCH).is_multiple_of(4);
                let time = |n: u64| now - (n * 9_973 % events) * 90 * DAY_MS / events;
                let sent = (first..first + BATCH).map(|n| event(&house, n, time(n), custom));
                let url = if custom {
                    "/track?website_id="
                } else {
                    "/batch?client_id="
                };
                let url = format!("{}{url}{}", house.track(), house.website);
                let sent = Value::Array(sent.collect());
                let answer = http.post(url).json(&sent).send().await?;
                ensure!(answer.status() == 200, "{}", answer.text().await?);
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(())
}

fn event(house: &House, n: u64, time: u64, custom: bool) -> Value {
    let (visitor, session) = (format!("v{}", n / 8), format!("s{}", n / 3));
    if custom {
        return json!({
            "name": format!("e{}", n % 997), "anonymousId": visitor, "sessionId": session, "timestamp": time,
            "websiteId": house.website, "properties": { format!("k{}", n % 50): format!("v{n}") },
        });
    }
    json!({
        "eventId": format!("w{n}"), "name": if n % 3 == 2 { "page_exit" } else { "screen_view" }, "time_on_page": n % 900,
        "anonymousId": visitor, "sessionId": session, "timestamp": time, "title": format!("Page {n}"),
        "path": format!("https://localhost/{}/{}", n % 89, n / 2), "referrer": format!("https://r{}.example/", n % 4_999),
        "utm_source": format!("u{}", n % 499), "utm_campaign": format!("c{}", n % 2_999),
    })
}

/// A question, and how long it takes when nobody else asks.
struct Question {
    body: Value,
    alone: Duration,
}

/// The questions that take longest over all rows, grouped by what has most values.
async fn worst(house: &House) -> anyhow::Result<Vec<Question>> {
    let http = Client::new();
    let types = http
        .get(format!("{}/v1/query/types", house.base()))
        .send()
        .await?;
    let types: Value = types.json().await?;
    let configs = types["configs"].as_object().context("no types")?;
    let mut found = Vec::new();
    for (name, config) in configs {
        let mut body = json!({ "parameters": [name], "preset": "last_90d", "limit": 10_000 });
        if config["customizable"] == true {
            body["groupBy"] = json!(["path", "session_id", "anonymous_id"]);
        }
        let begun = Watch::start();
        if ask(&http, house, &body, true).await? == "answered" {
            let alone = begun.elapsed();
            found.push(Question { body, alone });
        }
    }
    found.sort_by_key(|question| std::cmp::Reverse(question.alone));
    found.truncate(QUESTIONS);
    Ok(found)
}

/// What a question came to, in a word. Without a website it is about the key's organization.
async fn ask(http: &Client, house: &House, body: &Value, website: bool) -> anyhow::Result<String> {
    let mut url = format!("{}/v1/query", house.base());
    if website {
        url = format!("{url}?website_id={}", house.website);
    }
    let asked = http.post(url).header("x-api-key", &house.key).json(body);
    let answer = asked.send().await?;
    let status = answer.status().as_u16();
    let answer: Value = answer.json().await?;
    let error = answer["data"][0]["error"].as_str().unwrap_or_default();
    Ok(match status {
        200 if answer["data"][0]["success"] == true => "answered".to_owned(),
        200 if error.contains("longer than") => "too long".to_owned(),
        200 if error.contains("memory") => "too large".to_owned(),
        200 if error.contains("Too many") => "no place".to_owned(),
        200 if error.contains("needs a") || error.contains("is about") => "not asked".to_owned(),
        503 => "503".to_owned(),
        _ => format!("odd: {status} {error}"),
    })
}

/// Askers at work.
struct Attack {
    tasks: JoinSet<anyhow::Result<Vec<String>>>,
    stop: Arc<AtomicBool>,
}

impl Attack {
    fn start(house: &Arc<House>, questions: &[Question]) -> Self {
        let mut attack = Self {
            tasks: JoinSet::new(),
            stop: Arc::default(),
        };
        for (at, question) in questions.iter().enumerate() {
            let (house, stop) = (Arc::clone(house), Arc::clone(&attack.stop));
            let body = question.body.clone();
            attack.tasks.spawn(async move {
                let http = Client::new();
                let mut came = Vec::new();
                // A website has eight places, its organization has others.
                while !stop.load(Ordering::Relaxed) {
                    came.push(ask(&http, &house, &body, at % 2 == 0).await?);
                }
                Ok(came)
            });
        }
        attack
    }

    /// What all questions came to.
    async fn stop(mut self) -> anyhow::Result<BTreeMap<String, u64>> {
        self.stop.store(true, Ordering::Relaxed);
        let mut counted = BTreeMap::new();
        while let Some(came) = self.tasks.join_next().await {
            for what in came?? {
                *counted.entry(what).or_default() += 1;
            }
        }
        Ok(counted)
    }
}

/// What ingestion and health were like.
struct Probe {
    track: Duration,
    health: Duration,
    taken: u64,
    refused: u64,
}

impl Probe {
    fn is_well(&self) -> bool {
        self.refused == 0 && self.taken > 0
    }
}

impl std::fmt::Display for Probe {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ms = |took: Duration| took.as_secs_f64() * 1e3;
        write!(
            formatter,
            "{:.1} ms /track, {:.1} ms /health",
            ms(self.track),
            ms(self.health)
        )
    }
}

/// Sends events at a steady rate, and asks for health a tenth as often. Times count from the moment at which a request
/// was due, so that nobody waits for a slow answer before asking again.
async fn probe(house: &Arc<House>, rate: u32, length: Duration) -> anyhow::Result<Probe> {
    let track = format!("{}/track", house.track());
    let event = json!({ "name": "probe", "websiteId": house.website });
    let event = Client::new()
        .post(track)
        .header("x-api-key", &house.key)
        .json(&event);
    let health = Client::new().get(format!("{}/health", house.base()));
    let (track, health) = tokio::join!(
        steady(event, rate, length),
        steady(health, (rate / 10).max(1), length)
    );
    let (track, health) = (track?, health?);
    let refused = |all: &[(u16, Duration)]| all.iter().filter(|(status, _)| *status != 200).count();
    let refusals = refused(&track) + refused(&health);
    Ok(Probe {
        taken: (track.len() - refused(&track)) as u64,
        refused: refusals as u64,
        track: p99(track),
        health: p99(health),
    })
}

async fn steady(
    request: reqwest::RequestBuilder,
    rate: u32,
    length: Duration,
) -> anyhow::Result<Vec<(u16, Duration)>> {
    let mut due = tokio::time::interval(Duration::from_secs(1) / rate);
    due.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let begun = Watch::start();
    let mut tasks = JoinSet::new();
    while begun.elapsed() < length {
        due.tick().await;
        let at = Watch::start();
        let request = request.try_clone().context("a body that is a stream")?;
        tasks.spawn(async move {
            let answer = request.send().await?;
            let status = answer.status().as_u16();
            answer.bytes().await?;
            anyhow::Ok((status, at.elapsed()))
        });
    }
    let mut came = Vec::new();
    while let Some(answer) = tasks.join_next().await {
        came.push(answer??);
    }
    Ok(came)
}

fn p99(answers: Vec<(u16, Duration)>) -> Duration {
    let mut took: Vec<Duration> = answers.into_iter().map(|(_, took)| took).collect();
    took.sort_unstable();
    took.get(took.len() * 99 / 100).copied().unwrap_or_default()
}

/// How many events of the probes are stored.
async fn stored(house: &House) -> anyhow::Result<u64> {
    let filter = json!([{ "field": "event_name", "op": "eq", "value": "probe" }]);
    let body = json!({ "parameters": ["custom_events"], "preset": "last_7d", "filters": filter });
    let answer = crate::ledger::ask(house, &body).await?;
    let rows = answer["data"][0]["data"].as_array().context("no rows")?;
    Ok(rows
        .iter()
        .filter_map(|row| row["total_events"].as_u64())
        .sum())
}
