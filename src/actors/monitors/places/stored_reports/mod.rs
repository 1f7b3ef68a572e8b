//! The table of reports, which are stored until they are part of a slot.

use std::collections::HashMap;

use sea_orm::{Condition, QueryOrder as _, QuerySelect as _, prelude::*};
use serde::Deserialize;

use crate::{
    entities::{monitor_probe, monitor_report},
    ids::ProbeId,
};

/// Reports of a probe that are read at once.
const MAX_EACH: u64 = 100;
/// Bytes of reports after which the other probes wait for the next read.
const MAX_BYTES: usize = 4 << 20;
/// Reports of one statement.
const AT_ONCE: usize = 400;

/// A report of a probe, by its number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::actors::monitors) struct ReportKey {
    pub(in crate::actors::monitors) probe: ProbeId,
    pub(in crate::actors::monitors) number: i64,
}

/// What says whether a report is ahead.
#[derive(Deserialize)]
struct ReportSlot {
    /// Unix milliseconds.
    slot: i64,
}

/// Reports that were not read before, those of each probe in their order.
#[derive(Debug, Default)]
pub(in crate::actors::monitors) struct NewReports {
    pub(in crate::actors::monitors) rows: Vec<monitor_report::Model>,
    /// The last reports of the probes that were read to the end.
    pub(in crate::actors::monitors) ends: Vec<ReportKey>,
    /// Whether more are stored.
    pub(in crate::actors::monitors) has_more: bool,
}

/// Reads reports that have waited for their slots, and new ones ([`load_new`]).
pub(in crate::actors::monitors) async fn load(
    db: &impl ConnectionTrait,
    due: &[ReportKey],
    read: &[ReportKey],
) -> Result<(Vec<monitor_report::Model>, NewReports), DbErr> {
    Ok((load_again(db, due).await?, load_new(db, read).await?))
}

/// Reads reports behind the last ones that were read, which are given in the order of the probes' turns. Each probe gets a
/// handful, and no probe has to wait for the end of another one's reports.
pub(super) async fn load_new(
    db: &impl ConnectionTrait,
    read: &[ReportKey],
) -> Result<NewReports, DbErr> {
    let (mut new, mut bytes) = (NewReports::default(), 0);
    // Read first: all reports up to these numbers can be seen from now on.
    let received = load_received(db).await?;
    for last in read {
        let number = received.get(last.probe.as_str()).copied().unwrap_or(0);
        if number <= last.number {
            continue;
        }
        if bytes >= MAX_BYTES {
            new.has_more = true;
            break;
        }
        let rows = load_behind(db, last).await?;
        if rows.len() as u64 == MAX_EACH {
            new.has_more = true;
        } else {
            let probe = last.probe.clone();
            new.ends.push(ReportKey { probe, number });
        }
        bytes += rows.iter().map(|row| row.report.len()).sum::<usize>();
        new.rows.extend(rows);
    }
    Ok(new)
}

/// How many reports each probe has sent.
async fn load_received(db: &impl ConnectionTrait) -> Result<HashMap<String, i64>, DbErr> {
    let rows = monitor_probe::Entity::find()
        .select_only()
        .column(monitor_probe::Column::Id)
        .column(monitor_probe::Column::Received)
        .into_tuple::<(String, i64)>()
        .all(db)
        .await?;
    Ok(rows.into_iter().collect())
}

/// The next reports of a probe.
async fn load_behind(
    db: &impl ConnectionTrait,
    last: &ReportKey,
) -> Result<Vec<monitor_report::Model>, DbErr> {
    monitor_report::Entity::find()
        .filter(monitor_report::COLUMN.probe_id.eq(last.probe.as_str()))
        .filter(monitor_report::COLUMN.number.gt(last.number))
        .order_by_asc(monitor_report::Column::Number)
        .limit(MAX_EACH)
        .all(db)
        .await
}

/// Reads reports that were read before; those that are gone are left out.
async fn load_again(
    db: &impl ConnectionTrait,
    keys: &[ReportKey],
) -> Result<Vec<monitor_report::Model>, DbErr> {
    let mut rows = Vec::with_capacity(keys.len());
    for one in statements(keys) {
        rows.extend(monitor_report::Entity::find().filter(one).all(db).await?);
    }
    Ok(rows)
}

/// Deletes reports that are part of a slot, in the transaction that stores it.
pub(in crate::actors::monitors) async fn delete_reports(
    db: &impl ConnectionTrait,
    settled: &[ReportKey],
) -> Result<(), DbErr> {
    for one in statements(settled) {
        let deleted = monitor_report::Entity::delete_many().filter(one);
        deleted.exec(db).await?;
    }
    Ok(())
}

/// Deletes the reports of a probe for slots behind this moment, Unix milliseconds.
pub(in crate::actors::monitors) async fn delete_ahead(
    db: &impl ConnectionTrait,
    probe: &ProbeId,
    after_ms: i64,
) -> Result<(), DbErr> {
    let mut last = ReportKey {
        probe: probe.clone(),
        number: 0,
    };
    loop {
        let rows = load_behind(db, &last).await?;
        let Some(newest) = rows.last() else {
            return Ok(());
        };
        last.number = newest.number;
        let ahead = rows.iter().filter(|row| is_ahead(&row.report, after_ms));
        let ahead = ahead.map(|row| ReportKey {
            probe: probe.clone(),
            number: row.number,
        });
        delete_reports(db, &ahead.collect::<Vec<_>>()).await?;
    }
}

fn is_ahead(report: &str, after_ms: i64) -> bool {
    let slot = serde_json::from_str::<ReportSlot>(report);
    slot.is_ok_and(|report| report.slot > after_ms)
}

/// The conditions of the statements that find reports.
fn statements(keys: &[ReportKey]) -> Vec<Condition> {
    let mut by_probe: HashMap<&ProbeId, Vec<i64>> = HashMap::new();
    for key in keys {
        by_probe.entry(&key.probe).or_default().push(key.number);
    }
    let mut all = Vec::new();
    for (probe, numbers) in by_probe {
        for numbers in numbers.chunks(AT_ONCE) {
            let own = Condition::all().add(monitor_report::COLUMN.probe_id.eq(probe.as_str()));
            let numbers = numbers.iter().copied();
            all.push(own.add(monitor_report::COLUMN.number.is_in(numbers)));
        }
    }
    all
}

#[cfg(test)]
pub(in crate::actors::monitors) mod testing;
#[cfg(test)]
mod tests;
