//! A load generator: many keep-alive connections on one thread.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::ensure;
use tokio::task::JoinSet;

use crate::{machine::share, wire::Connection};

/// Placeholder for the event's own number, in hex.
pub(crate) const EVENT: &str = "################";
/// Placeholder for the number of its session: eight events share one.
pub(crate) const SESSION: &str = "$$$$$$$$$$$$$$$$";
/// Placeholder for the number of its visitor: two sessions share one.
pub(crate) const VISITOR: &str = "%%%%%%%%%%%%%%%%";

/// What to send where.
#[derive(Clone)]
pub(crate) struct Plan {
    /// The server.
    pub(crate) address: SocketAddr,
    /// Requests as they go over the wire, with placeholders; connections take turns.
    pub(crate) requests: Vec<Vec<u8>>,
    /// Events in each.
    pub(crate) events: u64,
    /// Connections.
    pub(crate) connections: usize,
    /// For how long new requests are sent.
    pub(crate) duration: Duration,
    /// Requests per second of all connections together, sent on time whatever the answers do; as fast as the
    /// answers come without.
    pub(crate) pace: Option<f64>,
    /// Numbers of events; shared by all plans of a run: no event is sent twice.
    pub(crate) numbers: Arc<AtomicU64>,
}

/// What came of it.
pub(crate) struct Outcome {
    /// Requests answered with success.
    pub(crate) requests: u64,
    /// Events in them.
    pub(crate) events: u64,
    /// From the first request to the last answer.
    pub(crate) took: Duration,
    /// Microseconds per request, sorted.
    latencies: Vec<u32>,
}

impl Outcome {
    /// Requests per second.
    pub(crate) fn rate(&self) -> f64 {
        self.requests as f64 / self.took.as_secs_f64()
    }

    /// Milliseconds within which this share of the requests was answered.
    pub(crate) fn latency(&self, part: f64) -> f64 {
        f64::from(share(&self.latencies, part)) / 1e3
    }
}

/// Sends; blocks the calling thread until the last answer is there.
pub(crate) fn run(plan: &Plan) -> anyhow::Result<Outcome> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (mut latencies, took) = runtime.block_on(send_all(plan))?;
    latencies.sort_unstable();
    let requests = latencies.len() as u64;
    Ok(Outcome {
        requests,
        events: requests * plan.events,
        took,
        latencies,
    })
}

async fn send_all(plan: &Plan) -> anyhow::Result<(Vec<u32>, Duration)> {
    let mut open = Vec::with_capacity(plan.connections);
    for _ in 0..plan.connections {
        open.push(Connection::open(plan.address).await?);
    }
    let start = Instant::now();
    let mut running = JoinSet::new();
    for (index, connection) in open.into_iter().enumerate() {
        let request = plan.requests[index % plan.requests.len()].clone();
        // Spread over one interval: they do not all send at once.
        let interval = plan
            .pace
            .map(|pace| Duration::from_secs_f64(plan.connections as f64 / pace));
        let late =
            interval.map(|interval| interval.mul_f64(index as f64 / plan.connections as f64));
        let timing = Timing {
            start,
            due: start + late.unwrap_or_default(),
            interval,
        };
        running.spawn(send(connection, request, plan.clone(), timing));
    }
    let mut latencies = Vec::new();
    while let Some(done) = running.join_next().await {
        latencies.append(&mut done??);
    }
    Ok((latencies, start.elapsed()))
}

/// When a connection sends.
struct Timing {
    start: Instant,
    due: Instant,
    interval: Option<Duration>,
}

async fn send(
    mut connection: Connection,
    mut request: Vec<u8>,
    plan: Plan,
    mut timing: Timing,
) -> anyhow::Result<Vec<u32>> {
    let places = places(&request);
    let mut latencies = Vec::new();
    loop {
        // Counted from when it should have been sent: who waits for a slow answer is late with the next request.
        let sent = if let Some(interval) = timing.interval {
            let due = timing.due;
            tokio::time::sleep_until(due.into()).await;
            timing.due = due + interval;
            due
        } else {
            Instant::now()
        };
        if sent - timing.start >= plan.duration {
            return Ok(latencies);
        }
        let first = plan.numbers.fetch_add(plan.events, Ordering::Relaxed);
        for place in &places {
            place.write(&mut request, first);
        }
        let status = connection.exchange(&request).await?;
        ensure!(
            (200..300).contains(&status),
            "answered {status}: {}",
            String::from_utf8_lossy(connection.body())
        );
        latencies.push(u32::try_from(sent.elapsed().as_micros()).unwrap_or(u32::MAX));
    }
}

/// Where a number goes.
struct Slot {
    at: usize,
    /// Which event of the request.
    event: u64,
    /// So many events share a number.
    shared: u64,
}

impl Slot {
    fn write(&self, request: &mut [u8], first: u64) {
        let mut rest = (first + self.event) / self.shared;
        for digit in request[self.at..self.at + EVENT.len()].iter_mut().rev() {
            *digit = b"0123456789abcdef"[(rest % 16) as usize];
            rest /= 16;
        }
    }
}

/// Finds the placeholders; every event begins with [`EVENT`].
fn places(request: &[u8]) -> Vec<Slot> {
    let mut places = Vec::new();
    let (mut at, mut events) = (0, 0);
    while at + EVENT.len() <= request.len() {
        let shared = match &request[at..at + EVENT.len()] {
            window if window == EVENT.as_bytes() => 1,
            window if window == SESSION.as_bytes() => 8,
            window if window == VISITOR.as_bytes() => 16,
            _ => {
                at += 1;
                continue;
            }
        };
        events += u64::from(shared == 1);
        places.push(Slot {
            at,
            event: events - 1,
            shared,
        });
        at += EVENT.len();
    }
    places
}
