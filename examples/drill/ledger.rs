//! What the clients know, and what the program says of it afterwards.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::{program::House, report::Report, watch::Watch};

/// Events whose names begin alike and that are asked for at a time: the most rows that an answer has.
const PAGE: u64 = 10_000;

/// How long a starved machine may take for an answer.
const PATIENCE: Duration = Duration::from_mins(2);

/// An event's name and `eventId`.
pub(crate) fn name(number: u64) -> String {
    format!("e{}-{number}", number / PAGE)
}

/// Events that were sent, by number.
#[derive(Default)]
pub(crate) struct Ledger {
    acknowledged: Mutex<HashSet<u64>>,
    next: AtomicU64,
    /// Requests that were refused with 503.
    pub(crate) refused: AtomicU64,
    /// Answers that nobody may give.
    pub(crate) odd: Mutex<Vec<String>>,
}

impl Ledger {
    /// The next so many numbers, the first of them.
    pub(crate) fn take(&self, count: u64) -> u64 {
        self.next.fetch_add(count, Ordering::Relaxed)
    }

    /// These were answered with success.
    pub(crate) fn acknowledge(&self, numbers: impl IntoIterator<Item = u64>) {
        let mut known = self.acknowledged();
        known.extend(numbers);
    }

    /// How many were.
    pub(crate) fn count(&self) -> usize {
        self.acknowledged().len()
    }

    fn acknowledged(&self) -> std::sync::MutexGuard<'_, HashSet<u64>> {
        self.acknowledged
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares with what the program has.
    pub(crate) async fn settle(&self, house: &House) -> anyhow::Result<Balance> {
        // First: clients may go on meanwhile.
        let known = self.acknowledged().clone();
        let stored = self.stored(house).await?.rows;
        Ok(Balance {
            acknowledged: known.len(),
            stored: stored.len(),
            lost: known.iter().filter(|n| !stored.contains_key(n)).count(),
            doubled: stored.values().filter(|count| **count != 1).count(),
        })
    }

    /// [`Self::settle`], into the report.
    pub(crate) async fn report(&self, house: &House, report: &mut Report) -> anyhow::Result<()> {
        let balance = self.settle(house).await?;
        report.figure(balance.to_string());
        report.check(balance.acknowledged > 0, || {
            "nothing was acknowledged".to_owned()
        });
        report.check(balance.lost == 0, || format!("{} lost", balance.lost));
        report.check(balance.doubled == 0, || {
            format!("{} doubled", balance.doubled)
        });
        let odd = self.odd.lock().unwrap_or_else(PoisonError::into_inner);
        report.check(odd.is_empty(), || {
            format!("{} odd answers such as {}", odd.len(), odd[0])
        });
        Ok(())
    }
}

/// Acknowledged against stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Balance {
    pub(crate) acknowledged: usize,
    pub(crate) stored: usize,
    pub(crate) lost: usize,
    pub(crate) doubled: usize,
}

impl fmt::Display for Balance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            acknowledged,
            stored,
            lost,
            doubled,
        } = self;
        write!(
            formatter,
            "{acknowledged} acknowledged, {stored} stored, {lost} lost, {doubled} doubled"
        )
    }
}

/// What the program answers.
pub(crate) struct Stored {
    /// How often each number is there.
    pub(crate) rows: HashMap<u64, u64>,
    /// Files that it says are damaged.
    pub(crate) damaged: Vec<String>,
}

impl Ledger {
    /// Every stored event of the drill.
    pub(crate) async fn stored(&self, house: &House) -> anyhow::Result<Stored> {
        let mut stored = Stored {
            rows: HashMap::new(),
            damaged: Vec::new(),
        };
        let blocks = self.next.load(Ordering::Relaxed).div_ceil(PAGE);
        for block in 0..blocks {
            let alike = format!("e{block}-");
            let body = json!({
                "parameters": ["custom_events"], "preset": "last_7d", "limit": PAGE,
                "filters": [{ "field": "event_name", "op": "starts_with", "value": alike }],
            });
            let answer = ask_patiently(house, &body).await?;
            ensure!(
                answer["data"][0]["success"] == true,
                "{answer}, and the program said:\n{}",
                house.last_words()
            );
            for row in answer["data"][0]["data"].as_array().context("no rows")? {
                let number = row["name"]
                    .as_str()
                    .and_then(|name| name.strip_prefix(&alike));
                let number = number.context("a name that nobody sent")?.parse()?;
                let count = row["total_events"].as_u64().unwrap_or(0);
                *stored.rows.entry(number).or_default() += count;
            }
            let named = answer["meta"]["damaged_segments"].as_array();
            for file in named.into_iter().flatten().filter_map(Value::as_str) {
                if !stored.damaged.iter().any(|known| known == file) {
                    stored.damaged.push(file.to_owned());
                }
            }
        }
        Ok(stored)
    }
}

/// Asks again while the answer is that it took too long: what was read of a backlog is not read again.
async fn ask_patiently(house: &House, body: &Value) -> anyhow::Result<Value> {
    let begun = Watch::start();
    loop {
        let answer = ask(house, body).await?;
        let error = answer["data"][0]["error"].as_str().unwrap_or_default();
        if !error.contains("took longer") || begun.elapsed() > PATIENCE {
            return Ok(answer);
        }
    }
}

/// Asks about the website; the whole answer.
pub(crate) async fn ask(house: &House, body: &Value) -> anyhow::Result<Value> {
    let url = format!("{}/v1/query?website_id={}", house.base(), house.website);
    let http = reqwest::Client::new();
    let asked = http.post(url).header("x-api-key", &house.key).json(body);
    Ok(asked.send().await?.json().await?)
}
