//! The logical relations of statements.
//!
//! | relation | rows |
//! |---|---|
//! | `{events}` | events in scope, as they are stored |
//! | `{visits}`, `{pages}` | what [`Extract`]s say of the events that they are about |
//! | `{received}` | events, by when they were received |
//! | `{aliases}` | `website, visitor, profile`: who the visitors are, one row each |
//! | `{people}` | `{events}`, where `profile` also says who an anonymous event came from |
//!
//! A visitor is the profile of the latest `/identify`, whenever that was; without one, the profile that an event in
//! scope carries beside the visitor (of several the last in the alphabet, so answers repeat). An event that
//! carries a profile itself belongs to that profile, whatever its visitor.

use super::{event::TIMELESS, extracts::Extract, statement::Scope, words::Words};

/// Which rows of a scope are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// What happened in its time, as senders say.
    Happened,
    /// What an extract says of that.
    Extracted(Extract),
    /// What was received in its time.
    Received,
    /// What `/identify` said about visitors that may be in it, at whatever time.
    Identified,
}

impl Stored {
    const ALL: [(&'static str, Self); 5] = [
        ("{events}", Self::Happened),
        ("{visits}", Self::Extracted(Extract::Visits)),
        ("{pages}", Self::Extracted(Extract::Pages)),
        ("{received}", Self::Received),
        ("{identified}", Self::Identified),
    ];

    /// The condition on stored rows, apart from whose they are.
    ///
    /// A salt serves one UTC day of receipt, an alias of yesterday's form is written a day later at most, and no event
    /// is more than an hour ahead of its receipt. So an alias from two days before a scope begins concerns no visitor in
    /// it, unless the visitor keeps the same form for ever.
    pub fn condition(self, scope: &Scope) -> String {
        let (from, to) = (scope.from.max(0), scope.to);
        match self {
            Self::Happened | Self::Extracted(_) => format!("time >= {from} AND time < {to}"),
            Self::Received => {
                format!("time > {TIMELESS} AND received >= {from} AND received < {to}")
            }
            Self::Identified => {
                let oldest = from.saturating_sub(2 * 86_400_000);
                format!("time = {TIMELESS} AND (name = 'raw' OR received >= {oldest})")
            }
        }
    }
}

/// The text with its relations bound; `stored` returns rows, with the columns that the words of the text name, as a `FROM` clause
/// names them.
pub fn bind(text: &str, stored: impl Fn(Stored, &Words<'_>) -> String) -> String {
    let expanded = expand(text);
    let (words, mut text) = (Words::new(&expanded), expanded.clone());
    for (name, rows) in Stored::ALL {
        if text.contains(name) {
            text = text.replace(name, &stored(rows, &words));
        }
    }
    text
}

/// Which stored rows a text asks for.
pub fn named(text: &str) -> Vec<Stored> {
    let text = expand(text);
    let asked = Stored::ALL.iter().filter(|(name, _)| text.contains(name));
    asked.map(|(_, rows)| *rows).collect()
}

/// The text with those relations in it that stored rows are.
fn expand(text: &str) -> String {
    text.replace("{people}", PEOPLE)
        .replace("{aliases}", ALIASES)
}

const PEOPLE: &str = "(SELECT e.* REPLACE (coalesce(nullif(e.profile, ''), a.profile) AS profile) FROM {events} e \
    LEFT JOIN {aliases} a ON e.website = a.website AND e.visitor = a.visitor)";

const ALIASES: &str = "(SELECT website, visitor, \
    coalesce(argMax(profile, CASE WHEN time < 0 THEN received END), max(profile)) AS profile FROM (\
    SELECT website, visitor, profile, received, time FROM {identified} identified UNION ALL \
    SELECT website, visitor, profile, received, time FROM {events} direct WHERE profile <> '' AND visitor <> 0) \
    GROUP BY website, visitor)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_is_bound() {
        for (text, wanted) in [
            ("{events} {events}", &[Stored::Happened][..]),
            ("{received}", &[Stored::Received]),
            ("{pages}", &[Stored::Extracted(Extract::Pages)]),
            ("{aliases}", &[Stored::Happened, Stored::Identified]),
            ("{people} {events}", &[Stored::Happened, Stored::Identified]),
        ] {
            let bound = bind(text, |_, _| "(t)".to_owned());
            assert!(!bound.contains('{'), "{bound}");
            assert_eq!(named(text), wanted, "{text}");
        }
        assert_eq!(bind("a {events} b", |_, _| "(e)".to_owned()), "a (e) b");
    }
}
