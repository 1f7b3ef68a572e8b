//! What `/metrics` shows of each part of the program.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use super::Stores;
use crate::{
    actors::{
        Domains,
        delivery::Deliveries,
        kit::{Handle, Resident},
        monitors::Monitors,
    },
    clock::Clock,
    events::{ledger::Group, store::EventStore},
    http::metrics::Metrics,
    spans,
    store::StateDb,
};

/// Name, help, and how the value is read from a part of the program. A counter's name ends in `_total`, and no other's.
type Row<T> = (&'static str, &'static str, fn(&T) -> f64);

fn show<T: Clone + Send + Sync + 'static>(metrics: &Metrics, part: &T, rows: &[Row<T>]) {
    for &(name, help, read) in rows {
        let part = part.clone();
        let read = move || read(&part);
        if name.ends_with("_total") {
            metrics.counter(name, help, read);
        } else {
            metrics.gauge(name, help, read);
        }
    }
}

fn load(count: &AtomicU64) -> f64 {
    count.load(Relaxed) as f64
}

/// The version, and what the system says of the process.
pub(super) fn of_the_process(metrics: &Metrics) {
    metrics.labelled_gauge(
        "pharos_build_info",
        "The version that runs",
        ("version", env!("CARGO_PKG_VERSION")),
        || 1.0,
    );
    metrics.gauge(
        "process_resident_memory_bytes",
        "Memory of the process",
        || resident().unwrap_or_default() as f64,
    );
    metrics.gauge("process_open_fds", "Open files and connections", || {
        fs::read_dir("/proc/self/fd").map_or(0, Iterator::count) as f64
    });
    metrics.counter(
        "process_cpu_seconds_total",
        "Processor time of the process, of all cores together",
        || cpu_seconds().unwrap_or_default(),
    );
}

