//! What the program sees around itself and in itself, told.

use std::path::Path;

use super::{failure::Failure, output::print};
use crate::{
    cli::start::{Done, load, start_log},
    platform::{self, Finding, Health},
};

pub(super) fn doctor(file: Option<&Path>, json: bool) -> Done {
    let settings = load(file)?;
    start_log(&settings)?;
    let findings = platform::doctor(&settings)?;
    if json {
        print(&serde_json::to_string(&findings).map_err(anyhow::Error::from)?)?;
    } else {
        for finding in &findings {
            print(&line(finding))?;
        }
    }
    let bad: Vec<_> = findings
        .iter()
        .filter(|finding| finding.health == Health::Bad)
        .map(|finding| finding.what)
        .collect();
    if bad.is_empty() {
        return Ok(());
    }
    Err(Failure::of_health(&bad))
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

pub(super) fn data(json: bool) -> Done {
    let files = platform::data()?;
    if json {
        return Ok(print(
            &serde_json::to_string(&files).map_err(anyhow::Error::from)?,
        )?);
    }
    for file in files {
        print(&format!(
            "{} ({}, {})\n  {}\n  from {}, version {}\n  made {}",
            file.name, file.licence, file.date, file.about, file.source, file.version, file.made_by
        ))?;
    }
    Ok(())
}
