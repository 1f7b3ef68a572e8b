//! What the storekeeper does to files, each time in the order that makes a crash anywhere harmless: write, commit, adopt.
//!
//! Seals are written in the actor's turn. What takes longer (merges, thinning out) is written beside it, so that no seal
//! waits, and comes back as an [`Exchange`], which is committed in a turn.

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use actix::Addr;

use super::{
    CountExpired, Exchange, Expired, IngestError, Mend, Retained, Seal, SealNext, env::Env,
    manifest,
};
use crate::{
    actors::kit::{Live, Unavailable},
    events::{
        deletion::DeletionTarget,
        segments::{Manifest, RetentionPolicy, Rewrite, RowCounts, SegmentRow, Verdict},
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
    let manifest = settled(&env, committed, sealed.segment.as_slice()).await?;
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

/// Merges segments if enough have gathered; whether it did.
pub(super) async fn merge(
    env: Env,
    address: Addr<Live<super::Ingest>>,
    at_rest: bool,
) -> Result<bool, IngestError> {
    let Some(merged) = env.store.compact(at_rest).await? else {
        return Ok(false);
    };
    let events: u64 = merged.segments.iter().map(|row| row.rows).sum();
    let (replaced, segments) = (merged.replaced.len(), merged.segments.len());
    let exchange = Exchange {
        replaced: merged.replaced,
        written: merged.segments,
    };
    exchanged(&env, &address, exchange).await?;
    tracing::info!(events, replaced, segments, "merged segments");
    Ok(true)
}

/// Deletes what is too old.
pub(super) async fn retain(
    env: Env,
    address: Addr<Live<super::Ingest>>,
) -> Result<Retained, IngestError> {
    let (retention, now) = (Arc::new((env.retention)()), env.clock.now_ms());
    if env.store.is_remote() {
        // ClickHouse deletes as it merges.
        env.store.set_retention(&retention).await?;
        return Ok(Retained::default());
    }
    let expired = env.store.find_expired(&retention, now);
    let mut retained = Retained {
        dropped: expired.whole.len(),
        rewritten: 0,
    };
    if retained.dropped > 0 {
        // First, because it writes nothing and frees most.
        let exchange = Exchange {
            replaced: expired.whole,
            written: Vec::new(),
        };
        exchanged(&env, &address, exchange).await?;
    }
    for segment in expired.parts {
        let replaced = vec![segment.row.id.clone()];
        let written = match env
            .store
            .delete_expired(segment, Arc::clone(&retention), now)
            .await?
        {
            Rewrite::Same => continue,
            Rewrite::Empty => Vec::new(),
            Rewrite::Rest(row) => vec![row],
        };
        exchanged(&env, &address, Exchange { replaced, written }).await?;
        retained.rewritten += 1;
    }
    if retained != Retained::default() {
        let Retained { dropped, rewritten } = retained;
        tracing::info!(dropped, rewritten, "deleted events that are too old");
    }
    Ok(retained)
}

/// Erases every event of an organization, of things or of a person, what is not sealed yet included; how many rows, by kind.
pub(super) async fn erase(
    env: Env,
    address: Addr<Live<super::Ingest>>,
    target: DeletionTarget,
) -> Result<RowCounts, IngestError> {
    if env.store.is_remote() {
        return Ok(env.store.erase(&target).await?);
    }
    sealed(&address).await?;
    let mut erased = RowCounts::new();
    for segment in env.store.snapshot().segments.clone() {
        let id = segment.row.id.clone();
        let (rewritten, gone) = env.store.delete_target(segment, target.clone()).await?;
        let written = match rewritten {
            Rewrite::Same => continue,
            Rewrite::Empty => Vec::new(),
            Rewrite::Rest(row) => vec![row],
        };
        let replaced = vec![id];
        exchanged(&env, &address, Exchange { replaced, written }).await?;
        add(&mut erased, gone);
    }
    Ok(erased)
}

/// How many rows [`erase`] has taken away, of all kinds together.
pub(super) async fn erase_rows(
    env: Env,
    address: Addr<Live<super::Ingest>>,
    target: DeletionTarget,
) -> Result<u64, IngestError> {
    Ok(erase(env, address, target).await?.values().sum())
}

/// How many rows [`erase`] would take away, by kind.
pub(super) async fn count_target(
    env: Env,
    address: Addr<Live<super::Ingest>>,
    target: DeletionTarget,
) -> Result<RowCounts, IngestError> {
    if env.store.is_remote() {
        return Ok(env.store.count_target(&target).await?);
    }
    sealed(&address).await?;
    let mut all = RowCounts::new();
    for segment in env.store.snapshot().segments.clone() {
        add(
            &mut all,
            env.store
                .count_target_in_segment(segment, target.clone())
                .await?,
        );
    }
    Ok(all)
}

/// How many rows of a website would be too old, by kind.
pub(super) async fn too_old(
    env: Env,
    address: Addr<Live<super::Ingest>>,
    asked: CountExpired,
) -> Result<Expired, IngestError> {
    let now = env.clock.now_ms();
    let days = asked.days;
    let days = days.unwrap_or_else(|| (env.retention)().days(asked.website));
    if env.store.is_remote() {
        let gone = env.store.count_expired(asked.website, days, now).await?;
        return Ok(Expired { days, gone });
    }
    sealed(&address).await?;
    let retention = Arc::new(RetentionPolicy {
        days: 0,
        websites: BTreeMap::from([(asked.website, days)]),
    });
    let mut all = RowCounts::new();
    for segment in env.store.snapshot().segments.clone() {
        if retention.verdict(&segment.row, now) != Verdict::Keep {
            let gone = env
                .store
                .count_expired_in_segment(segment, Arc::clone(&retention), now);
            add(&mut all, gone.await?);
        }
    }
    Ok(Expired { days, gone: all })
}

/// Everything that was acknowledged is in segments.
async fn sealed(address: &Addr<Live<super::Ingest>>) -> Result<(), IngestError> {
    match address.send(Seal).await {
        Ok(sealed) => sealed.map(drop),
        // Nobody takes it any more; what is there is there.
        Err(_) => Ok(()),
    }
}

fn add(all: &mut RowCounts, gone: RowCounts) {
    for (kind, rows) in gone {
        *all.entry(kind).or_default() += rows;
    }
}

/// Has an exchange committed; one that nobody takes any more takes its file with it.
async fn exchanged(
    env: &Env,
    address: &Addr<Live<super::Ingest>>,
    exchange: Exchange,
) -> Result<(), IngestError> {
    let written = exchange.written.clone();
    if let Ok(outcome) = address.send(exchange).await {
        return outcome;
    }
    env.store.discard(&written);
    Err(Unavailable::Restarting("ingest").into())
}

/// Commits an exchange of segments and shows it.
pub(super) async fn exchange(env: Env, exchange: Exchange) -> Result<(), IngestError> {
    let committed = commit_exchange(&env, &exchange).await;
    let manifest = settled(&env, committed, &exchange.written).await?;
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
    let manifest = settled(&env, committed, &[]).await?;
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

/// The manifest after a commit. A refused one takes its files with it; after one that happened the memory is behind
/// until the manifest is read again, so that failing to is an unknown outcome: boot has to find the truth.
async fn settled(
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
