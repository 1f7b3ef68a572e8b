//! Engagement spans: the array of `/engagement`, one per page view that ended.
//!
//! Every count is required, because a tracker that leaves one out does not count it, which is not the same as zero.
//! Targets and the last form field may be missing: where nothing was clicked there is nothing to name.

use super::{
    Context,
    field::Check,
    spans::{self, span},
    time::Texts,
    wire::Value,
};
use crate::{
    events::{
        event::{Details, Engagement, Event, Exit},
        store::Accepted,
    },
    fault::Fault,
};

/// Highest count.
const COUNT: u32 = 65_535;
/// Longest view, s: a week.
const WEEK: f32 = 604_800.0;
/// Longest wait for the first interaction, ms: a day.
const DAY: f32 = 86_400_000.0;
/// Characters of a target or a form field.
const TARGET: usize = 64;

span! {
    Span, required [exit] {
        page_index: Value = "pageIndex",
        exit: Value = "exitType",
        time_on_page: Value = "timeOnPage",
        active_time: Value = "activeTime",
        first_interaction: Value = "timeToFirstInteraction",
        scroll_depth: Value = "maxScrollDepth",
        scrolls: Value = "scrollCount",
        clicks: Value = "clickCount",
        keys: Value = "keyCount",
        interactions: Value = "interactionCount",
        copies: Value = "copyCount",
        rage_clicks: Value = "rageClickCount",
        dead_clicks: Value = "deadClickCount",
        rage_target: Value = "rageClickTarget",
        dead_target: Value = "deadClickTarget",
        form_fields: Value = "formFieldCount",
        form_submits: Value = "formSubmitCount",
        last_field: Value = "lastFormField",
        errors: Value = "errorCount",
    }
}

/// Reads the array of `/engagement`, all of it or nothing.
pub fn accept(bytes: &[u8], context: &Context<'_>) -> Result<Vec<Accepted>, Fault> {
    spans::accept(bytes, context, event)
}

fn event(span: &Span<'_>, check: &mut Check) -> Event {
    let engagement = engagement(span, check);
    Event {
        time: check.time(&span.timestamp, Texts::Refused),
        name: "engagement".to_owned(),
        details: Details::Engagement(Box::new(engagement)),
        ..Event::default()
    }
}

fn engagement(span: &Span<'_>, check: &mut Check) -> Engagement {
    let interactions = count(check, "interactionCount", &span.interactions);
    let first = check.measure("timeToFirstInteraction", &span.first_interaction, DAY);
    Engagement {
        time_on_page: measure(check, "timeOnPage", &span.time_on_page, WEEK),
        active_time: measure(check, "activeTime", &span.active_time, WEEK),
        // Zero represents "never" where nothing was done, and must not pull the median down.
        first_interaction: first.filter(|wait| *wait > 0.0 || interactions > 0),
        scroll_depth: measure(check, "maxScrollDepth", &span.scroll_depth, 100.0),
        interactions,
        rage_clicks: count(check, "rageClickCount", &span.rage_clicks),
        dead_clicks: count(check, "deadClickCount", &span.dead_clicks),
        rage_target: check.text("rageClickTarget", &span.rage_target, TARGET),
        dead_target: check.text("deadClickTarget", &span.dead_target, TARGET),
        form_fields: count(check, "formFieldCount", &span.form_fields),
        form_submits: count(check, "formSubmitCount", &span.form_submits),
        last_field: check.text("lastFormField", &span.last_field, TARGET),
        errors: count(check, "errorCount", &span.errors),
        exit: exit(check, &span.exit),
        page_index: count(check, "pageIndex", &span.page_index),
        scrolls: count(check, "scrollCount", &span.scrolls),
        clicks: count(check, "clickCount", &span.clicks),
        keys: count(check, "keyCount", &span.keys),
        copies: count(check, "copyCount", &span.copies),
    }
}

fn count(check: &mut Check, field: &str, value: &Value<'_>) -> u32 {
    check.require(field, value);
    check.count(field, value, COUNT).unwrap_or_default()
}

fn measure(check: &mut Check, field: &str, value: &Value<'_>, most: f32) -> f32 {
    check.require(field, value);
    check.measure(field, value, most).unwrap_or_default()
}

