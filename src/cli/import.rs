//! `pharos import`: arguments and report.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use clap::{Args, builder::PossibleValuesParser};

use super::{
    failure::{CommandResult, Failure},
    import_definitions,
    output::print_report,
};
use crate::{
    cli::start::begin,
    platform::{
        self, CommandError, DefinitionFormat, DefinitionImport, ImportFormat, ImportOptions,
        Imported,
    },
};

/// Refused records that are listed without `--json`.
const MAX_REFUSALS: usize = 20;

#[derive(Debug, Args)]
pub(super) struct ImportArguments {
    /// What kind of file it is
    #[arg(value_name = "FORMAT", value_parser = formats())]
    format: String,
    /// The file, not packed
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The website's id; of events, and of flags that are for one
    #[arg(long, value_name = "ID")]
    website: Option<String>,
    /// Read everything, store nothing
    #[arg(long, alias = "plan")]
    dry_run: bool,
    /// The running server to import into [default: of definitions `server.base_url`; of events none, and the server has to be stopped]
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// The organization that definitions are created in [default: the key's]
    #[arg(long, value_name = "ID")]
    organization: Option<String>,
    /// The environment whose flags are imported [default: production]
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Formats of events and of definitions.
fn formats() -> PossibleValuesParser {
    let events = ImportFormat::ALL.iter().map(|format| format.name());
    let definitions = DefinitionFormat::all()
        .into_iter()
        .map(DefinitionFormat::name);
    PossibleValuesParser::new(events.chain(definitions))
}

pub(super) fn import(file: Option<&Path>, arguments: ImportArguments) -> CommandResult {
    let settings = begin(file)?;
    if let Some(format) = DefinitionFormat::find(&arguments.format) {
        let options = DefinitionImport {
            format,
            file: arguments.file,
            server: arguments.server,
            organization: arguments.organization,
            website: arguments.website,
            environment: arguments.environment,
            plan: arguments.dry_run,
        };
        return import_definitions::import(&settings, &options, arguments.json);
    }
    let Some(website) = arguments.website else {
        let missing = CommandError {
            what: "events are of a website, and none is named".to_owned(),
            hint: "add --website ID".to_owned(),
        };
        return Err(anyhow::Error::from(missing).into());
    };
    let format = ImportFormat::find(&arguments.format)
        .ok_or_else(|| anyhow::anyhow!("there is no format `{}`", arguments.format))?;
    let options = ImportOptions {
        format,
        file: arguments.file,
        website,
        dry: arguments.dry_run,
    };
    let imported = match &arguments.server {
        Some(server) => platform::import_events(&settings, &options, server)?,
        None => platform::import(&settings, &options)?,
    };
    print_report(arguments.json, &imported, |imported| {
        summary(imported, options.dry)
    })?;
    if imported.report.refused > 0 {
        let refused = imported.report.refused;
        let what = format!("{refused} records were refused; everything else is stored");
        let hint = "the lines above say which, and why";
        return Err(Failure::check_failed(&what, hint));
    }
    Ok(())
}

fn summary(imported: &Imported, dry: bool) -> String {
    let verb = if dry { "would be stored" } else { "stored" };
    let report = &imported.report;
    let mut text = format!("{} events {verb}", report.events);
    // Writing to a string cannot fail.
    if imported.earlier > 0 {
        let _ = write!(
            text,
            ", after {} by earlier imports of this file",
            imported.earlier
        );
    }
    let kinds = report.kinds.iter();
    for (kind, count) in kinds.filter(|_| report.kinds.len() > 1) {
        let _ = write!(text, "\n{count:>9} {kind}");
    }
    if report.people > 0 {
        let _ = write!(text, "\n{:>9} name a person or their traits", report.people);
    }
    for one in &report.omitted {
        let _ = write!(
            text,
            "\n{:>9} have `{}`, which isn't imported: {}",
            one.records, one.field, one.reason
        );
    }
    for (why, count) in &report.left_out {
        let _ = write!(text, "\n{count:>9} left out: {why}");
    }
    if report.refused > 0 {
        let _ = write!(text, "\n{:>9} refused:", report.refused);
    }
    for refused in report.refusals.iter().take(MAX_REFUSALS) {
        let _ = write!(text, "\n          line {}: {}", refused.line, refused.why);
    }
    if report.refused > MAX_REFUSALS as u64 {
        let _ = write!(
            text,
            "\n          and more; `--json` lists the first thousand"
        );
    }
    text
}
