//! Why a command did not do what it says, and the exit code that follows.

use std::{fmt::Write, io, process::ExitCode};

use crate::{
    config::{LoadError, Mistake},
    platform::{CommandError, Report},
};

/// The thing that was checked is wrong.
const WRONG: u8 = 1;
/// The usage or the environment is wrong.
const UNUSABLE: u8 = 2;

pub(super) type CommandResult = Result<(), Failure>;

/// A failure that is ready to be written.
#[derive(Debug)]
pub(super) struct Failure {
    lines: String,
    code: u8,
}

impl Failure {
    fn new(code: u8, what: &str, hint: &str) -> Self {
        let what = what.lines().map(str::trim).collect::<Vec<_>>().join("; ");
        let mut lines = format!("error: {what}");
        if !hint.is_empty() {
            let _ = write!(lines, "\nhint: {hint}");
        }
        Self { lines, code }
    }

    /// Several errors, and one hint for all of them.
    fn wrong(mut lines: Vec<String>, hint: &str) -> Self {
        lines.push(format!("hint: {hint}"));
        Self {
            lines: lines.join("\n"),
            code: WRONG,
        }
    }

    /// The settings keep a command from doing its work.
    pub(super) fn from_settings(error: &LoadError) -> Self {
        Self {
            code: UNUSABLE,
            ..Self::from_checked_settings(error)
        }
    }

    /// The settings are what was to be checked.
    pub(super) fn from_checked_settings(error: &LoadError) -> Self {
        match error {
            LoadError::Unreadable { .. } => {
                let hint = "name a readable file with --config FILE, or leave it out";
                Self::new(UNUSABLE, &error.to_string(), hint)
            }
            LoadError::Wrong(mistakes) => {
                let line = |mistake: &Mistake| {
                    let hint = mistake.hint.as_deref().unwrap_or_default();
                    Self::new(WRONG, &mistake.to_string(), hint).lines
                };
                let lines = mistakes.0.iter().map(line).collect();
                Self::wrong(lines, "config/pharos.toml describes every setting")
            }
        }
    }

    /// The thing that was checked is wrong.
    pub(super) fn check_failed(what: &str, hint: &str) -> Self {
        Self::new(WRONG, what, hint)
    }

    /// Fails if anything is wrong, with a line for each.
    pub(super) fn ensure_none(
        wrong: impl IntoIterator<Item = String>,
        hint: &str,
    ) -> CommandResult {
        let wrong = wrong.into_iter().map(|what| format!("error: {what}"));
        match wrong.collect::<Vec<_>>() {
            lines if lines.is_empty() => Ok(()),
            lines => Err(Self::wrong(lines, hint)),
        }
    }

    /// Declarations are wrong, or were refused on the way.
    pub(super) fn from_report(report: &Report) -> Self {
        let wrong = report.mistakes.iter().chain(&report.stopped);
        let mut lines: Vec<_> = wrong
            .map(|wrong| {
                let hint = wrong.hint.as_deref().unwrap_or_default();
                Self::new(WRONG, &wrong.what, hint).lines
            })
            .collect();
        lines.extend(
            report
                .left
                .iter()
                .map(|left| format!("error: not as before: {left}")),
        );
        Self::wrong(lines, "docs/provisioning.md describes declarations")
    }

    /// Writes it to standard error.
    #[expect(
        clippy::print_stderr,
        reason = "errors of the command line belong there"
    )]
    pub(super) fn report(self) -> ExitCode {
        eprintln!("{}", self.lines);
        ExitCode::from(self.code)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        match error.downcast_ref::<CommandError>() {
            Some(CommandError { what, hint }) => Self::new(UNUSABLE, what, hint),
            None => Self::new(
                UNUSABLE,
                &format!("{error:#}"),
                "the log above may say more; log.level = \"debug\" does",
            ),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::new(
            UNUSABLE,
            &format!("cannot write the result: {error}"),
            "is the disk full?",
        )
    }
}

impl From<crate::telemetry::TelemetryError> for Failure {
    fn from(error: crate::telemetry::TelemetryError) -> Self {
        Self::new(
            UNUSABLE,
            &error.to_string(),
            "see log.level in config/pharos.toml",
        )
    }
}

/// Reports a wrong command line, or prints the help that was asked for.
pub(super) fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        return misunderstood(&error.to_string()).report();
    }
    let written = error.print();
    written.map_or_else(
        |error| Failure::from(error).report(),
        |()| ExitCode::SUCCESS,
    )
}

/// Brings clap's paragraphs into our two lines: the first one is what is wrong, the others say what to do.
fn misunderstood(message: &str) -> Failure {
    let one_line = |paragraph: &str| {
        let lines = paragraph.lines().map(str::trim);
        lines.collect::<Vec<_>>().join(" ")
    };
    let mut paragraphs = message.trim().split("\n\n").map(one_line);
    let what = paragraphs.next().unwrap_or_default();
    let rest: Vec<_> = paragraphs
        .map(|paragraph| {
            paragraph
                .trim_start_matches("tip: ")
                .trim_end_matches('.')
                .to_owned()
        })
        .collect();
    let what = what.trim_start_matches("error: ");
    Failure::new(UNUSABLE, what, &rest.join("; "))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::Parser;

    use super::*;
    use crate::{cli::arguments::Arguments, config::Settings};

    #[test]
    fn a_wrong_command_line_is_two_lines() {
        for (line, what) in [
            (&["pharos", "servee"][..], "servee"),
            (&["pharos", "demo"], "--events <N>"),
            (&["pharos", "demo", "--events", "0"], "--events <N>"),
            (&["pharos", "setup", "--jsn"], "--jsn"),
        ] {
            let told = Arguments::try_parse_from(line).unwrap_err().to_string();
            let failure = misunderstood(&told);
            let (error, hint) = failure.lines.split_once('\n').unwrap();
            assert!(
                error.starts_with("error: ") && error.contains(what),
                "{error}"
            );
            assert!(hint.starts_with("hint: ") && !hint.contains('\n'), "{hint}");
            assert_eq!(failure.code, UNUSABLE);
        }
    }

    #[test]
    fn wrong_settings_are_1_when_checked_and_2_when_needed() {
        let file = (Path::new("f"), &b"a = 1\nserver.workrs = 2"[..]);
        let error = LoadError::Wrong(Settings::parse(Some(file), []).unwrap_err());
        let checked = Failure::from_checked_settings(&error);
        assert_eq!(
            checked.lines,
            "error: f:1: `a` is not a known setting\n\
             error: f:2: `server.workrs` is not a known setting\n\
             hint: did you mean `server.workers`?\n\
             hint: config/pharos.toml describes every setting"
        );
        assert_eq!(checked.code, WRONG);
        let needed = Failure::from_settings(&error);
        assert_eq!((needed.code, needed.lines), (UNUSABLE, checked.lines));
        let unreadable = Settings::load(Some(Path::new("/nonexistent"))).unwrap_err();
        assert_eq!(Failure::from_checked_settings(&unreadable).code, UNUSABLE);
    }

    #[test]
    fn a_refusal_keeps_its_hint_and_causes_stay_on_one_line() {
        let refusal = CommandError {
            what: "no".into(),
            hint: "yes".into(),
        };
        let failure = Failure::from(anyhow::Error::from(refusal));
        assert_eq!(failure.lines, "error: no\nhint: yes");
        let failure = Failure::from(anyhow::anyhow!("deep\ndown").context("above"));
        assert!(
            failure
                .lines
                .starts_with("error: above: deep; down\nhint: "),
            "{}",
            failure.lines
        );
    }
}
