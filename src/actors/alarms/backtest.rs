//! Back-tests: alarms evaluated over past events by the same functions.

use super::{
    AlarmError, AlarmFields, AlarmsEnv, AlarmsView,
    conditions::{Conditions, MonitorConditions, Series},
    machine::{Standing, Timing, Verdict, step},
    observations::covers_monitor,
    queries::{self, Scope},
    rules,
    series::{days_back, evaluate_point, width},
};
use crate::{
    actors::monitors::{State, TransitionRecord},
    ids::{OrganizationId, WebsiteId},
};

const DAY_MS: i64 = 86_400_000;
/// Days of an hourly query.
const QUERY_DAYS: i64 = 29;
/// Changes of a monitor that are replayed.
const MAX_CHANGES: u64 = 10_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Firing {
    /// The name of the subject; empty if there is one subject.
    pub name: String,
    /// Unix milliseconds, as `resolved_ms`.
    pub fired_ms: i64,
    pub resolved_ms: Option<i64>,
    /// In a sentence.
    pub evidence: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backtest {
    /// The beginning, Unix milliseconds.
    pub from_ms: i64,
    pub firings: Vec<Firing>,
    pub readings: usize,
}

/// A time (Unix milliseconds), its verdict, and the evidence.
type Sample = (i64, Verdict, String);

impl AlarmsView {
    /// What an alarm would have done in the last days.
    pub async fn backtest(
        &self,
        organization: OrganizationId,
        fields: AlarmFields,
        days: i64,
    ) -> Result<Backtest, AlarmError> {
        let env = &self.env;
        let checked = rules::check_fields(fields)?;
        let timing = checked.fields.timing();
        let now_ms = env.clock.now_ms();
        let from_ms = now_ms - days * DAY_MS;
        let website = checked.fields.website_id.map(WebsiteId::from);
        let scope = Scope {
            organization,
            website,
        };
        let histories = match &checked.conditions {
            Conditions::Series(series) => {
                let history = sample_series(env, &scope, series, (from_ms, now_ms)).await?;
                vec![(String::new(), history)]
            }
            Conditions::Monitors(wanted) => sample_monitors(env, &scope, wanted).await?,
        };
        let readings = histories.iter().map(|(_, history)| history.len()).sum();
        let mut firings = Vec::new();
        for (name, history) in histories {
            let played = replay(&name, &history, timing, now_ms);
            firings.extend(played.into_iter().filter(|one| one.fired_ms >= from_ms));
        }
        firings.sort_by_key(|one| one.fired_ms);
        Ok(Backtest {
            from_ms,
            firings,
            readings,
        })
    }
}

/// The samples of every bucket that has ended.
async fn sample_series(
    env: &AlarmsEnv,
    scope: &Scope,
    series: &Series,
    (from_ms, now_ms): (i64, i64),
) -> Result<Vec<Sample>, AlarmError> {
    let mut points = Vec::new();
    let mut start = from_ms - days_back(series) * DAY_MS;
    while start <= now_ms {
        let end = (start + QUERY_DAYS * DAY_MS).min(now_ms);
        points.extend(queries::load_points(env, scope, series, (start, end)).await?);
        start = start.div_euclid(DAY_MS) * DAY_MS + (QUERY_DAYS + 1) * DAY_MS;
    }
    points.sort_by_key(|point| point.at_ms);
    points.dedup_by_key(|point| point.at_ms);
    let width = width(series);
    let ended = (0..points.len()).filter_map(|nth| {
        let end = points.get(nth)?.at_ms + width;
        let evaluation = (from_ms..=now_ms)
            .contains(&end)
            .then(|| evaluate_point(series, &points, nth))?;
        Some((end, evaluation.verdict, evaluation.reason.for_programs()))
    });
    Ok(ended.collect())
}

/// The samples of each monitor. Failures in a row and certificates leave no history and are not replayed.
async fn sample_monitors(
    env: &AlarmsEnv,
    scope: &Scope,
    wanted: &MonitorConditions,
) -> Result<Vec<(String, Vec<Sample>)>, AlarmError> {
    let view = env.monitors.view();
    let mut histories = Vec::new();
    let own = view.by_organization(&scope.organization).into_iter();
    for one in own.filter(|one| covers_monitor(one, scope.website.as_ref(), wanted)) {
        let spec = one.spec();
        let changes = view.changes(&spec.id, MAX_CHANGES).await;
        let changes = changes.map_err(|error| AlarmError::Query(error.to_string()))?;
        let history = changes
            .into_iter()
            .rev()
            .map(|noted| to_sample(&noted, wanted));
        histories.push((spec.label().to_owned(), history.collect()));
    }
    Ok(histories)
}

fn to_sample(noted: &TransitionRecord, wanted: &MonitorConditions) -> Sample {
    let breach = match noted.to {
        State::Down => wanted.down == Some(true) || wanted.consecutive_failures.is_some(),
        State::Degraded => wanted.degraded,
        _ => false,
    };
    let verdict = match breach {
        _ if noted.because_of.is_some() => Verdict::Unknown,
        true => Verdict::Breach,
        false => Verdict::Clear,
    };
    let why = noted.error.as_ref().map_or("", |(_, what)| what);
    let evidence = format!("It was {}. {why}", noted.to.as_str());
    (noted.at_ms, verdict, evidence.trim().to_owned())
}

/// Replays samples, each of which holds until the next, and the last until now.
fn replay(name: &str, history: &[Sample], timing: Timing, now_ms: i64) -> Vec<Firing> {
    let mut standing = Standing::default();
    let mut firings: Vec<Firing> = Vec::new();
    let mut apply = |at_ms: i64, verdict: Verdict, evidence: &str| {
        let was_firing = standing.phase.is_firing();
        standing = step(standing, at_ms, verdict, timing);
        match (was_firing, standing.phase.is_firing()) {
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
    for (nth, (at_ms, verdict, evidence)) in history.iter().enumerate() {
        let end = history.get(nth + 1).map_or(now_ms, |next| next.0);
        apply(*at_ms, *verdict, evidence);
        for later in [timing.hold, timing.recover] {
            if later > 0 && at_ms + later < end {
                apply(at_ms + later, *verdict, evidence);
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
        let was = |at_ms, verdict| (at_ms, verdict, "x".to_owned());
        let history = [
            was(0, Verdict::Breach),
            was(5, Verdict::Clear),
            was(20, Verdict::Breach),
            was(50, Verdict::Clear),
            was(60, Verdict::Breach),
        ];
        let timing = Timing {
            hold: 10,
            recover: 0,
            repeat: 0,
        };
        let played = replay("m", &history, timing, 1_000);
        let times: Vec<_> = played
            .iter()
            .map(|one| (one.fired_ms, one.resolved_ms))
            .collect();
        assert_eq!(times, [(30, Some(50)), (70, None)]);
    }
}
