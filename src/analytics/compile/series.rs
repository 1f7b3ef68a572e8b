//! Series: buckets of the range, numbered by the statement and filled in afterwards.

use super::Ask;
use crate::{
    analytics::{
        catalogue::About,
        dialect::Sql,
        range::{Bucket, Segment, buckets, zone::segments},
    },
    events::statement::Bind,
};

/// The buckets of one answer.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::analytics) struct Series {
    /// In order of time. All of the range up to now, or (in order of time or backwards) one page of it.
    pub(in crate::analytics) buckets: Vec<Bucket>,
    /// How they are sorted and cut.
    pub(in crate::analytics) sort: SeriesSort,
    /// Later buckets appear only when something is in them.
    pub(in crate::analytics) now_ms: i64,
}

/// The order of a series, and the page of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::analytics) struct SeriesSort {
    /// `None` = by time; the page is cut already then, but for what depends on which later buckets appear.
    pub(in crate::analytics) by: Option<SortColumn>,
    pub(in crate::analytics) descending: bool,
    /// Rows to skip of those that appear.
    pub(in crate::analytics) offset: usize,
    pub(in crate::analytics) limit: usize,
}

/// A column of the statement that a series is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::analytics) struct SortColumn {
    /// Its index.
    pub(in crate::analytics) source: usize,
    /// Whether rows without a value come last, in place of counting as 0.
    pub(in crate::analytics) unknown_last: bool,
}

/// Cuts of the zone over what may hold events.
pub(super) fn cuts(ask: &Ask<'_>) -> Vec<Segment> {
    let (from, to) = ask.range.within_events(ask.now_ms);
    segments(from, to, ask.range.zone, ask.grain())
}

/// Every bucket of the range up to now.
pub(super) fn every(ask: &Ask<'_>, cuts: &[Segment]) -> Vec<Bucket> {
    let (from, _) = ask.range.within_events(ask.now_ms);
    buckets(from, cuts, ask.grain(), usize::MAX)
}

/// The buckets that the requested page may need, in order of time, and the rows to skip of those that appear.
///
/// Buckets later than now appear only when something is in them, so backwards the number of rows before
/// the page is not known yet: all later ones are asked for, and as many more of the others as there are of them.
pub(super) fn page(ask: &Ask<'_>, all: Vec<Bucket>, descending: bool) -> (Vec<Bucket>, usize) {
    let later = all
        .iter()
        .filter(|bucket| bucket.start > ask.now_ms)
        .count();
    let (offset, limit) = (ask.parameter.offset as usize, ask.parameter.limit as usize);
    if !descending {
        let first = offset.min(all.len());
        return (all.into_iter().skip(first).take(limit).collect(), 0);
    }
    let past = all.len() - later;
    let skipped = offset.saturating_sub(later).min(past);
    let first = past.saturating_sub(offset.saturating_add(limit));
    let keep = |(index, bucket): (usize, Bucket)| {
        let needed = (first..past - skipped).contains(&index) || index >= past;
        needed.then_some(bucket)
    };
    let buckets = all.into_iter().enumerate().filter_map(keep).collect();
    (buckets, offset - skipped)
}

/// A relation `bucket, begins, ends` of these buckets. One text holds them all: the statement is the same for any
/// number of them.
pub(super) fn relation(buckets: &[Bucket]) -> Sql {
    let list: Vec<String> = buckets
        .iter()
        .map(|bucket| format!("{}:{}:{}", bucket.key, bucket.start, bucket.end))
        .collect();
    let part =
        |place: u8, name: &str| format!("CAST(split_part(one, ':', {place}) AS BIGINT) AS {name}");
    let parts = [part(1, "bucket"), part(2, "begins"), part(3, "ends")];
    let mut sql = Sql::default();
    sql.push(&format!(
        "(SELECT {} FROM (SELECT each_of(",
        parts.join(", ")
    ));
    sql.bind(Bind::Text(list.join(",")))
        .push(") AS one) listed WHERE one <> '')");
    sql
}

/// The number of a row's bucket, computed from bound shifts.
pub(super) fn number(ask: &Ask<'_>, cuts: &[Segment]) -> Sql {
    let time = match ask.parameter.kind.about {
        About::People | About::Everyone | About::Things => "time",
        About::Receipt => "received",
    };
    let mut sql = Sql::default();
    sql.push(&format!("whole_div({time} + "));
    if let [rest @ .., last] = cuts {
        if rest.is_empty() {
            sql.bind(Bind::Int(last.shift));
        } else {
            sql.push("CASE");
            for cut in rest {
                sql.push(&format!(" WHEN {time} < "))
                    .bind(Bind::Int(cut.until));
                sql.push(" THEN ").bind(Bind::Int(cut.shift));
            }
            sql.push(" ELSE ").bind(Bind::Int(last.shift)).push(" END");
        }
    }
    sql.push(&format!(", {})", ask.grain().unit_ms()));
    sql
}
