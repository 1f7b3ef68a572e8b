//! Figures for Prometheus: request counts and times by route, and what other parts count themselves.

use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use actix_web::http::StatusCode;

use crate::figures::{Times, escaped};

/// Routes that are counted apart; patterns are few, this only bounds a bug.
const MOST_ROUTES: usize = 1_024;
const REQUESTS: &str = "pharos_http_requests_total";
const DURATION: &str = "pharos_http_request_duration_seconds";

/// The registry; one per process.
#[derive(Default)]
pub struct Metrics {
    routes: RwLock<BTreeMap<String, Arc<Route>>>,
    times: Times,
    shown: Mutex<Vec<Shown>>,
}

/// Something that others count, under its name, with its help.
struct Shown {
    name: &'static str,
    help: &'static str,
    read: Read,
}

enum Read {
    Gauge(Box<dyn Fn() -> f64 + Send + Sync>),
    GaugeOf(
        (&'static str, &'static str),
        Box<dyn Fn() -> f64 + Send + Sync>,
    ),
    Counter(Box<dyn Fn() -> f64 + Send + Sync>),
    /// A counter by a label.
    Counters(
        &'static str,
        Box<dyn Fn() -> Vec<(String, f64)> + Send + Sync>,
    ),
    /// Times by a label.
    Times(&'static str, Arc<Times>),
}

/// Answers of a route by hundreds of their status: 1xx to 5xx.
type Route = [AtomicU64; 5];

impl fmt::Debug for Metrics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Metrics {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Shows a value that goes up and down, read whenever somebody asks.
    pub fn gauge(
        &self,
        name: &'static str,
        help: &'static str,
        read: impl Fn() -> f64 + Send + Sync + 'static,
    ) {
        self.show(name, help, Read::Gauge(Box::new(read)));
    }

    /// [`Self::gauge`] with a label that never changes.
    pub fn gauge_of(
        &self,
        name: &'static str,
        help: &'static str,
        label: (&'static str, &'static str),
        read: impl Fn() -> f64 + Send + Sync + 'static,
    ) {
        self.show(name, help, Read::GaugeOf(label, Box::new(read)));
    }

    /// Shows a value that only grows; its name should end in `_total`.
    pub fn counter(
        &self,
        name: &'static str,
        help: &'static str,
        read: impl Fn() -> f64 + Send + Sync + 'static,
    ) {
        self.show(name, help, Read::Counter(Box::new(read)));
    }

    /// [`Self::counter`] by the values of a label.
    pub fn counters(
        &self,
        name: &'static str,
        help: &'static str,
        label: &'static str,
        read: impl Fn() -> Vec<(String, f64)> + Send + Sync + 'static,
    ) {
        self.show(name, help, Read::Counters(label, Box::new(read)));
    }

    /// Shows times that somebody else notes, by the values of a label.
    pub fn times(
        &self,
        name: &'static str,
        help: &'static str,
        label: &'static str,
        times: Arc<Times>,
    ) {
        self.show(name, help, Read::Times(label, times));
    }

    fn show(&self, name: &'static str, help: &'static str, read: Read) {
        let shown = Shown { name, help, read };
        let mut all = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(shown);
    }

    /// Counts an answered request under its route pattern (never its path).
    pub(super) fn request(&self, route: &str, status: StatusCode, took: Duration) {
        let known = self
            .routes
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(route)
            .cloned();
        let counted = known.unwrap_or_else(|| self.meet(route));
        let class = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
        counted[class].fetch_add(1, Ordering::Relaxed);
        self.times.note(route, took);
    }

    fn meet(&self, route: &str) -> Arc<Route> {
        let mut routes = self.routes.write().unwrap_or_else(PoisonError::into_inner);
        let name = if routes.len() < MOST_ROUTES {
            route
        } else {
            "other"
        };
        Arc::clone(routes.entry(name.to_owned()).or_default())
    }

    /// Everything as Prometheus text.
    pub fn render(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) -> fmt::Result {
        writeln!(text, "# HELP {REQUESTS} Requests answered.")?;
        writeln!(text, "# TYPE {REQUESTS} counter")?;
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
        for (route, counted) in routes.iter() {
            let route = escaped(route);
            for (class, count) in counted.iter().enumerate() {
                let (class, count) = (class + 1, count.load(Ordering::Relaxed));
                if count > 0 {
                    let labels = format!("route=\"{route}\",status=\"{class}xx\"");
                    writeln!(text, "{REQUESTS}{{{labels}}} {count}")?;
                }
            }
        }
        drop(routes);
        self.times
            .write(DURATION, "Time to answer a request.", "route", text)?;
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.iter().try_for_each(|shown| shown.write(text))
    }
}

impl Shown {
    fn write(&self, text: &mut String) -> fmt::Result {
        let (name, help) = (self.name, self.help);
        let head = |kind| format!("# HELP {name} {help}\n# TYPE {name} {kind}\n");
        match &self.read {
            Read::Gauge(read) => writeln!(text, "{}{name} {}", head("gauge"), read()),
            Read::GaugeOf((label, value), read) => {
                let labels = format!("{{{label}=\"{}\"}}", escaped(value));
                writeln!(text, "{}{name}{labels} {}", head("gauge"), read())
            }
            Read::Counter(read) => writeln!(text, "{}{name} {}", head("counter"), read()),
            Read::Counters(label, read) => {
                text.push_str(&head("counter"));
                read().into_iter().try_for_each(|(value, count)| {
                    writeln!(text, "{name}{{{label}=\"{}\"}} {count}", escaped(&value))
                })
            }
            Read::Times(label, times) => times.write(name, help, label, text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_route_and_class() {
        let metrics = Metrics::new();
        for (status, millis) in [
            (StatusCode::OK, 2),
            (StatusCode::OK, 20_000),
            (StatusCode::NOT_FOUND, 1),
        ] {
            metrics.request("/v1/query", status, Duration::from_millis(millis));
        }
        metrics.gauge("pharos_rows", "Rows.", || 7.0);
        let text = metrics.render();
        for line in [
            "pharos_http_requests_total{route=\"/v1/query\",status=\"2xx\"} 2",
            "pharos_http_requests_total{route=\"/v1/query\",status=\"4xx\"} 1",
            "pharos_http_request_duration_seconds_bucket{route=\"/v1/query\",le=\"0.005\"} 2",
            "pharos_http_request_duration_seconds_bucket{route=\"/v1/query\",le=\"+Inf\"} 3",
            "# TYPE pharos_rows gauge\npharos_rows 7",
        ] {
            assert!(text.contains(line), "{line} in\n{text}");
        }
    }
}
