//! `pharos monitor`: arguments and reports.

use std::{fmt::Write as _, path::Path};

use clap::{Args, Subcommand};

use super::{
    failure::{CommandResult, Failure},
    output::print_report,
    start::begin,
};
use crate::platform::{self, MonitorSuggestions};

#[derive(Debug, Subcommand)]
pub(super) enum MonitorCommand {
    /// Suggest monitors for an address after one look at it: website, certificate, DNS records
    #[command(
        after_help = "Example:\n  pharos monitor suggest https://example.com --json\n\nWorks without a server, and creates nothing. In the JSON, each `monitor` is the body of POST /uptime/createSchedule."
    )]
    Suggest(SuggestArguments),
}

#[derive(Debug, Args)]
pub(super) struct SuggestArguments {
    /// A URL or host; `https://` is put before one without a scheme
    #[arg(value_name = "URL")]
    address: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn suggest(file: Option<&Path>, arguments: &SuggestArguments) -> CommandResult {
    let settings = begin(file)?;
    let found = platform::suggest_monitors(&settings, &arguments.address)?;
    let found = found.map_err(|what| {
        let hint = "check the address; `pharos doctor` looks at the machine's name servers";
        Failure::check_failed(&what, hint)
    })?;
    print_report(arguments.json, &found, text)
}

fn text(found: &MonitorSuggestions) -> String {
    let mut text = format!(
        "{} answered {} in {} ms",
        found.final_url, found.http_code, found.response_time
    );
    for one in &found.suggestions {
        let kind = one.monitor.kind.as_str();
        let url = one.monitor.url.as_deref().unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = write!(text, "\n\n{kind:<5} {url}\n      {}", one.reason);
        if let Some(problem) = &one.problem {
            let _ = write!(text, "\n      Down now: {problem}.");
        }
    }
    text
}
