//! Whoever comes by in a day: readers of dashboards, followers of links, applications that ask for flags, and a website that
//! monitors look at.

use std::{
    collections::HashSet,
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    task::JoinSet,
};

use crate::{ledger::Ledger, program::House, report::Report};

/// How long everybody rests after an answer, and after none.
const REST: Duration = Duration::from_millis(50);
/// Types that dashboards ask for.
const TYPES: [&str; 6] = [
    "summary_metrics",
    "top_pages",
    "top_referrers",
    "custom_events",
    "country",
    "active_stats",
];

/// Whether an answer with 200 is one: questions say of themselves and of each of their parts when it is none.
fn is_answered(text: &str) -> bool {
    let Ok(body) = serde_json::from_str::<Value>(text) else {
        return false;
    };
    let parts = body["data"].as_array().into_iter().flatten();
    parts.chain([&body]).all(|part| part["success"] != false)
}

/// A website that is always up.
pub(crate) struct Target {
    pub(crate) url: String,
    checks: Arc<AtomicU64>,
    /// What was asked for, by the first line of the request: every monitor asks for another path.
    seen: Arc<Mutex<HashSet<String>>>,
}

impl Target {
    /// Answers from now on.
    pub(crate) async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let checks = Arc::new(AtomicU64::new(0));
        let seen: Arc<Mutex<HashSet<String>>> = Arc::default();
        let (counted, noted) = (Arc::clone(&checks), Arc::clone(&seen));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (counted, noted) = (Arc::clone(&counted), Arc::clone(&noted));
                tokio::spawn(async move {
                    let mut head = [0; 4_096];
                    if let Ok(read @ 1..) = stream.read(&mut head).await {
                        counted.fetch_add(1, Ordering::Relaxed);
                        note(&noted, &head[..read]);
                        let answer =
                            b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok";
                        // A probe that went away is no trouble of ours.
                        let _ = stream.write_all(answer).await;
                    }
                });
            }
        });
        Ok(Self { url, checks, seen })
    }

    /// How many different things were looked at.
    pub(crate) fn distinct(&self) -> usize {
        let seen = self.seen.lock();
        seen.unwrap_or_else(PoisonError::into_inner).len()
    }

    /// How often it was looked at.
    pub(crate) fn checks(&self) -> u64 {
        self.checks.load(Ordering::Relaxed)
    }
}

/// Notes what a request asks for.
fn note(seen: &Mutex<HashSet<String>>, head: &[u8]) {
    let head = String::from_utf8_lossy(head);
    let line = head.lines().next().unwrap_or_default().to_owned();
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    seen.insert(line);
}

/// How many were answered, by what they wanted.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    questions: AtomicU64,
    redirects: AtomicU64,
    flags: AtomicU64,
}

impl fmt::Display for Seen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
        let (questions, redirects, flags) = (
            count(&self.questions),
            count(&self.redirects),
            count(&self.flags),
        );
        write!(
            formatter,
            "{questions} questions, {redirects} redirects, {flags} flags"
        )
    }
}

impl Seen {
    /// What a drill with visitors demands: each kind was answered, once in every two seconds at least.
    pub(crate) fn judge(&self, length: Duration, report: &mut Report) {
        let floor = length.as_secs() / 2;
        for (what, count) in [
            ("questions", &self.questions),
            ("redirects", &self.redirects),
            ("flags", &self.flags),
        ] {
            let count = count.load(Ordering::Relaxed);
            report.check(count > floor, || {
                format!("only {count} {what} were answered, of more than {floor}")
            });
        }
    }
}

/// Everybody, until they are told to stop.
pub(crate) struct Visitors {
    tasks: JoinSet<()>,
    stop: Arc<AtomicBool>,
    seen: Arc<Seen>,
}

impl Visitors {
    /// Some of each kind.
    pub(crate) fn start(house: &House, ledger: &Arc<Ledger>, links: usize) -> Self {
        let mut visitors = Self {
            tasks: JoinSet::new(),
            stop: Arc::default(),
            seen: Arc::default(),
        };
        for nth in 0..2 {
            let url = format!("{}/v1/query?website_id={}", house.base(), house.website);
            let key = house.key.clone();
            visitors.come(
                ledger,
                |seen| &seen.questions,
                move |http, n| {
                    let kind = TYPES[(n + nth) % TYPES.len()];
                    let body = json!({ "parameters": [kind], "preset": "last_7d" });
                    http.post(&url).header("x-api-key", &key).json(&body)
                },
            );
        }
        let base = house.links();
        visitors.come(
            ledger,
            |seen| &seen.redirects,
            move |http, n| http.get(format!("{base}/day-{}", n % links.max(1))),
        );
        let url = format!(
            "{}/public/v1/flags/bulk?clientId={}",
            house.base(),
            house.website
        );
        visitors.come(
            ledger,
            |seen| &seen.flags,
            move |http, n| http.get(format!("{url}&userId=user-{}", n % 1_000)),
        );
        visitors
    }

    fn come(
        &mut self,
        ledger: &Arc<Ledger>,
        count: fn(&Seen) -> &AtomicU64,
        ask: impl Fn(&reqwest::Client, usize) -> reqwest::RequestBuilder + Send + 'static,
    ) {
        let (ledger, stop, seen) = (
            Arc::clone(ledger),
            Arc::clone(&self.stop),
            Arc::clone(&self.seen),
        );
        self.tasks.spawn(async move {
            let nowhere = reqwest::redirect::Policy::none();
            let Ok(http) = reqwest::Client::builder().redirect(nowhere).build() else {
                return;
            };
            let mut n = 0;
            while !stop.load(Ordering::Relaxed) {
                n += 1;
                // Nobody answers while it is dead.
                if let Ok(answer) = ask(&http, n).send().await {
                    let status = answer.status();
                    let told = answer.headers().contains_key("retry-after");
                    let url = answer.url().path().to_owned();
                    // Killed in the middle of it.
                    let Ok(text) = answer.text().await else {
                        continue;
                    };
                    let is_good = status.is_success() && is_answered(&text);
                    if is_good || status.is_redirection() {
                        count(&seen).fetch_add(1, Ordering::Relaxed);
                    } else if !status.is_success() && (status != 503 || !told) {
                        let mut odd = ledger.odd.lock().unwrap_or_else(PoisonError::into_inner);
                        odd.push(format!("{url}: {status} {text}"));
                    }
                }
                tokio::time::sleep(REST).await;
            }
        });
    }

    /// Ends them; what they got.
    pub(crate) async fn stop(mut self) -> Arc<Seen> {
        self.stop.store(true, Ordering::Relaxed);
        while self.tasks.join_next().await.is_some() {}
        self.seen
    }
}
