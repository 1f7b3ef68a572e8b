//! Suggests monitors for an address after one look at it. Checks of the suggested monitors would judge what was seen alike.

mod observation;
mod proposals;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::Value;
use url::Url;

use self::observation::Observation;
use super::{Kind, MonitorFields, rules, target};
use crate::{
    egress::{Egress, Failure, Policy},
    fault::{Classify, Fault, Issue},
};

/// What an address answered, and monitors for it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MonitorSuggestions")]
pub struct Suggestions {
    /// The URL that was requested.
    pub url: String,
    /// The URL that answered, after redirects.
    pub final_url: String,
    /// The status of the answer.
    pub http_code: u16,
    /// Milliseconds that the answer took.
    pub response_time: u64,
    pub suggestions: Vec<Suggestion>,
}

/// A suggested monitor.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MonitorSuggestion")]
pub struct Suggestion {
    /// The input of `createSchedule`.
    #[serde(serialize_with = "serialize_set_fields")]
    #[schemars(with = "MonitorFields")]
    pub monitor: MonitorFields,
    /// Why it is suggested.
    pub reason: String,
    /// Why it would be down now; null if it would be up.
    pub problem: Option<String>,
    /// The monitor of the organization that has this target already.
    pub schedule_id: Option<String>,
}

/// Why nothing is suggested.
#[derive(Debug, thiserror::Error)]
pub enum SuggestionError {
    /// What is wrong with the address, to be put behind its name.
    #[error("`address` {0}")]
    Invalid(String),
    #[error("`address` can't be reached: {0}")]
    Unreachable(Failure),
}

impl Classify for SuggestionError {
    fn classify(self) -> Fault {
        let code = match &self {
            Self::Invalid(_) => "invalid_url",
            Self::Unreachable(_) => "unreachable",
        };
        let issue = Issue::new(code, "address", self.to_string());
        Fault::issues("Invalid address", vec![issue])
    }
}

/// Suggests monitors for a URL or host. `now_ms` is Unix milliseconds.
///
/// # Errors
/// The address is none, may not be checked, or gives no HTTP answer.
pub async fn suggest(
    egress: &Egress,
    address: &str,
    now_ms: i64,
) -> Result<Suggestions, SuggestionError> {
    let policy = egress.policy();
    let url = target::canonical(Kind::Http, address, &policy).map_err(SuggestionError::Invalid)?;
    let url = Url::parse(&url)
        .map_err(|error| SuggestionError::Invalid(format!("is no address: {error}")))?;
    let seen = Box::pin(Observation::load(egress, url, now_ms)).await;
    let seen = seen.map_err(SuggestionError::Unreachable)?;
    let proposals = proposals::all(&seen).into_iter();
    Ok(Suggestions {
        url: seen.url.to_string(),
        final_url: seen.final_url.to_string(),
        http_code: seen.status.as_u16(),
        response_time: u64::try_from(seen.took.as_millis()).unwrap_or(u64::MAX),
        suggestions: proposals
            .filter_map(|one| one.with_stored_target(&policy))
            .collect(),
    })
}

impl Suggestion {
    /// With its target as it is stored; `None` if such a monitor can't be created.
    fn with_stored_target(mut self, policy: &Policy) -> Option<Self> {
        let checked = rules::check_fields(self.monitor.clone(), policy).ok()?;
        self.monitor.url = Some(checked.url);
        Some(self)
    }
}

/// Leaves out what is not set, so that people can read the rest.
fn serialize_set_fields<S: Serializer>(
    fields: &MonitorFields,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut value = serde_json::to_value(fields).map_err(S::Error::custom)?;
    remove_nulls(&mut value);
    value.serialize(serializer)
}

fn remove_nulls(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.retain(|_, field| !field.is_null());
        fields.values_mut().for_each(remove_nulls);
    }
}
