//! The properties of an event, a list of values by key.

use serde_json::Value;

use super::cell::{TableContext, text};
use crate::{
    analytics::run::Answers,
    http::pages::prelude::*,
    pages::part::{RankedRow, ranked_list},
};

pub(super) fn draw(rows: &[Value], _: &Answers, _: &TableContext<'_>) -> Markup {
    html! {
        div.grid {
            @for (key, values) in group(rows) {
                section aria-label=(key) { (ranked_list(Texts::ENGLISH, key, &["Events", "Visitors"], &values)) }
            }
        }
    }
}

/// The values by key, keys in the order in which they come.
fn group(rows: &[Value]) -> Vec<(&str, Vec<RankedRow>)> {
    let mut groups: Vec<(&str, Vec<RankedRow>)> = Vec::new();
    for row in rows {
        let key = row["property_key"].as_str().unwrap_or_default();
        let number = |column: &str| row[column].as_u64().unwrap_or(0);
        let value = RankedRow {
            name: text(&row["property_value"]),
            link: None,
            numbers: vec![number("count"), number("unique_users")],
        };
        match groups.iter_mut().find(|(own, _)| *own == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_listed_by_their_key() {
        let row = |key: &str, value: &str| json!({ "property_key": key, "property_value": value, "count": 2, "unique_users": 1 });
        let rows = [row("plan", "pro"), row("color", "red"), row("plan", "free")];
        let groups = group(&rows);
        let keys: Vec<(&str, usize)> = groups
            .iter()
            .map(|(key, values)| (*key, values.len()))
            .collect();
        assert_eq!(keys, [("plan", 2), ("color", 1)]);
        assert_eq!(groups[0].1[0].numbers, [2, 1]);
    }
}
