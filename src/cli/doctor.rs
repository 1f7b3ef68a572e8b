//! `pharos doctor` and `pharos data`: their reports.

use std::path::Path;

use super::{
    failure::{CommandResult, Failure},
    output::{print, print_report},
};
use crate::{
    cli::start::{begin, load},
    platform::{self, DataFile, Finding, Health},
};

pub(super) fn doctor(file: Option<&Path>, json: bool) -> CommandResult {
    let settings = begin(file)?;
    let findings = platform::doctor(&settings)?;
    print_report(json, &findings, |findings| {
        let lines: Vec<String> = findings.iter().map(line).collect();
        lines.join("\n")
    })?;
    let bad: Vec<_> = findings
        .iter()
        .filter(|finding| finding.health == Health::Bad)
        .map(|finding| finding.what)
        .collect();
    if bad.is_empty() {
        return Ok(());
    }
    let what = format!("not in order: {}", bad.join(", "));
    Err(Failure::check_failed(
        &what,
        "the lines above say what to do",
    ))
}

pub(super) fn healthcheck(file: Option<&Path>) -> CommandResult {
    let settings = load(file)?;
    platform::healthcheck(&settings).map_err(|error| {
        Failure::check_failed(
            &format!("{error:#}"),
            "`pharos doctor` looks at what may be wrong",
        )
    })?;
    Ok(print("ok")?)
}

fn line(finding: &Finding) -> String {
    let Finding {
        what, seen, fix, ..
    } = finding;
    let sign = match finding.health {
        Health::Good => "ok  ",
        Health::Doubtful => "note",
        Health::Bad => "BAD ",
    };
    let mut line = format!("{sign}  {what:<20} {seen}");
    if !fix.is_empty() {
        line.push_str("\n                            -> ");
        line.push_str(fix);
    }
    line
}

pub(super) fn data(json: bool) -> CommandResult {
    let files = platform::data()?;
    let text = |file: &DataFile| {
        format!(
            "{} ({}, {})\n  {}\n  from {}, version {}\n  made {}",
            file.name, file.licence, file.date, file.about, file.source, file.version, file.made_by
        )
    };
    print_report(json, &files, |files| {
        let lines: Vec<String> = files.iter().map(text).collect();
        lines.join("\n")
    })
}
