//! What is wrong with a form that was sent.

use std::cell::Cell;

use crate::{
    fault::{Fault, Issue, Kind},
    locale::Texts,
};

/// Problems of a form as a whole, and of its fields. It remembers which a field has shown: the rest belongs above the form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    message: Option<String>,
    /// The issues, each with whether a field has shown it.
    issues: Vec<(Issue, Cell<bool>)>,
    texts: Texts,
}

impl Problems {
    pub const NONE: Self = Self {
        message: None,
        issues: Vec::new(),
        texts: Texts::ENGLISH,
    };

    /// A problem of the whole form.
    pub fn from_message(message: impl Into<String>) -> Self {
        Self {
            message: Some(message.into()),
            ..Self::NONE
        }
    }

    /// Problems of fields.
    pub fn from_issues(issues: impl IntoIterator<Item = Issue>) -> Self {
        let issues = issues.into_iter();
        Self {
            issues: issues.map(|issue| (issue, Cell::default())).collect(),
            ..Self::NONE
        }
    }

    /// What a fault says about the form.
    ///
    /// # Errors
    /// The fault itself, when it is not about the form: an internal failure, or something that is not there.
    pub fn from_fault(fault: Fault) -> Result<Self, Fault> {
        Self::from_fault_in(Texts::ENGLISH, fault)
    }

    /// The same in a language, as far as it has the sentences.
    ///
    /// # Errors
    /// The fault itself, when it is not about the form: an internal failure, or something that is not there.
    pub fn from_fault_in(texts: Texts, fault: Fault) -> Result<Self, Fault> {
        let problems = match fault.kind {
            Kind::Invalid { issues } if !issues.is_empty() => Self::from_issues(issues),
            Kind::RateLimited(window) => {
                let message = texts.label(&fault.message);
                Self::from_message(texts.problem_try_again(message, window.retry_after))
            }
            Kind::Unavailable { .. }
            | Kind::Internal
            | Kind::NotFound { .. }
            | Kind::MethodNotAllowed => return Err(fault),
            _ => Self::from_message(texts.label(&quote_backticks(&fault.message))),
        };
        Ok(Self { texts, ..problems })
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.message.is_none() && self.issues.is_empty()
    }

    /// Whether something is wrong with a field or something in it.
    pub fn is_wrong(&self, field: &str) -> bool {
        self.issues.iter().any(|(issue, _)| is_below(issue, field))
    }

    /// The problems to show beside a field.
    pub fn beside(&self, field: &str) -> Vec<String> {
        self.show(|issue| is_below(issue, field))
    }

    /// The problems of a field alone, and not of something in it.
    pub fn exactly(&self, field: &str) -> Vec<String> {
        self.show(|issue| issue.field == field)
    }

    fn show(&self, is_own: impl Fn(&Issue) -> bool) -> Vec<String> {
        let own = self.issues.iter().filter(|(issue, _)| is_own(issue));
        own.map(|(issue, shown)| {
            shown.set(true);
            self.texts.label(&capitalize(&sentence(issue))).to_owned()
        })
        .collect()
    }

    /// The problems to show above a form: all that no field has shown so far, and none of these fields will.
    pub fn above(&self, fields: &[&str]) -> Vec<String> {
        let orphans = self.issues.iter().filter(|(issue, shown)| {
            !shown.get() && !fields.iter().any(|field| is_below(issue, field))
        });
        let orphans = orphans.map(|(issue, _)| {
            if issue.field.is_empty() {
                self.texts.label(&capitalize(&sentence(issue))).to_owned()
            } else {
                format!("{}: {}", issue.field, sentence(issue))
            }
        });
        self.message.iter().cloned().chain(orphans).collect()
    }
}

