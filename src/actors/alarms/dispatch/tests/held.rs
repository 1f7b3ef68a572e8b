//! What waits: for a mute window, quiet hours, a rate limit, a group or the event store.

use super::*;
use crate::actors::alarms::Severity;

const NONE: [&str; 0] = [];
const HOUR: i64 = 60;

fn quiet(id: &str) -> Destination {
    let mut one = destination(id);
    one.endpoint.routing.quiet_hours = Some(night());
    one
}

fn replay(destinations: Vec<Destination>, group_wait: u32) -> Replay {
    let mut replay = Replay::new(destinations);
    replay.alarm.fields.repeat_after = 0;
    replay.alarm.fields.group_wait = group_wait;
    replay
}

#[test]
fn quiet_nights_and_a_muted_weekend_follow_each_other() {
    let mut replay = replay(vec![quiet("quiet"), destination("always")], 0);
    replay.alarm.mute = vec![mute("0 0 * * 6", 1_440), mute("0 0 * * 0", 1_440)];
    // Friday, 23:00.
    let fired = replay.observes(4 * 24 * HOUR + 11 * HOUR, &[("x", true)]);
    assert_eq!(show_all(&fired), ["always fired x"]);
    for hours in [8, 17, 24] {
        assert_eq!(
            show_all(&replay.observes(hours * HOUR, &[("x", true)])),
            NONE
        );
    }
    // Monday, 07:00.
    let fired = replay.observes(7 * HOUR, &[("x", true)]);
    assert_eq!(show_all(&fired), ["quiet fired x"]);
}

#[test]
fn a_fallback_waits_for_the_end_of_a_mute_window() {
    let mut replay = replay(pair("first", "second"), 0);
    replay.alarm.mute = vec![mute("5 12 * * *", 60)];
    let fired = replay.observes(4, &[("x", true)]);
    assert_eq!(show_all(&fired), ["first fired x"]);
    replay.fail(&fired[0]);
    assert_eq!(show_all(&replay.observes(5, &[("x", true)])), NONE);
    let fired = replay.observes(HOUR, &[("x", true)]);
    assert_eq!(show_all(&fired), ["second fired x"]);
}

#[test]
fn nothing_is_sent_that_is_outdated_when_quiet_hours_end() {
    let mut replay = replay(vec![quiet("quiet")], 120);
    let night = [(10 * HOUR, true), (3, true), (8 * HOUR + 56, true)];
    // It ends a minute before the end of the night, and the alarm says so a minute after it.
    for (minutes, holds) in night
        .into_iter()
        .chain([(0, false), (1, false), (1, false)])
    {
        assert_eq!(show_all(&replay.observes(minutes, &[("x", holds)])), NONE);
    }
    assert!(replay.is_settled());
    // What was sent ends in the night, and fires again when the night is over.
    assert_eq!(show_all(&replay.observes(HOUR, &[("x", true)])), NONE);
    let fired = replay.observes(2, &[("x", true)]);
    assert_eq!(show_all(&fired), ["quiet fired x"]);
    let night = [(15 * HOUR, false), (2, false), (7 * HOUR + 55, true)];
    for (minutes, holds) in night.into_iter().chain([(1, true), (1, true), (1, true)]) {
        assert_eq!(show_all(&replay.observes(minutes, &[("x", holds)])), NONE);
    }
    assert_eq!(show_all(&replay.observes(1, &[("x", false)])), NONE);
    let over = replay.observes(2, &[("x", false)]);
    assert_eq!(show_all(&over), ["quiet resolved x"]);
}

#[test]
fn an_end_waits_for_one_other_message_at_most() {
    let mut limited = destination("limited");
    limited.endpoint.routing.rate_limit = limit(1, 60);
    let mut replay = Replay::new(vec![limited]);
    let fired = replay.says(0, &[("a", Signal::Fired)]);
    assert_eq!(fired, ["limited fired a"]);
    assert_eq!(replay.says(1, &[("a", Signal::Resolved)]), NONE);
    assert_eq!(replay.says(1, &[("b", Signal::Fired)]), NONE);
    assert_eq!(replay.says(58, &[]), ["limited fired b"]);
    assert_eq!(replay.says(59, &[("c", Signal::Fired)]), NONE);
    assert_eq!(replay.says(1, &[]), ["limited resolved a"]);
    assert_eq!(replay.says(60, &[]), ["limited fired c"]);
    // Reminders are last.
    assert_eq!(replay.says(1, &[("b", Signal::Repeated)]), NONE);
    assert_eq!(replay.says(58, &[("c", Signal::Resolved)]), NONE);
    assert_eq!(replay.says(1, &[]), ["limited resolved c"]);
    assert_eq!(replay.says(60, &[]), ["limited repeated b"]);
}

