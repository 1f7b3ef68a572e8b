//! What the storekeeper does to files, each time in the order that makes a crash anywhere harmless: write, commit, adopt.
//!
//! Seals are written in the mailbox. Longer work (merges, thinning out) is written beside it, and an [`Exchange`]
//! commits it in the mailbox, so no seal waits.

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use actix::Addr;

use super::{
    CountExpired, Env, Exchange, ExpiredRows, Ingest, IngestError, Mend, RetentionOutcome, Seal,
    SealNext, manifest,
};
use crate::{
    actors::kit::{Domain as _, Live, Unavailable},
    events::{
        deletion::DeletionTarget,
        segments::{Gone, Manifest, Retention, Rewritten, SegmentRow, Verdict},
        store::{Findings, Sealed},
    },
    store::state::StateError,
};

/// Seals all that there is; gives the number of segments.
pub(super) async fn seal(env: Env, _: Seal) -> Result<usize, IngestError> {
    if env.store.is_remote() {
        env.store.ship_all().await?;
        return Ok(0);
    }
    env.store.freeze().await;
    let mut segments = 0;
    while seal_next(env.clone(), SealNext).await? {
        segments += 1;
    }
    Ok(segments)
}

/// Seals the oldest closed generation; whether there was one.
pub(super) async fn seal_next(env: Env, _: SealNext) -> Result<bool, IngestError> {
    let begun = Instant::now();
    let Some(sealed) = env.store.seal().await? else {
        return Ok(false);
    };
    let committed = commit_seal(&env, &sealed).await;
    let manifest = reload_manifest(&env, committed, sealed.segment.as_slice()).await?;
    env.store.adopt(&manifest);
    let rows = sealed.segment.map_or(0, |row| row.rows);
    let duration_ms = begun.elapsed().as_millis() as u64;
    tracing::info!(events = rows, duration_ms, "sealed a generation");
    Ok(true)
}

async fn commit_seal(env: &Env, sealed: &Sealed) -> Result<(), StateError> {
    let write = env.state.begin().await?;
    let (version, lsns) = (env.store.snapshot().version, (sealed.from, sealed.cursor));
    let node = env.store.node();
    manifest::advance(&*write, &node, version, lsns).await?;
    if let Some(row) = &sealed.segment {
        manifest::insert(&*write, &env.clock, &node, row).await?;
    }
    write.commit().await
}

/// Work that exchanges segments, beside the mailbox.
pub(super) struct Upkeep {
    pub(super) env: Env,
    /// Where exchanges are committed.
    pub(super) address: Addr<Live<Ingest>>,
}

impl Upkeep {
    /// Merges segments if enough have gathered; whether it did.
    pub(super) async fn merge(self, at_rest: bool) -> Result<bool, IngestError> {
        let Some(merged) = self.env.store.compact(at_rest).await? else {
            return Ok(false);
        };
        let events: u64 = merged.segments.iter().map(|row| row.rows).sum();
        let (replaced, segments) = (merged.replaced.len(), merged.segments.len());
        self.exchange(merged.replaced, merged.segments).await?;
        tracing::info!(events, replaced, segments, "merged segments");
        Ok(true)
    }

    /// Deletes what is too old, by a clock that is plausible.
    pub(super) async fn retain(self) -> Result<RetentionOutcome, IngestError> {
        let retained = match self.env.last_run.check() {
            Ok(()) => self.delete_expired().await,
            Err(ahead) => Err(ahead.into()),
        };
        if let Err(error) = &retained {
            tracing::error!(%error, "events that are too old cannot be deleted");
        }
        retained
    }

    async fn delete_expired(&self) -> Result<RetentionOutcome, IngestError> {
        let (store, now) = (&self.env.store, self.env.clock.now_ms());
        let retention = Arc::new((self.env.retention)());
        if store.is_remote() {
            // ClickHouse deletes as it merges.
            store.retain(&retention).await?;
            return Ok(RetentionOutcome::default());
        }
        let expired = store.expired(&retention, now);
        let mut retained = RetentionOutcome {
            dropped: expired.whole.len(),
            rewritten: 0,
        };
        if retained.dropped > 0 {
            // First, because it writes nothing and frees most.
            self.exchange(expired.whole, Vec::new()).await?;
        }
        for segment in expired.parts {
            let id = segment.row.id.clone();
            let rewritten = store.thin_out(segment, Arc::clone(&retention), now);
            retained.rewritten += usize::from(self.replace(id, rewritten.await?).await?);
        }
        if retained != RetentionOutcome::default() {
            let RetentionOutcome { dropped, rewritten } = retained;
            tracing::info!(dropped, rewritten, "deleted events that are too old");
        }
        Ok(retained)
    }

    /// Erases every event of an organization, of things or of a person, what is not sealed yet included; how many rows, by
    /// kind.
    pub(super) async fn erase(self, target: DeletionTarget) -> Result<Gone, IngestError> {
        let store = &self.env.store;
        if store.is_remote() {
            return Ok(store.erase(&target).await?);
        }
        self.seal().await?;
        let mut erased = Gone::new();
        for segment in store.snapshot().segments.clone() {
            let id = segment.row.id.clone();
            let (rewritten, gone) = store.without(segment, target.clone()).await?;
            if self.replace(id, rewritten).await? {
                add(&mut erased, gone);
            }
        }
        Ok(erased)
    }

    /// How many rows [`Self::erase`] has taken away, of all kinds together.
    pub(super) async fn erase_rows(self, target: DeletionTarget) -> Result<u64, IngestError> {
        Ok(self.erase(target).await?.values().sum())
    }

