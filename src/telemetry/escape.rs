//! Fields for people, with control characters escaped: what a caller sends must not forge a line or move a cursor.

use std::fmt;

use tracing::field::{Field, Visit};
use tracing_subscriber::{
    field::RecordFields,
    fmt::format::{FormatFields, Writer},
};

/// Writes `message name=value …`.
pub(super) struct Fields;

impl<'writer> FormatFields<'writer> for Fields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut line = Line {
            writer,
            separator: "",
            result: Ok(()),
        };
        fields.record(&mut line);
        line.result
    }
}

struct Line<'writer> {
    writer: Writer<'writer>,
    separator: &'static str,
    result: fmt::Result,
}

impl Visit for Line<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let name = match field.name() {
            "message" => String::new(),
            name => format!("{name}="),
        };
        let separator = std::mem::replace(&mut self.separator, " ");
        let written = write!(
            self.writer,
            "{separator}{name}{}",
            escaped(&format!("{value:?}"))
        );
        self.result = self.result.and(written);
    }
}

fn escaped(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for character in text.chars() {
        // The two separators are no control characters, but viewers break lines at them.
        if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') {
            clean.extend(character.escape_default());
        } else {
            clean.push(character);
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        // `any::<String>()` makes no control characters.
        fn nothing_escapes(text in "[\\x00-\\u{a0}\\u{2028}\\u{2029}ä€]*") {
            prop_assert!(!super::escaped(&text).chars().any(char::is_control));
        }

        #[test]
        fn plain_text_stays(text in "[ -~äöü€]*") {
            prop_assert_eq!(super::escaped(&text), text);
        }
    }
}
