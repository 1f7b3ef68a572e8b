//! Ordinary five-field cron expressions in a time zone, on top of the crate `cron`, which means other things by some of them:
//! it wants seconds, counts weekdays from Sunday = 1, and wants both a day of the month and a weekday to fit where cron
//! is content with either.
//!
//! A minute of the local clock that does not exist (spring) does not fire; one that exists twice (autumn) fires twice.

use std::str::FromStr as _;

use chrono::{DateTime, Duration, NaiveDateTime, Offset as _, TimeZone as _, Utc};
use chrono_tz::Tz;

/// The furthest that a local clock is ever set back.
const MAX_BACK: Duration = Duration::hours(3);
/// Matching minutes of the local clock that are tried.
const MAX_LOOKED: usize = 2_000;

#[derive(Debug, Clone)]
pub struct Cron {
    /// A time has to match one of them.
    tables: Vec<cron::Schedule>,
    zone: Tz,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CronError(String);

impl Cron {
    /// Refuses an expression that matches no minute.
    pub fn parse(text: &str, zone: Tz) -> Result<Self, CronError> {
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields[..] else {
            let message =
                "a cron expression has five fields: minute, hour, day of the month, month, weekday";
            return Err(CronError(message.to_owned()));
        };
        for field in &fields {
            let known = |byte: u8| byte.is_ascii_alphanumeric() || b"*,-/".contains(&byte);
            if !field.bytes().all(known) {
                return Err(CronError(format!(
                    "`{field}` is no field of a cron expression"
                )));
            }
        }
        let days = weekdays(weekday)?;
        let table = |day: &str, weekday: &str| {
            let text = format!("0 {minute} {hour} {day} {month} {weekday} *");
            cron::Schedule::from_str(&text).map_err(|error| {
                CronError(format!(
                    "it cannot be read: {}",
                    first_line(&error.to_string())
                ))
            })
        };
        // Cron's old rule: a field that begins with a star restricts nothing that the other one allows.
        let either = !day.starts_with('*') && !weekday.starts_with('*');
        let tables = if either {
            vec![table(day, "*")?, table("*", &days)?]
        } else {
            vec![table(day, &days)?]
        };
        let cron = Self { tables, zone };
        match cron.local_after(DateTime::UNIX_EPOCH.naive_utc()) {
            Some(_) => Ok(cron),
            None => Err(CronError("there is no such day".to_owned())),
        }
    }

    /// The first matching minute after this moment, both in Unix milliseconds.
    pub fn next_after(&self, unix_ms: i64) -> Option<i64> {
        let at = DateTime::from_timestamp_millis(unix_ms)?;
        let local = |at: DateTime<Utc>| at.with_timezone(&self.zone).naive_local();
        let offset = |at: DateTime<Utc>| self.zone.offset_from_utc_datetime(&at.naive_utc()).fix();
        let soon = at.checked_add_signed(MAX_BACK)?;
        // If the clock is about to be set back, some of its minutes come again.
        let is_set_back = offset(soon).local_minus_utc() < offset(at).local_minus_utc();
        let mut from = local(at);
        if is_set_back {
            from -= MAX_BACK;
        }
        let mut best: Option<DateTime<Utc>> = None;
        for _ in 0..MAX_LOOKED {
            let Some(next) = self.local_after(from) else {
                break;
            };
            from = next;
            let mapped = self.zone.from_local_datetime(&next);
            for found in [mapped.earliest(), mapped.latest()].into_iter().flatten() {
                let found = found.with_timezone(&Utc);
                if found > at && best.is_none_or(|best| found < best) {
                    best = Some(found);
                }
            }
            let done = best.is_some_and(|best| !is_set_back || next > local(best) + MAX_BACK);
            if done || (best.is_some() && next > local(soon) + MAX_BACK) {
                break;
            }
        }
        best.map(|best| best.timestamp_millis())
    }

    /// The first matching minute of the local clock.
    fn local_after(&self, after: NaiveDateTime) -> Option<NaiveDateTime> {
        let after = after.and_utc();
        let firsts = self
            .tables
            .iter()
            .filter_map(|table| table.after(&after).next());
        firsts.min().map(|first| first.naive_utc())
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The weekdays of a field, as the crate counts them: 1 = Sunday.
fn weekdays(field: &str) -> Result<String, CronError> {
    let wrong = || {
        CronError(format!(
            "`{field}` names no weekdays: 0 or 7 = Sunday, 1 = Monday, or SUN to SAT"
        ))
    };
    if field == "*" {
        return Ok("*".to_owned());
    }
    let mut days = [false; 7];
    for part in field.split(',') {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, step.parse::<usize>().map_err(|_| wrong())?),
            None => (part, 1),
        };
        if step == 0 {
            return Err(wrong());
        }
        let (first, last) = match range.split_once('-') {
            _ if range == "*" => (0, 6),
            Some((first, last)) => (
                weekday(first).ok_or_else(wrong)?,
                weekday(last).ok_or_else(wrong)?,
            ),
            None => {
                let day = weekday(range).ok_or_else(wrong)?;
                // `2/3` counts on to the week's end.
                (day, if part.contains('/') { 6.max(day) } else { day })
            }
        };
        // `FRI-SUN` ends with the Sunday that is 7.
        let last = if last == 0 && first > 0 { 7 } else { last };
        if first > last {
            return Err(wrong());
        }
        for day in (first..=last).step_by(step) {
            days[day % 7] = true;
        }
    }
    let named = days.iter().enumerate().filter(|(_, is_one)| **is_one);
    let named: Vec<String> = named.map(|(day, _)| (day + 1).to_string()).collect();
    Ok(named.join(","))
}

/// A weekday as cron counts them: 0 or 7 = Sunday.
fn weekday(text: &str) -> Option<usize> {
    const NAMES: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
    let named = NAMES
        .iter()
        .position(|name| name.eq_ignore_ascii_case(text));
    named.or_else(|| text.parse().ok().filter(|day| *day <= 7))
}

#[cfg(test)]
mod oracle;
