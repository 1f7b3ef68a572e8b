//! The events' part of a migration.

use std::{fs, path::PathBuf};

use super::pass;
use crate::{
    actors::ingest::load_manifest,
    events::{
        clickhouse::ClickHouse,
        segments::{Manifest, aside},
        store::shipper::journal::Journal as Shipped,
        store_migration::{
            Checksums, CopyToClickHouse, CopyToSegments, clickhouse_checksums, segment_checksums,
        },
    },
    platform::{
        clickhouse,
        migration_journal::{Journal, MigrationReport, Plan, RowSum, STAGING},
        progress::Progress,
    },
    store::StateDb,
};

pub(super) enum EventMigration {
    /// Events stay where they are.
    None,
    /// Segments of the manifest go to `ClickHouse`.
    ToClickHouse(PathBuf, Manifest, ClickHouse),
    /// What `ClickHouse` has goes into segments; the log that it covers ends here.
    FromClickHouse(PathBuf, u64, ClickHouse),
}

impl EventMigration {
    /// Opens what is read and what is written.
    pub(super) async fn open(plan: &Plan<'_>, state: &StateDb, node: &str) -> anyhow::Result<Self> {
        if !plan.events {
            return Ok(Self::None);
        }
        let manifest = load_manifest(state.reader(), node).await?;
        if let Some(engine) = clickhouse::ready(plan.to).await? {
            let directory = plan.data_dir.join("segments");
            return Ok(Self::ToClickHouse(directory, manifest, engine));
        }
        let Some(engine) = clickhouse::ready(plan.from).await? else {
            return Ok(Self::None);
        };
        let directory = plan.data_dir.join(STAGING).join("segments");
        fs::create_dir_all(&directory)?;
        let shipped = Shipped::read(&plan.data_dir)?.unwrap_or_default();
        anyhow::ensure!(
            shipped.batch.is_none(),
            "a batch is on its way to ClickHouse: start the server once, stop it, and try again"
        );
        Ok(Self::FromClickHouse(
            directory,
            shipped.cursor.max(manifest.cursor),
            engine,
        ))
    }

    /// Carries what is not noted yet.
    pub(super) async fn copy(&self, plan: &Plan<'_>, journal: &mut Journal) -> anyhow::Result<()> {
        if journal.events_copied {
            return Ok(());
        }
        match self {
            Self::None => {}
            Self::ToClickHouse(directory, manifest, to) => {
                journal.cursor = manifest.cursor;
                let name = format!("move-{}", journal.name);
                let (name, sent) = (&name, journal.sent.clone());
                let way = CopyToClickHouse {
                    directory,
                    manifest,
                    to,
                    name,
                };
                let rows = manifest.segments.iter().map(|row| row.rows).sum();
                let mut progress = Progress::new(rows, "events");
                let noted = |sent, rows| {
                    journal.sent = sent;
                    journal.write(&plan.data_dir)?;
                    progress.advance(rows);
                    Ok(pass("move-batch")?)
                };
                way.run(&sent, noted).await?;
                progress.finish();
            }
            Self::FromClickHouse(directory, cursor, from) => {
                journal.cursor = *cursor;
                let done = Manifest {
                    segments: journal.written.clone(),
                    cursor: *cursor,
                    ..Manifest::default()
                };
                for stray in aside::strays(directory, &done)? {
                    fs::remove_file(stray)?;
                }
                let way = CopyToSegments {
                    from,
                    directory,
                    cursor: *cursor,
                };
                let rows: u64 = from.census().await?.values().sum();
                let mut progress = Progress::new(rows, "events");
                let noted = |written: Vec<_>, rows| {
                    progress.advance(rows);
                    if written.is_empty() {
                        return Ok(());
                    }
                    journal.written.extend(written);
                    journal.write(&plan.data_dir)?;
                    Ok(pass("move-batch")?)
                };
                way.run(&done.segments, noted).await?;
                progress.finish();
            }
        }
        journal.events_copied = true;
        Ok(journal.write(&plan.data_dir)?)
    }

    /// Reads every event on both sides.
    pub(super) async fn compare(
        &self,
        journal: &Journal,
        found: &mut MigrationReport,
    ) -> anyhow::Result<()> {
        let (from, to, twice) = match self {
            Self::None => return Ok(()),
            Self::ToClickHouse(directory, manifest, to) => {
                let from = segment_checksums(directory, &manifest.segments)?;
                let (to, twice) = clickhouse_checksums(to).await?;
                (from, to, twice)
            }
            Self::FromClickHouse(directory, _, from) => {
                let (from, _) = clickhouse_checksums(from).await?;
                (from, segment_checksums(directory, &journal.written)?, 0)
            }
        };
        found.wrong.extend(from.differences(&to));
        if twice > 0 {
            found
                .wrong
                .push(format!("{twice} rows are in ClickHouse twice"));
        }
        report(&from, found);
        Ok(())
    }
}

fn report(sums: &Checksums, found: &mut MigrationReport) {
    for (website, kind, sum) in sums.all() {
        let kinds = found.websites.entry(website).or_default();
        kinds.insert(kind.to_owned(), RowSum::new(sum.rows, sum.digest));
    }
    let kinds = sums.kinds().into_iter();
    let kinds = kinds.map(|(kind, sum)| (kind.to_owned(), RowSum::new(sum.rows, sum.digest)));
    found.kinds = kinds.collect();
}
