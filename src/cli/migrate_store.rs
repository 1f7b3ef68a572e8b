//! `pharos migrate-store`: its arguments go in, and its report comes out.

use std::{collections::BTreeMap, path::Path};

use super::{
    arguments::MigrateStoreArguments,
    failure::{CommandResult, Failure},
    output::print_report,
};
use crate::{
    cli::start::{load, start_log},
    config::Settings,
    platform::{self, MigrationReport, RowSum},
};

pub(super) fn migrate_store(
    file: Option<&Path>,
    arguments: &MigrateStoreArguments,
) -> CommandResult {
    let from = load(file)?;
    let to = Settings::load_elsewhere(&arguments.to);
    let to = to.map_err(|error| Failure::from_settings(&error))?;
    start_log(&from)?;
    let report = platform::migrate_store(&from, &to)?;
    if arguments.json || report.wrong.is_empty() {
        print_report(arguments.json, &report, text)?;
    }
    Failure::ensure_none(
        report.wrong,
        "nothing was switched: the stores that there were are whole. Begin anew: delete `moved.json` and `moving.tmp` in the data directory, \
         and empty the stores that it went to",
    )
}

fn text(report: &MigrationReport) -> String {
    let mut lines = Vec::new();
    if report.state_from != report.state_to {
        lines.push(format!(
            "state: {} -> {}",
            report.state_from, report.state_to
        ));
        lines.extend(counted(&report.tables));
    }
    if report.events_from != report.events_to {
        let (from, to) = (&report.events_from, &report.events_to);
        lines.push(format!(
            "events: {from} -> {to}, of {} websites",
            report.websites.len()
        ));
        lines.extend(counted(&report.kinds));
    }
    if let Some(aside) = &report.aside {
        lines.push(format!("what was left is in {}", aside.display()));
    }
    lines.push("moved; every count and checksum agrees".to_owned());
    lines.join("\n")
}

fn counted(all: &BTreeMap<String, RowSum>) -> impl Iterator<Item = String> {
    let counted = all.iter().filter(|(_, counted)| counted.rows > 0);
    counted.map(|(name, counted)| {
        format!(
            "  {name:<28} {:>12} rows  {}",
            counted.rows, counted.checksum
        )
    })
}
