//! `pharos migrate-store`: its arguments go in, and its report comes out.

use std::{collections::BTreeMap, path::Path};

use super::{arguments::MoveArguments, failure::Failure, output::print};
use crate::{
    cli::start::{Done, load, start_log},
    config::Settings,
    platform::{self, MigrationReport, RowSum},
};

pub(super) fn migrate_store(file: Option<&Path>, arguments: &MoveArguments) -> Done {
    let from = load(file)?;
    let to = Settings::load_elsewhere(&arguments.to);
    let to = to.map_err(|error| Failure::of_settings(&error))?;
    start_log(&from)?;
    let moved = platform::migrate_store(&from, &to)?;
    if arguments.json {
        print(&serde_json::to_string(&moved).map_err(anyhow::Error::from)?)?;
    } else if moved.wrong.is_empty() {
        print(&text(&moved))?;
    }
    if moved.wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::of_copies(
        moved.wrong.into_iter(),
        "nothing was switched: the stores that there were are whole. Begin anew: delete `moved.json` and `moving.tmp` in the data directory, \
         and empty the stores that it went to",
    ))
}

fn text(moved: &MigrationReport) -> String {
    let mut lines = Vec::new();
    if moved.state_from != moved.state_to {
        lines.push(format!("state: {} -> {}", moved.state_from, moved.state_to));
        lines.extend(counted(&moved.tables));
    }
    if moved.events_from != moved.events_to {
        let (from, to) = (&moved.events_from, &moved.events_to);
        lines.push(format!(
            "events: {from} -> {to}, of {} websites",
            moved.websites.len()
        ));
        lines.extend(counted(&moved.kinds));
    }
    if let Some(aside) = &moved.aside {
        lines.push(format!("what was left is in {}", aside.display()));
    }
    lines.push("moved; every count and checksum agrees".to_owned());
    lines.join("\n")
}

fn counted(all: &BTreeMap<String, RowSum>) -> impl Iterator<Item = String> {
    let told = all.iter().filter(|(_, counted)| counted.rows > 0);
    told.map(|(name, counted)| {
        format!(
            "  {name:<28} {:>12} rows  {}",
            counted.rows, counted.checksum
        )
    })
}
