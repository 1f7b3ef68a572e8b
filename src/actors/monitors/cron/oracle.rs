//! Every minute is asked whether it fits, by a reading of the fields that knows nothing of the crate.

use chrono::{Datelike as _, Timelike as _};
use chrono_tz::{Africa, America, Asia, Australia, Europe};
use proptest::prelude::*;

use super::*;

const ZONES: [Tz; 6] = [
    Tz::UTC,
    Europe::Berlin,
    America::New_York,
    Australia::Lord_Howe,
    Asia::Kathmandu,
    Africa::Casablanca,
];
const MINUTE: i64 = 60_000;

/// Whether a value fits a field of numbers, names of days and months aside.
fn fits(field: &str, value: u32, (low, high): (u32, u32)) -> bool {
    field.split(',').any(|part| {
        let (range, step) = part.split_once('/').unwrap_or((part, "1"));
        let step: u32 = step.parse().unwrap();
        let (first, last) = match range.split_once('-') {
            Some((first, last)) => (first.parse().unwrap(), last.parse().unwrap()),
            None if range == "*" => (low, high),
            None if part.contains('/') => (range.parse().unwrap(), high),
            None => (range.parse().unwrap(), range.parse().unwrap()),
        };
        (first..=last)
            .step_by(step as usize)
            .any(|one| one == value)
    })
}

fn is_due(text: &str, zone: Tz, unix_ms: i64) -> bool {
    let at = DateTime::from_timestamp_millis(unix_ms)
        .unwrap()
        .with_timezone(&zone);
    let fields: Vec<&str> = text.split(' ').collect();
    let weekday = at.weekday().num_days_from_sunday();
    let on_day = fits(fields[2], at.day(), (1, 31));
    let on_weekday =
        fits(fields[4], weekday, (0, 6)) || (weekday == 0 && fits(fields[4], 7, (0, 6)));
    let day = if fields[2].starts_with('*') || fields[4].starts_with('*') {
        on_day && on_weekday
    } else {
        on_day || on_weekday
    };
    day && fits(fields[0], at.minute(), (0, 59))
        && fits(fields[1], at.hour(), (0, 23))
        && fits(fields[3], at.month(), (1, 12))
}

fn next(text: &str, zone: Tz, unix_ms: i64, within: i64) -> Option<i64> {
    let first = unix_ms.div_euclid(MINUTE) * MINUTE + MINUTE;
    let mut minutes = (first..=unix_ms + within).step_by(MINUTE as usize);
    minutes.find(|at| is_due(text, zone, *at))
}

fn field(low: u32, high: u32) -> impl Strategy<Value = String> {
    let one = prop_oneof![
        4 => Just("*".to_owned()),
        2 => (2..=high).prop_map(|step| format!("*/{step}")),
        3 => (low..=high).prop_map(|value| value.to_string()),
        2 => (low..=high, low..=high).prop_map(|(a, b)| format!("{}-{}", a.min(b), a.max(b))),
        1 => (low..=high, low..=high, 1..=high)
            .prop_map(|(a, b, step)| format!("{}-{}/{step}", a.min(b), a.max(b))),
    ];
    prop::collection::vec(one, 1..3).prop_map(|parts| {
        // A star among others says nothing more, and cron sees stars at the beginning only.
        if parts.iter().any(|part| part.starts_with('*')) {
            parts
                .into_iter()
                .find(|part| part.starts_with('*'))
                .unwrap()
        } else {
            parts.join(",")
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_next_minute_is_the_first_that_fits(
        minute in field(0, 59),
        hour in field(0, 23),
        day in field(1, 31),
        month in Just("*".to_owned()),
        weekday in field(0, 7),
        zone in prop::sample::select(&ZONES[..]),
        from in prop_oneof![
            1_791_979_200_000i64..1_823_515_200_000,
            // Around the hours that come twice and those that are left out.
            1_792_880_000_000i64..1_792_900_000_000,
            1_806_190_000_000i64..1_806_210_000_000,
        ],
    ) {
        let text = format!("{minute} {hour} {day} {month} {weekday}");
        let cron = Cron::parse(&text, zone).unwrap();
        let within = 3 * 86_400_000;
        let wanted = next(&text, zone, from, within);
        let found = cron.next_after(from);
        match wanted {
            Some(_) => prop_assert_eq!(found, wanted, "{} {} {}", text, zone, from),
            None => prop_assert!(found.is_none_or(|at| at > from + within), "{} {} {}", text, zone, from),
        }
    }
}

#[test]
fn weekdays_are_counted_as_cron_does() {
    // 2026-10-14 is a Wednesday.
    let from = 1_791_979_200_000;
    for (field, days) in [
        ("0", vec![4]),
        ("7", vec![4]),
        ("1", vec![5]),
        ("3", vec![7]),
        ("SUN", vec![4]),
        ("mon", vec![5]),
        ("1-5", vec![1, 2, 5, 6, 7]),
        ("FRI-SUN", vec![2, 3, 4]),
        ("5-7", vec![2, 3, 4]),
        ("6,0", vec![3, 4]),
        ("*/2", vec![1, 3, 4, 6]),
    ] {
        let cron = Cron::parse(&format!("0 12 * * {field}"), Tz::UTC).unwrap();
        let mut at = from;
        let mut found = Vec::new();
        while let Some(next) = cron
            .next_after(at)
            .filter(|next| *next <= from + 7 * 86_400_000)
        {
            found.push((next - from) / 86_400_000);
            at = next;
        }
        assert_eq!(found, days, "{field}");
    }
}

#[test]
fn a_day_of_the_month_or_a_weekday_is_enough() {
    // The 15th is a Thursday, the 19th a Monday.
    let cron = Cron::parse("0 0 15 * MON", Tz::UTC).unwrap();
    let day = 86_400_000;
    let midnight = 1_791_936_000_000;
    assert_eq!(cron.next_after(midnight), Some(midnight + day));
    assert_eq!(cron.next_after(midnight + day), Some(midnight + 5 * day));
}

#[test]
fn what_is_no_expression_is_refused() {
    for text in [
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * 8",
        "* * * * FOO",
        "*/0 * * * *",
        "* * * * */0",
        "5-1 * * * *",
        "* * * * 5-1",
        "@daily",
        "* * L * *",
        "* * ? * *",
        "0 0 30 2 *",
        "0 0 31 4 *",
        "1,,2 * * * *",
        "- * * * *",
        "99999999999999999999 * * * *",
    ] {
        assert!(Cron::parse(text, Tz::UTC).is_err(), "{text}");
    }
}
