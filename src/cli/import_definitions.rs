//! `pharos import` of definitions: the report.

use std::fmt::Write as _;

use super::{
    failure::{CommandResult, Failure},
    output::print_report,
};
use crate::{
    config::Settings,
    platform::{self, DefinitionImport, ImportedDefinitions, ImportedItem},
};

/// Lines of each list without `--json`.
const MAX_LINES: usize = 50;

pub(super) fn import(settings: &Settings, options: &DefinitionImport, json: bool) -> CommandResult {
    let imported = platform::import_definitions(settings, options)?;
    print_report(json, &imported, |imported| text(imported, options.plan))?;
    if imported.refused > 0 {
        let what = format!("{} definitions can't be imported", imported.refused);
        let hint = "the lines above say which, and why; everything else is done";
        return Err(Failure::check_failed(&what, hint));
    }
    Ok(())
}

fn text(imported: &ImportedDefinitions, is_plan: bool) -> String {
    let verb = if is_plan { "to create" } else { "created" };
    let mut text = format!(
        "{} {verb}, {} exist already, {} refused",
        imported.create, imported.exist, imported.refused
    );
    let new = imported
        .items
        .iter()
        .filter(|item| is_plan && item.outcome == "create");
    let refused = imported
        .items
        .iter()
        .filter(|item| item.outcome == "refused");
    let lines = refused
        .map(|item| line('!', item))
        .chain(new.map(|item| line('+', item)));
    append(&mut text, lines.collect());
    let omitted = imported.omitted.iter();
    append(
        &mut text,
        omitted
            .map(|one| format!("- {}: {}", one.what, one.reason))
            .collect(),
    );
    text
}

fn line(sign: char, item: &ImportedItem) -> String {
    let mut line = format!("{sign} {} {}", item.kind, item.name);
    if let Some(reason) = &item.reason {
        // Writing to a string cannot fail.
        let _ = write!(line, " ({}): {reason}", item.at);
    }
    line
}

fn append(text: &mut String, lines: Vec<String>) {
    for line in lines.iter().take(MAX_LINES) {
        let _ = write!(text, "\n{line}");
    }
    if lines.len() > MAX_LINES {
        let more = lines.len() - MAX_LINES;
        let _ = write!(text, "\nand {more} more; `--json` lists all of them");
    }
}
