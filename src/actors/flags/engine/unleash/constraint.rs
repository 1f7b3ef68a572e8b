//! What a rule asks of the context, as a constraint that every client of Unleash decides as we do.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    super::{
        matcher::{Matcher, Subject, Test, TextTest},
        text::INHERITED,
    },
    Reason,
    formula::Formula,
};
use crate::clock::iso_ms;

/// What clients keep in other places than properties.
const RESERVED: [&str; 5] = ["userId", "remoteAddress", "currentTime", "properties", ""];
/// A text that is there, and one that has something in it.
const THERE: &str = "^";
const FILLED: &str = "(?s).";

/// One comparison of a value of the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Constraint {
    pub(super) context_name: Box<str>,
    pub(super) operator: &'static str,
    pub(super) values: Arc<[Box<str>]>,
    pub(super) inverted: bool,
}

impl Constraint {
    fn new(context_name: &str, operator: &'static str, values: impl Into<Arc<[Box<str>]>>) -> Self {
        Self {
            context_name: context_name.into(),
            operator,
            values: values.into(),
            inverted: false,
        }
    }

    /// Whether the context has a value that isn't empty.
    pub(super) fn is_filled(name: &str) -> Self {
        Self::new(name, "REGEX", [FILLED.into()])
    }

    pub(super) fn inverted(mut self) -> Self {
        self.inverted = !self.inverted;
        self
    }

    pub(super) fn to_json(&self) -> Value {
        let mut constraint = json!({
            "contextName": self.context_name, "operator": self.operator, "inverted": self.inverted,
            "caseInsensitive": false, "values": [],
        });
        match self.operator {
            "REGEX" | "DATE_BEFORE" => constraint["value"] = json!(self.values.first()),
            _ => constraint["values"] = json!(&*self.values),
        }
        constraint
    }
}

/// A comparison with the time of the evaluation: before (`true`) or after a moment.
pub(super) fn moment(before: bool, at_ms: i64) -> Formula {
    let constraint = Constraint::new("currentTime", "DATE_BEFORE", [iso_ms(at_ms).into()]);
    Formula::Is(if before {
        constraint
    } else {
        constraint.inverted()
    })
}

/// The name in contexts of a property that a percentage or a rule is about.
pub(super) fn property(field: &str) -> Result<&str, Reason> {
    let is_taken = RESERVED.contains(&field) || INHERITED.contains(&field);
    if is_taken || field.starts_with("__") {
        return Err(format!(
            "the property `{field}` has a name that clients use for something else"
        )
        .into());
    }
    Ok(field)
}

/// A comparison of a value.
pub(super) fn value(subject: &Subject, test: &Test) -> Result<Formula, Reason> {
    let (name, may_be_empty) = match subject {
        Subject::User => ("userId", false),
        Subject::Email => ("email", false),
        Subject::Property(field) => (property(field)?, true),
        Subject::Country | Subject::Device => {
            return Err(
                "a rule looks at the country or device of the request, which clients don't know"
                    .into(),
            );
        }
    };
    let is = |operator, values: Vec<Box<str>>| Formula::Is(Constraint::new(name, operator, values));
    let among = |wanted: bool, values: Vec<Box<str>>| match (values.is_empty(), wanted) {
        (true, wanted) => Ok(Formula::constant(!wanted)),
        (false, true) => Ok(is("IN", values)),
        (false, false) => Ok(is("NOT_IN", values)),
    };
    match test {
        Test::Same(wanted) => among(true, texts(std::slice::from_ref(wanted), may_be_empty)?),
        Test::OneOf(wanted, values) => among(*wanted, texts(values, may_be_empty)?),
        Test::Batch(wanted, values) => {
            let mut values: Vec<_> = values.iter().cloned().collect();
            values.sort_unstable();
            among(*wanted, plain(values)?)
        }
        Test::Text(test, values) => {
            let values = plain(values.to_vec())?;
            match test {
                TextTest::Equals => among(true, values),
                _ if values.is_empty() => Ok(Formula::constant(false)),
                TextTest::Contains => Ok(is("STR_CONTAINS", values)),
                TextTest::Starts => Ok(is("STR_STARTS_WITH", values)),
                TextTest::Ends => Ok(is("STR_ENDS_WITH", values)),
            }
        }
        Test::Exists(wanted) => {
            let pattern = if may_be_empty { THERE } else { FILLED };
            let there = Constraint::new(name, "REGEX", [pattern.into()]);
            Ok(Formula::Is(if *wanted { there } else { there.inverted() }))
        }
        Test::Number(..) => Err("clients read numbers in texts in different ways".into()),
        Test::Version(..) => Err("clients compare versions in different ways".into()),
        Test::Pattern(_) => Err("clients read regular expressions in different ways".into()),
    }
}

/// Values that are compared by their type. A user's id and email are texts and nothing else.
fn texts(values: &[Value], may_be_others: bool) -> Result<Vec<Box<str>>, Reason> {
    let mut texts = Vec::with_capacity(values.len());
    for value in values {
        match value {
            Value::String(text) => texts.push(text.as_str().into()),
            _ if !may_be_others => {}
            _ => return Err("a property is compared with something else than a text".into()),
        }
    }
    plain(texts)
}

/// Clients cut spaces off values, and leave out empty ones.
fn plain(values: Vec<Box<str>>) -> Result<Vec<Box<str>>, Reason> {
    let is_cut = |text: &str| {
        let ends = [text.chars().next(), text.chars().next_back()];
        let is_space = |end: char| end.is_whitespace() || end == '\u{feff}' || end.is_control();
        ends.into_iter().any(|end| end.is_none_or(is_space))
    };
    if values.iter().any(|value| is_cut(value)) {
        return Err("a value is empty, or has a space at its end".into());
    }
    Ok(values)
}

/// A compiled rule.
pub(super) fn formula(matcher: &Matcher) -> Result<Formula, Reason> {
    let inner = |some: &[Matcher]| some.iter().map(formula).collect::<Result<Vec<_>, _>>();
    Ok(match matcher {
        Matcher::Value(subject, test) => value(subject, test)?,
        Matcher::Network(_) => {
            return Err(
                "a rule looks at the address of the request, which clients don't know".into(),
            );
        }
        Matcher::Moment(None, before, moment_ms) => moment(*before, *moment_ms),
        Matcher::Moment(Some(_), ..) => {
            return Err("clients compare only the current time with a time".into());
        }
        Matcher::Share(field, buckets, below) => Formula::among(field.as_deref(), buckets, *below)?,
        Matcher::All(some) => Formula::all(inner(some)?),
        Matcher::Any(some) => Formula::any(inner(some)?),
        Matcher::Not(some) => Formula::any(inner(some)?).negate()?,
        Matcher::Never => Formula::constant(false),
    })
}
