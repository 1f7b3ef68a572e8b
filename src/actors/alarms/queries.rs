//! Queries of alarms to the event store, by ordinary query types.

use serde_json::{Value, json};

use super::{
    Alarm, AlarmError, AlarmsEnv,
    conditions::Series,
    observations::Observation,
    series::{Point, days_back, evaluate_now, points},
};
use crate::{
    access::authorize,
    actors::error::CommonError,
    analytics::{Call, Target, catalogue::Subject, run},
    clock::iso_ms,
    fault::Fault,
    ids::{OrganizationId, WebsiteId},
};

const DAY_MS: i64 = 86_400_000;

#[derive(Debug, Clone)]
pub(super) struct Scope {
    pub(super) organization: OrganizationId,
    pub(super) website: Option<WebsiteId>,
}

impl Scope {
    pub(super) fn new(alarm: &Alarm) -> Self {
        Self {
            organization: alarm.organization.clone(),
            website: alarm.website(),
        }
    }
}

/// The present observation of an alarm about a series.
pub(super) async fn read_series(
    env: &AlarmsEnv,
    scope: &Scope,
    series: &Series,
) -> Result<Observation, AlarmError> {
    let now_ms = env.clock.now_ms();
    let from_ms = now_ms - days_back(series) * DAY_MS;
    let points = load_points(env, scope, series, (from_ms, now_ms)).await?;
    let website = scope.website.as_ref();
    let website = website.and_then(|id| env.websites.view().by_id(id.as_str()).cloned());
    Ok(Observation {
        subject: String::new(),
        name: website.map_or_else(String::new, |website| website.domain.clone()),
        evaluation: evaluate_now(series, &points, now_ms),
    })
}

pub(super) async fn load_points(
    env: &AlarmsEnv,
    scope: &Scope,
    series: &Series,
    range: (i64, i64),
) -> Result<Vec<Point>, AlarmError> {
    let target = build_target(env, scope)?;
    let values = load_rows(env, &target, (&series.query, series), range).await?;
    let base = match series.per {
        Some((query, _)) => Some(load_rows(env, &target, (query, series), range).await?),
        None => None,
    };
    Ok(points(series, &values, base.as_deref()))
}

fn build_target(env: &AlarmsEnv, scope: &Scope) -> Result<Target, AlarmError> {
    let gone = || CommonError::NoOrganization(scope.organization.clone());
    let organizations = env.organizations.view();
    let tenant = organizations.require_tenant(&scope.organization)?;
    let view = env.websites.view();
    let one = match &scope.website {
        Some(id) => Some(view.by_id(id.as_str()).ok_or_else(gone)?),
        None => None,
    };
    let site = one.map(|website| website.site());
    let access = authorize::read_on_behalf(&tenant, site.as_ref()).ok_or_else(gone)?;
    let all = view.owned_by(&tenant.id);
    let websites = all.iter().filter(|_| one.is_none());
    Ok(Target {
        domain: one.map(|website| website.domain.clone()),
        lenient: all.iter().filter_map(|one| one.lenient_bots()).collect(),
        websites: websites.map(|one| (one.key, one.id.clone())).collect(),
        ..Target::new(access, one.map(|_| Subject::Website))
    })
}

async fn load_rows(
    env: &AlarmsEnv,
    target: &Target,
    (query, series): (&str, &Series),
    (from_ms, to_ms): (i64, i64),
) -> Result<Vec<Value>, AlarmError> {
    let day = |at_ms: i64| iso_ms(at_ms).chars().take(10).collect::<String>();
    let none = json!([]);
    let body = json!({
        "parameters": [query],
        "startDate": day(from_ms),
        "endDate": day(to_ms),
        "granularity": if series.daily { "daily" } else { "hourly" },
        "limit": 10_000,
        "filters": if series.filters.is_null() { &none } else { &series.filters },
    });
    let call = Call {
        body: &body,
        timezone: Some("UTC"),
        now_ms: env.clock.now_ms(),
    };
    let failed = |fault: Fault| AlarmError::Query(fault.message.to_string());
    let answers = run::execute(&env.events, target, call)
        .await
        .map_err(failed)?;
    let only = answers.into_results().pop().map(|result| result.rows);
    let rows = only.unwrap_or_else(|| Err("the query says nothing".to_owned()));
    rows.map_err(AlarmError::Query)
}
