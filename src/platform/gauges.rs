//! What `/metrics` shows of each part of the program.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::Stores;
use crate::{
    actors::{Domains, kit::Resident},
    events::{dedup::DedupStats, ledger::Group, spool::writer::Health, store::Shipped},
    http::metrics::Metrics,
    spans,
};

/// The version, and what the system says of the process.
pub(super) fn of_the_process(metrics: &Metrics) {
    metrics.gauge_of(
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

/// Name, help, and where it is counted.
type Counter = (&'static str, &'static str, fn(&Health) -> &AtomicU64);

const COUNTERS: [Counter; 7] = [
    (
        "pharos_events_stored_total",
        "Events made durable",
        |health| &health.rows,
    ),
    (
        "pharos_events_duplicate_total",
        "Events recognised as duplicates",
        |health| &health.duplicates,
    ),
    ("pharos_spool_syncs_total", "Group commits", |health| {
        &health.syncs
    }),
    (
        "pharos_spool_failures_total",
        "Batches that the disk refused",
        |health| &health.failures,
    ),
    (
        "pharos_spool_damaged_total",
        "Damaged stretches found in the event log at start",
        |health| &health.damaged,
    ),
    (
        "pharos_seals_total",
        "Stretches of the event log that became segments",
        |health| &health.seals,
    ),
    (
        "pharos_segments_damaged_total",
        "Segments found damaged; answers leave them out",
        |health| &health.quarantined,
    ),
];

/// The figures of the query engine.
fn of_queries(metrics: &Metrics, stores: &Stores) {
    let events = stores.events.clone();
    metrics.counter(
        "pharos_queries_remembered_total",
        "Statements answered from memory because nothing had changed",
        move || events.result_cache() as f64,
    );
    let events = stores.events.clone();
    metrics.gauge(
        "pharos_queries_running",
        "Statements that read rows or wait for the engine, at most 8 of one website",
        move || events.running().0 as f64,
    );
    let events = stores.events.clone();
    metrics.gauge(
        "pharos_queries_waiting",
        "Statements that wait because 8 of the same website run",
        move || events.running().1 as f64,
    );
    let queries = &stores.events.health().queries;
    metrics.times(
        "pharos_query_duration_seconds",
        "From a statement to its rows, waiting included.",
        "type",
        Arc::clone(queries),
    );
}

/// The figures of the event store.
pub(super) fn of_events(metrics: &Metrics, stores: &Stores) {
    of_queries(metrics, stores);
    for (name, help, read) in COUNTERS {
        let events = stores.events.clone();
        metrics.counter(name, help, move || {
            read(events.health()).load(Ordering::Relaxed) as f64
        });
    }
    let health = stores.events.health();
    metrics.times(
        "pharos_upkeep_duration_seconds",
        "Writing a segment, of new events or of smaller segments.",
        "kind",
        Arc::clone(&health.upkeep),
    );
    outcomes(metrics, stores);
    of_shipping(metrics, stores);
    let events = stores.events.clone();
    metrics.gauge(
        "pharos_disk_free_bytes",
        "Free bytes on the disk of the data directory",
        move || events.disk().free() as f64,
    );
    of_dedup(metrics, stores);
    let state = stores.state.clone();
    metrics.gauge(
        "pharos_on_duty",
        "1 where what runs by the clock is done, 0 where another server does it",
        move || f64::from(u8::from(state.is_leader())),
    );
    let events = stores.events.clone();
    metrics.gauge("pharos_segments", "Segments in use", move || {
        events.snapshot().segments.len() as f64
    });
    let events = stores.events.clone();
    metrics.gauge(
        "pharos_unsealed_events",
        "Events that no segment holds yet",
        move || {
            events
                .snapshot()
                .generations
                .iter()
                .map(|generation| generation.rows())
                .sum::<u64>() as f64
        },
    );
}

/// Spans that no collector has.
pub(super) fn of_traces(metrics: &Metrics) {
    metrics.counter(
        "pharos_spans_dropped_total",
        "Spans of traces that were lost, because too many waited or the collector did not take them",
        || spans::dropped() as f64,
    );
}

/// How events get to ClickHouse, where that holds them.
fn of_shipping(metrics: &Metrics, stores: &Stores) {
    let (events, clock) = (stores.events.clone(), stores.clock.clone());
    metrics.gauge(
        "pharos_ship_backlog_seconds",
        "Since when the oldest event waits for ClickHouse",
        move || {
            let oldest = events.oldest_unsealed().filter(|_| events.is_remote());
            oldest.map_or(0.0, |at| (clock.now_ms() - at).max(0) as f64 / 1_000.0)
        },
    );
    let events = stores.events.clone();
    metrics.gauge(
        "pharos_ship_backlog_bytes",
        "Bytes of events that wait for ClickHouse",
        move || {
            if events.is_remote() {
                events.unsealed_bytes() as f64
            } else {
                0.0
            }
        },
    );
    let counter = |name, help, read: fn(Shipped) -> u64| {
        let events = stores.events.clone();
        metrics.counter(name, help, move || read(events.shipped()) as f64);
    };
    counter(
        "pharos_ship_batches_total",
        "Batches of events that ClickHouse has",
        |shipped| shipped.batches,
    );
    counter(
        "pharos_ship_events_total",
        "Events that ClickHouse has",
        |shipped| shipped.events,
    );
    counter(
        "pharos_ship_retries_total",
        "Attempts to send a batch to ClickHouse that failed",
        |shipped| shipped.retries,
    );
    counter(
        "pharos_ship_quarantined_total",
        "Events that ClickHouse refused for what they hold; they are in `spool/quarantine`",
        |shipped| shipped.quarantined,
    );
    counter(
        "pharos_ship_elsewhere_total",
        "Events that were left out because another server stores them under the same id",
        |shipped| shipped.elsewhere,
    );
    counter(
        "pharos_ship_unclaimed_total",
        "Events that were sent although Redis did not say whether another server stores them under the same id",
        |shipped| shipped.unclaimed,
    );
}

/// The figures of domains.
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
    of_the_outbox(metrics, domains);
    of_monitors(metrics, domains);
}

/// What waits to leave the program, and what never will.
fn of_the_outbox(metrics: &Metrics, domains: &Domains) {
    let delivery = domains.delivery.clone();
    metrics.gauge(
        "pharos_outbox_waiting",
        "Mails and other deliveries that will be tried, again or for the first time",
        move || delivery.view().waiting as f64,
    );
    let delivery = domains.delivery.clone();
    metrics.gauge(
        "pharos_outbox_dead",
        "Mails and other deliveries that were given up in the last 90 days",
        move || delivery.view().dead as f64,
    );
}

/// Whether checks are made in time.
fn of_monitors(metrics: &Metrics, domains: &Domains) {
    let lateness = domains.monitors.clone();
    metrics.counter(
        "pharos_monitor_checks_total",
        "Checks that began in their slot",
        move || lateness.view().lateness().slots.load(Ordering::Relaxed) as f64,
    );
    let lateness = domains.monitors.clone();
    metrics.counter(
        "pharos_monitor_missed_total",
        "Slots of monitors in which nobody checked",
        move || lateness.view().lateness().missed.load(Ordering::Relaxed) as f64,
    );
    let lateness = domains.monitors.clone();
    metrics.gauge(
        "pharos_monitor_lateness_p50_seconds",
        "How late half of the last checks began, at most",
        move || lateness.view().lateness().quantile_ms(0.5) as f64 / 1_000.0,
    );
    let lateness = domains.monitors.clone();
    metrics.gauge(
        "pharos_monitor_lateness_p99_seconds",
        "How late 99 of 100 of the last checks began, at most",
        move || lateness.view().lateness().quantile_ms(0.99) as f64 / 1_000.0,
    );
    let lateness = domains.monitors.clone();
    metrics.gauge(
        "pharos_monitor_behind_seconds",
        "How long the check that waits longest is due",
        move || lateness.view().lateness().behind_ms.load(Ordering::Relaxed) as f64 / 1_000.0,
    );
    let lateness = domains.monitors.clone();
    metrics.gauge(
        "pharos_monitor_checks_running",
        "Checks that are being made",
        move || lateness.view().lateness().running.load(Ordering::Relaxed) as f64,
    );
    let monitors = domains.monitors.clone();
    metrics.gauge("pharos_monitors", "Monitors", move || {
        monitors.view().len() as f64
    });
}

/// What the recognition of duplicates costs.
fn of_dedup(metrics: &Metrics, stores: &Stores) {
    let gauge = |name, help, read: fn(DedupStats) -> f64| {
        let events = stores.events.clone();
        metrics.gauge(name, help, move || read(events.dedup()));
    };
    gauge(
        "pharos_dedup_window_seconds",
        "For how long back repeated ids of events are recognised, at least",
        |figures| figures.window as f64 / 1_000.0,
    );
    gauge(
        "pharos_dedup_files",
        "Files of ids, each of which costs an event a look",
        |figures| figures.files as f64,
    );
    gauge(
        "pharos_dedup_memory_bytes",
        "Memory that filters over these files take",
        |figures| figures.bytes.0 as f64,
    );
    gauge(
        "pharos_dedup_disk_bytes",
        "Bytes of these files",
        |figures| figures.bytes.1 as f64,
    );
}

/// What was sent and is not stored, since the start of the process.
fn outcomes(metrics: &Metrics, stores: &Stores) {
    for (name, help, group) in [
        (
            "pharos_events_left_out_total",
            "Events of bots, of visitors who opted out, and what websites exclude",
            Group::LeftOut,
        ),
        (
            "pharos_events_refused_total",
            "Events and requests that break a rule or may not be sent",
            Group::Refused,
        ),
        (
            "pharos_events_limited_total",
            "Requests beyond the limits",
            Group::Limited,
        ),
        (
            "pharos_events_failed_total",
            "Requests that we could not take",
            Group::Failed,
        ),
    ] {
        let events = stores.events.clone();
        metrics.counter(name, help, move || {
            events.health().ledger.total(group) as f64
        });
    }
}
