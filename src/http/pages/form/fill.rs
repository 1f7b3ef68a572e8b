//! Forms filled from JSON.

use serde::Serialize;
use serde_json::Value;

use super::{FormData, Input, Inputs, Kind};
use crate::{
    fault::Fault,
    pages::time::{DateFormat, moment},
};

impl Inputs<'_> {
    /// The form of a value; `()` gives an empty one.
    pub(in crate::http::pages) fn fill(&self, of: &impl Serialize) -> Result<FormData, Fault> {
        let whole = serde_json::to_value(of).map_err(Fault::internal)?;
        let mut form = FormData::default();
        for input in self.all() {
            input.fill(&whole, self.date_format, &mut form);
        }
        Ok(form)
    }
}

impl Input {
    fn fill(&self, whole: &Value, date_format: &DateFormat, form: &mut FormData) {
        let place = format!("/{}", self.name.replace('.', "/"));
        let value = whole.pointer(&place).unwrap_or(&Value::Null);
        let written = match self.kind {
            Kind::Checkbox(usual) => {
                if value.as_bool().unwrap_or(usual) {
                    form.push(self.name, "on");
                }
                return;
            }
            Kind::Secret { has, .. } => {
                if whole[has] == true {
                    form.push(has, "on");
                }
                return;
            }
            Kind::Rows(rows) => {
                form.0.extend(rows.fill(value));
                return;
            }
            Kind::Json(_) => json(value),
            Kind::Lines(_) => texts(value).collect::<Vec<_>>().join("\n"),
            Kind::Windows => {
                form.0.extend(self.windows().fill(value, date_format));
                return;
            }
            Kind::Several(_) => {
                texts(value).for_each(|one| form.push(self.name, one));
                return;
            }
            Kind::Moment => {
                let at = value.as_str().and_then(moment);
                at.map(|at| date_format.format_field(at))
                    .unwrap_or_default()
            }
            Kind::Pairs => lines(
                value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(word, address)| (word.clone(), address)),
            ),
            Kind::Weights => lines(
                value
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|one| (one["weight"].to_string(), &one["url"])),
            ),
            Kind::Choice(_) if value.is_null() => self.usual.to_owned(),
            _ => text(value),
        };
        form.push(self.name, written);
    }
}

/// Pretty JSON; empty for null and empty lists.
fn json(value: &Value) -> String {
    if value.is_null() || value.as_array().is_some_and(Vec::is_empty) {
        return String::new();
    }
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(Value::as_str)
}

/// A value as text, a list with commas between its texts.
pub(in crate::http::pages) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        list => texts(list).collect::<Vec<_>>().join(", "),
    }
}

fn lines<'a>(pairs: impl Iterator<Item = (String, &'a Value)>) -> String {
    let lines =
        pairs.map(|(word, address)| format!("{word} {}", address.as_str().unwrap_or_default()));
    lines.collect::<Vec<_>>().join("\n")
}
