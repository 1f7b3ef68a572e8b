//! What is exported page by page is all that there is, once, in order of time.

use proptest::{collection::vec, prelude::*, test_runner::TestRunner};

use super::{agree::worlds_of_the_suite, block_on, store::Bare, target, world::worlds};
use crate::{
    analytics::{
        dialect::Dialect,
        export::{CLICKS, EVENTS, ExportQuery, Pages},
        run::Source,
    },
    events::{
        event::{Event, TIMELESS},
        statement::{Cell, QueryError, Rows, Statement},
    },
};

/// A source that others need afterwards.
struct Through<'a, S>(&'a S);

impl<S: Source> Source for Through<'_, S> {
    async fn query(&self, statement: Statement) -> Result<Rows, QueryError> {
        self.0.query(statement).await
    }

    fn dialect(&self) -> Dialect {
        self.0.dialect()
    }
}

/// Events, many of one millisecond and some equal in everything, with the moment behind them.
pub(super) fn crowds() -> impl Strategy<Value = (Vec<Event>, i64)> {
    (
        worlds(),
        vec((any::<prop::sample::Index>(), 1_usize..12), 0..4),
    )
        .prop_map(|(world, copied)| {
            let mut events = world.events;
            for event in events.iter_mut().filter(|event| event.time != TIMELESS) {
                event.time -= event.time.rem_euclid(86_400_000 * 2);
            }
            for (which, times) in copied {
                if let Some(event) = events.get(which.index(events.len().max(1))).cloned() {
                    events.extend(vec![event; times]);
                }
            }
            (events, world.now)
        })
}

/// Asks for pages of every size up to some, and for all at once.
pub(super) fn pages_are_all_of_it(source: &impl Source, now: i64) {
    for table in [&EVENTS, &CLICKS] {
        let asked = ExportQuery {
            table,
            access: target().access,
            from: i64::MIN,
            to: i64::MAX,
        };
        let whole = rows(source, &asked, now, usize::from(u16::MAX));
        for most in 1..6 {
            assert_eq!(rows(source, &asked, now, most), whole, "{most} in a page");
        }
    }
}

/// Every row by its time and what it says: in order of time, otherwise in any.
fn rows(source: &impl Source, asked: &ExportQuery, now: i64, most: usize) -> Vec<(i64, String)> {
    let mut pages = Pages::new(Through(source), asked.clone(), now);
    pages.most = most;
    let mut all = Vec::new();
    while let Some(page) = block_on(pages.next()).unwrap() {
        assert!((1..=most).contains(&page.len()));
        all.extend(page.iter().map(|row| match &row[1] {
            Cell::Int(time) => (*time, format!("{row:?}")),
            other => panic!("no time: {other:?}"),
        }));
    }
    assert!(all.is_sorted_by_key(|(time, _)| *time));
    all.sort_unstable();
    all
}

#[test]
fn pages_of_any_size_are_all_events_once() {
    let mut runner = TestRunner::new(ProptestConfig {
        failure_persistence: None,
        ..worlds_of_the_suite(8)
    });
    let asked = runner.run(&crowds(), |(events, now)| {
        pages_are_all_of_it(&Bare::new(&events), now);
        Ok(())
    });
    asked.unwrap();
}
