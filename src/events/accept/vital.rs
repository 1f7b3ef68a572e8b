//! Web vitals: the array of `/vitals`.

use super::{
    Context,
    field::Check,
    spans::{self, span},
    time::Texts,
    wire::Value,
};
use crate::{
    events::{
        event::{Details, Event},
        store::Accepted,
    },
    fault::Fault,
};

const METRICS: [&str; 6] = ["FCP", "LCP", "CLS", "INP", "TTFB", "FPS"];

span! {
    Vital, required [metric, value] {
        metric: Value = "metricName",
        value: Value = "metricValue",
    }
}

/// Reads the array of `/vitals`, all of it or nothing.
pub fn accept(bytes: &[u8], context: &Context<'_>) -> Result<Vec<Accepted>, Fault> {
    spans::accept(bytes, context, event)
}

fn event(vital: &Vital<'_>, check: &mut Check) -> Event {
    check.require("metricName", &vital.metric);
    check.require("metricValue", &vital.value);
    let value = check.number("metricValue", &vital.value, f64::MIN, f64::MAX);
    Event {
        time: check.time(&vital.timestamp, Texts::Refused),
        name: metric(&vital.metric, check).to_owned(),
        details: Details::Vital {
            value: value.unwrap_or_default(),
        },
        ..Event::default()
    }
}

fn metric(value: &Value<'_>, check: &mut Check) -> &'static str {
    let known = match value {
        Value::Absent => return "",
        Value::Text(text) => METRICS.into_iter().find(|metric| metric == text),
        _ => None,
    };
    known.unwrap_or_else(|| {
        let message = format!("`metricName` must be one of {}", METRICS.join(", "));
        check.issue("invalid_value", "metricName", message);
        ""
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{super::test_fixture::*, *};

    fn read(body: &Value) -> Result<Vec<Accepted>, Fault> {
        let visit = visit();
        accept(body.to_string().as_bytes(), &context(&visit))
    }

    fn vital(field: &str, value: &Value) -> Value {
        let mut vital =
            json!({"timestamp": NOW, "path": "/a", "metricName": "LCP", "metricValue": 1200.5});
        vital[field] = value.clone();
        json!([vital])
    }

    #[test]
    fn every_metric_arrives() {
        for metric in METRICS {
            let accepted = read(&vital("metricName", &json!(metric))).unwrap();
            assert_eq!(accepted[0].event.name, metric);
            assert_eq!(accepted[0].event.details, Details::Vital { value: 1200.5 });
            assert_eq!(accepted[0].event.path, "/a");
        }
    }

    #[test]
    fn the_four_fields_are_required() {
        for field in ["timestamp", "path", "metricName", "metricValue"] {
            let found = codes(read(&vital(field, &json!(null))).unwrap_err());
            assert_eq!(found, [("required".to_owned(), format!("[0].{field}"))]);
        }
    }

    #[test]
    fn wrong_values_are_named() {
        for (field, value, code) in [
            ("metricName", json!("FID"), "invalid_value"),
            ("metricName", json!("lcp"), "invalid_value"),
            ("metricValue", json!("12"), "invalid_type"),
            ("timestamp", json!("2026-01-01T00:00:00Z"), "invalid_type"),
            ("path", json!("p".repeat(2_049)), "too_long"),
            ("sessionId", json!("s".repeat(257)), "too_long"),
            ("anonymousId", json!("s".repeat(257)), "too_long"),
        ] {
            let found = codes(read(&vital(field, &value)).unwrap_err());
            assert_eq!(found, [(code.to_owned(), format!("[0].{field}"))]);
        }
        assert!(read(&vital("path", &json!("p".repeat(2_048)))).is_ok());
        assert!(read(&vital("sessionId", &json!("s".repeat(256)))).is_ok());
    }

    #[test]
    fn only_arrays_are_taken_and_a_bad_item_refuses_all() {
        let one = json!({"timestamp": NOW, "path": "/a", "metricName": "LCP", "metricValue": 1});
        assert_eq!(codes(read(&one).unwrap_err())[0].0, "invalid_type");
        assert_eq!(codes(read(&json!([one, {}])).unwrap_err()).len(), 4);
        assert_eq!(read(&json!([])).unwrap().len(), 0);
    }

    proptest::proptest! {
        #[test]
        fn any_json_is_survived(body in any_body()) {
            let _ = read(&body);
        }
    }
}
