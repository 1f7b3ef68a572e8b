//! Makes what visitors have written safe to read for agents (threat T43).
//!
//! Names of events, paths and messages come from anybody. They stay what they are, texts inside of JSON; but they are cut, few,
//! and without what can hide or reorder text: an answer can neither fill a conversation nor show something else than it
//! holds.

use serde_json::{Map, Value};

/// Characters of a text.
const MAX_TEXT: usize = 1_000;
/// Characters of a key.
const MAX_KEY: usize = 128;
/// Entries of a list.
pub(super) const MAX_ITEMS: usize = 100;
/// Characters of all texts of an answer together.
const MAX_ALL: usize = 200_000;
/// The end of a text that was cut.
const CUT: &str = "…[cut]";

/// A value with its texts and lists cut.
pub(super) fn sanitize(value: Value) -> Value {
    let mut left = MAX_ALL;
    sanitize_within(value, &mut left)
}

fn sanitize_within(value: Value, left: &mut usize) -> Value {
    match value {
        Value::String(said) => Value::String(text(&said, MAX_TEXT, left)),
        Value::Array(mut items) => {
            items.truncate(MAX_ITEMS);
            Value::Array(
                items
                    .into_iter()
                    .map(|item| sanitize_within(item, left))
                    .collect(),
            )
        }
        Value::Object(fields) => {
            let mut sanitize = Map::new();
            for (name, field) in fields.into_iter().take(MAX_TEXT) {
                let name = text(&name, MAX_KEY, left);
                sanitize.insert(name, sanitize_within(field, left));
            }
            Value::Object(sanitize)
        }
        plain => plain,
    }
}

/// At most so many characters that can be seen, as long as there is room at all.
fn text(said: &str, most: usize, left: &mut usize) -> String {
    let most = most.min(*left);
    let mut shown = String::with_capacity(said.len().min(most));
    let mut count = 0;
    for character in said.chars().filter(|character| is_visible(*character)) {
        if count == most {
            shown.push_str(CUT);
            break;
        }
        shown.push(character);
        count += 1;
    }
    *left -= count;
    shown
}

/// Whether a character shows itself and nothing but itself: no control, no change of direction, no tag.
fn is_visible(character: char) -> bool {
    let hides = matches!(
        character,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    );
    matches!(character, '\n' | '\t') || !(character.is_control() || hides)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_cut_and_shown_as_they_are() {
        let long = "x".repeat(MAX_TEXT);
        for (said, shown) in [
            ("plain", "plain".to_owned()),
            ("a\u{0}b\u{1b}[31mc\r\nd", "ab[31mc\nd".to_owned()),
            ("admin\u{202e}gpj.exe\u{2069}", "admingpj.exe".to_owned()),
            ("a\u{e0041}b\u{200b}c", "abc".to_owned()),
            (&long, long.clone()),
            (&format!("{long}y"), format!("{long}{CUT}")),
        ] {
            assert_eq!(sanitize(json!(said)), json!(shown), "{said:?}");
        }
        let key = "k".repeat(MAX_KEY + 1);
        let cut = format!("{}{CUT}", "k".repeat(MAX_KEY));
        assert_eq!(sanitize(json!({ key: 1 })), json!({ cut: 1 }));
    }

    #[test]
    fn lists_are_short_and_all_of_it_is_bounded() {
        let many = json!(vec!["x".repeat(900); 1_000]);
        assert_eq!(sanitize(many).as_array().unwrap().len(), MAX_ITEMS);
        let rows = json!(vec![json!({ "a": vec!["x".repeat(900); 100] }); 100]);
        let size = sanitize(rows).to_string().len();
        assert!(size < MAX_ALL + 100 * 100 * 20, "{size}");
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left_of_any_text(said in "\\PC{0,40}[\\x00-\\x1f\\u{202a}-\\u{202e}]{0,9}.{0,40}") {
            let Value::String(shown) = sanitize(json!(said)) else { unreachable!() };
            prop_assert!(shown.chars().all(is_visible));
            let expected: String = said.chars().filter(|character| is_visible(*character)).collect();
            prop_assert_eq!(shown, expected);
        }
    }
}
