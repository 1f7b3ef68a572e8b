//! Hours of plans, played in an instant.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::*;
use crate::actors::monitors::schedule::Recurrence;

const START: i64 = 1_791_979_200_000;
const MINUTE: i64 = 60_000;

/// What became of every slot.
#[derive(Default)]
struct Log {
    done: HashMap<(i64, i64), u32>,
    /// Rows of the same slot are one, because they carry the same id.
    missed: HashSet<(i64, i64)>,
    further: u64,
}

impl Log {
    fn note(&mut self, work: &Work) {
        for slot in &work.missed.slots {
            self.missed.insert((work.key, *slot));
        }
        self.further += work.missed.further;
    }
}

fn minutely(key: i64) -> Schedule {
    Schedule::new(Recurrence::Every(MINUTE), key)
}

/// Takes everything that is due until `until`, each check taking no time.
fn run(planner: &mut Planner, log: &mut Log, until: i64) {
    while let Some(due) = planner.next_due().filter(|due| *due <= until) {
        let work = planner.take(due).unwrap();
        assert_eq!(work.due_ms, due);
        log.note(&work);
        *log.done.entry((work.key, work.due_ms)).or_default() += 1;
        planner.finish(work.key, work.fence, None);
    }
}

#[test]
fn a_thousand_monitors_in_an_hour_are_sixty_thousand_checks() {
    let mut planner = Planner::default();
    for key in 0..1_000 {
        planner.put(key, Some(minutely(key)), None, START);
    }
    let mut log = Log::default();
    run(&mut planner, &mut log, START + 60 * MINUTE);
    assert_eq!(log.done.len(), 60_000);
    assert!(log.done.values().all(|times| *times == 1));
    assert!(log.missed.is_empty());
}

#[test]
fn a_check_that_takes_longer_than_its_interval_misses_slots_and_is_never_doubled() {
    let mut planner = Planner::default();
    planner.put(1, Some(minutely(1)), None, START);
    let first = planner.next_due().unwrap();
    let work = planner.take(first).unwrap();
    assert_eq!(planner.next_due(), None, "it is being done");
    planner.finish(1, work.fence, None);
    let late = planner.take(first + 3 * MINUTE + 5).unwrap();
    assert_eq!(late.missed.slots, [first + MINUTE, first + 2 * MINUTE]);
    assert_eq!(late.due_ms, first + 3 * MINUTE);
}

#[test]
fn a_slot_that_is_late_by_less_than_an_interval_is_late_and_not_missed() {
    let mut planner = Planner::default();
    planner.put(1, Some(minutely(1)), None, START);
    let first = planner.next_due().unwrap();
    let work = planner.take(first + MINUTE - 1).unwrap();
    assert_eq!((work.due_ms, work.missed.count()), (first, 0));
}

#[test]
fn of_a_long_gap_the_first_slots_are_named_and_all_are_counted() {
    let mut planner = Planner::default();
    planner.put(1, Some(minutely(1)), None, START);
    let first = planner.next_due().unwrap();
    let work = planner.take(first + 1_000 * MINUTE).unwrap();
    assert_eq!(work.missed.slots.len(), MAX_MISSED);
    assert_eq!(work.missed.count(), 1_000);
    assert_eq!(work.due_ms, first + 1_000 * MINUTE);
    planner.finish(1, work.fence, None);
    assert_eq!(planner.next_due(), Some(first + 1_001 * MINUTE));
}

#[test]
fn rechecks_come_in_between_and_slots_stand_in_for_those_that_would_come_later() {
    let mut planner = Planner::default();
    planner.put(1, Some(minutely(1)), None, START);
    let first = planner.next_due().unwrap();
    let work = planner.take(first).unwrap();
    planner.finish(1, work.fence, Some(first + 30_000));
    let again = planner.take(first + 30_000).unwrap();
    assert_eq!(
        (again.cause, again.due_ms),
        (Cause::Recheck, first + 30_000)
    );
    planner.finish(1, again.fence, Some(first + MINUTE));
    let slot = planner.take(first + MINUTE).unwrap();
    assert_eq!((slot.cause, slot.due_ms), (Cause::Slot, first + MINUTE));
    planner.finish(1, slot.fence, None);
    assert_eq!(
        planner.next_due(),
        Some(first + 2 * MINUTE),
        "nothing in between"
    );
}

#[test]
fn a_monitor_without_a_schedule_is_checked_when_asked() {
    let mut planner = Planner::default();
    planner.put(1, None, None, START);
    assert_eq!(planner.next_due(), None);
    planner.ask(1, START);
    assert_eq!(planner.take(START).unwrap().cause, Cause::Asked);
}

#[test]
fn what_is_changed_in_the_middle_is_done_again_and_the_old_result_does_not_count() {
    let mut planner = Planner::default();
    planner.put(1, Some(minutely(1)), None, START);
    let first = planner.next_due().unwrap();
    let work = planner.take(first).unwrap();
    planner.put(1, Some(minutely(1)), None, first + 10);
    assert!(!planner.is_current(1, work.fence));
    planner.finish(1, work.fence, None);
    let again = planner.take(first + 10).unwrap();
    assert_eq!((again.due_ms, again.cause), (first, Cause::Slot));
}

