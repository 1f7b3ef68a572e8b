//! `pharos plan` and `pharos apply`: arguments and report.

use std::path::Path;

use clap::Args;

use super::{
    failure::{CommandResult, Failure},
    output::print_report,
};
use crate::{
    cli::start::begin,
    platform::{self, Action, PlannedStep, ProvisionOptions, Report},
};

#[derive(Debug, Args)]
pub(super) struct ProvisionArguments {
    /// Overwrite what was changed by hand
    #[arg(long)]
    force: bool,
    /// Leave alone what is declared no more, and forget that it was
    #[arg(long)]
    keep: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn provision(
    file: Option<&Path>,
    arguments: &ProvisionArguments,
    apply: bool,
) -> CommandResult {
    let settings = begin(file)?;
    let options = ProvisionOptions {
        apply,
        force: arguments.force,
        keep: arguments.keep,
    };
    let report = platform::provision(&settings, file, options)?;
    if arguments.json || report.mistakes.is_empty() {
        print_report(arguments.json, &report, |report| text(report, apply))?;
    }
    if !report.mistakes.is_empty() || report.stopped.is_some() {
        return Err(Failure::from_report(&report));
    }
    let conflicts = report.count(Action::Conflict);
    if apply && conflicts > 0 {
        let what = format!("{conflicts} in conflict with what was done by hand, and left alone");
        let hint = "the lines above say how to decide";
        return Err(Failure::check_failed(&what, hint));
    }
    Ok(())
}

fn text(report: &Report, apply: bool) -> String {
    if !report.there {
        return format!("nothing to do: there is no directory {}", report.directory);
    }
    let shown = report
        .steps
        .iter()
        .filter(|step| step.action != Action::Unchanged);
    let mut lines: Vec<String> = shown.map(line).collect();
    let unchanged = report.count(Action::Unchanged);
    if !report.is_work() {
        lines.push(format!("nothing to do; {unchanged} as declared"));
        return lines.join("\n");
    }
    if report.stopped.is_some() {
        let whole = report.left.is_empty();
        let end = if whole {
            "nothing was done"
        } else {
            "not all of it could be taken back"
        };
        lines.push(end.to_owned());
        return lines.join("\n");
    }
    let verb = if apply { "done" } else { "to do" };
    let counts = [
        (Action::Create, "create"),
        (Action::Adopt, "adopt"),
        (Action::Update, "update"),
        (Action::Delete, "delete"),
        (Action::Forget, "forget"),
        (Action::Conflict, "in conflict"),
    ];
    let counts = counts
        .iter()
        .filter(|(action, _)| report.count(*action) > 0);
    let counts: Vec<String> = counts
        .map(|(action, name)| format!("{} {name}", report.count(*action)))
        .collect();
    lines.push(format!(
        "{verb}: {}; {unchanged} as declared",
        counts.join(", ")
    ));
    lines.join("\n")
}

fn line(step: &PlannedStep) -> String {
    let (sign, what) = match step.action {
        Action::Create => ('+', "create"),
        Action::Adopt => ('+', "adopt"),
        Action::Update => ('~', "update"),
        Action::Delete => ('-', "delete"),
        Action::Forget => ('-', "forget, declared no more"),
        Action::Conflict => ('!', "conflict"),
        Action::Unchanged => (' ', "as declared"),
    };
    let mut line = format!("{sign} {}: {what}", step.key);
    if !step.fields.is_empty() {
        line.push(' ');
        line.push_str(&step.fields.join(", "));
    }
    if let Some(why) = &step.why {
        line.push_str(": ");
        line.push_str(why);
    }
    line
}
