//! `pharos probe`: arguments.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{failure::CommandResult, start::begin};
use crate::platform::{self, ProbeOptions};

#[derive(Debug, Args)]
pub(super) struct ProbeArguments {
    /// The server's URL; HTTPS, unless it is this machine
    #[arg(long, value_name = "URL")]
    join: String,
    /// The probe's token [default: the variable `PHAROS_PROBE_TOKEN`]
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// What the console shows as the machine [default: its host name]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Where results wait until the server has them
    #[arg(long, value_name = "DIR", default_value = "pharos-probe")]
    data: PathBuf,
}

pub(super) fn probe(file: Option<&Path>, arguments: ProbeArguments) -> CommandResult {
    let settings = begin(file)?;
    let options = ProbeOptions {
        join: arguments.join,
        token: arguments.token.map(Into::into),
        name: arguments.name,
        directory: arguments.data,
    };
    Ok(platform::probe(&settings, options)?)
}
