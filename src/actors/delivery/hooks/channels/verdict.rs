//! What an answer means to a channel. Pure.

use minijinja::{Value, context};

use super::{Definition, template::evaluate};

#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::actors::delivery::hooks) struct Verdict {
    pub(in crate::actors::delivery::hooks) success: bool,
    /// Whether the receiver wants nothing any more.
    pub(in crate::actors::delivery::hooks) gone: bool,
    /// Whether trying again is of no use.
    pub(in crate::actors::delivery::hooks) forever: bool,
    /// What went wrong, in the service's words.
    pub(in crate::actors::delivery::hooks) error: Option<String>,
}

impl Definition {
    pub(in crate::actors::delivery::hooks) fn judge(&self, status: u16, text: &str) -> Verdict {
        let body: Option<serde_json::Value> = serde_json::from_str(text).ok();
        let answer =
            context! { status => status, text => text, body => Value::from_serialize(body) };
        // An expression about what an answer doesn't have is not true.
        let value = |expression: &Option<String>| {
            let value = evaluate(expression.as_deref()?, &answer).ok()?;
            (!value.is_undefined() && !value.is_none()).then_some(value)
        };
        let is_true = |expression| value(expression).is_some_and(|value| value.is_true());
        let rules = &self.answer;
        Verdict {
            success: (200..300).contains(&status)
                && (rules.success.is_none() || is_true(&rules.success)),
            gone: status == 410 || is_true(&rules.gone),
            forever: is_true(&rules.forever),
            error: value(&rules.error).map(|value| value.to_string()),
        }
    }
}
