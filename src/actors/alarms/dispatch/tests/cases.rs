use super::*;
use crate::actors::alarms::Severity;

const NONE: [&str; 0] = [];

#[test]
fn without_settings_everybody_gets_everything_and_nothing_is_remembered() {
    let mut replay = Replay::new(vec![destination("a"), destination("b")]);
    let fired = replay.says(0, &[("x", Signal::Fired), ("y", Signal::Fired)]);
    assert_eq!(fired, ["a fired x+y", "b fired x+y"]);
    assert!(replay.is_settled());
    let repeated = replay.says(1, &[("x", Signal::Repeated)]);
    assert_eq!(repeated, ["a repeated x", "b repeated x"]);
    let over = replay.says(1, &[("x", Signal::Resolved), ("y", Signal::Resolved)]);
    assert_eq!(over, ["a resolved x+y", "b resolved x+y"]);
    assert!(replay.is_settled());
}

#[test]
fn an_alert_goes_to_its_severity_and_its_end_to_whom_knows_it() {
    let mut critical = destination("critical");
    critical.endpoint.routing.severities = vec![Severity::Critical];
    let mut replay = Replay::new(vec![critical, destination("all")]);
    let fired = replay.says(0, &[("x", Signal::Fired)]);
    assert_eq!(fired, ["all fired x"]);
    assert_eq!(
        replay.says(1, &[("x", Signal::Resolved)]),
        ["all resolved x"]
    );
    replay.alarm.fields.severity = Some(Severity::Critical);
    let fired = replay.says(1, &[("x", Signal::Fired)]);
    assert_eq!(fired, ["critical fired x", "all fired x"]);
    // An end follows its beginning, also if the severity is another one by then.
    replay.alarm.fields.severity = Some(Severity::Info);
    let over = replay.says(1, &[("x", Signal::Resolved)]);
    assert_eq!(over, ["critical resolved x", "all resolved x"]);
    assert!(replay.is_settled());
}

#[test]
fn quiet_hours_end_with_what_still_fires_in_one_message() {
    let mut quiet = destination("quiet");
    quiet.endpoint.routing.quiet_hours = Some(night());
    let mut replay = Replay::new(vec![quiet]);
    let told = replay.says(0, &[("told", Signal::Fired)]);
    assert_eq!(told, ["quiet fired told"]);
    let ten = 10 * 60;
    let night = [("x", Signal::Fired), ("y", Signal::Fired)];
    assert_eq!(replay.says(ten, &night), NONE);
    assert_eq!(replay.says(1, &[("z", Signal::Fired)]), NONE);
    let over = [("z", Signal::Resolved), ("told", Signal::Resolved)];
    assert_eq!(replay.says(1, &over), NONE);
    assert_eq!(replay.says(9 * 60 - 3, &[]), NONE);
    assert_eq!(
        replay.says(1, &[]),
        ["quiet fired x+y missed 1", "quiet resolved told"]
    );
    assert_eq!(replay.says(1, &[]), NONE);
    assert!(replay.is_settled());
}

#[test]
fn what_is_over_at_the_end_of_quiet_hours_is_dropped_and_a_critical_alert_is_not_held() {
    let mut quiet = destination("quiet");
    quiet.endpoint.routing.quiet_hours = Some(night());
    let mut replay = Replay::new(vec![quiet]);
    assert_eq!(replay.says(11 * 60, &[("x", Signal::Fired)]), NONE);
    assert_eq!(replay.says(1, &[("x", Signal::Resolved)]), NONE);
    assert_eq!(replay.says(10 * 60, &[]), NONE);
    assert!(replay.is_settled());
    replay.alarm.fields.severity = Some(Severity::Critical);
    let critical = replay.says(14 * 60, &[("x", Signal::Fired)]);
    assert_eq!(critical, ["quiet fired x"]);
}

#[test]
fn above_the_limit_one_summary_follows() {
    let mut limited = destination("limited");
    limited.endpoint.routing.rate_limit = limit(1, 60);
    let mut replay = Replay::new(vec![limited]);
    let first = replay.says(0, &[("a", Signal::Fired)]);
    assert_eq!(first, ["limited fired a"]);
    assert_eq!(replay.says(1, &[("b", Signal::Fired)]), NONE);
    assert_eq!(replay.says(1, &[("c", Signal::Fired)]), NONE);
    assert_eq!(replay.says(1, &[("c", Signal::Resolved)]), NONE);
    assert_eq!(replay.says(56, &[]), NONE);
    let summary = replay.after(1, &[]);
    assert_eq!(show(&summary[0]), "limited fired b missed 1");
    assert!(summary[0].limited && summary.len() == 1);
    // What was missed is said even if nothing fires any more.
    let over = [("a", Signal::Resolved), ("b", Signal::Resolved)];
    assert_eq!(replay.says(60, &over), ["limited resolved a+b"]);
    assert_eq!(replay.says(1, &[("d", Signal::Fired)]), NONE);
    assert_eq!(replay.says(1, &[("d", Signal::Resolved)]), NONE);
    assert_eq!(replay.says(58, &[]), ["limited summary  missed 1"]);
    assert!(replay.is_settled());
}

