//! Figures for Prometheus: request counts and times by route, and what other parts count themselves.

use std::{
    fmt::{self, Write as _},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use actix_web::http::StatusCode;

use crate::metrics::{Histogram, LabelMap, Times, escaped};

const REQUESTS: &str = "pharos_http_requests_total";
const DURATION: &str = "pharos_http_request_duration_seconds";

/// The registry; one per process.
#[derive(Default)]
pub struct Metrics {
    routes: LabelMap<Route>,
    shown: Mutex<Vec<Metric>>,
}

/// Something that others count, under its name, with its help.
struct Metric {
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

/// What is counted of a route.
#[derive(Debug, Default)]
struct Route {
    /// Answers by hundreds of their status: 1xx to 5xx.
    answers: [AtomicU64; 5],
    times: Histogram,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Metrics {
    pub fn new() -> Self {
        Self::default()
    }

    /// Shows a value that goes up and down, read for every request.
    pub fn gauge(
        &self,
        name: &'static str,
        help: &'static str,
        read: impl Fn() -> f64 + Send + Sync + 'static,
    ) {
        self.show(name, help, Read::Gauge(Box::new(read)));
    }

    /// [`Self::gauge`] with a label that never changes.
    pub fn labelled_gauge(
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

    /// Shows times that another part records, by the values of a label.
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
        let shown = Metric { name, help, read };
        let mut all = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(shown);
    }

    /// Counts an answered request under its route pattern (never its path).
    pub(super) fn request(&self, route: &str, status: StatusCode, took: Duration) {
        let counted = self.routes.get_or_create(route);
        let class = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
        counted.answers[class].fetch_add(1, Ordering::Relaxed);
        counted.times.note(took);
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
        self.routes.each(|route, counted| {
            for (class, count) in (1..).zip(&counted.answers) {
                let count = count.load(Ordering::Relaxed);
                if count > 0 {
                    let labels = format!("route=\"{route}\",status=\"{class}xx\"");
                    writeln!(text, "{REQUESTS}{{{labels}}} {count}")?;
                }
            }
            Ok(())
        })?;
        writeln!(text, "# HELP {DURATION} Time to answer a request.")?;
        writeln!(text, "# TYPE {DURATION} histogram")?;
        self.routes.each(|route, counted| {
            let label = format!("route=\"{route}\"");
            counted.times.write(DURATION, &label, text)
        })?;
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.iter().try_for_each(|shown| shown.write(text))
    }
}

impl Metric {
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
