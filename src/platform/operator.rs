//! What an operator does to accounts and organizations from the command line, also beside a running server.

use std::path::Path;

use secrecy::ExposeSecret;

use super::{CommandError, offline::with_state};
use crate::{
    actors::{
        kit::Domain as _,
        organizations::{self, Organizations},
    },
    clock::{Clock, iso_ms},
    config::Settings,
    store::last_run,
};

/// Sets a generated password for an account and gives it back. Works beside a running server, which ends the account's
/// sessions within a minute, or as soon as the new password is used.
///
/// # Errors
/// A [`CommandError`] when there is no such account or nothing is installed, or what the database says.
pub fn reset_password(
    settings: &Settings,
    email: &str,
    remove_second_factor: bool,
) -> anyhow::Result<String> {
    let password = with_state(settings, async |state| {
        let (state, clock) = (state.for_domain(Organizations::NAME), Clock::system());
        Ok(organizations::reset_password(&state, &clock, email, remove_second_factor).await?)
    })?;
    let password = password.ok_or_else(|| {
        CommandError::new(
            format!("there is no account `{email}`"),
            "`--email` takes the address that the person signs in with",
        )
    })?;
    Ok(password.expose_secret().to_owned())
}

/// Lets an account in with its password where an organization requires a provider, or no longer, and says so. Works beside a running
/// server, which notices within a minute, or as soon as the password is used.
///
/// # Errors
/// A [`CommandError`] when there is no such account or nothing is installed, or what the database says.
pub fn break_glass(settings: &Settings, email: &str, on: bool) -> anyhow::Result<String> {
    let found = with_state(settings, async |state| {
        let state = state.for_domain(Organizations::NAME);
        Ok(organizations::set_break_glass(&state, email, on).await?)
    })?;
    if !found {
        return CommandError::refuse(
            format!("there is no account `{email}`"),
            "`--email` takes the address that the person signs in with",
        );
    }
    let may = if on {
        "may sign in with a password everywhere"
    } else {
        "has to sign in with the provider that an organization requires"
    };
    Ok(format!("{email} {may}"))
}

/// Says that the clock is right although it is far ahead of the server's last run, and gives its time back. Works beside a
/// running server, which deletes by age again within an hour.
///
/// # Errors
/// A [`CommandError`] when nothing is installed, or what the disk says.
pub fn confirm_clock(settings: &Settings) -> anyhow::Result<String> {
    with_state(settings, async |_| Ok(()))?;
    let now = Clock::system().now_ms();
    last_run::write(Path::new(&settings.storage.data_dir), now)?;
    Ok(iso_ms(now))
}

/// Puts an organization on another plan and says so. Works beside a running server, which notices within a minute.
///
/// # Errors
/// A [`CommandError`] when there is no such plan or organization, or what the database says.
pub fn set_plan(settings: &Settings, organization: &str, plan: &str) -> anyhow::Result<String> {
    let known = &settings.plans.named;
    if !known.contains_key(plan) {
        let names: Vec<&str> = known.keys().map(String::as_str).collect();
        return CommandError::refuse(
            format!("there is no plan `{plan}`"),
            format!("the configuration has the plans {}", names.join(", ")),
        );
    }
    let name = with_state(settings, async |state| {
        let (state, clock) = (state.for_domain(Organizations::NAME), Clock::system());
        Ok(organizations::set_plan(&state, &clock, organization, plan).await?)
    })?;
    let name = name.ok_or_else(|| {
        CommandError::new(
            format!("there is no organization `{organization}`"),
            "an organization is named by the id or the slug that `/api/auth/organization/list` shows",
        )
    })?;
    let switched_off = if settings.plans.enabled {
        ""
    } else {
        "; plans are switched off (`plans.enabled`)"
    };
    Ok(format!("{name} is on the plan {plan}{switched_off}"))
}
