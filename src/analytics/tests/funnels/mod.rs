//! Goals and funnels against a naive oracle over random events: around midnight and changes of clocks, with ties.

mod oracle;
mod values;
mod world;

use proptest::prelude::*;
use serde_json::json;

use self::world::Case;

pub(super) use self::world::cases;
use super::{NOW, block_on, store::Bare, target};
use crate::{
    analytics::{
        funnel::{Each, Funnel, NamePattern, Step, StepTarget},
        range::{Range, parse_moment},
        run::{self, Period},
        target::Target,
    },
    events::event::{Details, Event, Page},
};

/// What an engine says of a case, compared with what the oracle does.
pub(super) fn agrees<S: run::Source>(source: &S, case: &Case, target: &Target) {
    let period = Period {
        range: case.range,
        now_ms: case.now,
    };
    let funnel = &case.funnel;
    let figures = block_on(run::steps(source, target, funnel, period)).unwrap();
    assert_eq!(figures, oracle::steps(case), "{case:#?}");
    let landed = block_on(run::referrers(source, target, funnel, period)).unwrap();
    assert_eq!(landed, oracle::referrers(case), "{case:#?}");
    let whole = block_on(run::steps_with_errors(source, target, funnel, period)).unwrap();
    assert_eq!(whole, (figures, oracle::troubles(case)), "{case:#?}");
    let goal = Funnel {
        steps: funnel.steps[..1].to_vec(),
        ..funnel.clone()
    };
    let reached = block_on(run::goal(source, target, &goal, period)).unwrap();
    assert_eq!(reached, oracle::goal(case), "{case:#?}");
    for most in [2, 100] {
        let values = block_on(run::values(source, target, period, most)).unwrap();
        assert_eq!(values, values::values(case, most as usize), "{case:#?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, ..ProptestConfig::default() })]

    #[test]
    fn goals_and_funnels_are_what_the_oracle_computes(case in cases()) {
        agrees(&Bare::new(&case.events), &case, &target());
    }
}

fn view(path: &str) -> Step {
    Step {
        target: StepTarget::View(NamePattern::path(path).unwrap()),
        conditions: Vec::new(),
    }
}

fn funnel(paths: &[&str]) -> Funnel {
    Funnel {
        steps: paths.iter().map(|path| view(path)).collect(),
        filters: Vec::new(),
        each: Each::Visitor,
        window_ms: None,
    }
}

fn page_view(visitor: u64, at: i64, received: i64, path: &str) -> Event {
    Event {
        received: NOW + received,
        details: Details::Page(Page::default()),
        ..super::seed::page(NOW + at, "screen_view", visitor, visitor, path)
    }
}

fn users(events: &[Event], funnel: &Funnel) -> Vec<u64> {
    let day = parse_moment("2025-06-12").unwrap();
    let range = Range::between(day, day, chrono_tz::Tz::UTC).unwrap();
    let period = Period { range, now_ms: NOW };
    let (store, target) = (Bare::new(events), target());
    let figures = block_on(run::steps(&store, &target, funnel, period)).unwrap();
    figures.steps.iter().map(|step| step.users).collect()
}

#[test]
fn what_happens_in_the_same_millisecond_counts_as_it_came() {
    let both = funnel(&["/a", "/b"]);
    // Received one after the other.
    assert_eq!(
        users(&[page_view(1, 0, 0, "/a"), page_view(1, 0, 1, "/b")], &both),
        [1, 1]
    );
    assert_eq!(
        users(&[page_view(1, 0, 1, "/a"), page_view(1, 0, 0, "/b")], &both),
        [1, 0]
    );
    // Received together: in the order of the steps.
    assert_eq!(
        users(&[page_view(1, 0, 0, "/b"), page_view(1, 0, 0, "/a")], &both),
        [1, 1]
    );
    // Time goes before receipt.
    assert_eq!(
        users(&[page_view(1, 1, 0, "/b"), page_view(1, 0, 9, "/a")], &both),
        [1, 1]
    );
}

#[test]
fn an_event_takes_one_step_and_the_same_step_may_come_twice() {
    let twice = funnel(&["/a*", "/a"]);
    assert_eq!(users(&[page_view(1, 0, 0, "/a")], &twice), [1, 0]);
    assert_eq!(
        users(
            &[page_view(1, 0, 0, "/a"), page_view(1, 1, 1, "/a")],
            &twice
        ),
        [1, 1]
    );
}

#[test]
fn a_way_that_is_too_slow_does_not_keep_a_later_one_from_counting() {
    let hour = 3_600_000;
    let quick = Funnel {
        window_ms: Some(1_000),
        ..funnel(&["/a", "/b"])
    };
    let late = [
        page_view(1, -hour, 0, "/a"),
        page_view(1, -hour + 1_001, 0, "/b"),
    ];
    assert_eq!(users(&late, &quick), [1, 0]);
    let just = [
        page_view(1, -hour, 0, "/a"),
        page_view(1, -hour + 1_000, 0, "/b"),
    ];
    assert_eq!(users(&just, &quick), [1, 1]);
    let again = [
        late.to_vec(),
        vec![page_view(1, -500, 0, "/a"), page_view(1, -1, 0, "/b")],
    ]
    .concat();
    assert_eq!(users(&again, &quick), [1, 1]);
}

#[test]
fn the_statement_has_no_text_of_a_request() {
    let bare = Bare::new(&[]);
    let day = parse_moment("2025-06-12").unwrap();
    let period = Period {
        range: Range::between(day, day, chrono_tz::Tz::UTC).unwrap(),
        now_ms: NOW,
    };
    let text = |target_of: &str| {
        let own = funnel(&["/x'; DROP TABLE t --", target_of]);
        block_on(run::steps(&bare, &target(), &own, period)).unwrap();
        bare.ran.lock().unwrap().last().unwrap().text.clone()
    };
    assert_eq!(text("/one"), text("/{events} ? \" two"));
    assert_eq!(json!(text("/one").matches("DROP").count()), json!(0));
}
