//! Goals and funnels, asked and answered.

use chrono_tz::Tz;
use serde_json::Value;

use super::{Source, Target, traits};
use crate::{
    analytics::{
        catalogue::STEPS,
        compile::{Ask, steps as compile},
        funnel::{self, Figures, Funnel, Landed, Troubles},
        range::{Grain, Range},
        request::{DEFAULT_LIMIT, Filter, Parameter, Request, Settings},
    },
    events::statement::{QueryError, Rows, Statement},
    fault::Fault,
};

/// When: days in a zone, seen at a moment.
#[derive(Debug, Clone, Copy)]
pub struct Period {
    /// The days.
    pub range: Range,
    /// The current time, Unix milliseconds.
    pub now_ms: i64,
}

/// A funnel that is asked about.
struct Asked<'a, S> {
    source: &'a S,
    target: &'a Target,
    request: Request,
    period: Period,
}

impl<'a, S: Source> Asked<'a, S> {
    async fn new(
        source: &'a S,
        target: &'a Target,
        filters: &[Filter],
        period: Period,
    ) -> Result<Self, Fault> {
        let mut request = request(filters, period);
        traits::resolve(target, &mut request).await;
        let refused = request
            .parameters
            .iter()
            .find_map(|one| one.range.clone().err());
        match refused {
            Some(message) => Err(Fault::invalid(message)),
            None => Ok(Self {
                source,
                target,
                request,
                period,
            }),
        }
    }

    async fn rows(&self, write: impl Fn(&Ask<'_>) -> Statement) -> Result<Rows, Fault> {
        let statement = self.with(write)?;
        self.source
            .query(statement)
            .await
            .map_err(|error| told(&error))
    }

    fn with<T>(&self, then: impl Fn(&Ask<'_>) -> T) -> Result<T, Fault> {
        let nothing = || Fault::internal(anyhow::anyhow!("a request of steps has one parameter"));
        Ok(then(&Ask {
            target: self.target,
            request: &self.request,
            parameter: self.request.parameters.first().ok_or_else(nothing)?,
            range: self.period.range,
            now_ms: self.period.now_ms,
            dialect: self.source.dialect(),
            extract: None,
        }))
    }
}

fn request(filters: &[Filter], period: Period) -> Request {
    let zone: Tz = period.range.zone;
    Request {
        id: String::new(),
        parameters: vec![Parameter {
            label: STEPS.name.to_owned(),
            kind: &STEPS,
            grain: Grain::Day,
            range: Ok(period.range),
            retention: None,
            settings: Settings::default(),
        }],
        sent: Value::Null,
        limit: DEFAULT_LIMIT,
        page: 1,
        offset: 0,
        filters: filters.to_vec(),
        sort_by: None,
        descending: None,
        group_by: Vec::new(),
        zone,
    }
}

/// How far people come in a funnel.
///
/// # Errors
/// The engine cannot answer, or not in time; a filter on traits cannot be looked up.
pub async fn steps<S: Source>(
    source: &S,
    target: &Target,
    funnel: &Funnel,
    period: Period,
) -> Result<Figures, Fault> {
    let asked = Asked::new(source, target, &funnel.filters, period).await?;
    let rows = asked.rows(|ask| compile::by_day(ask, funnel)).await?;
    let buckets = asked.with(compile::days)?;
    Ok(funnel::steps(
        funnel.steps.len(),
        &rows,
        &buckets,
        period.now_ms,
    ))
}

/// How far people come in a funnel, and the errors that they meet on their way.
///
/// # Errors
/// As [`steps`].
pub async fn whole<S: Source>(
    source: &S,
    target: &Target,
    funnel: &Funnel,
    period: Period,
) -> Result<(Figures, Troubles), Fault> {
    let asked = Asked::new(source, target, &funnel.filters, period).await?;
    let rows = asked.rows(|ask| compile::whole(ask, funnel)).await?;
    let buckets = asked.with(compile::days)?;
    let length = funnel.steps.len();
    Ok(funnel::whole(length, &rows, &buckets, period.now_ms))
}

/// Where those come from who enter a funnel, and who goes through; the biggest source first.
///
/// # Errors
/// As [`steps`].
pub async fn referrers<S: Source>(
    source: &S,
    target: &Target,
    funnel: &Funnel,
    period: Period,
) -> Result<Vec<Landed>, Fault> {
    let asked = Asked::new(source, target, &funnel.filters, period).await?;
    let rows = asked.rows(|ask| compile::by_referrer(ask, funnel)).await?;
    Ok(funnel::landed(&rows))
}

/// How many of all people reach a goal: a funnel of one step, which everybody enters with whatever they do first.
///
/// # Errors
/// As [`steps`].
pub async fn goal<S: Source>(
    source: &S,
    target: &Target,
    goal: &Funnel,
    period: Period,
) -> Result<Figures, Fault> {
    let asked = Asked::new(source, target, &goal.filters, period).await?;
    let rows = asked.rows(|ask| compile::of_goal(ask, goal)).await?;
    let buckets = asked.with(compile::days)?;
    Ok(funnel::reached(&rows, &buckets, period.now_ms))
}

/// What the caller may know of a failure.
fn told(error: &QueryError) -> Fault {
    tracing::warn!(error = %error, "a goal or funnel was not answered");
    match error {
        QueryError::Deadline(seconds) => Fault::unavailable(format!(
            "The query took longer than {seconds} seconds: ask for a shorter range"
        )),
        QueryError::Memory => Fault::unavailable(
            "The query needs more memory than it may have: ask for a shorter range",
        ),
        QueryError::Busy | QueryError::Unavailable(_) => {
            Fault::unavailable("The query engine is not available")
        }
        QueryError::Engine(text) => Fault::internal(anyhow::anyhow!("a funnel's query: {text}")),
    }
}
