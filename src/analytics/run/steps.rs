//! Goals and funnels, asked and answered.

use super::{Period, Source, target_query::TargetQuery};
use crate::{
    analytics::{
        compile::steps as compile,
        funnel::{self, Funnel, FunnelErrors, FunnelMetrics, FunnelReferrer},
        target::Target,
    },
    fault::Fault,
};

/// How far people come in a funnel.
///
/// # Errors
/// The engine cannot answer, or not in time; a filter on traits cannot be looked up.
pub async fn steps<S: Source>(
    source: &S,
    target: &Target,
    funnel: &Funnel,
    period: Period,
) -> Result<FunnelMetrics, Fault> {
    let asked = TargetQuery::new(source, target, &funnel.filters, period).await?;
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
pub async fn steps_with_errors<S: Source>(
    source: &S,
    target: &Target,
    funnel: &Funnel,
    period: Period,
) -> Result<(FunnelMetrics, FunnelErrors), Fault> {
    let asked = TargetQuery::new(source, target, &funnel.filters, period).await?;
    let rows = asked
        .rows(|ask| compile::by_day_with_errors(ask, funnel))
        .await?;
    let buckets = asked.with(compile::days)?;
    let length = funnel.steps.len();
    Ok(funnel::with_errors(length, &rows, &buckets, period.now_ms))
}

/// Where those come from who enter a funnel, and who goes through; the biggest source first.
pub async fn referrers<S: Source>(
    source: &S,
    target: &Target,
    funnel: &Funnel,
    period: Period,
) -> Result<Vec<FunnelReferrer>, Fault> {
    let asked = TargetQuery::new(source, target, &funnel.filters, period).await?;
    let rows = asked.rows(|ask| compile::by_referrer(ask, funnel)).await?;
    Ok(funnel::referrers(&rows))
}

/// How many of all people reach a goal: a funnel of one step, which everybody enters with whatever they do first.
pub async fn goal<S: Source>(
    source: &S,
    target: &Target,
    goal: &Funnel,
    period: Period,
) -> Result<FunnelMetrics, Fault> {
    let asked = TargetQuery::new(source, target, &goal.filters, period).await?;
    let rows = asked.rows(|ask| compile::goal(ask, goal)).await?;
    let buckets = asked.with(compile::days)?;
    Ok(funnel::goal(&rows, &buckets, period.now_ms))
}
