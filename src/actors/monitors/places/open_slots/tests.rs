use proptest::prelude::*;

use super::*;

const SLOT: (i64, i64) = (7, 1_000_000);
const DEADLINE: i64 = SLOT.1 + 35_000;

fn config(places: usize, quorum: Option<u32>) -> SlotConfig<u32> {
    SlotConfig {
        work: 1,
        places: (0..places).map(name).collect(),
        quorum,
        deadline_ms: DEADLINE,
    }
}

fn name(place: usize) -> String {
    format!("place {place}")
}

fn ballot(is_up: bool, report: usize) -> Ballot<usize> {
    Ballot { is_up, report }
}

#[test]
fn reports_that_come_before_the_slot_count() {
    let mut open_slots = OpenSlots::default();
    assert_eq!(open_slots.report(SLOT, name(0), ballot(false, 1)), None);
    assert!(open_slots.finish(SLOT, SLOT.1, |_| false).is_none());
    open_slots.begin(SLOT, config(2, None));
    assert!(open_slots.finish(SLOT, SLOT.1, |_| false).is_none());
    open_slots.report(SLOT, name(1), ballot(false, 2));
    let over = open_slots.finish(SLOT, SLOT.1, |_| false).unwrap();
    assert_eq!((over.decision, over.work), (Decision::Down, Some(1)));
    assert!(open_slots.finish(SLOT, DEADLINE, |_| false).is_none());
    assert!(open_slots.overdue(i64::MAX).is_empty());
}

#[test]
fn what_a_place_has_said_about_slots_to_come_is_taken_back() {
    let mut open_slots = OpenSlots::default();
    let next = (SLOT.0, SLOT.1 + 60_000);
    for (key, place, report) in [(SLOT, 0, 1), (next, 0, 2), (next, 1, 3)] {
        open_slots.report(key, name(place), ballot(false, report));
    }
    assert_eq!(open_slots.retract(&name(0), SLOT.1), [2]);
    for (key, left) in [(SLOT, 1), (next, 1)] {
        open_slots.begin(key, config(1, None));
        let over = open_slots.finish(key, i64::MAX, |_| false).unwrap();
        assert_eq!(over.ballots.len(), left);
    }
}

#[test]
fn a_slot_that_begins_nowhere_ends_without_a_decision() {
    let mut open_slots = OpenSlots::<u32, usize>::default();
    open_slots.report(SLOT, name(0), ballot(false, 1));
    let late = SLOT.1 + UNCLAIMED_MS;
    assert!(open_slots.overdue(late - 1).is_empty());
    assert_eq!(open_slots.overdue(late), [SLOT]);
    let over = open_slots.finish(SLOT, late, |_| false).unwrap();
    assert_eq!((over.decision, over.work), (Decision::Unknown, None));
    assert_eq!(over.ballots.len(), 1);
}

#[test]
fn a_silent_place_is_not_waited_for_and_counts_when_it_speaks() {
    let silent = |place: &str| place == name(2);
    let mut open_slots = OpenSlots::default();
    open_slots.begin(SLOT, config(3, None));
    open_slots.report(SLOT, name(0), ballot(false, 0));
    assert!(open_slots.finish(SLOT, SLOT.1, silent).is_none());
    open_slots.report(SLOT, name(2), ballot(true, 2));
    assert!(open_slots.finish(SLOT, SLOT.1, silent).is_none());
    open_slots.report(SLOT, name(1), ballot(false, 1));
    let over = open_slots.finish(SLOT, SLOT.1, silent).unwrap();
    assert_eq!(over.decision, Decision::Down);
}

#[test]
fn a_slot_of_a_changed_monitor_is_not_decided_until_it_begins_anew() {
    let mut open_slots = OpenSlots::default();
    open_slots.begin(SLOT, config(1, None));
    open_slots.report(SLOT, name(0), ballot(false, 0));
    open_slots.suspend(SLOT.0);
    assert!(open_slots.finish(SLOT, DEADLINE, |_| false).is_none());
    assert!(open_slots.overdue(DEADLINE).is_empty());
    open_slots.begin(SLOT, config(1, None));
    let over = open_slots.finish(SLOT, SLOT.1, |_| false).unwrap();
    assert_eq!(over.decision, Decision::Down);
}

#[test]
fn a_changed_monitor_begins_the_slot_anew_and_a_deleted_one_ends_it() {
    let mut open_slots = OpenSlots::default();
    open_slots.begin(SLOT, config(2, None));
    open_slots.report(SLOT, name(0), ballot(true, 0));
    let again = SlotConfig {
        deadline_ms: DEADLINE + 5,
        work: 2,
        ..config(1, None)
    };
    open_slots.begin(SLOT, again);
    assert!(open_slots.overdue(DEADLINE).is_empty());
    assert_eq!(open_slots.begun(), [SLOT]);
    open_slots.report((8, 5), name(0), ballot(true, 0));
    assert_eq!(open_slots.forget(SLOT.0), [0]);
    assert!(open_slots.finish(SLOT, i64::MAX, |_| false).is_none());
    assert_eq!(open_slots.overdue(i64::MAX), [(8, 5)]);
}

