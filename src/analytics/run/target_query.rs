//! Questions that no query type asks: goals, funnels, and what there is to filter by.

use chrono_tz::Tz;
use serde_json::Value;

use super::{Source, traits};
use crate::{
    analytics::{
        catalogue::{QueryType, STEPS},
        compile::Ask,
        range::Granularity,
        request::{Filter, Parameter, Request, Settings},
        run::period::Period,
        target::Target,
    },
    events::statement::{QueryError, Rows, Statement},
    fault::Fault,
};

/// A target that is asked about.
pub(super) struct TargetQuery<'a, S> {
    source: &'a S,
    target: &'a Target,
    request: Request,
    period: Period,
}

impl<'a, S: Source> TargetQuery<'a, S> {
    pub(super) async fn new(
        source: &'a S,
        target: &'a Target,
        filters: &[Filter],
        period: Period,
    ) -> Result<Self, Fault> {
        Self::about(&STEPS, (source, target), filters, period).await
    }

    /// The same about rows of a query type, which says whose they have to be and what filters mean.
    pub(super) async fn about(
        kind: &'static QueryType,
        (source, target): (&'a S, &'a Target),
        filters: &[Filter],
        period: Period,
    ) -> Result<Self, Fault> {
        let mut request = request(kind, filters, period);
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

    pub(super) async fn rows(&self, write: impl Fn(&Ask<'_>) -> Statement) -> Result<Rows, Fault> {
        let statement = self.with(write)?;
        self.source
            .query(statement)
            .await
            .map_err(|error| explain_failure(&error))
    }

    pub(super) fn with<T>(&self, then: impl Fn(&Ask<'_>) -> T) -> Result<T, Fault> {
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

fn request(kind: &'static QueryType, filters: &[Filter], period: Period) -> Request {
    let zone: Tz = period.range.zone;
    Request {
        id: String::new(),
        parameters: vec![Parameter {
            label: kind.name.to_owned(),
            kind,
            grain: Granularity::Day,
            limit: kind.default_limit.into(),
            offset: 0,
            range: Ok(period.range),
            retention: None,
            settings: Settings::default(),
        }],
        sent: Value::Null,
        limit: kind.default_limit.into(),
        page: 1,
        filters: filters.to_vec(),
        sort_by: None,
        descending: None,
        group_by: Vec::new(),
        zone,
    }
}

/// What the caller may know of a failure.
fn explain_failure(error: &QueryError) -> Fault {
    tracing::warn!(error = %error, "a question about people's ways was not answered");
    match error {
        QueryError::Deadline(seconds) => Fault::unavailable(format!(
            "The query took longer than {seconds} seconds: ask for a shorter range"
        )),
        QueryError::Memory => Fault::unavailable(
            "The query needs more memory than it may have: ask for a shorter range",
        ),
        QueryError::TooLarge => Fault::invalid("The answer is too large: ask for a shorter range"),
        QueryError::Busy
        | QueryError::Full
        | QueryError::Unavailable(_)
        | QueryError::Profiles(_) => Fault::unavailable("The query engine is not available"),
        QueryError::Engine(text) => Fault::internal(anyhow::anyhow!("a funnel's query: {text}")),
    }
}
