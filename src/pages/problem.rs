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
            _ => Ok(Self::saying(plain(&fault.message))),
        }
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.said.is_none() && self.issues.is_empty()
    }

    /// What to say beside the field of this name.
    pub fn beside(&self, field: &str) -> Vec<String> {
        let own = self.issues.iter().filter(|issue| is_below(issue, field));
        own.map(|issue| begun(&sentence(issue))).collect()
    }

    /// What to say about the field of this name alone, and not about something in it.
    pub fn exactly(&self, field: &str) -> Vec<String> {
        let own = self.issues.iter().filter(|issue| issue.field == field);
        own.map(|issue| begun(&sentence(issue))).collect()
    }

    /// What to say above the form that has these fields: everything that no field is there for.
    pub fn above(&self, fields: &[&str]) -> Vec<String> {
        let orphan = |issue: &&Issue| !fields.iter().any(|field| is_below(issue, field));
        let orphans = self.issues.iter().filter(orphan).map(|issue| {
            if issue.field.is_empty() {
                begun(&sentence(issue))
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

/// What is wrong. The API names the field once more, for programs; whoever looks at a form sees which one it is, under another name.
fn sentence(issue: &Issue) -> String {
    let last = issue.field.rsplit(['.', '[']).next().unwrap_or_default();
    let named = [format!("`{}` ", issue.field), format!("`{last}` ")];
    let rest = named
        .iter()
        .find_map(|named| issue.message.strip_prefix(named.as_str()));
    let message = rest.unwrap_or(&issue.message);
    let message = plain(&wish(&message.replace(&format!(" of `{last}`"), "")));
    match &issue.suggestion {
        Some(suggestion) => format!("{}. {}", message.trim_end_matches('.'), plain(suggestion)),
        None => message,
    }
}

/// Bounds as a wish: beside a field nothing says whose they are. What stands there is a fact and stays, such as `has 99 entries`.
fn wish(text: &str) -> String {
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

/// Text in which programs' words stand in backticks, as people quote them.
pub fn plain(text: &str) -> String {
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
pub fn begun(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
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
        assert_eq!(problems.beside("name"), ["Must not be empty"]);
        assert_eq!(problems.beside("rules"), ["Is no number"]);
        assert!(problems.beside("nam").is_empty());
        assert_eq!(
            problems.above(&["name", "rules"]),
            [
                "other: is wrong. Did you mean 'one'?",
                "There is nothing to change"
            ]
        );
        assert!(Problems::NONE.is_empty() && !problems.is_empty());
    }

    #[test]
    fn words_for_programs_are_not_said_to_people() {
        for (field, message, said) in [
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
            ("slug", "`slug` is taken", "Is taken"),
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
            let problems = Problems::of(Fault::issues("failed", issues)).unwrap();
            assert_eq!(problems.beside(field), [said]);
        }
        let told = Problems::of(Fault::forbidden("`x` is not yours")).unwrap();
        assert_eq!(told.above(&[]), ["“x” is not yours"]);
        assert_eq!(plain("a ` alone"), "a “ alone");
    }

    #[test]
    fn our_own_trouble_is_not_the_forms() {
        assert!(Problems::of(Fault::unavailable("later")).is_err());
        assert!(Problems::of(Fault::not_found("website", "x")).is_err());
        let told = Problems::of(Fault::forbidden("not yours")).unwrap();
        assert_eq!(told.above(&[]), ["not yours"]);
    }
}
