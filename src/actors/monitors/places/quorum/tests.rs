use proptest::prelude::*;

use super::*;

fn votes(ups: u32, downs: u32, waiting: u32) -> Votes {
    Votes {
        ups,
        downs,
        waiting,
    }
}

#[test]
fn the_majority_of_those_that_report_decides() {
    for (ups, downs, waiting, decision) in [
        (1, 0, 0, Some(Decision::Up)),
        (0, 1, 0, Some(Decision::Down)),
        (0, 0, 0, Some(Decision::Unknown)),
        (0, 0, 1, None),
        // Two that disagree don't find it down.
        (1, 1, 0, Some(Decision::Up)),
        (1, 0, 1, Some(Decision::Up)),
        (0, 1, 1, None),
        (0, 2, 1, Some(Decision::Down)),
        (1, 0, 2, None),
        (2, 0, 1, Some(Decision::Up)),
        (1, 2, 0, Some(Decision::Down)),
    ] {
        let decided = decide(votes(ups, downs, waiting), None);
        assert_eq!(
            decided, decision,
            "{ups} up, {downs} down, {waiting} waiting"
        );
    }
}

#[test]
fn a_quorum_needs_as_many_reports() {
    for (ups, downs, waiting, decision) in [
        (1, 0, 0, Some(Decision::Unknown)),
        (0, 1, 0, Some(Decision::Unknown)),
        (0, 1, 1, None),
        (1, 1, 0, Some(Decision::Up)),
        (0, 2, 0, Some(Decision::Down)),
        (0, 2, 5, Some(Decision::Down)),
        (2, 1, 0, Some(Decision::Up)),
        (2, 0, 1, Some(Decision::Up)),
        (2, 0, 2, None),
    ] {
        let decided = decide(votes(ups, downs, waiting), Some(2));
        assert_eq!(
            decided, decision,
            "{ups} up, {downs} down, {waiting} waiting"
        );
    }
}

proptest! {
    #[test]
    fn an_early_decision_is_the_one_at_the_end(
        ups in 0..8u32, downs in 0..8u32, more_ups in 0..8u32, more_downs in 0..8u32, never in 0..8u32,
        quorum in prop::option::of(1..12u32),
    ) {
        let early = decide(votes(ups, downs, more_ups + more_downs + never), quorum);
        let end = conclude(votes(ups + more_ups, downs + more_downs, 0), quorum);
        prop_assert!(early.is_none_or(|early| early == end), "{early:?}, then {end:?}");
        prop_assert_eq!(decide(votes(ups, downs, 0), quorum), Some(conclude(votes(ups, downs, 0), quorum)));
    }

    #[test]
    fn too_few_reports_are_never_down(ups in 0..20u32, downs in 0..20u32, quorum in prop::option::of(1..20u32)) {
        let decision = conclude(votes(ups, downs, 0), quorum);
        let reported = ups + downs;
        let needed = quorum.unwrap_or(reported / 2 + 1);
        prop_assert_eq!(decision == Decision::Down, downs >= needed && reported > 0);
        prop_assert_eq!(decision == Decision::Unknown, reported < quorum.unwrap_or(1));
    }

    #[test]
    fn one_more_that_finds_it_up_never_brings_it_down(
        ups in 0..20u32, downs in 0..20u32, quorum in prop::option::of(1..20u32),
    ) {
        let before = conclude(votes(ups, downs, 0), quorum);
        let after = conclude(votes(ups + 1, downs, 0), quorum);
        // A report that makes the quorum of reports is the one exception: it was unknown before.
        prop_assert!(after != Decision::Down || before != Decision::Up);
    }
}
