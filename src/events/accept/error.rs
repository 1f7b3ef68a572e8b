//! JavaScript errors: the array of `/errors`.
//!
//! Line and column may be any 32-bit number: minified scripts are one line of a megabyte. Scripts report whatever was
//! thrown, so a type, line or column that cannot be right is left out alone and the error is kept.

use super::{
    Context, clean,
    field::Check,
    spans::{self, span},
    time::Texts,
    wire::Value,
};
use crate::{
    events::{
        event::{Details, Event, Failure},
        store::Accepted,
    },
    fault::Fault,
};

/// Characters kept of a message.
const MESSAGE: usize = 2_048;
/// Characters kept of a script's name.
const FILENAME: usize = 512;
/// Characters kept of a stack.
const STACK: usize = 4_096;
/// Characters kept of an error's type.
const TYPE: usize = 128;

span! {
    Thrown, required [message] {
        message: Value = "message",
        filename: Value = "filename",
        line: Value = "lineno",
        column: Value = "colno",
        stack: Value = "stack",
        kind: Value = "errorType",
    }
}

/// Reads the array of `/errors`, all of it or nothing.
pub fn accept(bytes: &[u8], context: &Context<'_>) -> Result<Vec<Accepted>, Fault> {
    spans::accept(bytes, context, event)
}

fn event(thrown: &Thrown<'_>, check: &mut Check) -> Event {
    check.require("message", &thrown.message);
    let failure = Failure {
        message: check
            .long_text("message", &thrown.message, MESSAGE)
            .unwrap_or_default(),
        filename: check.long_text("filename", &thrown.filename, FILENAME),
        line: position(&thrown.line),
        column: position(&thrown.column),
        stack: check.long_text("stack", &thrown.stack, STACK),
    };
    Event {
        time: check.time(&thrown.timestamp, Texts::Refused),
        name: kind(&thrown.kind),
        details: Details::Error(failure),
        ..Event::default()
    }
}

/// The type of an error, cut; `Error` for one that says none.
fn kind(value: &Value<'_>) -> String {
    let text = match value {
        Value::Text(text) => clean::line(text),
        _ => "".into(),
    };
    match clean::cut(&text, TYPE).trim_end() {
        "" => "Error".to_owned(),
        kind => kind.to_owned(),
    }
}

/// A line or column, unless that cannot be one.
fn position(value: &Value<'_>) -> Option<u32> {
    match value {
        Value::Number(number) if (0.0..=f64::from(u32::MAX)).contains(number) => {
            Some(*number as u32)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{super::test_fixture::*, *};

    fn read(body: &Value) -> Result<Vec<Accepted>, Fault> {
        let visit = visit();
        accept(body.to_string().as_bytes(), &context(&visit))
    }

    fn thrown(field: &str, value: &Value) -> Value {
        let mut thrown =
            json!({"timestamp": NOW, "path": "https://example.com/a", "message": "boom"});
        thrown[field] = value.clone();
        json!([thrown])
    }

    fn failure(field: &str, value: &Value) -> (String, Failure) {
        let accepted = read(&thrown(field, value)).unwrap().remove(0);
        match accepted.event.details {
            Details::Error(failure) => (accepted.event.name, failure),
            other => panic!("no error: {other:?}"),
        }
    }

    #[test]
    fn long_texts_are_cut_and_keep_their_lines() {
        assert_eq!(
            failure("message", &json!("ä".repeat(3_000)))
                .1
                .message
                .chars()
                .count(),
            MESSAGE
        );
        let stack = failure("stack", &json!("at a\n".repeat(2_000)))
            .1
            .stack
            .unwrap();
        assert_eq!(stack.chars().count(), STACK);
        assert!(stack.starts_with("at a\nat a"));
        assert_eq!(
            failure("filename", &json!("f".repeat(600)))
                .1
                .filename
                .unwrap()
                .len(),
            FILENAME
        );
    }

    #[test]
    fn the_type_defaults_to_error() {
        assert_eq!(failure("errorType", &json!(null)).0, "Error");
        assert_eq!(failure("errorType", &json!("")).0, "Error");
        assert_eq!(failure("errorType", &json!("TypeError")).0, "TypeError");
        assert_eq!(
            failure("errorType", &json!("t".repeat(129))).0,
            "t".repeat(128)
        );
        for wrong in [json!(7), json!({"a": 1}), json!([]), json!(true)] {
            assert_eq!(failure("errorType", &wrong).0, "Error", "{wrong}");
        }
    }

    #[test]
    fn places_in_minified_scripts_fit() {
        assert_eq!(
            failure("colno", &json!(1_500_000)).1.column,
            Some(1_500_000)
        );
        assert_eq!(failure("lineno", &json!(0)).1.line, Some(0));
    }

    #[test]
    fn a_place_that_cannot_be_one_is_left_out_alone() {
        for wrong in [
            json!(-1),
            json!(4_294_967_296_u64),
            json!(1e300),
            json!("12"),
            json!({}),
        ] {
            assert_eq!(failure("lineno", &wrong).1.line, None, "{wrong}");
            assert_eq!(failure("colno", &wrong).1.column, None, "{wrong}");
        }
    }

    #[test]
    fn the_three_fields_are_required() {
        for field in ["timestamp", "path", "message"] {
            let found = codes(read(&thrown(field, &json!(null))).unwrap_err());
            assert_eq!(found, [("required".to_owned(), format!("[0].{field}"))]);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_json_is_survived(body in any_body()) {
            let _ = read(&body);
        }
    }
}
