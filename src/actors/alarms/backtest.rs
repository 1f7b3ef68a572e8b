//! What an alarm would have done: the same judgement, over what was.

use super::{
    AlarmError, AlarmFields, AlarmsEnv,
    conditions::{Conditions, MonitorConditions, Series},
    machine::{Reading, Standing, Timing, step},
    question::{self, Whose},
    readings::is_named,
    rules,
    series::{days_back, judge, width},
};
use crate::{
    actors::monitors::{Noted, State},
    ids::{OrganizationId, WebsiteId},
};

const DAY_MS: i64 = 86_400_000;
/// Days that an hourly query has at most.
const PIECE: i64 = 29;
/// Changes of a monitor that are looked at.
const MAX_CHANGES: u64 = 10_000;

/// One time that it would have gone off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Firing {
    /// The thing's name; empty when there is just one.
    pub name: String,
    /// When it would have begun, Unix milliseconds.
    pub fired_ms: i64,
    /// When it would have ended, Unix milliseconds.
    pub resolved_ms: Option<i64>,
    /// What was seen, in a sentence.
    pub evidence: String,
}

/// What would have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// From when on, Unix milliseconds.
    pub from_ms: i64,
    /// Every time, oldest first.
    pub firings: Vec<Firing>,
    /// Readings that were judged.
    pub readings: usize,
}

/// Something that was: when, what it means, and what it was.
type Was = (i64, Reading, String);

/// Plays an alarm over so many days.
pub(super) async fn past(
    env: &AlarmsEnv,
    organization: OrganizationId,
    fields: AlarmFields,
    days: i64,
) -> Result<Past, AlarmError> {
    let ready = rules::check_fields(fields)?;
    let timing = ready.fields.timing();
    let now_ms = env.clock.now_ms();
    let from_ms = now_ms - days * DAY_MS;
    let website = ready.fields.website_id.map(WebsiteId::from);
    let whose = Whose {
        organization,
        website,
    };
    let stories = match &ready.conditions {
        Conditions::Series(series) => {
            let story = values(env, &whose, series, (from_ms, now_ms)).await?;
            vec![(String::new(), story)]
        }
        Conditions::Monitors(wanted) => monitors(env, &whose, wanted).await?,
    };
    let readings = stories.iter().map(|(_, story)| story.len()).sum();
    let mut firings = Vec::new();
    for (name, story) in stories {
        let played = play(&name, &story, timing, now_ms);
        firings.extend(played.into_iter().filter(|one| one.fired_ms >= from_ms));
    }
    firings.sort_by_key(|one| one.fired_ms);
    Ok(Past {
        from_ms,
        firings,
        readings,
    })
}

/// Every bucket that has ended.
async fn values(
    env: &AlarmsEnv,
    whose: &Whose,
    series: &Series,
    (from_ms, now_ms): (i64, i64),
) -> Result<Vec<Was>, AlarmError> {
    let mut points = Vec::new();
    let mut start = from_ms - days_back(series) * DAY_MS;
    while start <= now_ms {
        let end = (start + PIECE * DAY_MS).min(now_ms);
        points.extend(question::load_points(env, whose, series, (start, end)).await?);
        start = start.div_euclid(DAY_MS) * DAY_MS + (PIECE + 1) * DAY_MS;
    }
    points.sort_by_key(|point| point.at_ms);
    points.dedup_by_key(|point| point.at_ms);
    let width = width(series);
    let ended = (0..points.len()).filter_map(|nth| {
        let end = points.get(nth)?.at_ms + width;
        let judged = (from_ms..=now_ms)
            .contains(&end)
            .then(|| judge(series, &points, nth))?;
        Some((end, judged.reading, judged.evidence))
    });
    Ok(ended.collect())
}

/// What changed about each monitor. Failures in a row and certificates leave no history, so they are not played.
async fn monitors(
    env: &AlarmsEnv,
    whose: &Whose,
    wanted: &MonitorConditions,
) -> Result<Vec<(String, Vec<Was>)>, AlarmError> {
    let view = env.monitors.view();
    let mut stories = Vec::new();
    let own = view.of(&whose.organization).into_iter();
    for one in own.filter(|one| is_named(one, whose.website.as_ref(), wanted)) {
        let spec = one.spec();
        let changes = view.changes(&spec.id, MAX_CHANGES).await;
        let changes = changes.map_err(|error| AlarmError::Query(error.to_string()))?;
        let story = changes.into_iter().rev().map(|noted| was(&noted, wanted));
        stories.push((spec.label().to_owned(), story.collect()));
    }
    Ok(stories)
}

fn was(noted: &Noted, wanted: &MonitorConditions) -> Was {
    let breach = match noted.to {
        State::Down => wanted.down == Some(true) || wanted.consecutive_failures.is_some(),
        State::Degraded => wanted.degraded,
        _ => false,
    };
    let reading = match breach {
        _ if noted.because_of.is_some() => Reading::Unknown,
        true => Reading::Breach,
        false => Reading::Clear,
    };
    let why = noted.error.as_ref().map_or("", |(_, what)| what);
    let evidence = format!("It was {}. {why}", noted.to.as_str());
    (noted.at_ms, reading, evidence.trim().to_owned())
}

/// Plays readings, each of which holds until the next, and the last until now.
fn play(name: &str, story: &[Was], timing: Timing, now_ms: i64) -> Vec<Firing> {
    let mut standing = Standing::default();
    let mut firings: Vec<Firing> = Vec::new();
    let mut look = |at_ms: i64, reading: Reading, evidence: &str| {
        let was = standing.phase.is_firing();
        standing = step(standing, at_ms, reading, timing);
        match (was, standing.phase.is_firing()) {
            (false, true) => firings.push(Firing {
                name: name.to_owned(),
                fired_ms: at_ms,
                resolved_ms: None,
                evidence: evidence.to_owned(),
            }),
            (true, false) => {
                if let Some(last) = firings.last_mut() {
                    last.resolved_ms = Some(at_ms);
                }
            }
            _ => {}
        }
    };
    for (nth, (at_ms, reading, evidence)) in story.iter().enumerate() {
        let end = story.get(nth + 1).map_or(now_ms, |next| next.0);
        look(*at_ms, *reading, evidence);
        for later in [timing.hold, timing.recover] {
            if later > 0 && at_ms + later < end {
                look(at_ms + later, *reading, evidence);
            }
        }
    }
    firings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_is_played_with_its_holds() {
        let was = |at_ms, reading| (at_ms, reading, "x".to_owned());
        let story = [
            was(0, Reading::Breach),
            was(5, Reading::Clear),
            was(20, Reading::Breach),
            was(50, Reading::Clear),
            was(60, Reading::Breach),
        ];
        let timing = Timing {
            hold: 10,
            recover: 0,
            repeat: 0,
        };
        let played = play("m", &story, timing, 1_000);
        let times: Vec<_> = played
            .iter()
            .map(|one| (one.fired_ms, one.resolved_ms))
            .collect();
        assert_eq!(times, [(30, Some(50)), (70, None)]);
    }
}
