//! Bound values: parameters of the request, named and typed in the statement.

use crate::events::statement::Bind;

/// A placeholder, which names its value and says its type.
pub fn placeholder(at: usize, value: Option<&Bind>) -> String {
    let kind = match value {
        Some(Bind::Int(_)) => "Int64",
        Some(Bind::Hash(_)) => "UInt64",
        Some(Bind::Float(_)) => "Float64",
        Some(Bind::Text(_)) | None => "String",
    };
    format!("{{p{}:{kind}}}", at + 1)
}

/// Replaces every `?` outside of quotations by what `each` returns for its number, from 0.
pub fn placeholders(text: &str, each: impl Fn(usize) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut number, mut within) = (0, None);
    for letter in text.chars() {
        match (letter, within) {
            ('?', None) => {
                out.push_str(&each(number));
                number += 1;
                continue;
            }
            ('\'' | '"', None) => within = Some(letter),
            // A doubled one ends the quotation and begins it again.
            (quote, Some(open)) if quote == open => within = None,
            _ => {}
        }
        out.push(letter);
    }
    out
}

/// Names and values of the HTTP interface's URL parameters that carry bound values, before they are percent-encoded.
///
/// The engine reads a value as a field of tab-separated text, in which a backslash escapes.
pub fn parameters(binds: &[Bind]) -> Vec<(String, String)> {
    let named = binds.iter().enumerate().map(|(at, bind)| {
        let value = match bind {
            Bind::Int(whole) => whole.to_string(),
            Bind::Hash(hash) => hash.to_string(),
            Bind::Float(number) => number.to_string(),
            Bind::Text(text) => escaped(text),
        };
        (format!("param_p{}", at + 1), value)
    });
    named.collect()
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\\\"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\0' => out.push_str("\\0"),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_parameters_are_escaped_once() {
        let binds = [
            Bind::Int(-3),
            Bind::Hash(u64::MAX),
            Bind::Float(0.1),
            Bind::Text("a\\b\tc\nd 'ä' \\N".into()),
        ];
        let wanted = [
            ("param_p1", "-3"),
            ("param_p2", "18446744073709551615"),
            ("param_p3", "0.1"),
            ("param_p4", "a\\\\b\\tc\\nd 'ä' \\\\N"),
        ];
        let wanted = wanted.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(parameters(&binds), wanted);
    }

    #[test]
    fn placeholders_are_counted_outside_of_quotations() {
        let numbered = |text: &str| placeholders(text, |at| format!("<{at}>"));
        assert_eq!(
            numbered("a = ? AND '?' \"?\" = ?"),
            "a = <0> AND '?' \"?\" = <1>"
        );
        assert_eq!(
            numbered("f(?, '^a?$ ''?') = \"?\" AND ä > ?"),
            "f(<0>, '^a?$ ''?') = \"?\" AND ä > <1>"
        );
        assert_eq!(numbered("{p1:Int64}"), "{p1:Int64}");
    }
}
