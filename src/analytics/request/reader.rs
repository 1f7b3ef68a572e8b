//! Reads the fields of a body and collects what is wrong with them.

use serde_json::{Map, Value};

use super::{VALIDATION_ERROR, nearest::nearest};
use crate::fault::{Fault, Issue};

/// A JSON object under inspection.
pub(super) struct Reader<'a> {
    object: &'a Map<String, Value>,
    /// What is wrong so far.
    pub(super) issues: Vec<Issue>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(object: &'a Map<String, Value>) -> Self {
        Self {
            object,
            issues: Vec::new(),
        }
    }

    /// The field, unless it is missing or `null`.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// Notes that something is wrong.
    pub(super) fn wrong(
        &mut self,
        code: &'static str,
        field: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.issues.push(Issue::new(code, field, message));
    }

    /// Notes that a name is unknown, with the nearest known one.
    pub(super) fn unknown<'n>(
        &mut self,
        field: impl Into<String>,
        message: impl Into<String>,
        text: &str,
        known: impl IntoIterator<Item = &'n str>,
    ) {
        let meant = nearest(text, known).map(|name| format!("Did you mean '{name}'?"));
        self.issues
            .push(Issue::new("unknown", field, message).suggest(meant));
    }

    /// A text field.
    pub(super) fn text(&mut self, name: &'static str) -> Option<&'a str> {
        let value = self.get(name)?;
        if value.as_str().is_none() {
            self.wrong("invalid_type", name, format!("{name} must be a string"));
        }
        value.as_str()
    }

    /// A whole number between `least` and `most`.
    pub(super) fn number(&mut self, name: &'static str, least: u64, most: u64) -> Option<u64> {
        let value = self.get(name)?;
        let number = whole(value);
        match number {
            Some(number) if (least..=most).contains(&number) => return Some(number),
            _ => self.wrong(
                "out_of_range",
                name,
                format!("{name} must be a whole number from {least} to {most}"),
            ),
        }
        None
    }

    /// The refusal, when anything was wrong.
    pub(super) fn refuse<T>(self, value: Option<T>) -> Result<T, Fault> {
        match value {
            Some(value) if self.issues.is_empty() => Ok(value),
            _ => Err(refusal(self.issues)),
        }
    }
}

/// A refusal whose message is the first issue's, with its suggestion.
pub(super) fn refusal(issues: Vec<Issue>) -> Fault {
    let message = match issues.first() {
        Some(Issue {
            message,
            suggestion: Some(meant),
            ..
        }) => format!("{message}. {meant}"),
        Some(issue) => issue.message.clone(),
        None => "The body is not a valid query".to_owned(),
    };
    Fault::issues(message, issues).with_code(VALIDATION_ERROR)
}

/// A number without a fraction.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|number| number.fract() == 0.0 && (0.0..=1e15).contains(number))
            .map(|number| number as u64)
    })
}