/// What happens to the report of a place.
#[derive(Debug, Clone)]
struct Sending {
    is_up: bool,
    /// Milliseconds after the slot; none for one that is lost.
    arrives: Option<i64>,
    /// When it arrives a second time.
    again: Option<i64>,
    is_silent: bool,
}

fn sending() -> impl Strategy<Value = Sending> {
    let late = -2_000..60_000i64;
    (
        any::<bool>(),
        prop::option::weighted(0.8, late.clone()),
        prop::option::weighted(0.3, late),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(is_up, arrives, again, is_silent)| Sending {
            is_up,
            arrives,
            again: again.filter(|_| arrives.is_some()),
            is_silent,
        })
}

/// Plays a slot to its end: when it was decided, how, and with which ballots.
fn play(
    sendings: &[Sending],
    quorum: Option<u32>,
) -> (i64, Decision, BTreeMap<String, Ballot<usize>>) {
    let mut arrivals: Vec<(i64, usize)> = Vec::new();
    for (place, one) in sendings.iter().enumerate() {
        let times = one.arrives.into_iter().chain(one.again);
        arrivals.extend(times.map(|at| (SLOT.1 + at, place)));
    }
    arrivals.sort_unstable();
    let silent: Vec<String> = (0..sendings.len())
        .filter(|place| sendings[*place].is_silent)
        .map(name)
        .collect();
    let is_silent = |place: &str| silent.iter().any(|one| one == place);
    let mut open_slots = OpenSlots::default();
    let mut decided = None;
    let mut settle = |open_slots: &mut OpenSlots<u32, usize>, now: i64| {
        if let Some(over) = open_slots.finish(SLOT, now, is_silent) {
            assert!(decided.is_none(), "decided twice");
            decided = Some((now, over.decision, over.ballots));
        }
    };
    let mut begun = false;
    for (at, place) in arrivals.into_iter().filter(|(at, _)| *at < DEADLINE) {
        if !begun && at >= SLOT.1 {
            begun = true;
            open_slots.begin(SLOT, config(sendings.len(), quorum));
            settle(&mut open_slots, SLOT.1);
        }
        // What comes behind the decision is a row, and none of its votes.
        if begun && open_slots.begun().is_empty() {
            continue;
        }
        open_slots.report(SLOT, name(place), ballot(sendings[place].is_up, place));
        settle(&mut open_slots, at);
    }
    if !begun {
        open_slots.begin(SLOT, config(sendings.len(), quorum));
        settle(&mut open_slots, SLOT.1);
    }
    settle(&mut open_slots, DEADLINE);
    decided.unwrap()
}

proptest! {
    #[test]
    fn every_history_is_decided_once_and_as_its_reports_say(
        sendings in prop::collection::vec(sending(), 1..7), quorum in prop::option::of(1..7u32),
    ) {
        let (at, decision, ballots) = play(&sendings, quorum);
        prop_assert!((SLOT.1..=DEADLINE).contains(&at));
        let votes = |is_up: bool| ballots.values().filter(|ballot| ballot.is_up == is_up).count() as u32;
        let votes = Votes { ups: votes(true), downs: votes(false), waiting: 0 };
        prop_assert_eq!(decision, conclude(votes, quorum));
        // All that would have come in time, if no place had been given up, says the same, unless silence took a voice.
        let in_time = |one: &&Sending| {
            let first = one.arrives.into_iter().chain(one.again).min();
            first.is_some_and(|late| SLOT.1 + late < DEADLINE)
        };
        if sendings.iter().all(|one| !one.is_silent) {
            let all = |is_up| sendings.iter().filter(in_time).filter(|one| one.is_up == is_up).count() as u32;
            let all = Votes { ups: all(true), downs: all(false), waiting: 0 };
            prop_assert_eq!(decision, conclude(all, quorum));
        }
        // No place that said nothing has a voice.
        for (place, one) in sendings.iter().enumerate() {
            prop_assert!(one.arrives.is_some() || !ballots.contains_key(&name(place)));
        }
    }

    #[test]
    fn the_order_of_reports_does_not_matter(
        mut sendings in prop::collection::vec(sending(), 1..7), quorum in prop::option::of(1..7u32), shift in 0..30_000i64,
    ) {
        for one in &mut sendings {
            one.is_silent = false;
            one.again = None;
            one.arrives = one.arrives.filter(|late| *late < 35_000);
        }
        let (_, decision, _) = play(&sendings, quorum);
        for one in &mut sendings {
            one.arrives = one.arrives.map(|late| (shift - late).clamp(-2_000, 34_000));
        }
        let (_, other, _) = play(&sendings, quorum);
        prop_assert_eq!(decision, other);
    }
}
