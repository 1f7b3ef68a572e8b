//! The input of procedures, read from forms.

use serde_json::{Map, Value, json};

use super::{Empty, FormData, Input, Inputs, Kind, value_or_issues};
use crate::{
    fault::{Fault, Issue},
    pages::time::DateFormat,
};

impl Inputs<'_> {
    /// The JSON of a form.
    ///
    /// # Errors
    /// Everything that cannot be read, by the names of the inputs.
    pub(in crate::http::pages) fn read(
        &self,
        sent: &FormData,
    ) -> Result<Map<String, Value>, Fault> {
        let mut issues = Vec::new();
        let body = self.collect(sent, &mut issues);
        value_or_issues(body, issues, "Invalid form")
    }

    /// The same as far as it can be read. The rest is issues.
    pub(in crate::http::pages) fn collect(
        &self,
        sent: &FormData,
        issues: &mut Vec<Issue>,
    ) -> Map<String, Value> {
        let mut body = Map::new();
        for input in self.all() {
            if let Some(value) = input.read(sent, self.date_format, issues) {
                insert(&mut body, input.name, value);
            }
        }
        body
    }
}

/// Inserts a value at its dotted name.
fn insert(body: &mut Map<String, Value>, name: &str, value: Value) {
    let Some((outer, rest)) = name.split_once('.') else {
        body.insert(name.to_owned(), value);
        return;
    };
    let inner = body.entry(outer).or_insert_with(|| json!({}));
    if let Value::Object(inner) = inner {
        insert(inner, rest, value);
    }
}

impl Input {
    /// Its value; `None` = not in the JSON.
    fn read(
        &self,
        sent: &FormData,
        date_format: &DateFormat,
        issues: &mut Vec<Issue>,
    ) -> Option<Value> {
        let value = match self.kind {
            Kind::Checkbox(_) => Some(json!(sent.is_on(self.name))),
            Kind::Secret { clear, .. } => return self.read_secret(sent, clear.0),
            Kind::Number(max) => self.read_number(sent, max, issues),
            Kind::Lines(_) => some(sent.lines(self.name)),
            Kind::Decimal => self.read_decimal(sent, issues),
            Kind::Json(_) => sent.json(self.name, issues),
            Kind::Rows(rows) => rows.read(sent, issues),
            Kind::Moment => sent.moment(self.name, date_format, issues).map(Value::from),
            Kind::Words => some(sent.words(self.name)),
            Kind::Several(_) => some(sent.all(self.name).collect()),
            Kind::Pairs => self.read_pairs(sent, issues),
            Kind::Weights => self.read_weights(sent, issues),
            Kind::Windows => {
                let windows = self.windows().read(sent, date_format, issues);
                Some(Value::Array(windows))
            }
            Kind::Line(_)
            | Kind::Area(_)
            | Kind::Choice(_)
            | Kind::Hidden
            | Kind::Note
            | Kind::Button => self.typed(sent).map(Value::from),
        };
        value.or_else(|| match self.empty {
            Empty::Null => Some(Value::Null),
            Empty::Omit => None,
            Empty::Text => Some(json!("")),
            Empty::List => Some(json!([])),
            Empty::Missing => {
                if sent.some(self.name).is_none() {
                    issues.push(Issue::new("missing", self.name, "is required"));
                }
                None
            }
        })
    }

    /// The text of the field, or the default.
    fn typed<'a>(&self, sent: &'a FormData) -> Option<&'a str> {
        let usual = Some(self.usual).filter(|usual| !usual.is_empty());
        sent.some(self.name).or(usual)
    }

    fn read_number(&self, sent: &FormData, max: u64, issues: &mut Vec<Issue>) -> Option<Value> {
        let read: Option<u64> = self.typed(sent)?.parse().ok();
        let read = read.filter(|number| *number <= max);
        if read.is_none() {
            issues.push(Issue::new("invalid_type", self.name, "must be a number"));
        }
        read.map(Value::from)
    }

    fn read_decimal(&self, sent: &FormData, issues: &mut Vec<Issue>) -> Option<Value> {
        let whole: Option<u32> = self.typed(sent)?.parse().ok();
        let whole = whole.map(Value::from);
        whole.or_else(|| Some(json!(sent.number::<f64>(self.name, issues)?)))
    }

    /// A secret is in the JSON only if it changes.
    fn read_secret(&self, sent: &FormData, clear: &str) -> Option<Value> {
        match sent.raw(self.name) {
            "" => sent.is_on(clear).then_some(Value::Null),
            typed => Some(json!(typed)),
        }
    }

    fn read_pairs(&self, sent: &FormData, issues: &mut Vec<Issue>) -> Option<Value> {
        let pairs = self.read_lines(sent, issues).into_iter();
        let pairs = pairs.map(|(word, address)| (word.to_owned(), json!(address)));
        let pairs: Map<String, Value> = pairs.collect();
        (!pairs.is_empty()).then_some(Value::Object(pairs))
    }

    fn read_weights(&self, sent: &FormData, issues: &mut Vec<Issue>) -> Option<Value> {
        let mut weights = Vec::new();
        for (share, address) in self.read_lines(sent, issues) {
            if let Ok(weight) = share.parse::<u32>() {
                weights.push(json!({ "url": address, "weight": weight }));
            } else {
                let message = format!("“{share}” must be a whole number");
                issues.push(Issue::new("invalid", self.name, message));
            }
        }
        some(weights)
    }

    /// Lines of a word and an address.
    fn read_lines<'a>(
        &self,
        sent: &'a FormData,
        issues: &mut Vec<Issue>,
    ) -> Vec<(&'a str, &'a str)> {
        let mut pairs = Vec::new();
        for line in sent.lines(self.name) {
            match line.split_once(char::is_whitespace) {
                Some((word, address)) => pairs.push((word, address.trim())),
                None => issues.push(Issue::new(
                    "invalid",
                    self.name,
                    format!("“{line}” must have a URL after its first word"),
                )),
            }
        }
        pairs
    }
}

/// A list, unless nothing is in it.
fn some<T: Into<Value>>(list: Vec<T>) -> Option<Value> {
    (!list.is_empty()).then(|| list.into())
}
