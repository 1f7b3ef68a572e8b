//! What can be typed, with the help texts.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::{
    import::ImportArguments, load::LoadArguments, monitor::MonitorCommand, probe::ProbeArguments,
    provision::ProvisionArguments,
};
use crate::platform::Demo;

/// Web analytics, event ingestion, short links, monitors, status pages, flags and alarms in one program.
#[derive(Debug, Parser)]
#[command(
    name = "pharos",
    version,
    propagate_version = true,
    after_help = "Without a command, pharos serves.\n\nExample:\n  pharos --config /etc/pharos.toml"
)]
pub(super) struct Arguments {
    /// The configuration file [default: ./config/pharos.toml if it is there]
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run everything; an empty store is set up first and the result printed once
    #[command(after_help = "Example:\n  pharos serve --config /etc/pharos.toml")]
    Serve,
    /// Make organization, owner, website and API key in an empty store, and print them
    #[command(
        after_help = "Example:\n  pharos setup --organization Acme --email you@acme.example --password 'long and secret' --website acme.example --json"
    )]
    Setup(SetupArguments),
    /// Read the configuration and say `ok`, or every mistake with its place
    #[command(after_help = "Example:\n  pharos check-config --config /etc/pharos.toml")]
    CheckConfig,
    /// Print the OpenAPI document that the server would publish
    #[command(after_help = "Example:\n  pharos openapi > openapi.json")]
    Openapi,
    /// Fill a demo website with realistic events of every kind
    #[command(after_help = "Example:\n  pharos demo --events 1000000 --days 90")]
    Demo(Demo),
    /// Copy all state and events into a directory of backups, also beside a running server
    #[command(
        after_help = "Example:\n  pharos backup /mnt/backups/pharos --keep 14\n\nA backup holds secrets; keep the directory as close as the data directory."
    )]
    Backup(BackupArguments),
    /// Put a backup into an empty data directory
    #[command(after_help = "Example:\n  pharos restore /mnt/backups/pharos --verify")]
    Restore(RestoreArguments),
    /// Write the manifest of event files that the data directory keeps into a state database that was rolled back
    #[command(
        after_help = "Example:\n  pharos restore-manifest --config /etc/pharos.toml\n\nFor a state database that is older than the event files. The server has to be stopped."
    )]
    RestoreManifest {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Confirm a clock that is far ahead of the last run; events are deleted by age again
    #[command(after_help = "Example:\n  pharos confirm-clock --config /etc/pharos.toml")]
    ConfirmClock,
    /// Move state and events into the stores that another configuration names, PostgreSQL and ClickHouse or back, and compare
    #[command(
        after_help = "Example:\n  pharos migrate-store --config /etc/pharos/now.toml --to /etc/pharos/next.toml\n\nThe server has to be stopped, and the stores that it goes to are empty. What is cut off goes on when it is run again."
    )]
    MigrateStore(MigrateStoreArguments),
    /// Prepare monitors
    #[command(
        subcommand,
        after_help = "Example:\n  pharos monitor suggest https://example.com"
    )]
    Monitor(MonitorCommand),
    /// Check the monitors of a server from this location
    #[command(
        after_help = "Example:\n  pharos probe --join https://pharos.example.com --token prb_… --data /var/lib/pharos-probe\n\nThe console creates the token under Monitors, Probes. Nothing calls the probe: it needs no open port."
    )]
    Probe(ProbeArguments),
    /// Help people with their accounts, also beside a running server
    #[command(
        subcommand,
        after_help = "Example:\n  pharos user reset-password --email you@acme.example"
    )]
    User(UserCommand),
    /// Change what an organization may use, also beside a running server
    #[command(
        subcommand,
        after_help = "Example:\n  pharos organization set-plan 0198c5d2-71a5-7c3e-8f0b-5a1e4f2b9d60 pro"
    )]
    Organization(OrganizationCommand),
    /// Look at everything around the program that people run into, and say what to do; works beside a running server
    #[command(after_help = "Example:\n  pharos doctor --config /etc/pharos.toml")]
    Doctor {
        /// Print a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Ask the running program whether it is ready: exit code 0 or 1, for the health check of a container
    #[command(after_help = "Example:\n  pharos healthcheck --config /etc/pharos/pharos.toml")]
    Healthcheck,
    /// Show the data that is compiled in, where it comes from and under which licence
    #[command(after_help = "Example:\n  pharos data")]
    Data {
        /// Print a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Turn a file of another tool into events of a website, or into links, monitors and flags; adds nothing twice
    #[command(
        after_help = "Example:\n  pharos import access-log /var/log/nginx/access.log --website 0198c5d2-71a5-7c3e-8f0b-5a1e4f2b9d60 --dry-run\n\naccess-log: a web server's log in the combined format. umami: website_event.csv of an Umami export. pharos: a file of GET /v1/export as CSV or NDJSON. plausible: the zip archive of a Plausible export. The server has to be stopped.\n\nbitly, dub, kutt, shlink, yourls: links. gatus, statuspage, uptime-kuma, uptimerobot: monitors. flagsmith, growthbook, unleash: flags. A running server creates them: name it with --server, and a key in PHAROS_API_KEY."
    )]
    Import(ImportArguments),
    /// Say what the declared resources of config/provision/*.toml would change
    #[command(
        after_help = "Example:\n  pharos plan --config /etc/pharos/pharos.toml\n\nA running server is asked, and reads the files itself. Nothing is changed."
    )]
    Plan(ProvisionArguments),
    /// Create and change resources as declared; what was made or changed by hand stays
    #[command(
        after_help = "Example:\n  pharos apply --config /etc/pharos/pharos.toml\n\nA running server does it at its start, when a file changes and on SIGHUP, too."
    )]
    Apply(ProvisionArguments),
    /// Load-test a server within bounds, and report how it answers
    #[command(
        after_help = "Example:\n  pharos load http://127.0.0.1:8081 --shape page --website ID --seconds 10 --against http://127.0.0.1:3000 --against-shape umami --against-website ID\n\nLimits count these requests, too: set `limits.track_requests` and the like to 0 on a server that is there to be measured."
    )]
    Load(LoadArguments),
    /// Look after the audit log
    #[command(after_help = "Example:\n  pharos audit verify")]
    Audit {
        #[command(subcommand)]
        command: AuditCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum AuditCommand {
    /// Prove that no entry was changed, taken out or put in; works beside a running server
    #[command(after_help = "Example:\n  pharos audit verify --json")]
    Verify {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum UserCommand {
    /// Set a generated password, print it, and end all sessions of the account
    #[command(after_help = "Example:\n  pharos user reset-password --email you@acme.example")]
    ResetPassword(ResetArguments),
    /// Let an account in with its password although its organization requires a provider; a running server notices within a minute
    #[command(
        after_help = "Example:\n  pharos user break-glass --email you@acme.example\n\nSets no password: `pharos user reset-password` does."
    )]
    BreakGlass(BreakGlassArguments),
}

#[derive(Debug, Subcommand)]
pub(super) enum OrganizationCommand {
    /// Put an organization on another plan; a running server notices within a minute
    #[command(
        after_help = "Example:\n  pharos organization set-plan 0198c5d2-71a5-7c3e-8f0b-5a1e4f2b9d60 pro"
    )]
    SetPlan(PlanArguments),
}

