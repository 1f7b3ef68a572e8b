//! Spans of work for a collector of traces. Nothing is measured until one collects.
//!
//! Invariants: a span holds names, numbers and ids of ours, never secrets, addresses, bodies or query strings. Nothing waits for
//! the collector: spans that find no room are counted and dropped.

use std::{
    future::Future,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use tokio::sync::mpsc;

/// Spans that may wait for the collector.
const ROOM: usize = 4_096;

static COLLECTOR: OnceLock<Collector> = OnceLock::new();

tokio::task_local! {
    /// The span that everything below happens in; `None` when the caller does not want it traced.
    static CURRENT: Option<Context>;
}

#[derive(Debug)]
struct Collector {
    waiting: mpsc::Sender<Finished>,
    /// A moment, and what the wall clock said then, Unix nanoseconds.
    anchor: (Instant, u64),
    dropped: AtomicU64,
}

/// A place in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Context {
    trace: u128,
    span: u64,
}

/// What kind of work a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    Server,
    Client,
    Internal,
}

/// A value beside a span.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String),
    Number(i64),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u16> for Value {
    fn from(number: u16) -> Self {
        Self::Number(number.into())
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

/// A span that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// The trace that it belongs to.
    pub trace: u128,
    pub span: u64,
    /// The span that it is part of.
    pub parent: Option<u64>,
    /// What was done.
    pub name: &'static str,
    /// What kind of work that is.
    pub work: Work,
    /// When it began and ended, Unix nanoseconds.
    pub times: (u64, u64),
    /// What else is known of it.
    pub values: Vec<(&'static str, Value)>,
    pub failed: bool,
}

/// Begins to collect; `now_ms` is what the wall clock says, Unix milliseconds. `None` when there is a collector already.
pub fn collect(now_ms: i64) -> Option<mpsc::Receiver<Finished>> {
    let (waiting, finished) = mpsc::channel(ROOM);
    let now = u64::try_from(now_ms).unwrap_or_default() * 1_000_000;
    let collector = Collector {
        waiting,
        anchor: (Instant::now(), now),
        dropped: AtomicU64::new(0),
    };
    COLLECTOR.set(collector).ok()?;
    Some(finished)
}

/// Spans that were lost, because too many waited or the collector did not take them.
pub fn dropped() -> u64 {
    let collector = COLLECTOR.get();
    collector.map_or(0, |collector| collector.dropped.load(Ordering::Relaxed))
}

/// Counts spans that the collector did not take.
pub fn lost(count: usize) {
    if let Some(collector) = COLLECTOR.get() {
        collector.dropped.fetch_add(count as u64, Ordering::Relaxed);
    }
}

/// A span in progress, which ends when it is dropped. It does nothing without a collector.
#[derive(Debug)]
pub struct Span(State);

#[derive(Debug)]
enum State {
    Idle,
    /// The caller wants nothing traced.
    Unwanted,
    Open(Box<Open>),
}

#[derive(Debug)]
struct Open {
    collector: &'static Collector,
    own: Context,
    parent: Option<u64>,
    name: &'static str,
    work: Work,
    begun: Instant,
    values: Vec<(&'static str, Value)>,
    failed: bool,
}

impl Span {
    /// Begins a span within the current one.
    pub fn begin(name: &'static str, work: Work) -> Self {
        match CURRENT.try_with(|context| *context) {
            Ok(None) => Self(State::Unwanted),
            Ok(parent) => Self::within(parent, name, work),
            Err(_) => Self::within(None, name, work),
        }
    }

    /// Begins a span of a request; `traceparent` is what the caller says it belongs to (W3C Trace Context). Neither it nor
    /// anything within it is traced when the caller asks for that.
    pub fn for_request(traceparent: Option<&str>) -> Self {
        if COLLECTOR.get().is_none() {
            return Self(State::Idle);
        }
        match traceparent.and_then(parent) {
            Some((_, false)) => Self(State::Unwanted),
            Some((context, true)) => Self::within(Some(context), "request", Work::Server),
            None => Self::within(None, "request", Work::Server),
        }
    }

    fn within(parent: Option<Context>, name: &'static str, work: Work) -> Self {
        let Some((collector, [trace, span])) = COLLECTOR.get().zip(ids()) else {
            return Self(State::Idle);
        };
        let own = Context {
            trace: parent.map_or(trace, |parent| parent.trace),
            span: span as u64 | 1,
        };
        Self(State::Open(Box::new(Open {
            collector,
            own,
            parent: parent.map(|parent| parent.span),
            name,
            work,
            begun: Instant::now(),
            values: Vec::new(),
            failed: false,
        })))
    }

    /// Notes something beside it.
    pub fn note(&mut self, name: &'static str, value: impl Into<Value>) {
        if let State::Open(open) = &mut self.0 {
            open.values.push((name, value.into()));
        }
    }

    /// Says that it failed.
    pub fn fail(&mut self) {
        if let State::Open(open) = &mut self.0 {
            open.failed = true;
        }
    }

    /// Does something within it.
    pub async fn around<T>(&self, work: impl Future<Output = T>) -> T {
        match &self.0 {
            State::Open(open) => CURRENT.scope(Some(open.own), work).await,
            State::Unwanted => CURRENT.scope(None, work).await,
            State::Idle => work.await,
        }
    }

    /// Does something that may fail within a span of its own.
    pub async fn over<T, E>(mut self, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        let outcome = self.around(work).await;
        if outcome.is_err() {
            self.fail();
        }
        outcome
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        let State::Open(open) = std::mem::replace(&mut self.0, State::Idle) else {
            return;
        };
        let (moment, wall) = open.collector.anchor;
        let nanos = |at: Instant| wall + at.saturating_duration_since(moment).as_nanos() as u64;
        let finished = Finished {
            trace: open.own.trace,
            span: open.own.span,
            parent: open.parent,
            name: open.name,
            work: open.work,
            times: (nanos(open.begun), nanos(Instant::now())),
            values: open.values,
            failed: open.failed,
        };
        if open.collector.waiting.try_send(finished).is_err() {
            open.collector.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Two random numbers; none of them is 0.
fn ids() -> Option<[u128; 2]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).ok()?;
    let (one, other) = bytes.split_at(16);
    let number = |half: &[u8]| {
        half.iter()
            .fold(0, |number, byte| number << 8 | u128::from(*byte))
    };
    Some([number(one) | 1, number(other) | 1])
}

/// What `traceparent` says: where it is, and whether it is traced.
fn parent(text: &str) -> Option<(Context, bool)> {
    let mut parts = text.trim().split('-');
    let (version, trace, span, flags) =
        (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let hex = |text: &str, length: usize| {
        let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let good = text.len() == length && text.bytes().all(digit);
        good.then(|| u128::from_str_radix(text, 16).ok()).flatten()
    };
    let known = version != "ff" && hex(version, 2).is_some();
    // The first version has no more; later ones may.
    let alone = version != "00" || parts.next().is_none();
    let context = Context {
        trace: hex(trace, 32).filter(|id| *id != 0)?,
        span: hex(span, 16).filter(|id| *id != 0)? as u64,
    };
    (known && alone).then_some((context, hex(flags, 2)? & 1 == 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_parent_is_read_as_the_standard_says() {
        let (context, traced) = parent(GOOD).unwrap();
        assert_eq!(context.trace, 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736);
        assert_eq!((context.span, traced), (0x00f0_67aa_0ba9_02b7, true));
        assert!(!parent(&GOOD.replace("-01", "-00")).unwrap().1);
        assert!(parent(&GOOD.replacen("00-", "cc-", 1)).is_some());
        assert!(parent(&format!("{}-more", GOOD.replacen("00-", "cc-", 1))).is_some());
        for wrong in [
            "",
            "00",
            &GOOD.to_uppercase(),
            &GOOD.replacen("00-", "ff-", 1),
            &format!("{GOOD}-more"),
            &GOOD.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32)),
            &GOOD.replace("00f067aa0ba902b7", &"0".repeat(16)),
            &GOOD.replace("4bf9", "4bfg"),
            &GOOD.replace("-01", "-1"),
        ] {
            assert_eq!(parent(wrong), None, "{wrong}");
        }
    }

    #[tokio::test]
    async fn spans_belong_to_what_they_happen_in_and_what_finds_no_room_is_counted() {
        let quiet = Span::begin("nobody collects", Work::Internal);
        assert!(matches!(quiet.0, State::Idle));
        let mut finished = collect(1_000).unwrap();
        assert!(collect(1_000).is_none(), "once in a process");
        let unwanted = Span::for_request(Some(&GOOD.replace("-01", "-00")));
        unwanted
            .around(async { drop(Span::begin("query", Work::Internal)) })
            .await;
        drop(unwanted);
        assert!(finished.try_recv().is_err(), "nor what it did");

        let mut request = Span::for_request(Some(GOOD));
        request.note("http.route", "/track");
        let refused: Result<(), ()> = request
            .around(Span::begin("query", Work::Internal).over(async { Err(()) }))
            .await;
        assert!(refused.is_err());
        drop(request);
        // It was begun outside of the request, and so belongs to nothing.
        let query = finished.recv().await.unwrap();
        let request = finished.recv().await.unwrap();
        assert_eq!(
            (query.name, query.failed, query.parent),
            ("query", true, None)
        );
        assert_eq!(request.parent, Some(0x00f0_67aa_0ba9_02b7));
        assert_eq!(request.values, [("http.route", Value::from("/track"))]);
        assert!(request.times.0 >= 1_000_000_000 && request.times.1 >= request.times.0);

        let outer = Span::begin("outer", Work::Internal);
        outer
            .around(async { drop(Span::begin("inner", Work::Client)) })
            .await;
        drop(outer);
        let (inner, outer) = (
            finished.recv().await.unwrap(),
            finished.recv().await.unwrap(),
        );
        assert_eq!((inner.trace, inner.parent), (outer.trace, Some(outer.span)));

        for _ in 0..ROOM + 3 {
            drop(Span::begin("many", Work::Internal));
        }
        assert_eq!(dropped(), 3);
        lost(2);
        assert_eq!(dropped(), 5);
    }
}
