//! How goals and funnels are answered.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::funnel::{ErrorCounts, FunnelErrors, FunnelMetrics};

/// How many people went how far, and how long it took.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Conversion {
    /// Of those who came in, how many went through, percent.
    pub overall_conversion_rate: f64,
    pub total_users_entered: u64,
    pub total_users_completed: u64,
    /// From the first step to the last, seconds.
    pub avg_completion_time: f64,
    /// The same in words, such as `2m 5s`.
    pub avg_completion_time_formatted: String,
    /// The step that most people who could have taken it did not take; 1 when there is none.
    pub biggest_dropoff_step: usize,
    /// How many these were, percent.
    pub biggest_dropoff_rate: f64,
    /// Whether a visitor went through: only then there is a time.
    pub duration_available: bool,
    pub steps_analytics: Vec<StepOut>,
    /// Every day of the range up to now, by when people came in.
    pub time_series: Vec<DayOut>,
    pub error_insights: Insights,
}

/// How a step went.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StepAnalytics")]
pub struct StepOut {
    /// From 1.
    pub step_number: usize,
    pub step_name: String,
    /// Who took it.
    pub users: u64,
    /// Who came in.
    pub total_users: u64,
    /// Of those who came in, percent.
    pub conversion_rate: f64,
    /// Who took the step before and not this one.
    pub dropoffs: u64,
    /// Of those who took the step before, percent.
    pub dropoff_rate: f64,
    /// Since the step before, seconds.
    pub avg_time_to_complete: f64,
    /// Whether errors are part of the plan, and could be looked at.
    pub error_context_available: bool,
    /// Errors that people met after this step and before the next.
    pub error_count: u64,
    /// Of those who took this step, who met one, percent.
    pub error_rate: f64,
    /// The five most frequent.
    pub top_errors: Vec<ErrorOut>,
}

/// An error that people met.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StepError")]
pub struct ErrorOut {
    pub message: String,
    pub error_type: String,
    pub count: u64,
}

/// People who came in on one day.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConversionDay")]
pub struct DayOut {
    pub date: String,
    pub users: u64,
    /// Who of them went through, whenever that was.
    pub conversions: u64,
    /// Percent.
    pub conversion_rate: f64,
    pub dropoffs: u64,
    /// From the first step to the last, seconds.
    pub avg_time: f64,
}

/// What errors have to do with people who did not go on.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ErrorInsights")]
pub struct Insights {
    pub available: bool,
    /// Errors that people met on their way.
    pub total_errors: u64,
    /// Visits in which they did.
    pub sessions_with_errors: u64,
    /// People who met one after their last step.
    pub dropoffs_with_errors: u64,
    /// Percent of the visitors who did not complete it.
    pub error_correlation_rate: f64,
}

/// Per cent with two decimals.
pub(super) fn share(part: u64, whole: u64) -> f64 {
    match whole {
        0 => 0.0,
        whole => (part as f64 * 10_000.0 / whole as f64).round() / 100.0,
    }
}

/// Seconds with two decimals of each of so many.
fn seconds(ms: i64, count: u64) -> f64 {
    match count {
        0 => 0.0,
        count => (ms as f64 / count as f64 / 10.0).round() / 100.0,
    }
}

/// The two largest units of a time.
fn words(seconds: f64) -> String {
    let whole = seconds.round().max(0.0) as u64;
    let (days, hours) = (whole / 86_400, whole / 3_600 % 24);
    let (minutes, seconds) = (whole / 60 % 60, whole % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m {seconds}s"),
        (0, ..) => format!("{hours}h {minutes}m"),
        _ => format!("{days}d {hours}h"),
    }
}

impl Conversion {
    /// The answer; `troubles` are missing where errors are no part of the plan.
    pub(super) fn new(
        figures: &FunnelMetrics,
        names: &[String],
        troubles: Option<&FunnelErrors>,
    ) -> Self {
        let entered = figures.entered;
        let completed = figures.steps.last().map_or(0, |step| step.users);
        let steps: Vec<StepOut> = (0..figures.steps.len())
            .map(|place| step(figures, place, names, troubles))
            .collect();
        let mut worst = (1, 0.0);
        for step in &steps {
            if step.dropoff_rate > worst.1 {
                worst = (step.step_number, step.dropoff_rate);
            }
        }
        let average = seconds(figures.whole_ms, completed);
        let dropped = troubles.map_or(0, |troubles| troubles.all.dropped);
        Self {
            overall_conversion_rate: share(completed, entered),
            total_users_entered: entered,
            total_users_completed: completed,
            avg_completion_time: average,
            avg_completion_time_formatted: words(average),
            biggest_dropoff_step: worst.0,
            biggest_dropoff_rate: worst.1,
            duration_available: completed > 0,
            steps_analytics: steps,
            time_series: figures.days.iter().map(day).collect(),
            error_insights: Insights {
                available: troubles.is_some(),
                total_errors: troubles.map_or(0, |troubles| troubles.all.errors),
                sessions_with_errors: troubles.map_or(0, |troubles| troubles.all.sessions),
                dropoffs_with_errors: dropped,
                error_correlation_rate: share(dropped, entered.saturating_sub(completed)),
            },
        }
    }
}

fn step(
    figures: &FunnelMetrics,
    place: usize,
    names: &[String],
    troubles: Option<&FunnelErrors>,
) -> StepOut {
    let own = figures.steps.get(place).copied().unwrap_or_default();
    let before = match place
        .checked_sub(1)
        .and_then(|before| figures.steps.get(before))
    {
        Some(before) => before.users,
        None => figures.entered,
    };
    let met = troubles.and_then(|troubles| troubles.steps.get(place).copied());
    let ErrorCounts { errors, users, .. } = met.unwrap_or_default();
    let top = troubles.map_or(&[][..], |troubles| &troubles.top);
    let top = top.iter().filter(|error| error.step == place + 1);
    StepOut {
        step_number: place + 1,
        step_name: names.get(place).cloned().unwrap_or_default(),
        users: own.users,
        total_users: figures.entered,
        conversion_rate: share(own.users, figures.entered),
        dropoffs: before.saturating_sub(own.users),
        dropoff_rate: share(before.saturating_sub(own.users), before),
        avg_time_to_complete: seconds(own.took_ms, own.users),
        error_context_available: troubles.is_some(),
        error_count: errors,
        error_rate: share(users, own.users),
        top_errors: top
            .map(|error| ErrorOut {
                message: error.message.clone(),
                error_type: error.kind.clone(),
                count: error.count,
            })
            .collect(),
    }
}

fn day(day: &crate::analytics::funnel::Day) -> DayOut {
    DayOut {
        date: day.date.clone(),
        users: day.users,
        conversions: day.conversions,
        conversion_rate: share(day.conversions, day.users),
        dropoffs: day.users.saturating_sub(day.conversions),
        avg_time: seconds(day.whole_ms, day.conversions),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_their_two_largest_units() {
        for (seconds, told) in [
            (0.0, "0s"),
            (59.4, "59s"),
            (59.5, "1m 0s"),
            (125.0, "2m 5s"),
            (3_600.0, "1h 0m"),
            (86_399.0, "23h 59m"),
            (90_000.0, "1d 1h"),
        ] {
            assert_eq!(words(seconds), told, "{seconds}");
        }
    }

    #[test]
    fn shares_of_nothing_are_nothing() {
        assert_eq!((share(0, 0), share(1, 3), share(2, 3)), (0.0, 33.33, 66.67));
        assert_eq!((seconds(5, 0), seconds(10_000, 3)), (0.0, 3.33));
    }
}
