use proptest::prelude::*;

use super::{
    Verdict::{Between, Breach, Clear, Unknown},
    *,
};

const FAST: Timing = Timing {
    hold: 0,
    recover: 0,
    repeat: 0,
};

type Story = Vec<(i64, Verdict, bool)>;

/// The signals of these verdicts at these times.
fn replay(
    history: &[(i64, Verdict, bool)],
    timing: Timing,
    wait_ms: i64,
) -> Vec<(i64, Signal, Standing)> {
    let mut standing = Standing::default();
    let mut heard = Vec::new();
    for (at_ms, verdict, is_muted) in history {
        let mut one = [step(standing, *at_ms, *verdict, timing)];
        for (_, what) in group(&mut one, *at_ms, (timing, wait_ms), *is_muted) {
            heard.push((*at_ms, what, one[0]));
        }
        standing = one[0];
    }
    heard
}

fn words(history: &[(i64, Verdict, bool)], timing: Timing, wait_ms: i64) -> Vec<(i64, Signal)> {
    let heard = replay(history, timing, wait_ms);
    heard.into_iter().map(|(at, what, _)| (at, what)).collect()
}

#[test]
fn a_condition_has_to_hold_and_to_be_over_for_long_enough() {
    let timing = Timing {
        hold: 10,
        recover: 5,
        repeat: 0,
    };
    let history = [
        (0, Breach, false),
        (9, Breach, false),
        (9, Clear, false),
        (10, Breach, false),
        (20, Breach, false),
        (21, Clear, false),
        (25, Between, false),
        (26, Clear, false),
        (30, Unknown, false),
        (31, Clear, false),
    ];
    let heard = words(&history, timing, 0);
    assert_eq!(heard, [(20, Signal::Fired), (31, Signal::Resolved)]);
}

#[test]
fn a_mute_window_delays_and_forgets_only_what_is_over() {
    let over = [(0, Breach, true), (1, Clear, true), (2, Clear, false)];
    assert_eq!(words(&over, FAST, 0), []);
    let stays = [(0, Breach, true), (1, Breach, true), (2, Breach, false)];
    assert_eq!(words(&stays, FAST, 0), [(2, Signal::Fired)]);
    let known = [(0, Breach, false), (1, Clear, true), (2, Unknown, false)];
    let heard = words(&known, FAST, 0);
    assert_eq!(heard, [(0, Signal::Fired), (2, Signal::Resolved)]);
    // Every fired signal has its resolved signal by the end.
    let again = [
        (0, Breach, false),
        (1, Clear, true),
        (2, Breach, true),
        (3, Breach, false),
    ];
    assert_eq!(words(&again, FAST, 0), [(0, Signal::Fired)]);
}

#[test]
fn it_is_repeated_until_somebody_takes_care() {
    let timing = Timing { repeat: 10, ..FAST };
    let history: Story = (0..25).map(|at| (at, Breach, false)).collect();
    let heard = words(&history, timing, 0);
    let expected = [
        (0, Signal::Fired),
        (10, Signal::Repeated),
        (20, Signal::Repeated),
    ];
    assert_eq!(heard, expected);
    let known = Standing {
        acknowledged: true,
        ..replay(&history, timing, 0)[0].2
    };
    assert_eq!(due_signal(&known, 1_000, timing, false), None);
    // The next firing is not acknowledged.
    let over = mark_sent(step(known, 1_000, Clear, timing), Signal::Resolved, 1_000);
    assert!(!step(over, 1_001, Breach, timing).acknowledged);
}

#[test]
fn what_happens_within_the_wait_goes_together() {
    let mut three = [Standing::default(); 3];
    three[0] = step(three[0], 0, Breach, FAST);
    assert_eq!(group(&mut three, 0, (FAST, 30), false), []);
    three[2] = step(three[2], 29, Breach, FAST);
    assert_eq!(group(&mut three, 29, (FAST, 30), false), []);
    let heard = group(&mut three, 30, (FAST, 30), false);
    assert_eq!(heard, [(0, Signal::Fired), (2, Signal::Fired)]);
    assert_eq!(group(&mut three, 90, (FAST, 30), false), []);
    // What is over before the group's wait ends sends nothing.
    three[1] = step(three[1], 100, Breach, FAST);
    assert_eq!(group(&mut three, 100, (FAST, 30), false), []);
    three[1] = step(three[1], 101, Clear, FAST);
    assert_eq!(group(&mut three, 200, (FAST, 30), false), []);
}

