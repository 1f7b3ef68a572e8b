//! The limiter against a list of everything that was ever admitted, on arbitrary arrivals.

use std::{collections::HashMap, time::Duration};

use proptest::{prelude::*, test_runner::TestCaseError};

use super::{Bucket, Demand, Endpoint, Identity, LimitError, Local, Permit, Rate};
use crate::clock::Clock;

const BUCKETS: [Bucket; 3] = [
    Bucket::Key,
    Bucket::Endpoint(Endpoint::Query),
    Bucket::Endpoint(Endpoint::Track),
];
const CAP: u32 = 3;

pub(super) trait Limiter {
    fn decide(&self, demand: &Demand) -> Result<Permit, LimitError>;
    fn forget(&self, demand: &Demand);
}

impl Limiter for Local {
    fn decide(&self, demand: &Demand) -> Result<Permit, LimitError> {
        Self::decide(self, demand, true)
    }

    fn forget(&self, demand: &Demand) {
        Self::forget(self, demand);
    }
}

#[derive(Debug, Clone)]
pub(super) struct Arrival {
    /// Milliseconds since the one before.
    after: u64,
    who: u8,
    /// Which of the windows count for it.
    windows: [bool; 3],
    pub(super) is_capped: bool,
    /// Requests that end before it, the longest running first.
    ended: usize,
    /// Whether it turns out to be nothing that counts.
    is_taken_back: bool,
}

pub(super) fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    let arrival = (
        0_u64..30,
        0_u8..3,
        any::<[bool; 3]>(),
        any::<bool>(),
        0_usize..3,
        prop::bool::weighted(0.2),
    )
        .prop_map(
            |(after, who, windows, is_capped, ended, is_taken_back)| Arrival {
                after,
                who,
                windows,
                is_capped,
                ended,
                is_taken_back,
            },
        );
    prop::collection::vec(arrival, 1..250)
}

/// Everything that was admitted, and what of it runs.
#[derive(Default)]
struct Oracle {
    admitted: HashMap<(u8, usize), Vec<i64>>,
    running: HashMap<u8, u32>,
}

impl Oracle {
    fn decide(&mut self, arrival: &Arrival, rates: &[(u32, i64); 3], now: i64) -> bool {
        let who = arrival.who;
        let wanted = |window: &usize| arrival.windows[*window];
        let full = (0..3).filter(wanted).any(|window| {
            let (max, length) = rates[window];
            let log = self.admitted.entry((who, window)).or_default();
            log.iter().filter(|at| **at > now - length).count() >= max as usize
        });
        let running = self.running.entry(who).or_default();
        if full || (arrival.is_capped && *running >= CAP) {
            return false;
        }
        *running += u32::from(arrival.is_capped);
        for window in (0..3).filter(wanted) {
            self.admitted.entry((who, window)).or_default().push(now);
        }
        true
    }
}

impl Oracle {
    /// It was never admitted, as far as its windows are concerned.
    fn take_back(&mut self, arrival: &Arrival) {
        for window in (0..3).filter(|window| arrival.windows[*window]) {
            if let Some(log) = self.admitted.get_mut(&(arrival.who, window)) {
                log.pop();
            }
        }
    }
}

fn demand(name: &str, arrival: &Arrival, rates: &[(u32, i64); 3]) -> Demand {
    let demand = Demand::new(Identity::from_name(
        "key",
        &format!("{name}-{}", arrival.who),
    ));
    let rate = |window: usize| {
        arrival.windows[window].then_some(Rate {
            bucket: BUCKETS[window],
            max: rates[window].0,
            window_ms: rates[window].1,
        })
    };
    let demand = (0..3).fold(demand, |demand, window| demand.rate(rate(window)));
    demand.in_flight(if arrival.is_capped { CAP } else { 0 })
}

/// Whether a limiter that reads the time from `clock` decides as the list would. `name` keeps its identities apart.
pub(super) fn agree(
    limiter: &impl Limiter,
    clock: &Clock,
    name: &str,
    arrivals: &[Arrival],
    (maxima, lengths): ([u32; 3], [i64; 3]),
) -> Result<(), TestCaseError> {
    let rates: [(u32, i64); 3] = std::array::from_fn(|window| (maxima[window], lengths[window]));
    let mut oracle = Oracle::default();
    let mut running: Vec<(u8, Permit)> = Vec::new();
    for arrival in arrivals {
        clock.advance(Duration::from_millis(arrival.after));
        for (who, permit) in running.drain(..arrival.ended.min(running.len())) {
            drop(permit);
            *oracle.running.entry(who).or_default() -= 1;
        }
        let expected = oracle.decide(arrival, &rates, clock.now_ms());
        let demand = demand(name, arrival, &rates);
        let decision = limiter.decide(&demand);
        prop_assert_eq!(decision.is_ok(), expected, "{:?}", arrival);
        if expected && arrival.is_taken_back {
            limiter.forget(&demand);
            oracle.take_back(arrival);
        }
        match decision {
            Ok(permit) if arrival.is_capped => running.push((arrival.who, permit)),
            Ok(permit) => prop_assert!(!permit.holds_a_slot()),
            Err(LimitError::Window(window)) => {
                // What a refusal says of the time is true: then, and not before, all of the windows have room again.
                let free = |at: i64| {
                    let wanted = (0..3).filter(|window| arrival.windows[*window]);
                    wanted.into_iter().all(|window| {
                        let (max, length) = rates[window];
                        // No caller was admitted by a window without requests of its own.
                        let log = oracle.admitted.get(&(arrival.who, window));
                        let counted = log
                            .into_iter()
                            .flatten()
                            .filter(|time| **time > at - length);
                        counted.count() < max as usize
                    })
                };
                prop_assert!(free(window.reset_ms), "too early: {:?}", window);
                prop_assert!(!free(window.reset_ms - 1), "too late: {:?}", window);
            }
            Err(refusal) => {
                prop_assert!(matches!(refusal, LimitError::InFlight(_)) && arrival.is_capped);
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn it_admits_what_the_list_would_and_nothing_else(
        arrivals in arrivals(),
        maxima in prop::array::uniform3(1_u32..6),
        lengths in prop::array::uniform3(1_i64..200),
    ) {
        let clock = Clock::fixed(1_000_000);
        let local = Local::new(clock.clone());
        agree(&local, &clock, "", &arrivals, (maxima, lengths))?;
    }

    /// Threat T18: whatever becomes of requests, no place is lost and none is given away twice.
    #[test]
    fn places_come_back_however_requests_end(ends in prop::collection::vec(0_usize..4, 1..400)) {
        let local = Local::new(Clock::fixed(0));
        let demand = Demand::new(Identity::from_name("key", "k")).in_flight(CAP);
        let mut running: Vec<Permit> = Vec::new();
        for end in ends {
            match end {
                0 => drop(running.pop()),
                1 => {
                    let aborted = local.decide(&demand, true);
                    prop_assert_eq!(aborted.is_ok(), running.len() < CAP as usize);
                }
                2 => {
                    // A peek takes none.
                    let _ = local.decide(&demand, false);
                }
                _ => running.extend(local.decide(&demand, true)),
            }
            prop_assert!(running.len() <= CAP as usize);
        }
        running.clear();
        let all: Vec<_> = (0..CAP).map(|_| local.decide(&demand, true)).collect();
        prop_assert!(all.iter().all(Result::is_ok));
        prop_assert!(local.decide(&demand, true).is_err());
    }
}
