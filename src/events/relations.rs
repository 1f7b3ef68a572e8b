//! The logical relations of statements.
//!
//! | relation | rows |
//! |---|---|
//! | `{events}` | events in scope, as they are stored |
//! | `{aliases}` | `website, visitor, profile`: who the visitors are, one row each |
//! | `{people}` | `{events}`, where `profile` also says who an anonymous event came from |
//!
//! A visitor is the profile of the latest `/identify`, whenever that was; without one, the profile that an event in
//! scope carries beside the visitor (of several the last in the alphabet, so that answers repeat). An event that
//! carries a profile itself belongs to that profile, whoever its visitor is.

use std::borrow::Cow;

use super::event::TIMELESS;

/// The text with its relations bound: `events` gives the rows in scope and `identified` the rows that `/identify` wrote,
/// both as something that can stand behind `FROM`.
pub fn bind(text: &str, events: &str, identified: &str) -> String {
    let mut text = Cow::Borrowed(text);
    for (name, expansion) in [("{people}", PEOPLE), ("{aliases}", ALIASES)] {
        if text.contains(name) {
            text = Cow::Owned(text.replace(name, expansion));
        }
    }
    text.replace("{identified}", identified)
        .replace("{events}", events)
}

/// Whether the text asks who visitors are.
pub fn asks_who(text: &str) -> bool {
    ["{people}", "{aliases}"]
        .iter()
        .any(|name| text.contains(name))
}

/// Condition on stored rows: what `/identify` wrote, as far as it can be about visitors in scope. A salt serves one UTC
/// day of receipt; an alias of yesterday's form is written a day later at most, and no event is more than an hour
/// ahead of its receipt. So what was written before `from` by more than two days is about nobody in scope, unless the
/// visitor keeps the same form for ever.
pub fn identified(from: i64) -> String {
    let oldest = from.saturating_sub(2 * 86_400_000);
    format!("time = {TIMELESS} AND (name = 'raw' OR received >= {oldest})")
}

const PEOPLE: &str = "(SELECT e.* REPLACE (coalesce(nullif(e.profile, ''), a.profile) AS profile) FROM {events} e \
    LEFT JOIN {aliases} a ON e.website = a.website AND e.visitor = a.visitor)";

const ALIASES: &str = "(SELECT website, visitor, \
    coalesce(arg_max(profile, CASE WHEN time < 0 THEN received END), max(profile)) AS profile FROM (\
    SELECT website, visitor, profile, received, time FROM {identified} identified UNION ALL \
    SELECT website, visitor, profile, received, time FROM {events} direct WHERE profile <> '' AND visitor <> 0) \
    GROUP BY website, visitor)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_to_bind() {
        for text in ["{events}", "{aliases}", "{people}", "{people} {events}"] {
            let bound = bind(text, "(e)", "(i)");
            assert!(!bound.contains('{'), "{bound}");
            assert_eq!(asks_who(text), text != "{events}");
        }
        assert_eq!(bind("a {events} b", "(e)", "(i)"), "a (e) b");
    }
}
