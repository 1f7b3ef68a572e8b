use std::collections::BTreeMap;

use chrono::{DateTime, Timelike, Utc};
use proptest::prelude::*;

use super::*;
use crate::analytics::range::{Bucket, Moment, Range, buckets, parse_moment};

fn day(text: &str) -> Moment {
    parse_moment(text).unwrap()
}

fn labels(date: &str, zone: Tz, grain: Granularity) -> Vec<String> {
    let range = Range::between(day(date), day(date), zone).unwrap();
    let parts = segments(range.from, range.to, zone, grain);
    let list = buckets(range.from, &parts, grain, usize::MAX);
    let name = |bucket: Bucket| match bucket.offset {
        Some(offset) => format!("{} at {offset}", bucket.label),
        None => bucket.label,
    };
    list.into_iter().map(name).collect()
}

#[test]
fn the_repeated_hour_appears_twice_with_its_offset() {
    let hours = labels("2025-10-26", chrono_tz::Europe::Berlin, Granularity::Hour);
    assert_eq!(hours.len(), 25);
    assert_eq!(
        &hours[1..5],
        [
            "2025-10-26 01:00:00",
            "2025-10-26 02:00:00 at +02:00",
            "2025-10-26 02:00:00 at +01:00",
            "2025-10-26 03:00:00",
        ]
    );
}

#[test]
fn the_skipped_hour_does_not_appear() {
    let hours = labels("2025-03-30", chrono_tz::Europe::Berlin, Granularity::Hour);
    assert_eq!(hours.len(), 23);
    assert_eq!(&hours[1..3], ["2025-03-30 01:00:00", "2025-03-30 03:00:00"]);
}

#[test]
fn half_hour_zones_have_whole_local_hours() {
    let hours = labels("2025-06-01", chrono_tz::Asia::Kolkata, Granularity::Hour);
    assert_eq!(hours.len(), 24);
    assert_eq!(hours[0], "2025-06-01 00:00:00");
    // Lord Howe's clocks go back by half an hour.
    let hours = labels(
        "2025-04-06",
        chrono_tz::Australia::Lord_Howe,
        Granularity::Hour,
    );
    assert_eq!(hours.len(), 25);
    assert_eq!(hours[2], "2025-04-06 01:00:00 at +10:30");
}

#[test]
fn a_day_is_one_bucket_even_where_midnight_came_twice() {
    let st_johns = chrono_tz::America::St_Johns;
    for date in ["2006-10-28", "2006-10-29", "2006-10-30"] {
        assert_eq!(labels(date, st_johns, Granularity::Day), [date]);
    }
    assert_eq!(
        labels("2025-11-02", chrono_tz::America::Havana, Granularity::Day),
        ["2025-11-02"]
    );
    assert!(labels("2011-12-30", chrono_tz::Pacific::Apia, Granularity::Day).is_empty());
}

/// What an hour is called, asked of chrono-tz directly.
fn naive(ms: i64, zone: Tz) -> (NaiveDate, u32, i64) {
    let local = DateTime::<Utc>::from_timestamp_millis(ms)
        .unwrap()
        .with_timezone(&zone);
    (local.date_naive(), local.hour(), offset_ms(ms, zone))
}

fn zones() -> impl Strategy<Value = Tz> {
    let odd = [
        chrono_tz::America::St_Johns,
        chrono_tz::Australia::Lord_Howe,
        chrono_tz::Africa::Casablanca,
        chrono_tz::America::Caracas,
        chrono_tz::Asia::Kathmandu,
        chrono_tz::Antarctica::Troll,
        chrono_tz::America::Sao_Paulo,
        chrono_tz::Pacific::Apia,
    ];
    prop_oneof![
        proptest::sample::select(odd.to_vec()),
        proptest::sample::select(chrono_tz::TZ_VARIANTS.to_vec()),
    ]
}

