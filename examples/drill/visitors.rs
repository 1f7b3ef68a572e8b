//! Whoever comes by in a day: readers of dashboards, followers of links, applications that ask for flags, and a website that
//! monitors look at.

use std::{
    fmt,
    sync::{
        Arc, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    task::JoinSet,
};

use crate::{ledger::Ledger, program::House};

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

/// A website that is always up.
pub(crate) struct Target {
    pub(crate) url: String,
    checks: Arc<AtomicU64>,
}

impl Target {
    /// Answers from now on.
    pub(crate) async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let checks = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&checks);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let counted = Arc::clone(&counted);
                tokio::spawn(async move {
                    let mut head = [0; 4_096];
                    if stream.read(&mut head).await.is_ok_and(|read| read > 0) {
                        counted.fetch_add(1, Ordering::Relaxed);
                        let answer =
                            b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok";
                        // A probe that went away is no trouble of ours.
                        let _ = stream.write_all(answer).await;
                    }
                });
            }
        });
        Ok(Self { url, checks })
    }

    /// How often it was looked at.
    pub(crate) fn checks(&self) -> u64 {
        self.checks.load(Ordering::Relaxed)
    }
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
                    if status.is_success() || status.is_redirection() {
                        count(&seen).fetch_add(1, Ordering::Relaxed);
                    } else if status != 503 || !told {
                        let text = answer.text().await.unwrap_or_default();
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
