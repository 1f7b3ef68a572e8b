//! One function per command. They hold no logic but the order of things.

use std::path::{Path, PathBuf};

use super::{
    arguments::{DemoArguments, PlanArguments, ResetArguments, SetupArguments},
    failure::Failure,
    output::{print, print_report},
    start::{Done, begin, load, start_log},
    welcome,
};
use crate::{
    config::Settings,
    platform::{self, Demo, Wanted},
};

pub(super) fn serve(file: Option<PathBuf>) -> Done {
    let settings = load(file.as_deref())?;
    let log = start_log(&settings)?;
    platform::serve(settings, file, log, |made, urls| {
        if let Err(error) = print(&welcome::text(made, urls)) {
            tracing::error!(%error, "cannot print how to sign in");
        }
    })?;
    Ok(())
}

pub(super) fn setup(file: Option<&Path>, arguments: SetupArguments) -> Done {
    let settings = begin(file)?;
    let wanted = Wanted {
        organization: arguments.organization,
        email: arguments.email,
        password: arguments.password,
        website: arguments.website,
    };
    let made = platform::setup(&settings, wanted)?;
    let text = |made: &_| welcome::text(made, &settings.server.urls());
    print_report(arguments.json, &made, text)
}

pub(super) fn check_config(file: Option<&Path>) -> Done {
    Settings::load(file).map_err(|error| Failure::of_checked_settings(&error))?;
    Ok(print("ok")?)
}

pub(super) fn openapi(file: Option<&Path>) -> Done {
    let settings = load(file)?;
    Ok(print(&platform::openapi(&settings)?)?)
}

pub(super) fn demo(file: Option<&Path>, arguments: DemoArguments) -> Done {
    let settings = begin(file)?;
    let demo = Demo {
        events: arguments.events,
        days: arguments.days,
        website: arguments.website,
        seed: arguments.seed,
    };
    Ok(print(&platform::demo(&settings, &demo)?)?)
}

pub(super) fn audit_verify(file: Option<&Path>, json: bool) -> Done {
    let settings = begin(file)?;
    let found = platform::audit_verify(&settings)?;
    print_report(json, &found, |found| {
        let state = if found.ok { "ok" } else { "broken" };
        format!(
            "{} entries in {} chains: {state}",
            found.entries, found.chains
        )
    })?;
    if found.ok {
        Ok(())
    } else {
        Err(Failure::of_audit(&found))
    }
}

pub(super) fn reset_password(file: Option<&Path>, arguments: &ResetArguments) -> Done {
    let settings = begin(file)?;
    Ok(print(&platform::reset_password(
        &settings,
        &arguments.email,
        arguments.remove_second_factor,
    )?)?)
}

pub(super) fn confirm_clock(file: Option<&Path>) -> Done {
    let settings = begin(file)?;
    let now = platform::confirm_clock(&settings)?;
    Ok(print(&format!(
        "the clock is confirmed: it is {now}, and what is too old by it is deleted within an hour"
    ))?)
}

pub(super) fn set_plan(file: Option<&Path>, arguments: &PlanArguments) -> Done {
    let settings = begin(file)?;
    let (id, plan) = (&arguments.id, &arguments.plan);
    Ok(print(&platform::set_plan(&settings, id, plan)?)?)
}
