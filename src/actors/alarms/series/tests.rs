use serde_json::{Map, json};

use super::*;
use crate::actors::alarms::{TriggerType, conditions::Conditions};

const NOON: i64 = 1_791_979_200_000;

fn series(kind: TriggerType, said: &Value) -> Series {
    let said: Map<String, Value> = said.as_object().unwrap().clone();
    let Ok(Conditions::Series(series)) = Conditions::read(kind, &said) else {
        panic!("{said:?} is no series");
    };
    series
}

/// Eight days of hours up to now, with this value now.
fn hours(value: f64) -> Vec<Point> {
    let hour = |back: i64| {
        let value = if back == 0 { value } else { 100.0 };
        Point {
            at_ms: NOON - back * HOUR_MS,
            value,
            weight: value,
        }
    };
    (0..=8 * 24).rev().map(hour).collect()
}

const LAST: usize = 8 * 24;

#[test]
fn a_spike_is_more_than_so_many_times_the_same_hour_of_other_days() {
    let said = json!({ "factor": 3, "recoverFactor": 2 });
    let spike = series(TriggerType::TrafficSpike, &said);
    for (value, verdict) in [
        (301.0, Verdict::Breach),
        (300.0, Verdict::Between),
        (201.0, Verdict::Between),
        (200.0, Verdict::Clear),
        (50.0, Verdict::Clear),
    ] {
        let evaluation = evaluate_point(&spike, &hours(value), LAST);
        assert_eq!(
            evaluation.verdict,
            verdict,
            "{value}: {}",
            evaluation.reason.for_programs()
        );
        assert_eq!(evaluation.threshold, Some(300.0));
    }
    // The hour that runs counts as soon as it is too much, and not before.
    let evaluation = evaluate_now(&spike, &hours(301.0), NOON + 60_000);
    assert_eq!(evaluation.verdict, Verdict::Breach);
    let start = "Pageviews: 301 (2026-10-14T12:00:00.000Z to 2026-10-14T13:00:00.000Z)";
    assert!(
        evaluation.reason.for_programs().starts_with(start),
        "{}",
        evaluation.reason.for_programs()
    );
    let evaluation = evaluate_now(&spike, &hours(3.0), NOON + 60_000);
    assert_eq!(
        (evaluation.verdict, evaluation.value),
        (Verdict::Clear, Some(100.0))
    );
    // Without a past nothing is unusual.
    let evaluation = evaluate_point(&spike, &hours(900.0)[LAST..], 0);
    assert_eq!(evaluation.verdict, Verdict::Unknown);
}

#[test]
fn a_drop_is_judged_by_what_is_usual_there() {
    let said = json!({ "factor": 0.5, "minimum": 100 });
    let drop = series(TriggerType::TrafficDrop, &said);
    for (value, verdict) in [
        (49.0, Verdict::Breach),
        (0.0, Verdict::Breach),
        (50.0, Verdict::Clear),
    ] {
        assert_eq!(
            evaluate_point(&drop, &hours(value), LAST).verdict,
            verdict,
            "{value}"
        );
    }
    let picky = series(TriggerType::TrafficDrop, &json!({ "minimum": 101 }));
    assert_eq!(
        evaluate_point(&picky, &hours(0.0), LAST).verdict,
        Verdict::Unknown
    );
}

#[test]
fn rates_need_something_to_be_rates_of() {
    let said = json!({ "threshold": 5, "recoverAt": 2 });
    let rate = series(TriggerType::ErrorRate, &said);
    let row = |hour: &str, field: &str, value: u32| {
        let date = format!("2026-10-14 {hour}:00:00");
        json!({ "date": date, field: value })
    };
    let errors = [row("10", "errors", 30), row("11", "errors", 30)];
    let base = [
        row("10", "pageviews", 500),
        row("11", "pageviews", 99),
        row("09", "pageviews", 200),
    ];
    let points = points(&rate, &errors, Some(&base));
    let read = (0..3).map(|nth| evaluate_point(&rate, &points, nth));
    let read: Vec<_> = read
        .map(|evaluation| (evaluation.verdict, evaluation.value.map(f64::round)))
        .collect();
    let expected = [
        (Verdict::Clear, Some(0.0)),
        (Verdict::Breach, Some(6.0)),
        (Verdict::Unknown, Some(30.0)),
    ];
    assert_eq!(read, expected);
}

#[test]
fn conditions_are_refused_with_their_place() {
    use TriggerType::{Custom, ErrorRate, TrafficDrop, TrafficSpike, Uptime, WebVital};
    let near = json!({ "operator": "near", "query": "events_by_date", "field": "visitors", "threshold": 1 });
    for (kind, said, place) in [
        (Uptime, json!({ "certificateDays": 0 }), "certificateDays"),
        (Uptime, json!({ "down": false }), "down"),
        (Uptime, json!({ "monitorIds": [1] }), "monitorIds[0]"),
        (TrafficSpike, json!({ "factor": 1 }), "factor"),
        (TrafficDrop, json!({ "factor": 1 }), "factor"),
        (ErrorRate, json!({ "recoverAt": 9 }), "recoverAt"),
        (WebVital, json!({}), "metric"),
        (
            Custom,
            json!({ "query": "events_by_dat", "threshold": 1 }),
            "query",
        ),
        (
            Custom,
            json!({ "query": "top_pages", "threshold": 1 }),
            "query",
        ),
        (
            Custom,
            json!({ "query": "events_by_date", "threshold": 1 }),
            "field",
        ),
        (
            Custom,
            json!({ "query": "events_by_date", "field": "visitors" }),
            "threshold",
        ),
        (Custom, near, "operator"),
    ] {
        let refused = Conditions::read(kind, said.as_object().unwrap()).unwrap_err();
        assert_eq!(
            refused[0].field,
            format!("triggerConditions.{place}"),
            "{said}"
        );
    }
}
