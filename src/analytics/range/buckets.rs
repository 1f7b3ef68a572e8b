//! The buckets of a span, with the labels that rows carry.

use chrono::{DateTime, NaiveDateTime};

use super::zone::{Granularity, Segment, date_from_days};

/// One minute, hour, day, week or month of a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// The number that a statement gives it.
    pub key: i64,
    /// Its first millisecond within the span.
    pub start: i64,
    /// First millisecond after it.
    pub end: i64,
    /// `YYYY-MM-DD` of the first day, or `YYYY-MM-DD HH:00:00`.
    pub label: String,
    /// The offset from UTC (`+02:00`) of an hour that the zone repeats, which shares its label with a neighbor.
    pub offset: Option<String>,
}

/// Every bucket of a span that begins at `from` and is cut into `segments`, in order of time.
///
/// Keys grow strictly; buckets touch. Stops after `most` buckets.
pub fn buckets(from: i64, segments: &[Segment], grain: Granularity, most: usize) -> Vec<Bucket> {
    let unit = grain.unit_ms();
    let mut list: Vec<(Bucket, i64)> = Vec::new();
    let mut at = from;
    for segment in segments {
        while at < segment.until {
            let key = segment.key(at, grain);
            let end = ((key + 1) * unit - segment.shift).min(segment.until);
            let full = list.len() == most;
            match list.last_mut() {
                Some((last, _)) if last.key == key => last.end = end,
                _ if full => return labelled(list, grain),
                _ => list.push((
                    Bucket {
                        key,
                        start: at,
                        end,
                        label: String::new(),
                        offset: None,
                    },
                    segment.offset,
                )),
            }
            at = end;
        }
    }
    labelled(list, grain)
}

fn labelled(list: Vec<(Bucket, i64)>, grain: Granularity) -> Vec<Bucket> {
    let plain = |(bucket, offset): &(Bucket, i64)| match grain {
        Granularity::Day | Granularity::Week | Granularity::Month => {
            date_from_days(bucket.key).format("%Y-%m-%d").to_string()
        }
        Granularity::Minute => local(bucket.start + offset)
            .format("%Y-%m-%d %H:%M:00")
            .to_string(),
        Granularity::Hour => local(bucket.start + offset)
            .format("%Y-%m-%d %H:00:00")
            .to_string(),
    };
    let labels: Vec<String> = list.iter().map(plain).collect();
    let twice = |index: usize| {
        let neighbours = [index.checked_sub(1), Some(index + 1)];
        let same = |other: usize| labels.get(other) == labels.get(index);
        neighbours.into_iter().flatten().any(same)
    };
    let name = |(index, (bucket, offset)): (usize, (Bucket, i64))| Bucket {
        label: labels[index].clone(),
        offset: twice(index).then(|| offset_text(offset)),
        ..bucket
    };
    list.into_iter().enumerate().map(name).collect()
}

fn local(ms: i64) -> NaiveDateTime {
    DateTime::from_timestamp_millis(ms)
        .unwrap_or_default()
        .naive_utc()
}

/// `+02:00`
fn offset_text(offset_ms: i64) -> String {
    let minutes = offset_ms.abs() / 60_000;
    let sign = if offset_ms < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}