#[derive(Debug, Args)]
pub(super) struct BackupArguments {
    /// Where backups are kept; made if it is not there
    #[arg(value_name = "DIR")]
    pub(super) directory: PathBuf,
    /// Delete all but the last N backups afterwards
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) keep: Option<u16>,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct RestoreArguments {
    /// Where backups are kept
    #[arg(value_name = "DIR")]
    pub(super) directory: PathBuf,
    /// Which backup [default: the last one]
    #[arg(long, value_name = "NAME")]
    pub(super) at: Option<String>,
    /// Also count what is in the files, and look through the state database, before anything is put in its place
    #[arg(long)]
    pub(super) verify: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct MigrateStoreArguments {
    /// A configuration file that names where the stores are to be, with the same data directory
    #[arg(long, value_name = "FILE")]
    pub(super) to: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct PlanArguments {
    /// The organization's id, or its slug
    #[arg(value_name = "ID")]
    pub(super) id: String,
    /// A plan of the configuration file (`[plans.<name>]`)
    #[arg(value_name = "PLAN")]
    pub(super) plan: String,
}

#[derive(Debug, Args)]
pub(super) struct BreakGlassArguments {
    /// The address that the person signs in with
    #[arg(long, value_name = "ADDRESS")]
    pub(super) email: String,
    /// Revoke the access again
    #[arg(long)]
    pub(super) remove: bool,
}

#[derive(Debug, Args)]
pub(super) struct ResetArguments {
    /// The account's address
    #[arg(long, value_name = "ADDRESS")]
    pub(super) email: String,
    /// Also turn off two-factor authentication, for a person who has lost it
    #[arg(long)]
    pub(super) remove_second_factor: bool,
}

#[derive(Debug, Args)]
pub(super) struct SetupArguments {
    /// Name of the organization
    #[arg(long, value_name = "NAME", default_value = "Default")]
    pub(super) organization: String,
    /// The owner's address
    #[arg(long, value_name = "ADDRESS", default_value = "admin@localhost")]
    pub(super) email: String,
    /// The owner's password [default: a generated one]
    #[arg(long, value_name = "PASSWORD", requires = "email")]
    pub(super) password: Option<String>,
    /// Domain of the website
    #[arg(long, value_name = "DOMAIN", default_value = "localhost")]
    pub(super) website: String,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_holds_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_has_an_example_and_takes_a_file() {
        let mut whole = Arguments::command();
        whole.build();
        for command in whole
            .get_subcommands()
            .filter(|command| command.get_name() != "help")
        {
            let name = command.get_name();
            let help = command
                .get_after_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            assert!(
                help.contains(&format!("Example:\n  pharos {name}")),
                "{name}"
            );
            assert!(
                command
                    .get_arguments()
                    .any(|argument| argument.get_id() == "config"),
                "{name}"
            );
        }
    }

    #[test]
    fn defaults_are_the_promised_ones() {
        let parsed = Arguments::try_parse_from(["pharos", "setup"]).unwrap();
        let Some(Command::Setup(setup)) = parsed.command else {
            panic!("not setup")
        };
        assert_eq!(
            (&*setup.organization, &*setup.email),
            ("Default", "admin@localhost")
        );
        assert_eq!(
            (&*setup.website, setup.password, setup.json),
            ("localhost", None, false)
        );
        assert!(
            Arguments::try_parse_from(["pharos"])
                .unwrap()
                .command
                .is_none()
        );
    }

    #[test]
    fn the_file_may_be_named_before_or_after_the_command() {
        for line in [
            ["pharos", "--config", "f", "serve"],
            ["pharos", "serve", "--config", "f"],
        ] {
            let parsed = Arguments::try_parse_from(line).unwrap();
            assert_eq!(parsed.config.as_deref(), Some("f".as_ref()));
        }
    }
}
