//! Maintenance of Uptime Kuma as windows of its monitors.

use std::collections::HashMap;

use chrono::{NaiveDateTime, NaiveTime, TimeZone as _, Utc};
use chrono_tz::Tz;

use super::Tables;
use crate::{
    actors::monitors::Window,
    clock::iso_ms,
    importers::{Plan, record::Record, text::one_line},
};

const MAX_WINDOWS: usize = 20;
/// Bytes of an expression, which every monitor with the window has.
const MAX_CRON: usize = 200;
const MAX_MINUTES: u64 = 1_440;

/// Windows by their id, and which monitors have them.
#[derive(Debug, Default)]
pub(super) struct Windows(HashMap<String, Vec<Window>>);

impl Windows {
    pub(super) fn read(tables: &Tables<'_>, now_ms: i64, plan: &mut Plan) -> Self {
        let zone = tables
            .setting("serverTimezone")
            .unwrap_or_else(|| "UTC".to_owned());
        let mut windows = HashMap::new();
        for row in tables.rows("maintenance") {
            let title = row.text(&["title"]).unwrap_or_default();
            match window(&row, &zone, now_ms) {
                Ok(window) => {
                    windows.insert(row.text(&["id"]).unwrap_or_default(), window);
                }
                Err(reason) => plan.omit(&row.at, format!("maintenance {title}"), reason),
            }
        }
        let mut by_monitor: HashMap<String, Vec<Window>> = HashMap::new();
        for row in tables.rows("monitor_maintenance") {
            let id = row.text(&["maintenance_id"]).unwrap_or_default();
            if let (Some(window), Some(monitor)) = (windows.get(&id), row.text(&["monitor_id"])) {
                let own = by_monitor.entry(monitor).or_default();
                if own.len() < MAX_WINDOWS {
                    own.push(window.clone());
                }
            }
        }
        Self(by_monitor)
    }

    pub(super) fn of(&self, monitor: &str) -> Vec<Window> {
        self.0.get(monitor).cloned().unwrap_or_default()
    }
}

fn window(row: &Record, server: &str, now_ms: i64) -> Result<Window, String> {
    if row.value(&["active"]).is_some() && !row.is_on(&["active"]) {
        return Err("It isn't active".to_owned());
    }
    let named = row
        .text(&["timezone"])
        .filter(|zone| zone != "SAME_AS_SERVER");
    let named = named.unwrap_or_else(|| server.to_owned());
    let zone: Tz = named
        .parse()
        .map_err(|_| format!("Its time zone is `{named}`"))?;
    let moment = |name: &str| -> Result<Option<i64>, String> {
        let text = row.text(&[name]);
        let read = text.map(|text| moment(&text, zone).ok_or(format!("Its time is `{text}`")));
        read.transpose()
    };
    let (start, end) = (moment("start_date")?, moment("end_date")?);
    if end.is_some_and(|end| end <= now_ms) {
        return Err("It is over".to_owned());
    }
    let title = row.text(&["title"]).map(|title| one_line(&title, 200));
    let single = Window {
        title,
        starts_at: None,
        ends_at: None,
        cron: None,
        minutes: None,
        timezone: None,
    };
    let strategy = row.text(&["strategy"]).unwrap_or_default();
    if strategy == "single" {
        let (Some(start), Some(end)) = (start, end) else {
            return Err("It has no beginning or no end".to_owned());
        };
        return Ok(Window {
            starts_at: Some(iso_ms(start)),
            ends_at: Some(iso_ms(end)),
            ..single
        });
    }
    let cron = recurrence(row, &strategy)?;
    if end.is_some() || start.is_some_and(|start| start > now_ms) {
        return Err("It recurs between two dates, and our windows have none".to_owned());
    }
    let minutes = minutes(row)?;
    Ok(Window {
        cron: Some(cron),
        minutes: u32::try_from(minutes).ok(),
        timezone: Some(zone.name().to_owned()),
        ..single
    })
}

/// When a recurring window begins, as cron expression.
fn recurrence(row: &Record, strategy: &str) -> Result<String, String> {
    let time = || {
        let text = row.text(&["start_time"]).ok_or("It has no time")?;
        let (hour, minute) = clock_time(&text).ok_or(format!("Its time is `{text}`"))?;
        Ok::<_, String>(format!("{minute} {hour}"))
    };
    let days = |name: &str| -> Result<String, String> {
        let text = row.text(&[name]).unwrap_or_default();
        let days: Result<Vec<u8>, _> = serde_json::from_str(&text);
        let days = days.map_err(|_| format!("Its days are `{text}`"))?;
        if days.is_empty() {
            return Err("It has no days".to_owned());
        }
        let days: Vec<String> = days.iter().map(ToString::to_string).collect();
        Ok(days.join(","))
    };
    match strategy {
        "cron" => {
            let cron = row.text(&["cron"]).filter(|cron| cron.len() <= MAX_CRON);
            cron.ok_or("It has no cron expression that can be read".to_owned())
        }
        "recurring-weekday" => Ok(format!("{} * * {}", time()?, days("weekdays")?)),
        "recurring-day-of-month" => Ok(format!("{} {} * *", time()?, days("days_of_month")?)),
        "recurring-interval" if row.number(&["interval_day"]) == Some(1) => {
            Ok(format!("{} * * *", time()?))
        }
        "recurring-interval" => Err("It recurs every few days".to_owned()),
        "manual" => Err("It is switched by hand. Pause the monitors instead".to_owned()),
        other => Err(format!("Its strategy is `{other}`")),
    }
}

fn minutes(row: &Record) -> Result<u64, String> {
    let ends = || {
        let from = clock_time(&row.text(&["start_time"])?)?;
        let to = clock_time(&row.text(&["end_time"])?)?;
        let minutes = |(hour, minute): (u64, u64)| hour * 60 + minute;
        Some((minutes(to) + MAX_MINUTES - minutes(from)) % MAX_MINUTES)
    };
    let seconds = row.number(&["duration"]).map(|seconds| seconds / 60);
    let minutes = seconds.or_else(ends).unwrap_or_default();
    if (1..=MAX_MINUTES).contains(&minutes) {
        return Ok(minutes);
    }
    Err(format!(
        "It lasts {minutes} minutes; a window lasts 1 to {MAX_MINUTES}"
    ))
}

/// Hour and minute of `23:00` or `23:00:00`.
fn clock_time(text: &str) -> Option<(u64, u64)> {
    let (hour, rest) = text.split_once(':')?;
    let minute = rest.split(':').next()?;
    let (hour, minute) = (hour.parse().ok()?, minute.parse().ok()?);
    NaiveTime::from_hms_opt(hour, minute, 0)?;
    Some((hour.into(), minute.into()))
}

/// A local time of a zone, or one with an offset, as Unix milliseconds.
fn moment(text: &str, zone: Tz) -> Option<i64> {
    if let Ok(exact) = chrono::DateTime::parse_from_rfc3339(text) {
        return Some(exact.timestamp_millis());
    }
    let formats = [
        "%Y-%m-%d %H:%M:%S%.f",
        "%Y-%m-%d %H:%M",
        "%Y-%m-%dT%H:%M:%S%.f",
        "%Y-%m-%dT%H:%M",
    ];
    let mut read = formats
        .iter()
        .filter_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    let local = zone.from_local_datetime(&read.next()?).earliest()?;
    Some(local.with_timezone(&Utc).timestamp_millis())
}
