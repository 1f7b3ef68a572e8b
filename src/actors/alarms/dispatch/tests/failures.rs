//! Messages that fail for good, while reminders, flaps and changes go on.

use super::*;

const NONE: [&str; 0] = [];

/// An alert that was sent to the first of two channels, with its message.
fn fired() -> (Replay, Message) {
    let mut replay = Replay::new(pair("first", "second"));
    let mut fired = replay.after(0, &[("x", Signal::Fired)]);
    assert_eq!(show_all(&fired), ["first fired x"]);
    (replay, fired.remove(0))
}

/// The same after the message failed and the fallback got the alert.
fn diverted() -> Replay {
    let (mut replay, fired) = fired();
    replay.fail(&fired);
    assert_eq!(replay.says(5, &[]), ["second fired x"]);
    replay
}

/// Reminders of the next minutes, all to the first channel.
fn remind(replay: &mut Replay, count: usize) -> Vec<Message> {
    let mut all = Vec::new();
    for _ in 0..count {
        let reminder = replay.after(1, &[("x", Signal::Repeated)]);
        assert_eq!(show_all(&reminder), ["first repeated x"]);
        all.extend(reminder);
    }
    all
}

#[test]
fn reminders_hide_no_failure_of_the_first_message() {
    let (mut replay, fired) = fired();
    let reminders = remind(&mut replay, 5);
    replay.fail(&fired);
    assert_eq!(replay.says(1, &[]), ["second fired x"]);
    for reminder in &reminders {
        replay.fail(reminder);
        assert_eq!(replay.says(1, &[]), NONE);
    }
    // The first channel never got it.
    let over = replay.says(1, &[("x", Signal::Resolved)]);
    assert_eq!(over, ["second resolved x"]);
}

#[test]
fn a_reminder_that_fails_is_noticed_though_others_follow() {
    let (mut replay, _) = fired();
    let reminders = remind(&mut replay, 40);
    replay.fail(&reminders[30]);
    assert_eq!(replay.says(1, &[]), ["second fired x"]);
    let again = replay.says(1, &[("x", Signal::Repeated)]);
    assert_eq!(again, ["second repeated x"]);
    let over = replay.says(1, &[("x", Signal::Resolved)]);
    assert_eq!(over, ["first resolved x", "second resolved x"]);
}

#[test]
fn a_flap_whose_end_waits_hides_no_failure() {
    let (mut replay, fired) = fired();
    replay.alarm.destinations[0].endpoint.routing.rate_limit = limit(1, 60);
    let times = vec![replay.now_ms];
    replay.sent.insert("first".into(), times);
    assert_eq!(replay.says(1, &[("x", Signal::Resolved)]), NONE);
    assert_eq!(replay.says(1, &[("x", Signal::Fired)]), NONE);
    replay.fail(&fired);
    assert_eq!(replay.says(3, &[]), ["second fired x"]);
    let over = replay.says(1, &[("x", Signal::Resolved)]);
    assert_eq!(over, ["second resolved x"]);
}

#[test]
fn without_a_fallback_that_works_the_first_channel_is_tried_once_more() {
    let mut replay = diverted();
    replay.alarm.destinations[1].disabled = Some("gone".to_owned());
    let again = replay.after(1, &[]);
    assert_eq!(show_all(&again), ["first fired x"]);
    // Without a fallback it is tried for days.
    assert!(!again[0].has_fallback);
    assert_eq!(replay.says(1, &[]), NONE, "once");
    let over = replay.says(1, &[("x", Signal::Resolved)]);
    assert_eq!(over, ["first resolved x"]);
}

#[test]
fn a_channel_that_was_changed_after_its_failure_gets_the_alert_again() {
    let mut replay = diverted();
    replay.alarm.destinations[0].updated_ms = replay.now_ms + 1;
    assert_eq!(replay.says(1, &[]), ["first fired x"]);
    assert_eq!(replay.says(1, &[]), NONE, "once");
    let over = replay.says(1, &[("x", Signal::Resolved)]);
    assert_eq!(over, ["first resolved x", "second resolved x"]);
}

#[test]
fn a_message_that_fails_after_its_fallback_was_removed_is_sent_again() {
    let (mut replay, fired) = fired();
    replay.alarm.destinations.truncate(1);
    replay.alarm.destinations[0].endpoint.routing.fallback = None;
    replay.alarm.destinations[0].updated_ms = replay.now_ms;
    let reminder = replay.says(1, &[("x", Signal::Repeated)]);
    assert_eq!(reminder, ["first repeated x"]);
    replay.fail(&fired);
    assert_eq!(replay.says(4, &[]), ["first fired x"]);
    let over = replay.says(1, &[("x", Signal::Resolved)]);
    assert_eq!(over, ["first resolved x"]);
    assert!(replay.is_settled());
}
