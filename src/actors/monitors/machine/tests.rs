//! Single stories, and properties over all of them.

use proptest::prelude::*;

use super::*;

const RULES: Rules = Rules {
    retries: 3,
    recheck_ms: 30_000,
};

/// Plays a log, a letter a check: `u`p, `s`low, `f`ailed, `m`aintenance with a failure.
fn play(log: &str, rules: Rules) -> Vec<Step> {
    let mut standing = Standing::default();
    let checks = log.chars().zip(1..);
    checks
        .map(|(letter, at)| {
            let verdict = match letter {
                'u' => Verdict::Good { slow: false },
                's' => Verdict::Good { slow: true },
                _ => Verdict::Bad,
            };
            let step = step(standing, at * 1_000, verdict, letter == 'm', rules);
            standing = step.standing;
            step
        })
        .collect()
}

fn statuses(log: &str) -> Vec<u32> {
    play(log, RULES)
        .iter()
        .map(|step| step.status.number())
        .collect()
}

fn transitions(log: &str) -> Vec<(usize, State, State)> {
    let steps = play(log, RULES).into_iter().enumerate();
    steps
        .filter_map(|(at, step)| step.transition.map(|change| (at, change.from, change.to)))
        .collect()
}

#[test]
fn down_comes_after_three_failed_rechecks_and_one_success_is_up() {
    assert_eq!(statuses("uffffffu"), [1, 2, 2, 2, 0, 0, 0, 1]);
    assert_eq!(
        transitions("uffffffu"),
        [
            (0, State::Unknown, State::Up),
            (4, State::Up, State::Down),
            (7, State::Down, State::Up)
        ]
    );
    let steps = play("uffffff", RULES);
    assert_eq!(
        steps
            .iter()
            .map(|step| step.standing.retries)
            .collect::<Vec<_>>(),
        [0, 1, 2, 3, 0, 0, 0]
    );
    assert_eq!(
        steps
            .iter()
            .map(|step| step.standing.streak)
            .collect::<Vec<_>>(),
        [0, 0, 0, 0, 1, 2, 3]
    );
    assert_eq!(steps[1].recheck_ms, Some(32_000));
    assert_eq!(steps[4].recheck_ms, None);
}

#[test]
fn a_success_in_between_forgets_the_failures() {
    assert_eq!(statuses("fffufffu"), [2, 2, 2, 1, 2, 2, 2, 1]);
    assert!(
        transitions("fffufffu")
            .iter()
            .all(|change| change.2 == State::Up)
    );
}

#[test]
fn a_monitor_that_never_worked_goes_down_too() {
    assert_eq!(transitions("ffff"), [(3, State::Unknown, State::Down)]);
    assert!(play("ffff", RULES)[3].transition.unwrap().is_alarming());
}

#[test]
fn without_retries_the_first_failure_is_down() {
    let steps = play(
        "uf",
        Rules {
            retries: 0,
            ..RULES
        },
    );
    assert_eq!(steps[1].status, Status::Down);
    assert_eq!(steps[1].transition.unwrap().since_ms, 1_000);
}

#[test]
fn slow_is_degraded_which_alarms_nobody() {
    assert_eq!(statuses("usu"), [1, 1, 1]);
    assert_eq!(
        transitions("usu")[1..],
        [
            (1, State::Up, State::Degraded),
            (2, State::Degraded, State::Up)
        ]
    );
    assert!(!play("usu", RULES)[1].transition.unwrap().is_alarming());
}

proptest! {
    #[test]
    fn whatever_happens_is_consistent(log in "[usfm]{0,60}", retries in 0u32..5) {
        let rules = Rules { retries, ..RULES };
        let steps = play(&log, rules);
        let mut settled = State::Unknown;
        let mut failures = 0;
        for (step, letter) in steps.iter().zip(log.chars()) {
            if letter == 'm' {
                prop_assert_eq!(step.status, Status::Maintenance);
                prop_assert_eq!(step.transition, None);
                continue;
            }
            failures = if letter == 'f' { failures + 1 } else { 0 };
            let expected = match (letter, failures > retries) {
                ('u' | 's', _) => Status::Up,
                (_, true) => Status::Down,
                _ => Status::Pending,
            };
            prop_assert_eq!(step.status, expected);
            if let Some(change) = step.transition {
                prop_assert_eq!(change.from, settled);
                prop_assert!(change.to != settled && change.to != State::Pending);
                settled = change.to;
            }
            prop_assert_eq!(step.standing.settled, settled);
            prop_assert_eq!(step.recheck_ms.is_some(), step.status == Status::Pending);
        }
        // Checks during maintenance change nothing: without them the log ends the same.
        let without: String = log.chars().filter(|letter| *letter != 'm').collect();
        let end = |steps: &[Step]| steps.last().map(|step| (step.standing.state, step.standing.settled, step.standing.streak));
        prop_assert_eq!(end(&steps), end(&play(&without, rules)).or(end(&steps).filter(|_| without.is_empty())));
    }
}
