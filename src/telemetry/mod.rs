//! The log: one subscriber on standard error, whose level can change while the program runs.
//!
//! Invariants: a log line is one line whatever its fields hold ([`escape`]); fields hold no secrets, no addresses
//! of visitors and no bodies.

mod escape;

use std::io::{self, IsTerminal};

use serde::{Deserialize, Serialize};
use tracing::Subscriber;
use tracing_subscriber::{
    Registry,
    filter::{LevelFilter, ParseError, Targets},
    fmt::{self, MakeWriter},
    layer::{Layer, SubscriberExt},
    registry::LookupSpan,
    reload,
    util::SubscriberInitExt,
};

/// What a log line looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Pretty on a terminal, JSON otherwise.
    Auto,
    /// A line for people.
    Pretty,
    /// One JSON object.
    Json,
}

/// `[log]` of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Shape of a line.
    pub format: Format,
    /// A level, optionally with `target=level` pairs, separated by commas. Reloadable.
    pub level: String,
}

/// Why logging could not start or change.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The level is none.
    #[error("the log level is not understood: {0}")]
    Level(#[from] ParseError),
    /// Something else in the process logs already.
    #[error("logging is set up already: {0}")]
    Taken(#[from] tracing_subscriber::util::TryInitError),
    /// The subscriber is gone.
    #[error("the log level cannot be changed: {0}")]
    Gone(#[from] reload::Error),
}

#[derive(Debug, Clone)]
pub struct Log(reload::Handle<Targets, Registry>);

impl Log {
    /// Logs at another level from now on.
    ///
    /// # Errors
    /// The level is none; the running one stays.
    pub fn set_level(&self, level: &str) -> Result<(), TelemetryError> {
        Ok(self.0.reload(targets(level)?)?)
    }
}

/// Starts logging to standard error for the whole process, and logs panics as errors.
///
/// # Errors
/// The level is none, or something logs already.
pub fn start(options: &Options) -> Result<Log, TelemetryError> {
    let colours = io::stderr().is_terminal();
    let (subscriber, log) = subscriber(options, colours, io::stderr)?;
    subscriber.try_init()?;
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        tracing::error!(
            panic.place = place,
            "panicked: {}",
            panic.payload_as_str().unwrap_or("?")
        );
    }));
    Ok(log)
}

/// Libraries that say at `info` what only their authors want to know.
const CHATTY: [&str; 4] = ["actix_server", "actix_http", "sea_orm_migration", "sqlx"];

/// What the operator asked for. Chatty libraries are heard from `warn` on, unless the operator names them or wants
/// to see details anyway.
fn targets(level: &str) -> Result<Targets, ParseError> {
    let targets: Targets = level.parse()?;
    if targets.default_level() != Some(LevelFilter::INFO) {
        return Ok(targets);
    }
    let named = |library: &str| {
        targets
            .iter()
            .any(|(target, _)| target.starts_with(library))
    };
    let quiet = CHATTY.into_iter().filter(|library| !named(library));
    Ok(quiet.fold(targets.clone(), |targets, library| {
        targets.with_target(library, LevelFilter::WARN)
    }))
}

fn subscriber<W>(
    options: &Options,
    colours: bool,
    writer: W,
) -> Result<(impl Subscriber + Send + Sync + 'static, Log), TelemetryError>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let (level, handle) = reload::Layer::new(targets(&options.level)?);
    let lines = lines(options.format, colours, writer);
    Ok((
        tracing_subscriber::registry().with(level).with(lines),
        Log(handle),
    ))
}

fn lines<S, W>(format: Format, colours: bool, writer: W) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let layer = fmt::layer().with_writer(writer);
    let is_pretty = match format {
        Format::Auto => io::stderr().is_terminal(),
        format => format == Format::Pretty,
    };
    if is_pretty {
        layer.with_ansi(colours).fmt_fields(escape::Fields).boxed()
    } else {
        let json = layer.json().flatten_event(true).with_span_list(false);
        json.boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    use tracing::subscriber::with_default;

    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(format: Format, level: &str, act: impl FnOnce(&Log)) -> String {
        let written = Written::default();
        let writer = written.clone();
        let level = level.to_owned();
        let (subscriber, log) =
            subscriber(&Options { format, level }, false, move || writer.clone()).unwrap();
        with_default(subscriber, || act(&log));
        String::from_utf8(written.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn a_field_cannot_start_a_new_line() {
        for format in [Format::Pretty, Format::Json] {
            let text = logged(format, "info", |_| {
                let _span = tracing::info_span!("request", path = %"/a\n2").entered();
                tracing::info!(path = "/\nERROR forged\x1b[31m\u{9b}", other = %"\r\nforged", "seen\nforged");
            });
            assert_eq!(text.matches('\n').count(), 1, "{text}");
            assert!(
                text.ends_with('\n') && !text.contains(['\r', '\x1b']),
                "{text:?}"
            );
            assert!(
                format == Format::Json || !text.contains('\u{9b}'),
                "{text:?}"
            );
            assert!(text.contains("forged"), "{text}");
        }
    }

    #[test]
    fn pretty_lines_are_readable() {
        let text = logged(Format::Pretty, "info", |_| {
            tracing::info!(events = 3, website.id = %"w1", name = "a b", "stored");
        });
        assert!(
            text.ends_with(" stored events=3 website.id=w1 name=\"a b\"\n"),
            "{text:?}"
        );
    }

    #[test]
    fn json_lines_hold_fields_and_span() {
        let text = logged(Format::Json, "info", |_| {
            let _span = tracing::info_span!("request", request.id = "r1").entered();
            tracing::info!(events = 3, "stored");
        });
        let line: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(line["message"], "stored");
        assert_eq!(line["events"], 3);
        assert_eq!(line["span"]["request.id"], "r1");
    }

    #[test]
    fn chatty_libraries_are_quiet_unless_they_are_asked_for() {
        let heard = |level| {
            logged(Format::Pretty, level, |_| {
                tracing::info!(target: "actix_server::worker", "one");
                tracing::warn!(target: "sea_orm_migration::migrator", "two");
                tracing::info!(target: "pharos::platform", "three");
                tracing::error!(target: "actix_server::worker", "four");
            })
        };
        let words = |level| {
            let text = heard(level);
            ["one", "two", "three", "four"].map(|word| text.contains(word))
        };
        assert_eq!(words("info"), [false, true, true, true]);
        assert_eq!(words("info,actix_server=info"), [true; 4]);
        assert_eq!(words("debug"), [true; 4]);
        assert_eq!(words("error"), [false, false, false, true]);
        assert_eq!(words("off"), [false; 4]);
        assert_eq!(words("warn,pharos=info"), [false, true, true, true]);
    }

    #[test]
    fn the_level_changes_while_running() {
        let text = logged(Format::Pretty, "warn", |log| {
            tracing::info!("first");
            log.set_level("info,noisy=error").unwrap();
            tracing::info!("second");
            tracing::info!(target: "noisy", "third");
            assert!(log.set_level("info,=,x=loud").is_err());
            tracing::info!("fourth");
        });
        assert!(!text.contains("first") && !text.contains("third"), "{text}");
        assert!(text.contains("second") && text.contains("fourth"), "{text}");
    }
}