fn span() -> impl Strategy<Value = (NaiveDate, i64)> {
    let first = NaiveDate::from_ymd_opt(2000, 1, 2).unwrap();
    (0..11_000_u64, 0..200_i64)
        .prop_map(move |(start, days)| (first.checked_add_days(Days::new(start)).unwrap(), days))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Walks the span in quarter hours: same local hour and offset = same key, in order of time, and buckets
    /// cover the span without gaps.
    #[test]
    fn hours_agree_with_a_walk_through_the_zone(zone in zones(), (first, days) in span()) {
        let last = first.checked_add_days(Days::new(days as u64 % 31)).unwrap();
        let range = Range::between(Moment::Day(first), Moment::Day(last), zone).unwrap();
        let parts = segments(range.from, range.to, zone, Granularity::Hour);
        let mut keys: BTreeMap<i64, (NaiveDate, u32, i64)> = BTreeMap::new();
        let mut time = range.from;
        while time < range.to {
            let part = parts.iter().find(|part| time < part.until).unwrap();
            let key = part.key(time, Granularity::Hour);
            prop_assert!(keys.last_key_value().is_none_or(|(last, _)| *last <= key));
            let name = naive(time, zone);
            prop_assert_eq!(*keys.entry(key).or_insert(name), name);
            time += 900_000;
        }
        let list = buckets(range.from, &parts, Granularity::Hour, usize::MAX);
        prop_assert_eq!(list.len(), keys.len());
        prop_assert!(list.windows(2).all(|pair| pair[0].end == pair[1].start));
        let name = |bucket: &Bucket| (bucket.label.clone(), bucket.offset.clone());
        prop_assert!(list.windows(2).all(|pair| name(&pair[0]) != name(&pair[1])));
        for (bucket, (key, (date, hour, _))) in list.iter().zip(&keys) {
            prop_assert_eq!(bucket.key, *key);
            prop_assert_eq!(&bucket.label, &format!("{date} {hour:02}:00:00"));
        }
    }

    /// Every instant lies in the day that its local date says, and days begin where their bucket begins.
    #[test]
    fn days_agree_with_local_dates(zone in zones(), (first, days) in span()) {
        let last = first.checked_add_days(Days::new(days as u64)).unwrap();
        let range = Range::between(Moment::Day(first), Moment::Day(last), zone).unwrap();
        let parts = segments(range.from, range.to, zone, Granularity::Day);
        let list = buckets(range.from, &parts, Granularity::Day, usize::MAX);
        prop_assert!(list.windows(2).all(|pair| pair[0].end == pair[1].start));
        for bucket in &list {
            let date = date_from_days(bucket.key);
            prop_assert_eq!(day_start(date, zone), bucket.start);
            prop_assert_eq!(bucket.label.clone(), date.to_string());
            // Noon, evening, and the last millisecond lie on the date.
            for time in [i64::midpoint(bucket.start, bucket.end), bucket.end - 1] {
                prop_assert_eq!(local_date(time, zone), date);
            }
        }
        let covered = list.iter().map(|bucket| bucket.end - bucket.start).sum::<i64>();
        prop_assert_eq!(covered, range.to - range.from);
    }

    /// Every instant lies in the week or month of its local date, which is called by its first day.
    #[test]
    fn weeks_and_months_agree_with_local_dates(zone in zones(), (first, days) in span()) {
        let last = first.checked_add_days(Days::new(days as u64)).unwrap();
        let range = Range::between(Moment::Day(first), Moment::Day(last), zone).unwrap();
        for grain in [Granularity::Week, Granularity::Month] {
            let parts = segments(range.from, range.to, zone, grain);
            let list = buckets(range.from, &parts, grain, usize::MAX);
            prop_assert!(list.windows(2).all(|pair| pair[0].end == pair[1].start));
            for bucket in &list {
                for time in [bucket.start, i64::midpoint(bucket.start, bucket.end), bucket.end - 1] {
                    let date = local_date(time, zone);
                    let back = match grain {
                        Granularity::Week => date.weekday().num_days_from_sunday(),
                        _ => date.day() - 1,
                    };
                    let begins = date - Days::new(back.into());
                    prop_assert_eq!(bucket.label.clone(), begins.to_string());
                    let part = parts.iter().find(|part| time < part.until).unwrap();
                    prop_assert_eq!(part.key(time, grain), bucket.key);
                }
            }
            let covered = list.iter().map(|bucket| bucket.end - bucket.start).sum::<i64>();
            prop_assert_eq!(covered, range.to - range.from);
        }
    }
}