#[test]
fn a_channel_that_is_added_while_an_alert_fires_gets_it() {
    let mut replay = Replay::new(vec![quiet("first"), destination("always")]);
    let fired = replay.says(11 * HOUR, &[("x", Signal::Fired)]);
    assert_eq!(fired, ["always fired x"]);
    let mut other = quiet("other");
    other.created_ms = replay.now_ms + 1;
    replay.alarm.destinations[0] = other;
    assert_eq!(replay.says(1, &[]), NONE);
    assert_eq!(replay.says(8 * HOUR - 1, &[]), ["other fired x"]);
    assert_eq!(replay.says(1, &[]), NONE, "once");
    let over = replay.says(1, &[("x", Signal::Resolved)]);
    assert_eq!(over, ["other resolved x", "always resolved x"]);
    assert!(replay.is_settled());
    // One that gets other severities hears nothing of it.
    let fired = replay.says(1, &[("y", Signal::Fired)]);
    assert_eq!(fired, ["other fired y", "always fired y"]);
    let mut critical = destination("critical");
    critical.endpoint.routing.severities = vec![Severity::Critical];
    critical.created_ms = replay.now_ms + 1;
    replay.alarm.destinations.push(critical);
    assert_eq!(replay.says(1, &[]), NONE);
    let over = replay.says(1, &[("y", Signal::Resolved)]);
    assert_eq!(over, ["other resolved y", "always resolved y"]);
    assert!(replay.is_settled());
}

#[test]
fn without_settings_a_channel_that_is_added_gets_the_end() {
    let mut replay = Replay::new(vec![destination("a")]);
    assert_eq!(replay.says(0, &[("x", Signal::Fired)]), ["a fired x"]);
    let mut other = destination("b");
    other.created_ms = replay.now_ms + 1;
    replay.alarm.destinations.push(other);
    assert_eq!(replay.says(1, &[]), NONE);
    assert!(replay.is_settled());
    let over = replay.says(1, &[("x", Signal::Resolved)]);
    assert_eq!(over, ["a resolved x", "b resolved x"]);
}

#[test]
fn what_is_gone_does_not_fire() {
    let mut replay = replay(vec![quiet("quiet"), destination("always")], 120);
    assert_eq!(show_all(&replay.observes(10 * HOUR, &[("x", true)])), NONE);
    let fired = replay.observes(2, &[("x", true)]);
    assert_eq!(show_all(&fired), ["always fired x"]);
    assert_eq!(show_all(&replay.observes(1, &[("x", false)])), NONE);
    let over = replay.observes(2, &[("x", false)]);
    assert_eq!(show_all(&over), ["always resolved x"]);
    // It fires again, and is deleted while the message waits for its group.
    assert_eq!(show_all(&replay.observes(1, &[("x", true)])), NONE);
    for minutes in [2, 2, 9 * HOUR, 1] {
        assert_eq!(show_all(&replay.observes(minutes, &[])), NONE);
    }
    assert!(replay.instances.is_empty());
}

#[test]
fn what_waits_is_in_the_last_message() {
    let mut limited = destination("limited");
    limited.endpoint.routing.rate_limit = limit(1, 60);
    let mut replay = Replay::new(vec![limited, quiet("quiet")]);
    let fired = replay.says(0, &[("a", Signal::Fired)]);
    assert_eq!(fired, ["limited fired a", "quiet fired a"]);
    let over = replay.says(1, &[("a", Signal::Resolved)]);
    assert_eq!(over, ["quiet resolved a"]);
    assert_eq!(
        replay.says(10 * HOUR, &[("b", Signal::Fired)]),
        ["limited fired b"]
    );
    assert_eq!(replay.says(1, &[("c", Signal::Fired)]), NONE);
    assert_eq!(replay.says(1, &[("d", Signal::Fired)]), NONE);
    assert_eq!(replay.says(1, &[("d", Signal::Resolved)]), NONE);
    // What quiet hours hold is dropped, as it is over.
    assert_eq!(replay.finish(), ["limited resolved a+b missed 2"]);
}

#[test]
fn what_waits_is_sent_without_an_answer_of_the_event_store() {
    let mut replay = replay(vec![quiet("quiet")], 0);
    assert_eq!(show_all(&replay.observes(11 * HOUR, &[("", true)])), NONE);
    assert_eq!(show_all(&replay.evaluates(8 * HOUR - 1, None)), NONE);
    let fired = replay.evaluates(1, None);
    assert_eq!(show_all(&fired), ["quiet fired "]);
    assert_eq!(show_all(&replay.evaluates(1, None)), NONE);
}
