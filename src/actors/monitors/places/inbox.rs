//! Takes reports in, at whichever process they arrive: stored once, then acknowledged.
//!
//! A spool is counted by its probe, and its row says which report was stored last. Both are one transaction, so a report that
//! is sent again is known.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use sea_orm::{ActiveValue::Set, EntityTrait as _};

use super::{MAX_REPORTS, Probe, ReportBatch, repo, report::MAX_REPORT};
use crate::{
    actors::{monitors::MonitorError, seal::opaque_debug, validation::ValidationError},
    clock::{Clock, from_ms},
    entities::{self, monitor_probe, monitor_report},
    ids::ProbeId,
    store::StateDb,
};

/// A probe's last request is written at most this often, milliseconds.
const SEEN_EVERY_MS: i64 = 10_000;
const MAX_SPOOL: usize = 64;
/// Characters of what a program says of itself.
const MAX_TEXT: usize = 100;

/// What a probe's program says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Program {
    pub version: Option<String>,
    /// What it calls the machine.
    pub host: Option<String>,
}

/// When a probe was seen here, and when that was written, Unix milliseconds.
#[derive(Debug, Clone, Copy)]
struct Seen {
    at_ms: i64,
    written_ms: i64,
}

/// The way in of reports; cheap to clone.
#[derive(Clone)]
pub struct ProbeInbox {
    db: StateDb,
    clock: Clock,
    seen: Arc<Mutex<HashMap<ProbeId, Seen>>>,
}

opaque_debug!(ProbeInbox);

impl ProbeInbox {
    pub fn new(db: &StateDb, clock: Clock) -> Self {
        Self {
            db: db.for_domain("probe_reports"),
            clock,
            seen: Arc::default(),
        }
    }

    /// Notes that a probe is there. A failure only makes its last request older.
    pub async fn note_request(&self, probe: &ProbeId, program: Option<&Program>) {
        let now_ms = self.clock.now_ms();
        if !self.is_due(probe, now_ms) {
            return;
        }
        let mut row = monitor_probe::ActiveModel {
            last_seen_at: Set(Some(from_ms(now_ms))),
            ..Default::default()
        };
        if let Some(program) = program {
            row.version = Set(program.version.as_deref().map(cut));
            row.host = Set(program.host.as_deref().map(cut));
        }
        let noted = entities::update(self.db.writer(), probe.as_str(), row).await;
        if let Err(error) = noted {
            tracing::warn!(%error, probe = %probe, "the last request of a probe is not stored");
        }
    }

    fn is_due(&self, probe: &ProbeId, now_ms: i64) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let never = Seen {
            at_ms: now_ms,
            written_ms: i64::MIN / 2,
        };
        let own = seen.entry(probe.clone()).or_insert(never);
        own.at_ms = now_ms;
        let is_due = now_ms - own.written_ms >= SEEN_EVERY_MS;
        if is_due {
            own.written_ms = now_ms;
        }
        is_due
    }

    /// When a probe was seen by this process, Unix milliseconds.
    pub(in crate::actors::monitors) fn last_seen_ms(&self, probe: &str) -> Option<i64> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.get(probe).map(|own| own.at_ms)
    }

    /// Stores the reports of a batch that are new, and gives the number of the last one that is stored. Those that are too large
    /// count as lost. The probe is the one that sends them, with the token that it has.
    ///
    /// # Errors
    /// The token has ended, the batch is none, or the database is away.
    pub async fn take(&self, probe: &Probe, batch: ReportBatch) -> Result<i64, MonitorError> {
        check(&batch)?;
        let now_ms = self.clock.now_ms();
        let write = self.db.begin_blind().await?;
        let digest = probe.digest.to_hex();
        let row = repo::find(&*write, &probe.id).await?;
        let row = row.filter(|row| row.revoked_at.is_none() && row.digest == digest);
        let row = row.ok_or_else(|| MonitorError::ProbeRevoked(probe.id.clone()))?;
        let is_same = row.spool.as_deref() == Some(batch.spool.as_str());
        let known = if is_same { row.acknowledged } else { 0 };
        let last = known.max(batch.first - 1 + batch.reports.len() as i64);
        let mut lost = row.lost + (batch.first - 1 - known).max(0);
        let again = usize::try_from(known + 1 - batch.first).unwrap_or(0);
        let mut received = row.received;
        let mut rows = Vec::new();
        for report in batch.reports.iter().skip(again) {
            let report = report.get();
            if report.len() > MAX_REPORT {
                lost += 1;
                continue;
            }
            received += 1;
            rows.push(monitor_report::ActiveModel {
                probe_id: Set(probe.id.to_string()),
                number: Set(received),
                report: Set(report.to_owned()),
            });
        }
        if !rows.is_empty() {
            monitor_report::Entity::insert_many(rows)
                .exec_without_returning(&*write)
                .await?;
        }
        let row = monitor_probe::ActiveModel {
            spool: Set(Some(batch.spool)),
            acknowledged: Set(last),
            received: Set(received),
            lost: Set(lost),
            last_seen_at: Set(Some(from_ms(now_ms))),
            ..Default::default()
        };
        entities::update(&*write, probe.id.as_str(), row).await?;
        write.commit_quietly().await?;
        Ok(last)
    }
}

