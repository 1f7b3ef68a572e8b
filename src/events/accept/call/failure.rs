//! What a failed call says went wrong: SDKs wrap the sentence for people into codes and JSON, which is undone here.

use serde_json::{Map, Value};

use super::{SHORT, clean};

/// Characters kept of the message.
const MESSAGE: usize = 512;
/// What SDKs put before a JSON-RPC error.
const PREFIX: &str = "MCP error ";
/// Wrappings that are undone at most: a prefix around JSON around a prefix.
const LAYERS: usize = 4;
/// Longer texts are no wrapped sentence.
const LONGEST: usize = 64 * 1_024;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// In words; may be empty.
    pub(super) message: String,
    /// For machines; the outermost code that was found.
    pub(super) code: Option<String>,
}

pub(super) fn read(text: &str) -> Failure {
    let mut message = text.trim().to_owned();
    let mut code = None;
    for _ in 0..LAYERS {
        let Some((inner, found)) = prefixed(&message).or_else(|| json(&message)) else {
            break;
        };
        message = inner;
        code = code.or(found);
    }
    let message = clean::lines(&message);
    Failure {
        message: clean::cut(&message, MESSAGE).trim_end().to_owned(),
        code,
    }
}

/// `MCP error -32602: …`
fn prefixed(text: &str) -> Option<(String, Option<String>)> {
    let (number, message) = text.strip_prefix(PREFIX)?.split_once(':')?;
    let number: i64 = number.trim().parse().ok()?;
    Some((message.trim().to_owned(), Some(name(number))))
}

/// `{"error":{"message","code"}}`, `{"error":"…"}` or `{"message","code"}`.
fn json(text: &str) -> Option<(String, Option<String>)> {
    if !text.starts_with('{') || text.len() > LONGEST {
        return None;
    }
    let outer: Map<String, Value> = serde_json::from_str(text).ok()?;
    let (inner, message) = match outer.get("error") {
        Some(Value::Object(inner)) => (inner, inner.get("message")),
        Some(message @ Value::String(_)) => (&outer, Some(message)),
        _ => (&outer, outer.get("message")),
    };
    let message = message?.as_str()?.trim().to_owned();
    let code = match inner.get("code") {
        Some(Value::String(code)) => {
            let code = clean::line(code);
            Some(clean::cut(&code, SHORT).to_owned()).filter(|code| !code.is_empty())
        }
        Some(Value::Number(number)) => number.as_i64().map(name),
        _ => None,
    };
    Some((message, code))
}

/// The name of a JSON-RPC code; the number itself where it has none.
fn name(number: i64) -> String {
    let known = match number {
        -32_700 => "parse_error",
        -32_600 => "invalid_request",
        -32_601 => "method_not_found",
        -32_602 => "invalid_params",
        -32_603 => "internal_error",
        -32_001 => "request_timeout",
        other => return other.to_string(),
    };
    known.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_both(text: &str) -> (String, Option<String>) {
        let failure = read(text);
        (failure.message, failure.code)
    }

    fn pair(message: &str, code: &str) -> (String, Option<String>) {
        let code = (!code.is_empty()).then(|| code.to_owned());
        (message.to_owned(), code)
    }

    #[test]
    fn codes_of_the_protocol_get_their_names() {
        for (number, name) in [
            (-32_700, "parse_error"),
            (-32_600, "invalid_request"),
            (-32_601, "method_not_found"),
            (-32_602, "invalid_params"),
            (-32_603, "internal_error"),
            (-32_001, "request_timeout"),
            (-32_050, "-32050"),
        ] {
            let text = format!("MCP error {number}: it broke: twice");
            assert_eq!(read_both(&text), pair("it broke: twice", name));
        }
    }

    #[test]
    fn json_is_unwrapped_in_three_shapes() {
        for (text, expected) in [
            (
                r#"{"error":{"message":"gone","code":"not_found"}}"#,
                pair("gone", "not_found"),
            ),
            (r#"{"error":"gone"}"#, pair("gone", "")),
            (r#"{"error":"gone","code":404}"#, pair("gone", "404")),
            (
                r#"{"message":"bad","code":-32602}"#,
                pair("bad", "invalid_params"),
            ),
            (
                r#"MCP error -32603: {"error":{"message":"db down","code":"db"}}"#,
                pair("db down", "internal_error"),
            ),
            (
                r#"{"message":"MCP error -32001: too slow"}"#,
                pair("too slow", "request_timeout"),
            ),
        ] {
            assert_eq!(read_both(text), expected, "{text}");
        }
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        for text in [
            "plain",
            "MCP error: no number",
            "MCP error x: y",
            "{broken",
            "{}",
            r#"{"error":5}"#,
            r#"{"message":7}"#,
            "[1]",
        ] {
            assert_eq!(read_both(text), pair(text, ""), "{text}");
        }
        assert_eq!(read_both("  \n "), pair("", ""));
        assert_eq!(read_both("a\nb\0c"), pair("a\nbc", ""));
    }

    #[test]
    fn long_texts_are_cut() {
        let long = |length: usize| read_both(&"ä".repeat(length)).0.chars().count();
        assert_eq!((long(512), long(513), long(100_000)), (512, 512, 512));
        let code = format!(r#"{{"message":"m","code":"{}"}}"#, "c".repeat(65));
        assert_eq!(read_both(&code).1.map(|code| code.len()), Some(64));
        let wrapped = format!(r#"{{"message":"{}"}}"#, "m".repeat(LONGEST));
        assert!(read_both(&wrapped).0.starts_with('{'));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in ".*", number in proptest::num::i64::ANY) {
            assert!(read(&text).message.chars().count() <= MESSAGE);
            read(&format!("MCP error {number}: {{\"error\":{text:?}}}"));
        }
    }
}
