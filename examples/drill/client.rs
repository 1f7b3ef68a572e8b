//! Clients: they send events until they are told to stop, whether somebody is there or not, and keep the ledger.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{
    ledger::{Ledger, name},
    program::House,
    watch::Watch,
};

/// Events of a request.
const BATCH: u64 = 5;
/// How long a client waits before it tries again: shorter than it is asked to, a drill is in a hurry.
const AGAIN: Duration = Duration::from_millis(20);

/// Some clients at work.
pub(crate) struct Clients {
    tasks: JoinSet<()>,
    stop: Arc<AtomicBool>,
    latencies: Arc<Mutex<Vec<Duration>>>,
}

/// Where clients send to.
#[derive(Clone)]
struct Address {
    url: String,
    website: String,
    key: String,
}

impl Clients {
    /// Starts so many; every third of their requests is sent twice. A refused one is sent once more, as it asks to.
    pub(crate) fn start(house: &House, ledger: &Arc<Ledger>, count: usize) -> Self {
        Self::resting(house, ledger, count, Duration::ZERO)
    }

    /// [`Self::start`], each resting so long after every answer.
    pub(crate) fn resting(
        house: &House,
        ledger: &Arc<Ledger>,
        count: usize,
        rest: Duration,
    ) -> Self {
        let mut clients = Self {
            tasks: JoinSet::new(),
            stop: Arc::default(),
            latencies: Arc::default(),
        };
        let address = Address {
            url: format!("{}/track", house.track()),
            website: house.website.clone(),
            key: house.key.clone(),
        };
        for _ in 0..count {
            let (ledger, stop) = (Arc::clone(ledger), Arc::clone(&clients.stop));
            let (address, latencies) = (address.clone(), Arc::clone(&clients.latencies));
            clients.tasks.spawn(async move {
                let http = reqwest::Client::new();
                while !stop.load(Ordering::Relaxed) {
                    let first = ledger.take(BATCH);
                    for _ in 0..=usize::from(first.is_multiple_of(3)) {
                        let begun = Watch::start();
                        if !send(&http, &address, &ledger, first..first + BATCH).await {
                            tokio::time::sleep(AGAIN).await;
                            continue;
                        }
                        let mut taken = latencies.lock().unwrap_or_else(PoisonError::into_inner);
                        taken.push(begun.elapsed());
                        drop(taken);
                    }
                    if !rest.is_zero() {
                        tokio::time::sleep(rest).await;
                    }
                }
            });
        }
        clients
    }

    /// Ends them when their present request is answered.
    pub(crate) async fn stop(mut self) {
        self.stop.store(true, Ordering::Relaxed);
        while self.tasks.join_next().await.is_some() {}
    }

    /// The share of requests that took no longer, since the last call.
    pub(crate) fn latency(&self, share: f64) -> Duration {
        let mut taken = {
            let mut held = self
                .latencies
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *held)
        };
        taken.sort_unstable();
        let at = (taken.len() as f64 * share) as usize;
        taken
            .get(at.min(taken.len().saturating_sub(1)))
            .copied()
            .unwrap_or_default()
    }
}

/// Sends so many events in one request; whether it is answered.
async fn send(
    http: &reqwest::Client,
    address: &Address,
    ledger: &Ledger,
    numbers: std::ops::Range<u64>,
) -> bool {
    let events: Vec<Value> = numbers
        .clone()
        .map(|n| event(n, &address.website))
        .collect();
    let request = http.post(&address.url).header("x-api-key", &address.key);
    let Ok(answer) = request.json(&events).send().await else {
        return false;
    };
    match answer.status().as_u16() {
        200 => ledger.acknowledge(numbers),
        503 => {
            ledger.refused.fetch_add(1, Ordering::Relaxed);
            if !answer.headers().contains_key("retry-after") {
                odd(ledger, "503 without Retry-After".to_owned());
            }
            tokio::time::sleep(AGAIN).await;
        }
        // Both sides were paused in the middle of a request.
        408 => tokio::time::sleep(AGAIN).await,
        status => {
            let text = answer.text().await.unwrap_or_default();
            odd(ledger, format!("{status} {text}"));
        }
    }
    true
}

fn odd(ledger: &Ledger, text: String) {
    let mut odd = ledger.odd.lock().unwrap_or_else(PoisonError::into_inner);
    odd.push(text);
}

/// An event as it is sent.
pub(crate) fn event(number: u64, website: &str) -> Value {
    let name = name(number);
    json!({ "name": name, "eventId": name, "websiteId": website })
}

/// Sends events in one request; the answer's status and `Retry-After`, or `None` when nobody answers.
pub(crate) async fn send_once(
    house: &House,
    ledger: &Ledger,
    numbers: &[u64],
) -> Option<(u16, Option<String>)> {
    let events: Vec<Value> = numbers.iter().map(|n| event(*n, &house.website)).collect();
    let request = reqwest::Client::new().post(format!("{}/track", house.track()));
    let request = request.header("x-api-key", &house.key).json(&events);
    let answer = request.send().await.ok()?;
    let status = answer.status().as_u16();
    if status == 200 {
        ledger.acknowledge(numbers.iter().copied());
    }
    let after = answer.headers().get("retry-after");
    Some((
        status,
        after.and_then(|value| Some(value.to_str().ok()?.to_owned())),
    ))
}

/// Waits until something is so.
pub(crate) async fn until(
    what: &str,
    patience: Duration,
    mut so: impl AsyncFnMut() -> anyhow::Result<bool>,
) -> anyhow::Result<Duration> {
    let begun = Watch::start();
    while !so().await? {
        anyhow::ensure!(begun.elapsed() < patience, "it never happened: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(begun.elapsed())
}
