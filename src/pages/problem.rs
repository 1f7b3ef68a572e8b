//! What is wrong with a form that was sent, for whoever sent it.

use crate::fault::{Fault, Issue, Kind};

/// What to say about a form: something about the whole, and something beside fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    said: Option<String>,
    issues: Vec<Issue>,
}

impl Problems {
    /// There are none.
    pub const NONE: Self = Self {
        said: None,
        issues: Vec::new(),
    };

    /// Something about the whole form.
    pub fn saying(said: impl Into<String>) -> Self {
        Self {
            said: Some(said.into()),
            issues: Vec::new(),
        }
    }

    /// What a refusal says that whoever sent the form can do something about.
    ///
    /// # Errors
    /// The refusal itself, when it is about something else than the form: our own trouble, and what is not there.
    pub fn of(fault: Fault) -> Result<Self, Fault> {
        match fault.kind {
            Kind::Invalid { issues } if !issues.is_empty() => Ok(Self { said: None, issues }),
            Kind::RateLimited(window) => Ok(Self::saying(format!(
                "{}. Try again in {} seconds.",
                fault.message, window.retry_after
            ))),
            Kind::Unavailable { .. }
            | Kind::Internal
            | Kind::NotFound { .. }
            | Kind::MethodNotAllowed => Err(fault),
            _ => Ok(Self::saying(fault.message)),
        }
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.said.is_none() && self.issues.is_empty()
    }

    /// What to say beside the field of this name.
    pub fn beside(&self, field: &str) -> Vec<String> {
        let own = self.issues.iter().filter(|issue| is_below(issue, field));
        own.map(sentence).collect()
    }

    /// What to say about the field of this name alone, and not about something in it.
    pub fn exactly(&self, field: &str) -> Vec<String> {
        let own = self.issues.iter().filter(|issue| issue.field == field);
        own.map(sentence).collect()
    }

    /// What to say above the form that has these fields: everything that no field is there for.
    pub fn above(&self, fields: &[&str]) -> Vec<String> {
        let orphan = |issue: &&Issue| !fields.iter().any(|field| is_below(issue, field));
        let orphans = self.issues.iter().filter(orphan).map(|issue| {
            if issue.field.is_empty() {
                sentence(issue)
            } else {
                format!("{}: {}", issue.field, sentence(issue))
            }
        });
        self.said.iter().cloned().chain(orphans).collect()
    }
}

/// Whether an issue is about a field or about something in it (`rules[0].value` is in `rules`).
fn is_below(issue: &Issue, field: &str) -> bool {
    let rest = issue.field.strip_prefix(field);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn sentence(issue: &Issue) -> String {
    match &issue.suggestion {
        Some(suggestion) => format!("{}. {suggestion}", issue.message.trim_end_matches('.')),
        None => issue.message.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_stands_beside_its_field_or_above_all() {
        let issues = vec![
            Issue::new("too_small", "name", "must not be empty"),
            Issue::new("invalid", "rules[0].value", "is no number"),
            Issue::new("invalid", "other", "is wrong").suggest(Some("Did you mean 'one'?")),
            Issue::new("missing", "", "there is nothing to change"),
        ];
        let problems = Problems::of(Fault::issues("failed", issues)).unwrap();
        assert_eq!(problems.beside("name"), ["must not be empty"]);
        assert_eq!(problems.beside("rules"), ["is no number"]);
        assert!(problems.beside("nam").is_empty());
        assert_eq!(
            problems.above(&["name", "rules"]),
            [
                "other: is wrong. Did you mean 'one'?",
                "there is nothing to change"
            ]
        );
        assert!(Problems::NONE.is_empty() && !problems.is_empty());
    }

    #[test]
    fn our_own_trouble_is_not_the_forms() {
        assert!(Problems::of(Fault::unavailable("later")).is_err());
        assert!(Problems::of(Fault::not_found("website", "x")).is_err());
        let told = Problems::of(Fault::forbidden("not yours")).unwrap();
        assert_eq!(told.above(&[]), ["not yours"]);
    }
}
