//! One function per command. They hold no logic but the order of things.

use std::path::{Path, PathBuf};

use super::{
    arguments::{BreakGlassArguments, PlanArguments, ResetArguments, SetupArguments},
    failure::{CommandResult, Failure},
    output::{print, print_report},
    start::{begin, load, start_log},
    welcome,
};
use crate::{
    config::Settings,
    platform::{self, Demo, Install},
};

pub(super) fn serve(file: Option<PathBuf>) -> CommandResult {
    let settings = load(file.as_deref())?;
    let log = start_log(&settings)?;
    platform::serve(settings, file, log, |result, urls| {
        if let Err(error) = print(&welcome::text(result, urls)) {
            tracing::error!(%error, "cannot print how to sign in");
        }
    })?;
    Ok(())
}

pub(super) fn setup(file: Option<&Path>, arguments: SetupArguments) -> CommandResult {
    let settings = begin(file)?;
    let install = Install {
        organization: arguments.organization,
        email: arguments.email,
        password: arguments.password.map(Into::into),
        website: arguments.website,
        ..Install::default()
    };
    let result = platform::setup(&settings, install)?;
    let text = |result: &_| welcome::text(result, &settings.server.urls());
    print_report(arguments.json, &result, text)
}

pub(super) fn check_config(file: Option<&Path>) -> CommandResult {
    let settings = Settings::load(file).map_err(|error| Failure::from_checked_settings(&error))?;
    let channels = platform::channels(&settings);
    channels.map_err(|error| Failure::check_failed(&error.to_string(), &error.hint))?;
    Ok(print("ok")?)
}

pub(super) fn openapi(file: Option<&Path>) -> CommandResult {
    let settings = load(file)?;
    Ok(print(&platform::openapi(&settings)?)?)
}

pub(super) fn demo(file: Option<&Path>, demo: &Demo) -> CommandResult {
    let settings = begin(file)?;
    Ok(print(&platform::demo(&settings, demo)?)?)
}

pub(super) fn audit_verify(file: Option<&Path>, json: bool) -> CommandResult {
    let settings = begin(file)?;
    let found = platform::audit_verify(&settings)?;
    print_report(json, &found, |found| {
        let state = if found.ok { "ok" } else { "broken" };
        format!(
            "{} entries in {} chains: {state}",
            found.report.entries, found.report.chains
        )
    })?;
    let wrong = found.report.broken.iter().map(|broken| {
        let log = match broken.chain.as_str() {
            "" => "the log of no organization".to_owned(),
            organization => format!("the log of organization {organization}"),
        };
        format!("{log}, entry {}: {}", broken.seq, broken.why)
    });
    let hint = "compare with a backup or an export from before; entries up to the named one hold";
    Failure::ensure_none(wrong, hint)
}

pub(super) fn reset_password(file: Option<&Path>, arguments: &ResetArguments) -> CommandResult {
    let settings = begin(file)?;
    Ok(print(&platform::reset_password(
        &settings,
        &arguments.email,
        arguments.remove_second_factor,
    )?)?)
}

pub(super) fn break_glass(file: Option<&Path>, arguments: &BreakGlassArguments) -> CommandResult {
    let settings = begin(file)?;
    let (email, remove) = (&arguments.email, arguments.remove);
    Ok(print(&platform::break_glass(&settings, email, !remove)?)?)
}

pub(super) fn confirm_clock(file: Option<&Path>) -> CommandResult {
    let settings = begin(file)?;
    let now = platform::confirm_clock(&settings)?;
    Ok(print(&format!(
        "the clock is confirmed: it is {now}, and what is too old by it is deleted within an hour"
    ))?)
}

pub(super) fn set_plan(file: Option<&Path>, arguments: &PlanArguments) -> CommandResult {
    let settings = begin(file)?;
    let (id, plan) = (&arguments.id, &arguments.plan);
    Ok(print(&platform::set_plan(&settings, id, plan)?)?)
}