/// Whether an issue is about a field or about something in it (`rules[0].value` is in `rules`).
fn is_below(issue: &Issue, field: &str) -> bool {
    let rest = issue.field.strip_prefix(field);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// What is wrong, without the name that the API has for the field: the form shows the field under its label.
fn sentence(issue: &Issue) -> String {
    let last = issue.field.rsplit(['.', '[']).next().unwrap_or_default();
    let named = [format!("`{}` ", issue.field), format!("`{last}` ")];
    let rest = named
        .iter()
        .find_map(|named| issue.message.strip_prefix(named.as_str()));
    let message = rest.unwrap_or(&issue.message);
    let message = quote_backticks(&as_requirement(
        &message.replace(&format!(" of `{last}`"), ""),
    ));
    match &issue.suggestion {
        Some(suggestion) => format!(
            "{}. {}",
            message.trim_end_matches('.'),
            quote_backticks(suggestion)
        ),
        None => message,
    }
}

/// Beginnings of messages for programs, and how a form says them.
const PHRASES: [(&str, &str); 4] = [
    ("is required", "this field is required"),
    ("must not be empty", "this field is required"),
    ("must be a full URL", "enter a full URL"),
    ("is taken", "already taken"),
];

/// Bounds as a requirement: `is at most 5` becomes `must be at most 5`. A fact such as `has 99 entries` stays.
fn as_requirement(text: &str) -> String {
    for (phrase, said) in PHRASES {
        if let Some(rest) = text.strip_prefix(phrase) {
            return format!("{said}{rest}");
        }
    }
    for (is, must) in [("has ", "must have "), ("is ", "must be ")] {
        let bounds = text.strip_prefix(is).filter(|rest| {
            let mut words = rest.split(' ');
            let is_number = |word: Option<&str>| {
                word.is_some_and(|word| word.starts_with(|letter: char| letter.is_ascii_digit()))
            };
            rest.starts_with("at most ")
                || is_number(words.next()) && words.next() == Some("to") && is_number(words.next())
        });
        if let Some(bounds) = bounds {
            return format!("{must}{bounds}");
        }
    }
    text.to_owned()
}

/// Text with quotation marks instead of backticks.
pub fn quote_backticks(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for (place, part) in text.split('`').enumerate() {
        if place > 0 {
            quoted.push(if place % 2 == 1 { '“' } else { '”' });
        }
        quoted.push_str(part);
    }
    quoted
}

/// Text with a capital letter at its beginning.
pub fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_shown_beside_its_field_or_above_the_form() {
        let issues = vec![
            Issue::new("too_small", "name", "must not be empty"),
            Issue::new("invalid", "rules[0].value", "is no number"),
            Issue::new("invalid", "other", "is wrong").suggest(Some("Did you mean 'one'?")),
            Issue::new("missing", "", "there is nothing to change"),
        ];
        let problems = Problems::from_fault(Fault::issues("failed", issues)).unwrap();
        assert!(problems.is_wrong("rules") && !problems.is_wrong("nam"));
        assert_eq!(problems.above(&[]).len(), 4, "no field has shown any");
        assert_eq!(problems.beside("name"), ["This field is required"]);
        assert_eq!(problems.beside("rules"), ["Is no number"]);
        assert!(problems.beside("nam").is_empty());
        assert_eq!(
            problems.above(&[]),
            [
                "other: is wrong. Did you mean 'one'?",
                "There is nothing to change"
            ]
        );
        assert!(Problems::NONE.is_empty() && !problems.is_empty());
    }

    #[test]
    fn messages_for_programs_are_reworded_for_people() {
        for (field, message, shown) in [
            (
                "slug",
                "`slug` has 3 to 50 letters, digits, `-` or `_`",
                "Must have 3 to 50 letters, digits, “-” or “_”",
            ),
            (
                "timeout",
                "`timeout` is 1,000 to 120,000",
                "Must be 1,000 to 120,000",
            ),
            (
                "tags",
                "`tags` has at most 5 entries",
                "Must have at most 5 entries",
            ),
            ("slug", "`slug` is taken", "Already taken"),
            (
                "url",
                "`url` must be a full URL, such as https://example.com",
                "Enter a full URL, such as https://example.com",
            ),
            (
                "destinations.0.identifier",
                "`identifier` is a routing key",
                "Is a routing key",
            ),
            (
                "settings.origins",
                "`settings.origins` has 99 entries",
                "Has 99 entries",
            ),
            (
                "settings.origins[2]",
                "entry 2 of `origins` must be a host",
                "Entry 2 of “origins” must be a host",
            ),
            (
                "origins",
                "entry 2 of `origins` must be a host",
                "Entry 2 must be a host",
            ),
            ("name", "called as `slug` is", "Called as “slug” is"),
        ] {
            let issues = vec![Issue::new("invalid", field, message)];
            let problems = Problems::from_fault(Fault::issues("failed", issues)).unwrap();
            assert_eq!(problems.beside(field), [shown]);
        }
        let told = Problems::from_fault(Fault::forbidden("`x` is not yours")).unwrap();
        assert_eq!(told.above(&[]), ["“x” is not yours"]);
        assert_eq!(quote_backticks("a ` alone"), "a “ alone");
    }

    #[test]
    fn internal_failures_are_not_problems_of_a_form() {
        assert!(Problems::from_fault(Fault::unavailable("later")).is_err());
        assert!(Problems::from_fault(Fault::not_found("website", "x")).is_err());
        let told = Problems::from_fault(Fault::forbidden("not yours")).unwrap();
        assert_eq!(told.above(&[]), ["not yours"]);
    }
}
