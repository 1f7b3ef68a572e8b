//! Counts of the running program, in the format of Prometheus.

use std::{
    collections::BTreeMap,
    fmt::{self, Write},
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// Upper bounds in seconds and in microseconds.
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
/// Values of a label that are counted apart; they come from code and are few, this only bounds a bug.
const MAX: usize = 1_024;

/// Figures by a label's value; of values that are too many, the rest counts as `other`.
#[derive(Debug)]
pub struct LabelMap<T> {
    all: RwLock<BTreeMap<String, Arc<T>>>,
}

/// How long something took, by its label's value.
pub type Times = LabelMap<Histogram>;

/// How long something took.
#[derive(Debug, Default)]
pub struct Histogram {
    /// Not added up yet.
    buckets: [AtomicU64; BOUNDS.len()],
    count: AtomicU64,
    micros: AtomicU64,
}

impl<T> Default for LabelMap<T> {
    fn default() -> Self {
        Self {
            all: RwLock::default(),
        }
    }
}

impl<T: Default> LabelMap<T> {
    /// The figures of a label's value.
    pub fn get_or_create(&self, value: &str) -> Arc<T> {
        self.get(value).unwrap_or_else(|| self.create(value))
    }

    /// Releases the read lock before a writer asks for it.
    fn get(&self, value: &str) -> Option<Arc<T>> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        all.get(value).cloned()
    }

    fn create(&self, value: &str) -> Arc<T> {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        let value = if all.len() < MAX { value } else { "other" };
        Arc::clone(all.entry(value.to_owned()).or_default())
    }

    /// Shows every value that was recorded, escaped for quotes, with its figures.
    ///
    /// # Errors
    /// What `show` says, at the first that fails.
    pub fn each(&self, mut show: impl FnMut(&str, &T) -> fmt::Result) -> fmt::Result {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        let mut all = all.iter();
        all.try_for_each(|(value, figures)| show(&escaped(value), figures))
    }
}

impl Times {
    /// Counts one time under a label's value.
    pub fn note(&self, value: &str, took: Duration) {
        self.get_or_create(value).note(took);
    }

    /// Writes them as a histogram, with `label` as the label's name.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&self, name: &str, help: &str, label: &str, text: &mut String) -> fmt::Result {
        writeln!(text, "# HELP {name} {help}\n# TYPE {name} histogram")?;
        self.each(|value, times| times.write(name, &format!("{label}=\"{value}\""), text))
    }
}

impl Histogram {
    pub fn note(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Relaxed);
        if let Some(at) = BOUNDS.iter().position(|(_, bound)| micros <= *bound) {
            self.buckets[at].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Writes the lines of one histogram, under a label with its value.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&self, name: &str, label: &str, text: &mut String) -> fmt::Result {
        let mut below = 0;
        for ((bound, _), bucket) in BOUNDS.iter().zip(&self.buckets) {
            below += bucket.load(Ordering::Relaxed);
            writeln!(text, "{name}_bucket{{{label},le=\"{bound}\"}} {below}")?;
        }
        // A time that is noted meanwhile may be in a bucket and not here yet.
        let all = self.count.load(Ordering::Relaxed).max(below);
        writeln!(text, "{name}_bucket{{{label},le=\"+Inf\"}} {all}")?;
        let seconds = Duration::from_micros(self.micros.load(Ordering::Relaxed)).as_secs_f64();
        writeln!(text, "{name}_sum{{{label}}} {seconds}")?;
        writeln!(text, "{name}_count{{{label}}} {all}")
    }
}

/// A label's value, escaped for quotes.
pub fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_add_up_and_what_took_longer_is_in_the_last() {
        let times = Times::default();
        for millis in [0, 2, 2, 400, 20_000] {
            times.note("top \"pages\"", Duration::from_millis(millis));
        }
        let mut text = String::new();
        times
            .write("seconds", "How long.", "type", &mut text)
            .unwrap();
        for line in [
            "# TYPE seconds histogram",
            r#"seconds_bucket{type="top \"pages\"",le="0.001"} 1"#,
            r#"seconds_bucket{type="top \"pages\"",le="0.005"} 3"#,
            r#"seconds_bucket{type="top \"pages\"",le="15"} 4"#,
            r#"seconds_bucket{type="top \"pages\"",le="+Inf"} 5"#,
            r#"seconds_sum{type="top \"pages\""} 20.404"#,
            r#"seconds_count{type="top \"pages\""} 5"#,
        ] {
            assert!(text.contains(line), "{line} in\n{text}");
        }
    }

    #[test]
    fn labels_have_a_bound() {
        let times = Times::default();
        for label in 0..MAX + 10 {
            times.note(&label.to_string(), Duration::ZERO);
        }
        let mut text = String::new();
        times.write("t", "T.", "of", &mut text).unwrap();
        assert!(text.contains("t_count{of=\"other\"} 10"), "{}", text.len());
    }
}