fn check(batch: &ReportBatch) -> Result<(), ValidationError> {
    let spool = &batch.spool;
    let is_name =
        (1..=MAX_SPOOL).contains(&spool.len()) && spool.bytes().all(|byte| byte.is_ascii_graphic());
    let message = "The spool's name has 1 to 64 characters";
    ValidationError::require(is_name, "spool", message)?;
    let is_number = (1..=i64::from(u32::MAX) << 16).contains(&batch.first);
    ValidationError::require(is_number, "first", "Reports are counted from 1")?;
    let fits = batch.reports.len() <= MAX_REPORTS;
    ValidationError::require(fits, "reports", "A request has at most 500 reports")
}

fn cut(text: &str) -> String {
    let plain = text.chars().filter(|c| !c.is_control());
    plain.take(MAX_TEXT).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{json, value::to_raw_value};

    use super::*;
    use crate::actors::{
        digest::Digest,
        monitors::places::stored_reports::{self, testing},
    };

    fn batch(texts: &[&str]) -> ReportBatch {
        let reports = texts.iter().map(|text| to_raw_value(&json!(text)).unwrap());
        ReportBatch {
            spool: "s".to_owned(),
            first: 1,
            reports: reports.collect(),
        }
    }

    #[tokio::test]
    async fn a_token_that_was_renewed_meanwhile_stores_nothing() {
        let (_directory, db) = testing::open(&["p"]).await;
        let inbox = ProbeInbox::new(&db, Clock::fixed(1_000));
        let before = testing::probe("p");
        let renewed = Probe {
            digest: Digest::from_secret("another"),
            ..before.clone()
        };
        repo::update(db.writer(), &renewed).await.unwrap();
        let refused = inbox.take(&before, batch(&["x"])).await;
        assert!(matches!(refused, Err(MonitorError::ProbeRevoked(_))));
        assert_eq!(inbox.take(&renewed, batch(&["x"])).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn a_report_that_is_too_large_is_lost_and_the_others_are_stored() {
        let (_directory, db) = testing::open(&["p"]).await;
        let inbox = ProbeInbox::new(&db, Clock::fixed(1_000));
        let large = "x".repeat(MAX_REPORT);
        let batch = batch(&["x", &large, "y"]);
        let probe = testing::probe("p");
        for _ in 0..2 {
            let last = inbox.take(&probe, batch.clone()).await.unwrap();
            assert_eq!(last, 3);
        }
        let row = repo::find(db.writer(), &probe.id).await.unwrap().unwrap();
        assert_eq!((row.received, row.lost), (2, 1));
        let read = stored_reports::load_new(db.writer(), &[testing::key("p", 0)]).await;
        let stored = read.unwrap().rows.into_iter().map(|row| row.report);
        assert_eq!(stored.collect::<Vec<_>>(), [r#""x""#, r#""y""#]);
    }
}
