//! A round: connections that send one request after another until the time is over.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    task::JoinSet,
    time::{Instant, sleep_until, timeout_at},
};

use super::{
    Amount, Target,
    connection::Connection,
    measured::{Measurement, Samples},
    random::Random,
};

/// How long answers that are due may still take once the time is over.
const GRACE: Duration = Duration::from_secs(5);
/// Before a server that refuses connections is asked for another.
const PAUSE: Duration = Duration::from_millis(20);

/// When requests are due.
#[derive(Clone)]
struct Schedule {
    begun: Instant,
    end: Instant,
    /// Requests a second; 0 = as soon as a connection is free.
    rate: u32,
    /// How many were begun.
    count: Arc<AtomicU64>,
}

impl Schedule {
    /// Number and due time of the next request; `None` when the time is over.
    fn next(&self) -> Option<(u64, Instant)> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let due = if self.rate == 0 {
            Instant::now()
        } else {
            self.begun + Duration::from_secs_f64(number as f64 / f64::from(self.rate))
        };
        (due < self.end).then_some((number, due))
    }
}

/// Loads a target for the time of one round.
pub(super) async fn round(target: &Target, amount: Amount, round: u64) -> Measurement {
    let begun = Instant::now();
    let schedule = Schedule {
        begun,
        end: begun + amount.time,
        rate: amount.rate,
        count: Arc::default(),
    };
    let mut connections = JoinSet::new();
    for connection in 0..amount.connections {
        let seed = amount.seed ^ (round << 40) ^ ((connection as u64 + 1) << 20);
        let (target, schedule) = (target.clone(), schedule.clone());
        // Ids of events differ from round to round and from seed to seed.
        let first = seed_of_ids(amount.seed, round);
        connections.spawn(drive(target, schedule, Random::new(seed), first));
    }
    let mut seen = Samples::default();
    while let Some(one) = connections.join_next().await {
        match one {
            Ok(one) => seen.add(one),
            Err(error) => seen.failed(error.to_string()),
        }
    }
    Measurement::from_samples(seen, begun.elapsed().max(amount.time))
}

/// Where the numbers of a round begin, far from those of others.
fn seed_of_ids(seed: u64, round: u64) -> u64 {
    Random::new(seed ^ round.rotate_left(32)).next() >> 8
}

async fn drive(target: Target, schedule: Schedule, mut random: Random, first: u64) -> Samples {
    let mut seen = Samples::default();
    let mut connection = None;
    let last = schedule.end + GRACE;
    while let Some((number, due)) = schedule.next() {
        sleep_until(due).await;
        let call = target
            .shape
            .call(&target.words, &mut random, first + number);
        let events = call.events;
        let answer = async {
            let open = usable(&mut connection, &target).await?;
            open.send(&target.address, call).await
        };
        match timeout_at(last, answer).await {
            Ok(Ok(status)) => seen.answered(status, due.elapsed(), events),
            Ok(Err(error)) => {
                seen.failed(describe(&error));
                connection = None;
                sleep_until(Instant::now() + PAUSE).await;
            }
            Err(_) => {
                seen.failed("no answer in time".to_owned());
                break;
            }
        }
    }
    seen
}

/// The connection, or a new one where the server has closed it.
async fn usable<'a>(
    connection: &'a mut Option<Connection>,
    target: &Target,
) -> io::Result<&'a mut Connection> {
    let ready = match connection {
        Some(open) => open.ready().await,
        None => false,
    };
    if !ready {
        *connection = Some(Connection::open(&target.address).await?);
    }
    connection
        .as_mut()
        .ok_or_else(|| io::ErrorKind::NotConnected.into())
}

/// What happened, without what differs from request to request.
fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::Other => error.to_string(),
        kind => kind.to_string(),
    }
}
