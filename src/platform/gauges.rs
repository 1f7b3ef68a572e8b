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
        certificates::{Certificates, Summary},
        delivery::Deliveries,
        kit::{Handle, Resident},
        monitors::Monitors,
    },
    clock::Clock,
    events::{ledger::Group, store::EventStore},
    http::{clicks::Clicks, metrics::Metrics},
    spans,
    store::StateDb,
};

/// Name, help, and how the value is read from a part of the program. Only a counter's name ends in `_total`.
type Row<T> = (&'static str, &'static str, fn(&T) -> f64);

/// Declares tables of metrics: name, help, and the value as an expression over a part of the program.
macro_rules! metrics {
    ($($(#[$doc:meta])* $table:ident($part:pat in $type:ty) { $($name:literal $help:literal => $value:expr;)* })*) => {
        $($(#[$doc])* const $table: &[Row<$type>] = &[$(($name, $help, |$part| $value)),*];)*
    };
}

metrics! {
    /// What the system says of the process.
    PROCESS(() in ()) {
        "process_resident_memory_bytes" "Memory of the process" => resident_bytes().unwrap_or_default() as f64;
        "process_open_fds" "Open files and connections"
            => fs::read_dir("/proc/self/fd").map_or(0, Iterator::count) as f64;
        "process_cpu_seconds_total" "Processor time of the process, of all cores together"
            => cpu_seconds().unwrap_or_default();
    }

    /// The query engine.
    QUERIES(events in EventStore) {
        "pharos_queries_remembered_total" "Statements answered from memory because nothing had changed"
            => events.result_cache() as f64;
        "pharos_queries_running" "Statements that read rows or wait for the engine, at most 8 of one website"
            => events.running().0 as f64;
        "pharos_queries_waiting" "Statements that wait because 8 of the same website run" => events.running().1 as f64;
    }

    /// The log, and what becomes of it.
    LOG(events in EventStore) {
        "pharos_events_stored_total" "Events made durable" => load(&events.health().rows);
        "pharos_events_duplicate_total" "Events recognized as duplicates" => load(&events.health().duplicates);
        "pharos_spool_syncs_total" "Group commits" => load(&events.health().syncs);
        "pharos_spool_failures_total" "Batches that the disk refused" => load(&events.health().failures);
        "pharos_spool_damaged_total" "Damaged stretches found in the event log at start"
            => load(&events.health().damaged);
        "pharos_seals_total" "Stretches of the event log that became segments" => load(&events.health().seals);
        "pharos_segments_damaged_total" "Segments found damaged; answers leave them out"
            => load(&events.health().quarantined);
    }

    /// What was sent and is not stored, since the start of the process.
    NOT_STORED(events in EventStore) {
        "pharos_events_left_out_total" "Events of bots, of visitors who opted out, and what websites exclude"
            => events.health().ledger.total(Group::LeftOut) as f64;
        "pharos_events_refused_total" "Events and requests that break a rule or may not be sent"
            => events.health().ledger.total(Group::Refused) as f64;
        "pharos_events_limited_total" "Requests beyond the limits"
            => events.health().ledger.total(Group::Limited) as f64;
        "pharos_events_failed_total" "Requests that failed in the server"
            => events.health().ledger.total(Group::Failed) as f64;
    }

    /// How far events wait for ClickHouse, where that holds them.
    BACKLOG((events, clock) in (EventStore, Clock)) {
        "pharos_ship_backlog_seconds" "Age of the oldest event that waits for ClickHouse"
            => {
                let oldest = events.oldest_unsealed().filter(|_| events.is_remote());
                oldest.map_or(0.0, |at| (clock.now_ms() - at).max(0) as f64 / 1_000.0)
            };
    }

    /// How events get to ClickHouse, what the disk has left, and what the recognition of duplicates costs.
    SHIPPED(events in EventStore) {
        "pharos_ship_backlog_bytes" "Bytes of events that wait for ClickHouse"
            => if events.is_remote() { events.unsealed_bytes() as f64 } else { 0.0 };
        "pharos_ship_batches_total" "Batches of events that ClickHouse has" => events.shipped().batches as f64;
        "pharos_ship_events_total" "Events that ClickHouse has" => events.shipped().events as f64;
        "pharos_ship_retries_total" "Attempts to send a batch to ClickHouse that failed"
            => events.shipped().retries as f64;
        "pharos_ship_quarantined_total" "Events that ClickHouse refused for what they hold; they are in `spool/quarantine`"
            => events.shipped().quarantined as f64;
        "pharos_ship_elsewhere_total" "Events that were left out because another server stores them under the same id"
            => events.shipped().elsewhere as f64;
        "pharos_ship_unclaimed_total" "Events that were sent although Redis did not say whether another server stores them under the same id"
            => events.shipped().unclaimed as f64;
        "pharos_disk_free_bytes" "Free bytes on the disk of the data directory" => events.disk().free() as f64;
        "pharos_dedup_window_seconds" "Period in which repeated event ids are recognized, at least"
            => events.dedup().window as f64 / 1_000.0;
        "pharos_dedup_files" "Files of event ids; each event is looked up in all of them" => events.dedup().files as f64;
        "pharos_dedup_memory_bytes" "Memory that filters over these files take" => events.dedup().bytes.0 as f64;
        "pharos_dedup_disk_bytes" "Bytes of these files" => events.dedup().bytes.1 as f64;
    }

    /// Which server does what runs by the clock.
    LEADERSHIP(state in StateDb) {
        "pharos_on_duty" "1 on the server that runs scheduled work, 0 on all others"
            => f64::from(u8::from(state.is_leader()));
    }

    /// What queries read.
    SEGMENTS(events in EventStore) {
        "pharos_segments" "Segments in use" => events.snapshot().segments.len() as f64;
        "pharos_unsealed_events" "Events that no segment holds yet"
            => {
                let snapshot = events.snapshot();
                let rows = snapshot.generations.iter().map(|generation| generation.rows());
                rows.sum::<u64>() as f64
            };
    }

    /// What waits to leave the program, and what never will.
    OUTBOX(delivery in Handle<Deliveries>) {
        "pharos_outbox_waiting" "Emails and other deliveries that wait for their first or next attempt"
            => delivery.view().waiting as f64;
        "pharos_outbox_dead" "Emails and other deliveries that were given up in the last 90 days"
            => delivery.view().dead as f64;
    }

    /// Whether checks are made in time.
    CHECKS(monitors in Handle<Monitors>) {
        "pharos_monitor_checks_total" "Scheduled checks that started in time"
            => monitors.view().lateness().slots.load(Relaxed) as f64;
        "pharos_monitor_missed_total" "Scheduled checks that were missed"
            => monitors.view().lateness().missed.load(Relaxed) as f64;
        "pharos_monitor_lateness_p50_seconds" "Median lateness of the last checks"
            => monitors.view().lateness().quantile_ms(0.5) as f64 / 1_000.0;
        "pharos_monitor_lateness_p99_seconds" "99th percentile of the lateness of the last checks"
            => monitors.view().lateness().quantile_ms(0.99) as f64 / 1_000.0;
        "pharos_monitor_behind_seconds" "Delay of the check that is most overdue"
            => monitors.view().lateness().behind_ms.load(Relaxed) as f64 / 1_000.0;
        "pharos_monitor_checks_running" "Checks in progress"
            => monitors.view().lateness().running.load(Relaxed) as f64;
        "pharos_monitors" "Monitors" => monitors.view().len() as f64;
    }

    /// Spans that no collector has.
    TRACES(() in ()) {
        "pharos_spans_dropped_total" "Spans of traces that were lost, because too many waited or the collector did not take them"
            => spans::dropped() as f64;
    }

    /// Certificates of hosts, where there is a listener for them.
    CERTIFICATES(certificates in Option<Certificates>) {
        "pharos_certificates" "Hosts with a certificate by ACME" => summarize(certificates.as_ref()).valid as f64;
        "pharos_certificates_pending" "Hosts that wait for their first certificate"
            => summarize(certificates.as_ref()).pending as f64;
        "pharos_certificates_failing" "Hosts whose last order of a certificate failed"
            => summarize(certificates.as_ref()).failing as f64;
        "pharos_certificate_days" "Days until the first certificate ends, 0 without one"
            => {
                let end = summarize(certificates.as_ref()).earliest_end_ms.zip(certificates.as_ref());
                end.map_or(0.0, |(end, own)| (end - own.now_ms()) as f64 / 86_400_000.0)
            };
    }

    /// Clicks that were lost.
    CLICKS(clicks in Clicks) {
        "pharos_clicks_dropped_total" "Clicks on short links that were not written, because too many waited or the log refused"
            => clicks.dropped() as f64;
    }
}

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

pub(super) fn show_process(metrics: &Metrics) {
    metrics.labelled_gauge(
        "pharos_build_info",
        "The version that runs",
        ("version", env!("CARGO_PKG_VERSION")),
        || 1.0,
    );
    show(metrics, &(), PROCESS);
}

/// Resident bytes; `None` where the system does not say.
fn resident_bytes() -> Option<u64> {
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

/// Shows what the stores count.
pub(super) fn show_events(metrics: &Metrics, stores: &Stores) {
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

pub(super) fn show_traces(metrics: &Metrics) {
    show(metrics, &(), TRACES);
}

pub(super) fn show_certificates(metrics: &Metrics, certificates: Option<&Certificates>) {
    show(metrics, &certificates.cloned(), CERTIFICATES);
}

fn summarize(certificates: Option<&Certificates>) -> Summary {
    certificates
        .map(Certificates::summarize)
        .unwrap_or_default()
}

pub(super) fn show_clicks(metrics: &Metrics, clicks: &Clicks) {
    show(metrics, clicks, CLICKS);
}

/// Shows what domains count.
pub(super) fn show_domains(metrics: &Metrics, domains: &Domains) {
    let roster = domains.roster();
    metrics.counters(
        "pharos_domain_restarts_total",
        "Restarts of a domain after it failed",
        "domain",
        move || {
            let deaths =
                |domain: &Arc<dyn Resident>| (domain.name().to_owned(), domain.deaths() as f64);
            roster.iter().map(deaths).collect()
        },
    );
    show(metrics, &domains.delivery, OUTBOX);
    show(metrics, &domains.monitors, CHECKS);
}
