//! Goals and funnels: who does things in an order, how far they come, and how long it takes (`docs/goals-and-funnels.md`).
//!
//! A [`Funnel`] is what is asked, free of how it is stored or spelled on the wire. The compiler turns it into one statement
//! ([`crate::analytics::compile`]), the runner into [`FunnelMetrics`] ([`crate::analytics::run`]).
//!
//! Invariants: an event takes a step once; of a person only their own events count; what is equal in time and receipt is
//! ordered by the first step that it takes, and what is equal in that too is not one after the other.

mod metrics;

pub use metrics::{
    Day, ErrorCounts, FunnelError, FunnelErrors, FunnelMetrics, FunnelReferrer, Step as StepMetrics,
};
pub(super) use metrics::{goal, referrers, steps, with_errors};

use super::request::{Filter, Op};

/// The most steps that a funnel has.
pub const MAX_STEPS: usize = 10;

/// Whose events belong together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Each {
    /// A visitor's, over all of their visits in the range.
    #[default]
    Visitor,
    /// A visit's.
    Session,
}

impl Each {
    /// The column that identifies them.
    pub(super) const fn column(self) -> &'static str {
        match self {
            Self::Visitor => "visitor",
            Self::Session => "session",
        }
    }
}

/// What an event must be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamePattern {
    /// Just so.
    Exactly(String),
    Beginning(String),
    /// A path at this place or below it: `/docs` and `/docs/a`, not `/docsy`.
    Below(String),
}

/// What kind of event a step is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepTarget {
    /// The view of a page with such a path.
    View(NamePattern),
    /// A page event or custom event with such a name.
    Event(NamePattern),
}

/// What must be true of the event itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// A field of the event, in the words of the query API.
    Field(Filter),
    /// One of the properties that the caller sent along.
    Property {
        key: String,
        /// How it is compared.
        op: Op,
        /// With what: one value, or several where the operator takes a list.
        values: Vec<String>,
    },
}

/// One event that a visitor triggers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub target: StepTarget,
    /// What must be true of it beside.
    pub conditions: Vec<Condition>,
}

/// Steps in their order, and whose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Funnel {
    /// 1 to [`MAX_STEPS`].
    pub steps: Vec<Step>,
    /// Events that do not pass are as if they had not happened.
    pub filters: Vec<Filter>,
    /// Whose events belong together.
    pub each: Each,
    /// How long after its first step a way may last, ms; `None` = as long as the range.
    pub window_ms: Option<i64>,
}

impl Funnel {
    /// Whether no event takes two of the steps, by what these are called alone.
    pub(super) fn is_exclusive(&self) -> bool {
        let mut rest = self.steps.as_slice();
        while let [one, others @ ..] = rest {
            if others.iter().any(|other| one.target.meets(&other.target)) {
                return false;
            }
            rest = others;
        }
        true
    }
}

impl StepTarget {
    /// Whether there may be an event that is both.
    fn meets(&self, other: &Self) -> bool {
        let view = NamePattern::Exactly("screen_view".to_owned());
        match (self, other) {
            (Self::View(one), Self::View(other)) | (Self::Event(one), Self::Event(other)) => {
                one.meets(other)
            }
            (Self::View(_), Self::Event(name)) | (Self::Event(name), Self::View(_)) => {
                name.meets(&view)
            }
        }
    }
}

