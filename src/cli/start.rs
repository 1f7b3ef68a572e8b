//! How every command begins: settings, and the log.

use std::path::Path;

use super::failure::Failure;
use crate::{config::Settings, telemetry};

/// The settings, with the log started as they say.
pub(super) fn begin(file: Option<&Path>) -> Result<Settings, Failure> {
    let settings = load(file)?;
    start_log(&settings)?;
    Ok(settings)
}

pub(super) fn load(file: Option<&Path>) -> Result<Settings, Failure> {
    Settings::load(file).map_err(|error| Failure::from_settings(&error))
}

pub(super) fn start_log(settings: &Settings) -> Result<telemetry::Log, Failure> {
    Ok(telemetry::start(&settings.log)?)
}
