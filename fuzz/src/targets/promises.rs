//! What has to hold of everything that a parser takes, and of every refusal.

use pharos::{
    events::{event::Details, store::Accepted},
    fault::{Fault, Kind},
};

/// The time of every request, Unix ms; the seeds have it too.
pub const NOW: i64 = 1_790_000_000_000;

/// What a parser said: a refusal is the caller's fault and says why in few words, what is taken keeps the limits.
pub fn judge(outcome: Result<Vec<Accepted>, Fault>) {
    match outcome {
        Ok(accepted) => accepted.iter().for_each(keeps_limits),
        Err(fault) => is_refusal(&fault),
    }
}

/// A body that was taken is JSON for other readers, too.
pub fn is_json(bytes: &[u8]) {
    let plain = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    if let Err(error) = serde_json::from_slice::<&serde_json::value::RawValue>(plain) {
        panic!("taken, and no JSON: {error}");
    }
}

/// A refusal is the caller's fault and says why.
pub fn is_refusal(fault: &Fault) {
    match &fault.kind {
        Kind::TooLarge => {}
        Kind::Invalid { issues } => {
            assert!((1..=20).contains(&issues.len()), "{issues:?}");
            for issue in issues {
                assert!(!issue.message.is_empty() && issue.message.len() < 1_024);
            }
        }
        other => panic!("not the caller's fault: {other:?}"),
    }
}

/// The limits that hold for events of every kind.
pub fn keeps_limits(accepted: &Accepted) {
    let event = &accepted.event;
    assert_eq!((event.organization, event.website), (11, 22));
    assert_eq!(event.received, NOW);
    assert!(
        (946_684_800_000..=NOW + 3_600_000).contains(&event.time),
        "{}",
        event.time
    );
    let lines = [
        (Some(&event.name), 256),
        (event.host.as_ref(), 2_048),
        (Some(&event.path), 2_049),
        (event.title.as_ref(), 512),
        (event.referrer.as_ref(), 2_048),
        (event.profile.as_ref(), 256),
        (event.namespace.as_ref(), 64),
        (event.sender.as_ref(), 64),
        (event.language.as_ref(), 64),
        (event.timezone.as_ref(), 64),
        (event.utm.source.as_ref(), 128),
        (accepted.event_id.as_ref(), 512),
    ];
    for (text, most) in lines {
        let text = text.map_or("", String::as_str);
        at_most(text, most);
        assert!(!text.chars().any(char::is_control), "{text:?}");
    }
    if let Some(properties) = &event.properties {
        assert!(properties.len() <= 32_768);
        let value: serde_json::Value = serde_json::from_str(properties).unwrap();
        assert!(value.as_object().is_some_and(|object| object.len() <= 50));
        assert!(!has_nul(&value));
    }
    keeps_limits_of_its_kind(&event.details);
}

fn has_nul(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::String(text) => text.contains('\0'),
        serde_json::Value::Array(values) => values.iter().any(has_nul),
        serde_json::Value::Object(map) => map
            .iter()
            .any(|(key, value)| key.contains('\0') || has_nul(value)),
        _ => false,
    }
}

fn at_most(text: &str, most: usize) {
    assert!(
        text.chars().count() <= most,
        "{text:?} is longer than {most}"
    );
}

fn keeps_limits_of_its_kind(details: &Details) {
    match details {
        Details::Outgoing { href, text } => {
            at_most(href, 2_048);
            at_most(text, 2_048);
        }
        Details::Vital { value } => assert!(value.is_finite()),
        Details::Error(failure) => {
            at_most(&failure.message, 2_048);
            at_most(failure.stack.as_deref().unwrap_or_default(), 4_096);
        }
        Details::Engagement(span) => {
            assert!((0.0..=604_800.0).contains(&span.active_time));
            assert!((0.0..=100.0).contains(&span.scroll_depth));
            assert!(span.interactions <= 65_535);
        }
        Details::Call(call) => {
            at_most(call.error.as_deref().unwrap_or_default(), 512);
            at_most(call.error_code.as_deref().unwrap_or_default(), 64);
            at_most(call.client.as_deref().unwrap_or_default(), 128);
            assert!(call.is_error || call.error.is_none());
        }
        _ => {}
    }
}
