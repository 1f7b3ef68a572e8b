//! Redis decides as the list of the oracle does, for one process and for several.

use proptest::prelude::*;

use super::*;
use crate::store::limits::{
    Identity, Rate,
    oracle_tests::{Limiter, agree, arrivals},
};

#[path = "../../../../tests/support/redis.rs"]
mod redis;

/// Several processes that are asked in turns, each on the runtime that it began on.
struct Replicas {
    runtime: tokio::runtime::Runtime,
    all: Vec<Shared>,
    next: std::cell::Cell<usize>,
}

impl Replicas {
    fn new(count: usize, url: &str, clock: &Clock) -> Self {
        let one = |_| Shared::with(url, PATIENCE, None, Some(clock.clone())).unwrap();
        Self {
            runtime: runtime(),
            all: (0..count).map(one).collect(),
            next: std::cell::Cell::default(),
        }
    }

    fn ask(&self, demand: &Demand, what: What) -> Result<Permit, LimitError> {
        let turn = self.next.replace(self.next.get() + 1);
        let asked = self.all[turn % self.all.len()].decide(demand.clone(), what);
        self.runtime.block_on(asked)
    }
}

impl Limiter for Replicas {
    fn decide(&self, demand: &Demand) -> Result<Permit, LimitError> {
        self.ask(demand, What::Admit)
    }

    fn forget(&self, demand: &Demand) {
        let _ = self.ask(demand, What::Back).unwrap();
    }
}

fn runtime() -> tokio::runtime::Runtime {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap()
}

fn few() -> ProptestConfig {
    ProptestConfig {
        cases: 48,
        ..ProptestConfig::default()
    }
}

/// Arrivals, maxima and lengths of windows against the list, with processes of this number.
fn compare(replicas: usize, capped: bool) {
    let Some(redis) = redis::Redis::start() else {
        return;
    };
    let case = std::cell::Cell::new(0_u32);
    let input = (
        arrivals(),
        prop::array::uniform3(1_u32..6),
        prop::array::uniform3(1_i64..200),
    );
    let mut runner = proptest::test_runner::TestRunner::new(few());
    let outcome = runner.run(&input, |(mut arrivals, maxima, lengths)| {
        case.set(case.get() + 1);
        for arrival in &mut arrivals {
            arrival.is_capped &= capped;
        }
        let clock = Clock::fixed(1_000_000);
        let limiter = Replicas::new(replicas, &redis.url(), &clock);
        let name = format!("{replicas}-{capped}-{}", case.get());
        agree(&limiter, &clock, &name, &arrivals, (maxima, lengths))
    });
    outcome.unwrap();
}

#[test]
fn one_process_admits_what_the_list_would_and_nothing_else() {
    compare(1, true);
}

#[test]
fn three_processes_together_admit_what_the_list_would_and_nothing_else() {
    compare(3, false);
}

fn capped(name: &str, cap: u32) -> Demand {
    Demand::new(Identity::from_name("key", name)).in_flight(cap)
}

#[test]
fn places_are_shared_and_those_of_a_dead_process_come_back() {
    let Some(redis) = redis::Redis::start() else {
        return;
    };
    let clock = Clock::fixed(1_000_000);
    let here = Replicas::new(1, &redis.url(), &clock);
    let there = Replicas::new(1, &redis.url(), &clock);
    let demand = capped("k", 2);
    let first = here.decide(&demand).unwrap();
    let dead = there.decide(&demand).unwrap();
    assert!(matches!(here.decide(&demand), Err(LimitError::InFlight(window)) if window.limit == 2));
    assert!(there.decide(&demand).is_err());
    drop(first);
    let again = here.decide(&demand).unwrap();
    assert!(here.decide(&demand).is_err());
    // A killed process gives nothing back.
    std::mem::forget(dead);
    clock.advance(LEASE);
    drop(again);
    let both = [here.decide(&demand).unwrap(), here.decide(&demand).unwrap()];
    assert!(here.decide(&demand).is_err());
    drop(both);
}

