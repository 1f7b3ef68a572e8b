//! The command line: reads arguments and settings, calls `platform`, says what came of it.
//!
//! Invariants: results go to standard output, everything else to standard error; the exit code is 0 when the command
//! did what it says, 1 when the thing it checked is wrong, 2 when the usage or the environment is; an error is one
//! readable line, followed by a line that begins with `hint:`.

mod arguments;
mod commands;
mod copies;
mod doctor;
mod failure;
mod import;
mod import_definitions;
mod load;
mod migrate_store;
mod monitor;
mod output;
mod probe;
mod provision;
mod start;
mod welcome;

use std::{ffi::OsString, process::ExitCode};

use clap::Parser;

use self::{
    arguments::{Arguments, AuditCommand, Command, OrganizationCommand, UserCommand},
    failure::Failure,
    monitor::MonitorCommand,
};
use crate::allocator;

/// Runs the command that `arguments` name; the first one is the program's own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return failure::usage(&error),
    };
    // For clients that have no TLS settings of their own; without it they panic. Which provider is the default depends on
    // the features of the whole build, tests' included.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let file = arguments.config;
    let done = match arguments.command.unwrap_or(Command::Serve) {
        Command::Serve => {
            allocator::return_soon();
            commands::serve(file)
        }
        Command::Setup(setup) => commands::setup(file.as_deref(), setup),
        Command::CheckConfig => commands::check_config(file.as_deref()),
        Command::Openapi => commands::openapi(file.as_deref()),
        Command::Demo(demo) => commands::demo(file.as_deref(), &demo),
        Command::Backup(backup) => copies::backup(file.as_deref(), &backup),
        Command::Restore(restore) => copies::restore(file.as_deref(), &restore),
        Command::RestoreManifest { json } => copies::restore_manifest(file.as_deref(), json),
        Command::ConfirmClock => commands::confirm_clock(file.as_deref()),
        Command::MigrateStore(arguments) => {
            migrate_store::migrate_store(file.as_deref(), &arguments)
        }
        Command::Monitor(MonitorCommand::Suggest(arguments)) => {
            monitor::suggest(file.as_deref(), &arguments)
        }
        Command::Probe(arguments) => probe::probe(file.as_deref(), arguments),
        Command::Healthcheck => doctor::healthcheck(file.as_deref()),
        Command::Doctor { json } => doctor::doctor(file.as_deref(), json),
        Command::Data { json } => doctor::data(json),
        Command::Import(arguments) => import::import(file.as_deref(), arguments),
        Command::Plan(arguments) => provision::provision(file.as_deref(), &arguments, false),
        Command::Apply(arguments) => provision::provision(file.as_deref(), &arguments, true),
        Command::Load(arguments) => load::load(&arguments),
        Command::Audit {
            command: AuditCommand::Verify { json },
        } => commands::audit_verify(file.as_deref(), json),
        Command::Organization(OrganizationCommand::SetPlan(plan)) => {
            commands::set_plan(file.as_deref(), &plan)
        }
        Command::User(UserCommand::BreakGlass(arguments)) => {
            commands::break_glass(file.as_deref(), &arguments)
        }
        Command::User(UserCommand::ResetPassword(reset)) => {
            commands::reset_password(file.as_deref(), &reset)
        }
    };
    done.map_or_else(Failure::report, |()| ExitCode::SUCCESS)
}