/// Resident bytes; `None` where the system does not say.
fn resident() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// User and system time; `None` where the system does not say.
fn cpu_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name, in parentheses, may have anything in it.
    let (_, behind) = text.rsplit_once(')')?;
    let mut fields = behind.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some((user + system) as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// The query engine.
const QUERIES: &[Row<EventStore>] = &[
    (
        "pharos_queries_remembered_total",
        "Statements answered from memory because nothing had changed",
        |events| events.result_cache() as f64,
    ),
    (
        "pharos_queries_running",
        "Statements that read rows or wait for the engine, at most 8 of one website",
        |events| events.running().0 as f64,
    ),
    (
        "pharos_queries_waiting",
        "Statements that wait because 8 of the same website run",
        |events| events.running().1 as f64,
    ),
];

/// The log, and what becomes of it.
const LOG: &[Row<EventStore>] = &[
    (
        "pharos_events_stored_total",
        "Events made durable",
        |events| load(&events.health().rows),
    ),
    (
        "pharos_events_duplicate_total",
        "Events recognised as duplicates",
        |events| load(&events.health().duplicates),
    ),
    ("pharos_spool_syncs_total", "Group commits", |events| {
        load(&events.health().syncs)
    }),
    (
        "pharos_spool_failures_total",
        "Batches that the disk refused",
        |events| load(&events.health().failures),
    ),
    (
        "pharos_spool_damaged_total",
        "Damaged stretches found in the event log at start",
        |events| load(&events.health().damaged),
    ),
    (
        "pharos_seals_total",
        "Stretches of the event log that became segments",
        |events| load(&events.health().seals),
    ),
    (
        "pharos_segments_damaged_total",
        "Segments found damaged; answers leave them out",
        |events| load(&events.health().quarantined),
    ),
];

/// What was sent and is not stored, since the start of the process.
const NOT_STORED: &[Row<EventStore>] = &[
    (
        "pharos_events_left_out_total",
        "Events of bots, of visitors who opted out, and what websites exclude",
        |events| events.health().ledger.total(Group::LeftOut) as f64,
    ),
    (
        "pharos_events_refused_total",
        "Events and requests that break a rule or may not be sent",
        |events| events.health().ledger.total(Group::Refused) as f64,
    ),
    (
        "pharos_events_limited_total",
        "Requests beyond the limits",
        |events| events.health().ledger.total(Group::Limited) as f64,
    ),
    (
        "pharos_events_failed_total",
        "Requests that we could not take",
        |events| events.health().ledger.total(Group::Failed) as f64,
    ),
];

/// How far events wait for ClickHouse, where that holds them.
const BACKLOG: &[Row<(EventStore, Clock)>] = &[
    (
        "pharos_ship_backlog_seconds",
        "Since when the oldest event waits for ClickHouse",
        |(events, clock)| {
            let oldest = events.oldest_unsealed().filter(|_| events.is_remote());
            oldest.map_or(0.0, |at| (clock.now_ms() - at).max(0) as f64 / 1_000.0)
        },
    ),
    (
        "pharos_ship_backlog_bytes",
        "Bytes of events that wait for ClickHouse",
        |(events, _)| {
            if events.is_remote() {
                events.unsealed_bytes() as f64
            } else {
                0.0
            }
        },
    ),
];

/// How events get to ClickHouse, what the disk has left, and what the recognition of duplicates costs.
const SHIPPED: &[Row<EventStore>] = &[
    (
        "pharos_ship_batches_total",
        "Batches of events that ClickHouse has",
        |events| events.shipped().batches as f64,
    ),
    (
        "pharos_ship_events_total",
        "Events that ClickHouse has",
        |events| events.shipped().events as f64,
    ),
    (
        "pharos_ship_retries_total",
        "Attempts to send a batch to ClickHouse that failed",
        |events| events.shipped().retries as f64,
    ),
    (
        "pharos_ship_quarantined_total",
        "Events that ClickHouse refused for what they hold; they are in `spool/quarantine`",
        |events| events.shipped().quarantined as f64,
    ),
    (
        "pharos_ship_elsewhere_total",
        "Events that were left out because another server stores them under the same id",
        |events| events.shipped().elsewhere as f64,
    ),
    (
        "pharos_ship_unclaimed_total",
        "Events that were sent although Redis did not say whether another server stores them under the same id",
        |events| events.shipped().unclaimed as f64,
    ),
    (
        "pharos_disk_free_bytes",
        "Free bytes on the disk of the data directory",
        |events| events.disk().free() as f64,
    ),
    (
        "pharos_dedup_window_seconds",
        "For how long back repeated ids of events are recognised, at least",
        |events| events.dedup().window as f64 / 1_000.0,
    ),
    (
        "pharos_dedup_files",
        "Files of ids, each of which costs an event a look",
        |events| events.dedup().files as f64,
    ),
    (
        "pharos_dedup_memory_bytes",
        "Memory that filters over these files take",
        |events| events.dedup().bytes.0 as f64,
    ),
    (
        "pharos_dedup_disk_bytes",
        "Bytes of these files",
        |events| events.dedup().bytes.1 as f64,
    ),
];

/// Which server does what runs by the clock.
const LEADERSHIP: &[Row<StateDb>] = &[(
    "pharos_on_duty",
    "1 where what runs by the clock is done, 0 where another server does it",
    |state| f64::from(u8::from(state.is_leader())),
)];

/// What queries read.
const SEGMENTS: &[Row<EventStore>] = &[
    ("pharos_segments", "Segments in use", |events| {
        events.snapshot().segments.len() as f64
    }),
    (
        "pharos_unsealed_events",
        "Events that no segment holds yet",
        |events| {
            let snapshot = events.snapshot();
            let rows = snapshot
                .generations
                .iter()
                .map(|generation| generation.rows());
            rows.sum::<u64>() as f64
        },
    ),
];

/// Shows what the stores count.
pub(super) fn of_events(metrics: &Metrics, stores: &Stores) {
    let events = &stores.events;
    show(metrics, events, QUERIES);
    metrics.times(
        "pharos_query_duration_seconds",
        "From a statement to its rows, waiting included.",
        "type",
        Arc::clone(&events.health().queries),
    );
    show(metrics, events, LOG);
    metrics.times(
        "pharos_upkeep_duration_seconds",
        "Writing a segment, of new events or of smaller segments.",
        "kind",
        Arc::clone(&events.health().upkeep),
    );
    show(metrics, events, NOT_STORED);
    show(metrics, &(events.clone(), stores.clock.clone()), BACKLOG);
    show(metrics, events, SHIPPED);
    show(metrics, &stores.state, LEADERSHIP);
    show(metrics, events, SEGMENTS);
}

/// Spans that no collector has.
pub(super) fn of_traces(metrics: &Metrics) {
    metrics.counter(
        "pharos_spans_dropped_total",
        "Spans of traces that were lost, because too many waited or the collector did not take them",
        || spans::dropped() as f64,
    );
}

/// What waits to leave the program, and what never will.
const OUTBOX: &[Row<Handle<Deliveries>>] = &[
    (
        "pharos_outbox_waiting",
        "Mails and other deliveries that will be tried, again or for the first time",
        |delivery| delivery.view().waiting as f64,
    ),
    (
        "pharos_outbox_dead",
        "Mails and other deliveries that were given up in the last 90 days",
        |delivery| delivery.view().dead as f64,
    ),
];

/// Whether checks are made in time.
const CHECKS: &[Row<Handle<Monitors>>] = &[
    (
        "pharos_monitor_checks_total",
        "Checks that began in their slot",
        |monitors| monitors.view().lateness().slots.load(Relaxed) as f64,
    ),
    (
        "pharos_monitor_missed_total",
        "Slots of monitors in which nobody checked",
        |monitors| monitors.view().lateness().missed.load(Relaxed) as f64,
    ),
    (
        "pharos_monitor_lateness_p50_seconds",
        "How late half of the last checks began, at most",
        |monitors| monitors.view().lateness().quantile_ms(0.5) as f64 / 1_000.0,
    ),
    (
        "pharos_monitor_lateness_p99_seconds",
        "How late 99 of 100 of the last checks began, at most",
        |monitors| monitors.view().lateness().quantile_ms(0.99) as f64 / 1_000.0,
    ),
    (
        "pharos_monitor_behind_seconds",
        "How long the check that waits longest is due",
        |monitors| monitors.view().lateness().behind_ms.load(Relaxed) as f64 / 1_000.0,
    ),
    (
        "pharos_monitor_checks_running",
        "Checks that are being made",
        |monitors| monitors.view().lateness().running.load(Relaxed) as f64,
    ),
    ("pharos_monitors", "Monitors", |monitors| {
        monitors.view().len() as f64
    }),
];

/// Shows what domains count.
pub(super) fn of_domains(metrics: &Metrics, domains: &Domains) {
    let roster = domains.roster();
    metrics.counters(
        "pharos_domain_restarts_total",
        "How often a domain died and was started again",
        "domain",
        move || {
            let of =
                |domain: &Arc<dyn Resident>| (domain.name().to_owned(), domain.deaths() as f64);
            roster.iter().map(of).collect()
        },
    );
    show(metrics, &domains.delivery, OUTBOX);
    show(metrics, &domains.monitors, CHECKS);
}