/// Whether it goes off after the last of these readings, said otherwise than by [`step`]: by runs of readings.
fn goes_off(readings: &[(i64, Verdict)], timing: Timing) -> bool {
    let mut firing = false;
    // Where the present run of readings that speak for a change begins.
    let mut run: Option<i64> = None;
    for (at_ms, verdict) in readings {
        let (for_it, against, needed) = if firing {
            let against = matches!(verdict, Breach | Between);
            (*verdict == Clear, against, timing.recover)
        } else {
            let against = matches!(verdict, Clear | Between);
            (*verdict == Breach, against, timing.hold)
        };
        if against {
            run = None;
        }
        if for_it && at_ms - *run.get_or_insert(*at_ms) >= needed {
            firing = !firing;
            run = None;
        }
    }
    firing
}

fn history() -> impl Strategy<Value = Story> {
    let verdict = prop_oneof![
        4 => Just(Breach), 4 => Just(Clear), 1 => Just(Between), 1 => Just(Unknown)
    ];
    let steps = prop::collection::vec((0_i64..8, verdict, prop::bool::weighted(0.2)), 0..60);
    steps.prop_map(|steps| {
        let mut at_ms = 1_000;
        let told = steps.into_iter().map(|(later, verdict, is_muted)| {
            at_ms += later;
            (at_ms, verdict, is_muted)
        });
        told.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn it_goes_off_when_the_definition_says_so(
        history in history(), hold in 0_i64..12, recover in 0_i64..12
    ) {
        let timing = Timing { hold, recover, repeat: 0 };
        let mut standing = Standing::default();
        let mut seen = Vec::new();
        for (at_ms, verdict, _) in history {
            seen.push((at_ms, verdict));
            standing = step(standing, at_ms, verdict, timing);
            prop_assert_eq!(standing.phase.is_firing(), goes_off(&seen, timing), "{:?}", seen);
        }
    }

    #[test]
    fn people_hear_of_every_end_once_and_never_while_they_rest(
        history in history(), hold in 0_i64..12, recover in 0_i64..12,
        repeat in 0_i64..20, wait_ms in 0_i64..12
    ) {
        let timing = Timing { hold, recover, repeat };
        let (mut believed, mut last) = (false, i64::MIN);
        for (at_ms, what, after) in replay(&history, timing, wait_ms) {
            let rested = history.iter().filter(|(at, ..)| *at == at_ms).all(|(.., muted)| *muted);
            prop_assert!(!rested, "told at {} while muted", at_ms);
            match what {
                Signal::Fired => prop_assert!(!believed && after.phase.is_firing()),
                Signal::Repeated => prop_assert!(believed && at_ms - last >= repeat),
                Signal::Resolved => prop_assert!(believed && !after.phase.is_firing()),
            }
            believed = what != Signal::Resolved;
            prop_assert_eq!(after.told, believed);
            last = at_ms;
        }
    }

    #[test]
    fn a_restart_between_any_two_steps_changes_nothing(history in history(), cut in 0_usize..60) {
        let timing = Timing { hold: 3, recover: 2, repeat: 7 };
        let mut standing = Standing::default();
        let mut heard = Vec::new();
        for (nth, (at_ms, verdict, is_muted)) in history.iter().enumerate() {
            if nth == cut {
                let stored = serde_json::to_string(&standing).unwrap();
                standing = serde_json::from_str(&stored).unwrap();
            }
            let mut one = [step(standing, *at_ms, *verdict, timing)];
            let told = group(&mut one, *at_ms, (timing, 4), *is_muted);
            heard.extend(told.into_iter().map(|(_, what)| (*at_ms, what)));
            standing = one[0];
        }
        prop_assert_eq!(words(&history, timing, 4), heard);
    }
}
