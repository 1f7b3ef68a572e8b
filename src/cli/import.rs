//! `pharos import`: arguments and report.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use clap::{Args, builder::PossibleValuesParser};

use super::{
    failure::{CommandResult, Failure},
    output::print_report,
};
use crate::{
    cli::start::begin,
    platform::{self, ImportFormat, ImportOptions, Imported},
};

/// Refused records that are listed without `--json`.
const MAX_REFUSALS: usize = 20;

#[derive(Debug, Args)]
pub(super) struct ImportArguments {
    /// What kind of file it is
    #[arg(value_name = "FORMAT", value_parser = PossibleValuesParser::new(ImportFormat::ALL.map(ImportFormat::name)))]
    format: String,
    /// The file, not packed
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The website's id
    #[arg(long, value_name = "ID")]
    website: String,
    /// Read everything, store nothing
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn import(file: Option<&Path>, arguments: ImportArguments) -> CommandResult {
    let settings = begin(file)?;
    let format = ImportFormat::ALL
        .into_iter()
        .find(|format| format.name() == arguments.format)
        .ok_or_else(|| anyhow::anyhow!("there is no format `{}`", arguments.format))?;
    let options = ImportOptions {
        format,
        file: arguments.file,
        website: arguments.website,
        dry: arguments.dry_run,
    };
    let imported = platform::import(&settings, &options)?;
    print_report(arguments.json, &imported, |imported| {
        summary(imported, options.dry)
    })?;
    if imported.refused > 0 {
        let refused = imported.refused;
        let what = format!("{refused} records were refused; everything else is stored");
        let hint = "the lines above say which, and why";
        return Err(Failure::check_failed(&what, hint));
    }
    Ok(())
}

fn summary(imported: &Imported, dry: bool) -> String {
    let verb = if dry { "would be stored" } else { "stored" };
    let mut text = format!("{} events {verb}", imported.events);
    // Writing to a string cannot fail.
    if imported.earlier > 0 {
        let _ = write!(
            text,
            ", after {} by earlier imports of this file",
            imported.earlier
        );
    }
    for (why, count) in &imported.left_out {
        let _ = write!(text, "\n{count:>9} left out: {why}");
    }
    if imported.refused > 0 {
        let _ = write!(text, "\n{:>9} refused:", imported.refused);
    }
    for refused in imported.refusals.iter().take(MAX_REFUSALS) {
        let _ = write!(text, "\n          line {}: {}", refused.line, refused.why);
    }
    if imported.refused > MAX_REFUSALS as u64 {
        let _ = write!(
            text,
            "\n          and more; `--json` lists the first thousand"
        );
    }
    text
}