    /// How many rows [`Self::erase`] would take away, by kind.
    pub(super) async fn count_target(self, target: DeletionTarget) -> Result<Gone, IngestError> {
        let store = &self.env.store;
        if store.is_remote() {
            return Ok(store.count_target(&target).await?);
        }
        self.seal().await?;
        let mut all = Gone::new();
        for segment in store.snapshot().segments.clone() {
            let gone = store.count_in_segment(segment, target.clone()).await?;
            add(&mut all, gone);
        }
        Ok(all)
    }

    /// How many rows of a website would be too old, by kind.
    pub(super) async fn count_expired(
        self,
        query: CountExpired,
    ) -> Result<ExpiredRows, IngestError> {
        let (store, now) = (&self.env.store, self.env.clock.now_ms());
        let own = || (self.env.retention)().of(query.website);
        let days = query.days.unwrap_or_else(own);
        if store.is_remote() {
            let gone = store.too_old_of(query.website, days, now).await?;
            return Ok(ExpiredRows { days, gone });
        }
        self.seal().await?;
        let retention = Arc::new(Retention {
            days: 0,
            websites: BTreeMap::from([(query.website, days)]),
        });
        let mut all = Gone::new();
        for segment in store.snapshot().segments.clone() {
            if retention.verdict(&segment.row, now) != Verdict::Keep {
                let gone = store.too_old(segment, Arc::clone(&retention), now);
                add(&mut all, gone.await?);
            }
        }
        Ok(ExpiredRows { days, gone: all })
    }

    /// Has everything that was acknowledged sealed.
    async fn seal(&self) -> Result<(), IngestError> {
        match self.address.send(Seal).await {
            Ok(sealed) => sealed.map(drop),
            // The domain is gone; what is sealed already stays.
            Err(_) => Ok(()),
        }
    }

    /// Puts what is left of a segment in its place; whether it changed.
    async fn replace(&self, id: String, rewritten: Rewritten) -> Result<bool, IngestError> {
        let written = match rewritten {
            Rewritten::Same => return Ok(false),
            Rewritten::Nothing => Vec::new(),
            Rewritten::Rest(row) => vec![row],
        };
        self.exchange(vec![id], written).await?;
        Ok(true)
    }

    /// Has an exchange committed; the files of one that cannot be are removed.
    async fn exchange(
        &self,
        replaced: Vec<String>,
        written: Vec<SegmentRow>,
    ) -> Result<(), IngestError> {
        let exchange = Exchange {
            replaced,
            written: written.clone(),
        };
        if let Ok(outcome) = self.address.send(exchange).await {
            return outcome;
        }
        self.env.store.discard(&written);
        Err(Unavailable::Restarting(Ingest::NAME).into())
    }
}

fn add(all: &mut Gone, gone: Gone) {
    for (kind, rows) in gone {
        *all.entry(kind).or_default() += rows;
    }
}

/// Commits an exchange of segments and shows it.
pub(super) async fn exchange(env: Env, exchange: Exchange) -> Result<(), IngestError> {
    let committed = commit_exchange(&env, &exchange).await;
    let manifest = reload_manifest(&env, committed, &exchange.written).await?;
    env.store.adopt(&manifest);
    Ok(())
}

async fn commit_exchange(env: &Env, exchange: &Exchange) -> Result<(), StateError> {
    let write = env.state.begin().await?;
    let snapshot = env.store.snapshot();
    let lsns = (snapshot.cursor, snapshot.cursor);
    let node = env.store.node();
    manifest::advance(&*write, &node, snapshot.version, lsns).await?;
    manifest::remove(&*write, &exchange.replaced).await?;
    for row in &exchange.written {
        manifest::insert(&*write, &env.clock, &node, row).await?;
    }
    write.commit().await
}

/// Names damaged segments in the manifest and moves their files away; takes restored ones back. How many changed.
pub(super) async fn mend(env: Env, _: Mend) -> Result<usize, IngestError> {
    let found = env.store.examine().await?;
    let Findings { damaged, restored } = &found;
    if found == Findings::default() {
        return Ok(0);
    }
    let committed = commit_findings(&env, &found).await;
    let manifest = reload_manifest(&env, committed, &[]).await?;
    env.store.set_aside(damaged);
    env.store.adopt(&manifest);
    for id in damaged {
        tracing::error!(
            segment = id,
            "a damaged segment is in `segments/quarantine`: copy it back from a backup to `segments` under its name"
        );
    }
    for id in restored {
        tracing::info!(segment = id, "a segment is whole again and counts");
    }
    Ok(damaged.len() + restored.len())
}

async fn commit_findings(env: &Env, found: &Findings) -> Result<(), StateError> {
    let write = env.state.begin().await?;
    manifest::mark(&*write, &found.damaged, true).await?;
    manifest::mark(&*write, &found.restored, false).await?;
    write.commit().await
}

/// The manifest after a commit. A refused one takes its files with it; after a successful one, memory is behind until
/// the manifest is read again. A failure of that is an unknown outcome: boot has to find the truth.
async fn reload_manifest(
    env: &Env,
    committed: Result<(), StateError>,
    written: &[SegmentRow],
) -> Result<Manifest, IngestError> {
    if let Err(error) = committed {
        if !error.outcome_unknown() {
            env.store.discard(written);
        }
        return Err(error.into());
    }
    let manifest = manifest::load(env.state.writer(), &env.store.node()).await;
    let manifest = manifest.map_err(StateError::Unknown)?;
    env.store.note(&manifest).await;
    Ok(manifest)
}
