//! How every command begins: settings, and the log.

use std::path::Path;

use super::failure::Failure;
use crate::{
    config::{Settings, sections::LogFormat},
    telemetry,
};

pub(super) type Done = Result<(), Failure>;

/// The settings, with the log started as they say.
pub(super) fn begin(file: Option<&Path>) -> Result<Settings, Failure> {
    let settings = load(file)?;
    start_log(&settings)?;
    Ok(settings)
}

pub(super) fn load(file: Option<&Path>) -> Result<Settings, Failure> {
    Settings::load(file).map_err(|error| Failure::of_settings(&error))
}

pub(super) fn start_log(settings: &Settings) -> Result<telemetry::Log, Failure> {
    let format = match settings.log.format {
        LogFormat::Auto => telemetry::Format::for_standard_error(),
        LogFormat::Pretty => telemetry::Format::Pretty,
        LogFormat::Json => telemetry::Format::Json,
    };
    let level = settings.log.level.clone();
    Ok(telemetry::start(&telemetry::Options { format, level })?)
}
