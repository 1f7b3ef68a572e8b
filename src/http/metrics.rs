//! Figures for Prometheus: request counts and times by route, and gauges that other parts hang in.

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

/// Upper bounds of the duration histogram, in seconds.
const BOUNDS: [(f64, u64); 9] = [
    (0.001, 1_000),
    (0.005, 5_000),
    (0.01, 10_000),
    (0.05, 50_000),
    (0.1, 100_000),
    (0.5, 500_000),
    (1.0, 1_000_000),
    (5.0, 5_000_000),
    (15.0, 15_000_000),
];
/// Routes that are counted apart; patterns are few, this only bounds a bug.
const MOST_ROUTES: usize = 1_024;

/// The registry; one per process.
#[derive(Default)]
pub struct Metrics {
    routes: RwLock<BTreeMap<String, Arc<Route>>>,
    gauges: Mutex<Vec<Gauge>>,
}

struct Gauge {
    name: &'static str,
    help: &'static str,
    counter: bool,
    read: Box<dyn Fn() -> f64 + Send + Sync>,
}

#[derive(Debug, Default)]
struct Route {
    /// By hundreds of the status: 1xx to 5xx.
    classes: [AtomicU64; 5],
    buckets: [AtomicU64; BOUNDS.len()],
    micros: AtomicU64,
}

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
        self.hang_in(Gauge {
            name,
            help,
            counter: false,
            read: Box::new(read),
        });
    }

    /// Shows a value that only grows; its name should end in `_total`.
    pub fn counter(
        &self,
        name: &'static str,
        help: &'static str,
        read: impl Fn() -> f64 + Send + Sync + 'static,
    ) {
        self.hang_in(Gauge {
            name,
            help,
            counter: true,
            read: Box::new(read),
        });
    }

    fn hang_in(&self, gauge: Gauge) {
        self.gauges
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(gauge);
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
        counted.classes[class].fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        counted.micros.fetch_add(micros, Ordering::Relaxed);
        if let Some(at) = BOUNDS.iter().position(|(_, bound)| micros <= *bound) {
            counted.buckets[at].fetch_add(1, Ordering::Relaxed);
        }
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
        let _ = self.write_routes(&mut text);
        for gauge in &*self.gauges.lock().unwrap_or_else(PoisonError::into_inner) {
            let kind = if gauge.counter { "counter" } else { "gauge" };
            let (name, help) = (gauge.name, gauge.help);
            let _ = writeln!(
                text,
                "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {}",
                (gauge.read)()
            );
        }
        text
    }

    fn write_routes(&self, text: &mut String) -> fmt::Result {
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
        writeln!(text, "# HELP pharos_http_requests_total Requests answered.")?;
        writeln!(text, "# TYPE pharos_http_requests_total counter")?;
        for (route, counted) in routes.iter() {
            for (class, count) in counted.classes.iter().enumerate() {
                let (class, count) = (class + 1, count.load(Ordering::Relaxed));
                if count > 0 {
                    writeln!(
                        text,
                        "pharos_http_requests_total{{route=\"{}\",status=\"{class}xx\"}} {count}",
                        label(route)
                    )?;
                }
            }
        }
        writeln!(
            text,
            "# HELP pharos_http_request_duration_seconds Time to answer a request."
        )?;
        writeln!(
            text,
            "# TYPE pharos_http_request_duration_seconds histogram"
        )?;
        for (route, counted) in routes.iter() {
            counted.write(&label(route), text)?;
        }
        Ok(())
    }
}

impl Route {
    fn write(&self, route: &str, text: &mut String) -> fmt::Result {
        const NAME: &str = "pharos_http_request_duration_seconds";
        let mut below = 0;
        for ((bound, _), bucket) in BOUNDS.iter().zip(&self.buckets) {
            below += bucket.load(Ordering::Relaxed);
            writeln!(
                text,
                "{NAME}_bucket{{route=\"{route}\",le=\"{bound}\"}} {below}"
            )?;
        }
        let all: u64 = self
            .classes
            .iter()
            .map(|class| class.load(Ordering::Relaxed))
            .sum();
        writeln!(text, "{NAME}_bucket{{route=\"{route}\",le=\"+Inf\"}} {all}")?;
        let seconds = Duration::from_micros(self.micros.load(Ordering::Relaxed)).as_secs_f64();
        writeln!(text, "{NAME}_sum{{route=\"{route}\"}} {seconds}")?;
        writeln!(text, "{NAME}_count{{route=\"{route}\"}} {all}")
    }
}

fn label(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
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