#[test]
fn what_ends_is_given_back_without_another_request() {
    let Some(redis) = redis::Redis::start() else {
        return;
    };
    runtime().block_on(async {
        let shared = Shared::new(&redis.url()).unwrap();
        let other = Shared::new(&redis.url()).unwrap();
        let demand = capped("k", 1);
        let held = shared.admit(demand.clone()).await.unwrap();
        assert!(other.admit(demand.clone()).await.is_err());
        drop(held);
        let freed = async {
            while other.peek(demand.clone()).await.is_err() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            () = shared.keep() => {}
            () = freed => {}
        }
    });
}

#[test]
fn what_has_ended_counts_as_ended_while_the_word_of_it_is_on_its_way() {
    let Some(redis) = redis::Redis::start() else {
        return;
    };
    runtime().block_on(async {
        let shared = Shared::new(&redis.url()).unwrap();
        let demand = capped("k", 1);
        drop(shared.admit(demand.clone()).await.unwrap());
        let mut keeping = std::pin::pin!(shared.keep());
        // It has begun to give the place back, and is overtaken.
        assert!(futures_util::poll!(&mut keeping).is_pending());
        let held = shared.admit(demand.clone()).await.unwrap();
        assert!(shared.admit(demand).await.is_err());
        drop(held);
    });
}

#[test]
fn while_redis_is_away_nobody_is_admitted_but_what_may_be_counted_here() {
    let Some(mut redis) = redis::Redis::start() else {
        return;
    };
    runtime().block_on(async {
        let window = |bucket| {
            Some(Rate {
                bucket,
                max: 2,
                window_ms: 60_000,
            })
        };
        let who = Identity::from_name("key", "k");
        let query = Demand::new(who).rate(window(Bucket::Endpoint(Endpoint::Query)));
        let track = Demand::new(who).rate(window(Bucket::Endpoint(Endpoint::Track)));
        let strict = Shared::new(&redis.url()).unwrap();
        let lenient = Shared::degraded(&redis.url(), Clock::fixed(0)).unwrap();
        for shared in [&strict, &lenient] {
            let _ = shared.admit(query.clone()).await.unwrap();
        }
        redis.stop();
        for _ in 0..5 {
            for (shared, demand) in [(&strict, &query), (&strict, &track), (&lenient, &query)] {
                let refused = shared.admit(demand.clone()).await.unwrap_err();
                assert!(matches!(refused, LimitError::Unavailable(_)), "{refused}");
            }
        }
        for _ in 0..2 {
            let _ = lenient.admit(track.clone()).await.unwrap();
        }
        let full = lenient.admit(track.clone()).await.unwrap_err();
        assert!(matches!(full, LimitError::Window(_)), "{full}");
        assert!(strict.ping().await.is_err());
        // A demand without limits asks no server.
        let _ = strict.admit(Demand::new(who)).await.unwrap();

        redis.again();
        let back = async {
            while strict.admit(query.clone()).await.is_err() {
                tokio::task::yield_now().await;
            }
        };
        back.await;
        let _ = strict.admit(query.clone()).await.unwrap();
        assert!(matches!(
            strict.admit(query).await,
            Err(LimitError::Window(_))
        ));
    });
}

#[test]
fn a_server_that_stands_still_is_not_waited_for() {
    let Some(redis) = redis::Redis::start() else {
        return;
    };
    runtime().block_on(async {
        let shared = Shared::new(&redis.url()).unwrap();
        let demand = capped("k", 9);
        drop(shared.admit(demand.clone()).await.unwrap());
        redis.freeze(true);
        let refused = shared.admit(demand.clone()).await.unwrap_err();
        assert!(
            matches!(&refused, LimitError::Unavailable(why) if why.contains("200 ms")),
            "{refused}"
        );
        // The next one is not even tried.
        let refused = shared.admit(demand.clone()).await.unwrap_err();
        assert!(matches!(&refused, LimitError::Unavailable(why) if why.contains("a moment ago")));
        redis.freeze(false);
        while shared.admit(demand.clone()).await.is_err() {
            tokio::task::yield_now().await;
        }
    });
}

#[test]
fn an_address_that_is_none_is_refused() {
    assert!(matches!(
        Shared::new("http://nowhere"),
        Err(SharedError::Address(_))
    ));
}
