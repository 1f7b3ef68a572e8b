//! What becomes of a request: the outcomes of its parameters, and how they are written.

use std::{borrow::Cow, collections::BTreeSet};

use serde_json::{Map, Value, json};

use super::{budget::Use, json::Text, rights, sink::Pieces};
use crate::{
    analytics::{
        compile::Compiled,
        request::{DEFAULT_LIMIT, Parameter, Request},
    },
    fault::{Fault, Kind},
};

pub(super) enum Answer<M> {
    One(M),
    Batch(Vec<Result<M, Failed>>),
}

/// A member of a batch that was refused.
pub(super) struct Failed {
    pub(super) message: Cow<'static, str>,
    pub(super) written: Map<String, Value>,
}

impl<M> Answer<M> {
    /// The object of the answer, which is still open. `write` writes the fields of a member.
    pub(super) fn into_text(self, write: impl Fn(M, &mut Text)) -> Text {
        let mut text = Text::default();
        text.raw("{\"success\":true,");
        match self {
            Self::One(member) => write(member, &mut text),
            Self::Batch(members) => {
                text.raw("\"batch\":true,\"results\":[");
                for (place, member) in members.into_iter().enumerate() {
                    text.raw(if place == 0 { "" } else { "," });
                    match member {
                        Ok(member) => {
                            text.raw("{");
                            write(member, &mut text);
                            text.raw("}");
                        }
                        Err(failed) => text.value(&failed.written),
                    }
                }
                text.raw("]");
            }
        }
        text
    }
}

pub(super) struct Member<R> {
    id: String,
    /// Those that were answered, then the others.
    pub(super) outcomes: Vec<Outcome<R>>,
    meta: Value,
}

impl Member<Pieces> {
    pub(super) fn write(self, text: &mut Text) {
        text.raw("\"queryId\":");
        text.value(&self.id);
        text.raw(",\"data\":[");
        for (place, outcome) in self.outcomes.iter().enumerate() {
            text.raw(if place == 0 { "" } else { "," });
            outcome.write(text);
        }
        text.raw("]");
        text.field("meta", &self.meta);
    }
}

/// The answer to a body from the outcomes of its parameters.
pub(super) fn member<R>(request: Request, outcomes: Vec<Outcome<R>>) -> Member<R> {
    let applied = (0..request.filters.len())
        .filter(|index| {
            let acts = |outcome: &Outcome<R>| outcome.acts.get(*index).copied().unwrap_or(false);
            outcomes.iter().any(acts)
        })
        .count();
    // The rows of these files are missing in the answer.
    let damaged = outcomes.iter().flat_map(|outcome| outcome.damaged.clone());
    let damaged: BTreeSet<String> = damaged.collect();
    let mut meta = json!({
        "parameters": request.sent,
        "total_parameters": request.parameters.len(),
        "page": request.page,
        "limit": request.limit,
        "filters_applied": applied,
        // Every answer counts all rows in its range; nothing is sampled or sketched.
        "accuracy": "exact",
        "error_bound": 0,
        "complete": damaged.is_empty(),
    });
    if !damaged.is_empty() {
        meta["damaged_segments"] = json!(damaged);
    }
    let (mut good, bad): (Vec<_>, Vec<_>) = outcomes
        .into_iter()
        .partition(|outcome| outcome.rows.is_ok());
    good.extend(bad);
    Member {
        id: request.id,
        outcomes: good,
        meta,
    }
}

#[derive(Clone)]
pub(super) struct Outcome<R> {
    pub(super) label: String,
    /// The rows, or why there are none.
    pub(super) rows: Result<R, String>,
    /// What of the budget they take.
    pub(super) used: Use,
    /// Why the engine was not asked: the caller should retry (every 503 says when).
    pub(super) unavailable: Option<&'static str>,
    pub(super) acts: Vec<bool>,
    pub(super) damaged: Vec<String>,
    /// Filters that do not act.
    pub(super) ignored_filters: Vec<String>,
    /// Groups that do not act.
    pub(super) ignored_groups: Vec<&'static str>,
}

impl<R: Default> Default for Outcome<R> {
    fn default() -> Self {
        Self {
            label: String::new(),
            rows: Ok(R::default()),
            used: Use::default(),
            unavailable: None,
            acts: Vec::new(),
            damaged: Vec::new(),
            ignored_filters: Vec::new(),
            ignored_groups: Vec::new(),
        }
    }
}

impl Outcome<Pieces> {
    fn write(&self, text: &mut Text) {
        text.raw("{\"parameter\":");
        text.value(&self.label);
        text.field("success", &self.rows.is_ok());
        match &self.rows {
            Ok(rows) => {
                text.raw(",\"data\":");
                rows.write(text);
            }
            Err(message) => {
                text.field("error", message);
                text.raw(",\"data\":[]");
            }
        }
        if !self.ignored_filters.is_empty() {
            text.field("ignoredFilters", &self.ignored_filters);
        }
        if !self.ignored_groups.is_empty() {
            text.field("ignoredGroupBy", &self.ignored_groups);
        }
        text.raw("}");
    }
}

/// The outcome of a parameter, as far as it was compiled.
pub(super) fn outcome<R: Default>(
    parameter: &Parameter,
    compiled: Option<&Compiled>,
    rows: Result<R, String>,
) -> Outcome<R> {
    Outcome {
        label: parameter.label.clone(),
        rows,
        acts: compiled.map_or_else(Vec::new, |compiled| compiled.acts.clone()),
        ignored_filters: compiled
            .map_or_else(Vec::new, |compiled| compiled.ignored_filters.clone()),
        ignored_groups: compiled.map_or_else(Vec::new, |compiled| compiled.ignored_groups.clone()),
        ..Outcome::default()
    }
}

/// A batch member that was refused.
pub(super) fn failed(body: &Value, fault: &Fault) -> Failed {
    let id = body.get("id").and_then(Value::as_str).unwrap_or_default();
    let parameters = body.get("parameters").filter(|sent| sent.is_array());
    let parameters = parameters.cloned().unwrap_or_else(|| json!([]));
    let mut object = Map::new();
    object.insert("queryId".into(), json!(id));
    object.insert("success".into(), json!(false));
    object.insert("error".into(), json!(fault.message));
    object.insert("code".into(), json!(rights::code(fault)));
    if let Kind::Invalid { issues } = &fault.kind {
        object.insert("details".into(), json!(issues));
    }
    object.insert("data".into(), json!([]));
    let count = parameters.as_array().map_or(0, Vec::len);
    let sent = |name: &str, usual: u64| {
        let number = body.get(name).and_then(Value::as_u64);
        number.filter(|number| *number > 0).unwrap_or(usual)
    };
    object.insert(
        "meta".into(),
        json!({
            "parameters": parameters,
            "total_parameters": count,
            "page": sent("page", 1),
            "limit": sent("limit", DEFAULT_LIMIT),
            "filters_applied": 0,
        }),
    );
    Failed {
        message: fault.message.clone(),
        written: object,
    }
}