/// What happens to the plan while time goes by.
#[derive(Debug, Clone)]
enum Event {
    /// Time passes; everything that is due begins, and ends as long after.
    Pass(i64),
    /// The program stops and starts.
    Restart,
    /// A monitor is paused or goes on.
    Toggle(i64),
    /// A monitor is changed in a way that leaves its slots.
    Edit(i64),
    /// Somebody wants to know at once.
    Ask(i64),
    /// The clock is set, forwards or backwards.
    Jump(i64),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => (0..3 * MINUTE).prop_map(Event::Pass),
        1 => Just(Event::Restart),
        2 => (0..4i64).prop_map(Event::Toggle),
        2 => (0..4i64).prop_map(Event::Edit),
        1 => (0..4i64).prop_map(Event::Ask),
        1 => (-3 * MINUTE..10 * MINUTE).prop_map(Event::Jump),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_slot_is_lost_and_none_is_doubled(events in prop::collection::vec((event(), 0i64..5_000), 1..60)) {
        const MONITORS: i64 = 4;
        let mut planner = Planner::default();
        let mut now = START;
        let mut log = Log::default();
        // Marks as storage has them: what was done or missed counts, what is being done does not.
        let mut marks: HashMap<i64, i64> = HashMap::new();
        let mut paused = [false; MONITORS as usize];
        // The spans of the wall clock in which a monitor was watched.
        let mut first: HashMap<i64, i64> = HashMap::new();
        let mut expected: Vec<(i64, i64)> = Vec::new();
        let mut running: Vec<(Work, i64)> = Vec::new();
        for key in 0..MONITORS {
            planner.put(key, Some(minutely(key)), None, now);
            first.insert(key, planner.mark(key).unwrap());
            marks.insert(key, planner.mark(key).unwrap());
        }
        let finish = |planner: &mut Planner, log: &mut Log, marks: &mut HashMap<i64, i64>, work: &Work| {
            if !planner.is_current(work.key, work.fence) {
                return;
            }
            if work.cause == Cause::Slot {
                *log.done.entry((work.key, work.due_ms)).or_default() += 1;
            }
            planner.finish(work.key, work.fence, None);
            marks.insert(work.key, planner.mark(work.key).unwrap());
        };
        for (event, took) in events {
            match event {
                Event::Pass(ms) => {
                    let until = now + ms;
                    while now < until {
                        now = (now + 1_000).min(until);
                        running.retain(|(work, ends)| {
                            if *ends <= now {
                                finish(&mut planner, &mut log, &mut marks, work);
                            }
                            *ends > now
                        });
                        while let Some(work) = planner.take(now) {
                            log.note(&work);
                            running.push((work, now + took));
                        }
                    }
                }
                Event::Restart => {
                    // What runs is lost, and nobody had noted it.
                    running.clear();
                    planner = Planner::default();
                    for key in (0..MONITORS).filter(|key| !paused[*key as usize]) {
                        planner.put(key, Some(minutely(key)), marks.get(&key).copied(), now);
                    }
                }
                Event::Toggle(key) => {
                    let is_paused = &mut paused[key as usize];
                    *is_paused = !*is_paused;
                    if *is_paused {
                        let mark = planner.mark(key).unwrap();
                        expected.extend(slots(key, first[&key], mark));
                        planner.remove(key);
                    } else {
                        planner.put(key, Some(minutely(key)), None, now.max(marks[&key]));
                        let mark = planner.mark(key).unwrap();
                        first.insert(key, mark);
                        marks.insert(key, mark);
                    }
                }
                Event::Edit(key) if !paused[key as usize] => {
                    let mark = planner.mark(key);
                    planner.put(key, Some(minutely(key)), mark, now);
                    prop_assert_eq!(planner.mark(key), mark);
                }
                Event::Ask(key) => planner.ask(key, now),
                Event::Jump(by) => now += by,
                Event::Edit(_) => {}
            }
        }
        for (work, _) in &running {
            finish(&mut planner, &mut log, &mut marks, work);
        }
        for key in (0..MONITORS).filter(|key| !paused[*key as usize]) {
            expected.extend(slots(key, first[&key], planner.mark(key).unwrap()));
        }
        for slot in &expected {
            prop_assert!(log.done.contains_key(slot) || log.missed.contains(slot), "{:?} is lost", slot);
        }
        let expected: HashSet<_> = expected.into_iter().collect();
        for (slot, times) in &log.done {
            prop_assert_eq!(*times, 1, "{:?}", slot);
            prop_assert!(expected.contains(slot), "{:?} was never due", slot);
        }
        prop_assert_eq!(log.further, 0);
    }
}

/// The slots of a monitor from one on, without the last.
fn slots(key: i64, from: i64, to: i64) -> Vec<(i64, i64)> {
    (from..to)
        .step_by(MINUTE as usize)
        .map(|slot| (key, slot))
        .collect()
}
