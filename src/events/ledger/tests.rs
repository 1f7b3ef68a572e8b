use std::sync::atomic::AtomicBool;

use super::*;
use crate::events::log::frame;

fn outcome(reason: Reason, count: u64) -> Outcome<'static> {
    Outcome {
        organization: 1,
        website: 2,
        reason,
        at: SLOT + 5,
        origin: None,
        count,
    }
}

fn events(counters: &Counters) -> Vec<Event> {
    let records = counters.records();
    let events = records
        .iter()
        .map(|record| postcard::from_bytes(&record.event).unwrap());
    merged(events.collect())
}

fn counted(event: &Event) -> u64 {
    match event.details {
        Details::Counter { count } => count,
        _ => panic!("no tally"),
    }
}

#[test]
fn numbers_are_places_and_names_differ() {
    let mut names: Vec<&str> = Reason::ALL.iter().map(|reason| reason.as_str()).collect();
    for (place, reason) in Reason::ALL.iter().copied().enumerate() {
        assert_eq!(reason as usize, place);
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Reason::ALL.len());
}

#[test]
fn what_is_counted_becomes_rows_of_its_tenant() {
    let ledger = Ledger::default();
    assert!(
        ledger.add(&outcome(Reason::Bot, 3)),
        "somebody has to be told"
    );
    assert!(!ledger.add(&outcome(Reason::Bot, 2)), "once");
    assert!(!ledger.add(&outcome(Reason::RateLimited, 0)));
    let blocked = Outcome {
        origin: Some("https://Else.example"),
        ..outcome(Reason::OriginNotAuthorized, 1)
    };
    ledger.add(&blocked);
    let rows = events(&ledger.take());
    let told: Vec<_> = rows
        .iter()
        .map(|row| (row.name.as_str(), row.host.as_deref(), counted(row)))
        .collect();
    assert_eq!(
        told,
        [
            ("bot", None, 5),
            ("origin_not_authorized", Some("https://else.example"), 1)
        ]
    );
    assert!(rows.iter().all(|row| {
        (row.organization, row.website, row.time, row.received) == (1, 2, SLOT, SLOT + 5)
    }));
    assert_eq!(
        (ledger.total(Group::LeftOut), ledger.total(Group::Refused)),
        (5, 1)
    );
    assert!(ledger.take().is_empty());
    assert!(ledger.add(&outcome(Reason::Bot, 1)), "told anew");
}

#[test]
fn a_quarter_of_an_hour_is_one_row_and_the_next_another() {
    let ledger = Ledger::default();
    for at in [SLOT, 2 * SLOT - 1, 2 * SLOT, -1] {
        ledger.add(&Outcome {
            at,
            ..outcome(Reason::Bot, 1)
        });
    }
    let rows = events(&ledger.take());
    let told: Vec<_> = rows
        .iter()
        .map(|row| (row.time, row.received, counted(row)))
        .collect();
    let expected = [
        (-SLOT, -1, 1),
        (SLOT, 2 * SLOT - 1, 2),
        (2 * SLOT, 2 * SLOT, 1),
    ];
    assert_eq!(told, expected, "and says when the last one came");
}

#[test]
fn what_could_not_be_written_is_counted_once_more_with_the_next() {
    let ledger = Ledger::default();
    ledger.add(&outcome(Reason::Bot, 3));
    let taken = ledger.take();
    ledger.add(&outcome(Reason::Bot, 1));
    ledger.put_back(taken);
    let rows = events(&ledger.take());
    assert_eq!((rows.len(), counted(&rows[0])), (1, 4));
}

#[test]
fn duplicates_are_their_owners_and_nobodys_when_they_cannot_be_read() {
    let mut counters = Counters::default();
    let event = Event {
        organization: 9,
        website: -4,
        ..Event::default()
    };
    let bytes = Bytes::from(postcard::to_stdvec(&event).unwrap());
    counters.duplicate(&bytes, 10);
    counters.duplicate(&bytes, 11);
    counters.duplicate(&Bytes::from_static(&[255]), 12);
    let rows = events(&counters);
    let told: Vec<_> = rows
        .iter()
        .map(|row| (row.organization, row.website, counted(row)))
        .collect();
    assert_eq!(told, [(9, -4, 2), (0, 0, 1)]);
}

#[test]
fn nothing_is_lost_between_threads_that_count_and_one_that_takes() {
    const EACH: u64 = 20_000;
    let ledger = Ledger::default();
    let done = AtomicBool::new(false);
    let mut sum = 0;
    let mut take = || sum += events(&ledger.take()).iter().map(counted).sum::<u64>();
    std::thread::scope(|scope| {
        let counting: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..EACH {
                        ledger.add(&outcome(Reason::Bot, 1));
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            for thread in counting {
                thread.join().unwrap();
            }
            done.store(true, Relaxed);
        });
        while !done.load(Relaxed) {
            take();
        }
    });
    take();
    assert_eq!(sum, 4 * EACH);
}

#[test]
fn what_is_too_much_to_keep_is_in_the_totals_still() {
    let ledger = Ledger::default();
    for at in 0..2 * MAX as i64 {
        ledger.add(&Outcome {
            at: at * SLOT,
            ..outcome(Reason::Unavailable, 1)
        });
    }
    assert_eq!(ledger.take().0.len(), MAX);
    assert_eq!(ledger.total(Group::Failed), 2 * MAX as u64);
}

#[test]
fn tallies_have_no_keys_and_fit_a_frame() {
    let ledger = Ledger::default();
    ledger.add(&outcome(Reason::Bot, 1));
    let mut payload = Vec::new();
    for record in ledger.take().records() {
        frame::push_record(&mut payload, record.key, &record.event);
    }
    let read: Vec<_> = frame::records(&payload.into()).collect();
    assert!(matches!(read.as_slice(), [Record { key: None, .. }]));
}