#[test]
fn a_fallback_gets_what_failed_for_good_with_its_end() {
    let mut replay = Replay::new(pair("first", "second"));
    let fired = replay.after(0, &[("x", Signal::Fired)]);
    assert_eq!(show_all(&fired), ["first fired x"]);
    replay.fail(&fired[0]);
    assert_eq!(replay.says(5, &[]), ["second fired x"]);
    assert_eq!(replay.says(1, &[]), NONE, "once");
    assert_eq!(
        replay.says(1, &[("x", Signal::Repeated)]),
        ["second repeated x"]
    );
    assert_eq!(
        replay.says(1, &[("x", Signal::Resolved)]),
        ["second resolved x"]
    );
    assert!(replay.is_settled());
    // The next alert tries the first one again; if it is over before that fails, the fallback hears of it.
    let fired = replay.after(1, &[("x", Signal::Fired)]);
    assert_eq!(show(&fired[0]), "first fired x");
    assert_eq!(
        replay.says(1, &[("x", Signal::Resolved)]),
        ["first resolved x"]
    );
    replay.fail(&fired[0]);
    assert_eq!(replay.says(1, &[]), ["second summary  missed 1"]);
    assert!(replay.is_settled());
    // What arrives is forgotten an hour after its end.
    let fired = replay.says(1, &[("x", Signal::Fired)]);
    assert_eq!(fired, ["first fired x"]);
    let over = replay.says(1, &[("x", Signal::Resolved)]);
    assert_eq!(over, ["first resolved x"]);
    assert_eq!(replay.says(60, &[]), NONE);
    assert!(!replay.is_settled());
    assert_eq!(replay.says(1, &[]), NONE);
    assert!(replay.is_settled());
}

#[test]
fn a_channel_that_is_enabled_while_an_alert_fires_gets_it_then() {
    let mut replay = Replay::new(vec![destination("a"), destination("b")]);
    replay.alarm.destinations[1].disabled = Some("gone".to_owned());
    assert_eq!(replay.says(0, &[("x", Signal::Fired)]), ["a fired x"]);
    assert_eq!(replay.says(1, &[]), NONE);
    replay.alarm.destinations[1].disabled = None;
    assert_eq!(replay.says(1, &[]), ["b fired x"]);
    assert!(replay.is_settled());
    let over = replay.says(1, &[("x", Signal::Resolved)]);
    assert_eq!(over, ["a resolved x", "b resolved x"]);
}

#[test]
fn only_a_message_that_somebody_else_can_get_fails_soon() {
    let mut replay = Replay::new(pair("first", "second"));
    let soon = |replay: &mut Replay, signal: Signal| {
        let sent = replay.after(1, &[("x", signal)]);
        sent.iter()
            .map(|message| message.has_fallback)
            .collect::<Vec<_>>()
    };
    assert_eq!(soon(&mut replay, Signal::Fired), [true]);
    assert_eq!(soon(&mut replay, Signal::Repeated), [true]);
    assert_eq!(soon(&mut replay, Signal::Resolved), [false]);
    replay.alarm.destinations[1].endpoint.routing.severities = vec![Severity::Critical];
    assert_eq!(soon(&mut replay, Signal::Fired), [false]);
    assert_eq!(soon(&mut replay, Signal::Resolved), [false]);
    replay.alarm.destinations[1]
        .endpoint
        .routing
        .severities
        .clear();
    replay.alarm.destinations[1].disabled = Some("gone".to_owned());
    assert_eq!(soon(&mut replay, Signal::Fired), [false]);
}

#[test]
fn a_disabled_destination_is_replaced_by_its_fallback() {
    let mut replay = Replay::new(pair("first", "second"));
    replay.alarm.destinations[0].disabled = Some("gone".to_owned());
    let fired = replay.says(0, &[("x", Signal::Fired)]);
    assert_eq!(fired, ["second fired x"]);
    let over = replay.says(1, &[("x", Signal::Resolved)]);
    assert_eq!(over, ["second resolved x"]);
    assert!(replay.is_settled());
}