fn exit(check: &mut Check, value: &Value<'_>) -> Exit {
    let known = match value {
        Value::Absent => {
            check.require("exitType", value);
            return Exit::default();
        }
        Value::Text(text) => text.parse().ok(),
        _ => None,
    };
    known.unwrap_or_else(|| {
        let names: Vec<&str> = Exit::ALL.iter().map(|exit| exit.as_str()).collect();
        check.issue(
            "invalid_value",
            "exitType",
            format!("`exitType` must be one of {}", names.join(", ")),
        );
        Exit::default()
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

    fn span(field: &str, value: &Value) -> Value {
        let mut span = json!({
            "timestamp": NOW, "path": "/a/", "anonymousId": "anon_1", "sessionId": "sess_1", "pageIndex": 2,
            "exitType": "spa", "timeOnPage": 60.5, "activeTime": 31.25, "timeToFirstInteraction": 1_200,
            "maxScrollDepth": 80, "scrollCount": 9, "clickCount": 4, "keyCount": 12, "interactionCount": 16,
            "copyCount": 1, "rageClickCount": 3, "deadClickCount": 2, "rageClickTarget": "button:submit:buy",
            "deadClickTarget": "div::price", "formFieldCount": 5, "formSubmitCount": 1, "lastFormField": "input:email",
            "errorCount": 7,
        });
        span[field] = value.clone();
        json!([span])
    }

    fn accept_with(field: &str, value: &Value) -> Engagement {
        match read(&span(field, value)).unwrap().remove(0).event.details {
            Details::Engagement(span) => *span,
            other => panic!("no span: {other:?}"),
        }
    }

    #[test]
    fn every_field_arrives() {
        let expected = Engagement {
            time_on_page: 60.5,
            active_time: 31.25,
            first_interaction: Some(1_200.0),
            scroll_depth: 80.0,
            interactions: 16,
            rage_clicks: 3,
            dead_clicks: 2,
            rage_target: Some("button:submit:buy".into()),
            dead_target: Some("div::price".into()),
            form_fields: 5,
            form_submits: 1,
            last_field: Some("input:email".into()),
            errors: 7,
            exit: Exit::Spa,
            page_index: 2,
            scrolls: 9,
            clicks: 4,
            keys: 12,
            copies: 1,
        };
        assert_eq!(accept_with("eventId", &json!("e")), expected);
        let accepted = read(&span("eventId", &json!("e"))).unwrap().remove(0);
        assert_eq!(accepted.event_id.as_deref(), Some("e"));
        let event = accepted.event;
        assert_eq!(
            (event.path.as_str(), event.name.as_str()),
            ("/a", "engagement")
        );
        assert_eq!((event.organization, event.website), (ORGANIZATION, WEBSITE));
        assert_ne!((event.visitor, event.session), (0, 0));
    }

    #[test]
    fn every_count_is_required_and_no_target_is() {
        for field in [
            "timestamp",
            "path",
            "exitType",
            "pageIndex",
            "timeOnPage",
            "activeTime",
            "maxScrollDepth",
            "scrollCount",
            "clickCount",
            "keyCount",
            "interactionCount",
            "copyCount",
            "rageClickCount",
            "deadClickCount",
            "formFieldCount",
            "formSubmitCount",
            "errorCount",
        ] {
            let found = codes(read(&span(field, &json!(null))).unwrap_err());
            assert_eq!(found, [("required".to_owned(), format!("[0].{field}"))]);
        }
        for field in ["rageClickTarget", "deadClickTarget", "lastFormField"] {
            assert!(read(&span(field, &json!(null))).is_ok(), "{field}");
        }
    }

    #[test]
    fn no_interaction_has_no_time_of_its_own() {
        assert_eq!(
            accept_with("timeToFirstInteraction", &json!(0)).first_interaction,
            Some(0.0)
        );
        assert_eq!(
            accept_with("timeToFirstInteraction", &json!(null)).first_interaction,
            None
        );
        let mut nothing = span("timeToFirstInteraction", &json!(0));
        nothing[0]["interactionCount"] = json!(0);
        let accepted = read(&nothing).unwrap().remove(0);
        assert!(
            matches!(accepted.event.details, Details::Engagement(span) if span.first_interaction.is_none())
        );
    }

    proptest::proptest! {
        #[test]
        fn any_json_is_survived(body in any_body()) {
            let _ = read(&body);
        }
    }
}