impl NamePattern {
    /// Whether there may be something that is called both.
    fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Exactly(one), other) | (other, Self::Exactly(one)) => other.is(one),
            (Self::Beginning(one), Self::Beginning(other)) => {
                one.starts_with(other.as_str()) || other.starts_with(one.as_str())
            }
            (Self::Beginning(start), Self::Below(path))
            | (Self::Below(path), Self::Beginning(start)) => {
                // Of all that lies below, the path itself is the shortest.
                let below = format!("{path}/");
                below.starts_with(start.as_str()) || start.starts_with(&below)
            }
            (Self::Below(one), Self::Below(other)) => {
                let (one, other) = (format!("{one}/"), format!("{other}/"));
                one.starts_with(&other) || other.starts_with(&one)
            }
        }
    }

    /// Whether a text is called so.
    fn is(&self, text: &str) -> bool {
        match self {
            Self::Exactly(own) => own == text,
            Self::Beginning(start) => text.starts_with(start.as_str()),
            Self::Below(path) => {
                let rest = text.strip_prefix(path.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
        }
    }

    /// What a step's target says: a `*` at its end matches anything.
    ///
    /// # Errors
    /// A `*` is elsewhere; the text says so.
    pub fn name(target: &str) -> Result<Self, &'static str> {
        match target.split_once('*') {
            None => Ok(Self::Exactly(target.to_owned())),
            Some((start, "")) => Ok(Self::Beginning(start.to_owned())),
            Some(_) => Err("`*` may only stand at the end"),
        }
    }

    /// The same of a path: of an address only the path counts, a slash at the end does not, and `/docs/*` is `/docs` as well.
    pub fn path(target: &str) -> Result<Self, &'static str> {
        let path = match target.split_once("://") {
            Some((_, rest)) => rest.find('/').map_or("/", |at| &rest[at..]),
            None => target,
        };
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let rooted = if path.starts_with(['/', '*']) {
            path.to_owned()
        } else {
            format!("/{path}")
        };
        let plain = |path: &str| match path.trim_end_matches('/') {
            "" => "/".to_owned(),
            path => path.to_owned(),
        };
        Ok(match Self::name(&rooted)? {
            Self::Exactly(path) => Self::Exactly(plain(&path)),
            Self::Beginning(start) if start.len() > 1 && start.ends_with('/') => {
                Self::Below(plain(&start))
            }
            found => found,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two patterns meet exactly when some text is called both; short texts of few characters are enough to check.
    #[test]
    fn patterns_meet_when_something_is_called_both() {
        let targets = [
            "/", "/*", "*", "/a", "/a*", "/a/*", "/ab", "/a/b", "/a/b*", "/a/b/*", "/b/*",
        ];
        let mut texts = vec!["/".to_owned()];
        for _ in 0..5 {
            let longer = texts
                .iter()
                .flat_map(|text| ["a", "b", "/"].map(|end| format!("{text}{end}")));
            texts = texts
                .iter()
                .cloned()
                .chain(longer.collect::<Vec<_>>())
                .collect();
            texts.sort();
            texts.dedup();
        }
        for one in targets {
            for other in targets {
                let patterns = (
                    NamePattern::path(one).unwrap(),
                    NamePattern::path(other).unwrap(),
                );
                let both = texts
                    .iter()
                    .any(|text| patterns.0.is(text) && patterns.1.is(text));
                assert_eq!(patterns.0.meets(&patterns.1), both, "{one} {other}");
            }
        }
    }

    #[test]
    fn views_and_events_are_two_things_unless_the_name_is_that_of_views() {
        let funnel = |event: &str| Funnel {
            steps: vec![
                Step {
                    target: StepTarget::View(NamePattern::path("/a").unwrap()),
                    conditions: Vec::new(),
                },
                Step {
                    target: StepTarget::Event(NamePattern::name(event).unwrap()),
                    conditions: Vec::new(),
                },
            ],
            filters: Vec::new(),
            each: Each::Visitor,
            window_ms: None,
        };
        assert!(funnel("signup").is_exclusive());
        assert!(!funnel("screen_view").is_exclusive());
        assert!(!funnel("s*").is_exclusive());
    }

    #[test]
    fn targets_are_paths_or_names_and_may_end_in_anything() {
        let exactly = |text: &str| Ok(NamePattern::Exactly(text.to_owned()));
        let beginning = |text: &str| Ok(NamePattern::Beginning(text.to_owned()));
        for (target, wanted) in [
            ("/pricing", exactly("/pricing")),
            ("/pricing/", exactly("/pricing")),
            ("pricing", exactly("/pricing")),
            ("/", exactly("/")),
            ("//", exactly("/")),
            ("https://a.example/b/?c#d", exactly("/b")),
            ("https://a.example", exactly("/")),
            ("/docs*", beginning("/docs")),
            ("*", beginning("")),
            ("/*", beginning("/")),
            ("/docs/*", Ok(NamePattern::Below("/docs".to_owned()))),
        ] {
            assert_eq!(NamePattern::path(target), wanted, "{target}");
        }
        assert_eq!(NamePattern::name("sign up"), exactly("sign up"));
        assert_eq!(NamePattern::name("sign*"), beginning("sign"));
        assert!(NamePattern::name("*up").is_err() && NamePattern::path("/a/*/b").is_err());
    }
}
