//! Taking over an edited file while the program runs: what may change at once, and what has to wait.

use std::path::Path;

use super::{
    LoadError, Settings,
    sections::{Egress, Limits},
};

/// Outcome of a reload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reloaded {
    /// The running settings with the reloadable ones replaced.
    pub settings: Settings,
    /// Sections (or single settings) that changed but need a restart, to be named in the log.
    pub needs_restart: Vec<&'static str>,
}

impl Settings {
    /// Reads the file and the environment again; what cannot change at run time stays as it is.
    ///
    /// # Errors
    /// As [`Settings::load`]; the running settings are not touched then.
    pub fn reload(&self, file: Option<&Path>) -> Result<Reloaded, LoadError> {
        Ok(self.adopt(&Self::load(file)?))
    }

    /// Takes over what may change at once from `fresh`. Pure.
    pub fn adopt(&self, fresh: &Self) -> Reloaded {
        let mut settings = self.clone();
        settings.limits = Limits {
            // The listeners were built with it.
            body_bytes: self.limits.body_bytes,
            ..fresh.limits
        };
        let name_servers = self.egress.name_servers.clone();
        settings.egress = Egress {
            name_servers,
            ..fresh.egress.clone()
        };
        settings.plans = fresh.plans.clone();
        settings.geo.database.clone_from(&fresh.geo.database);
        settings.log.level.clone_from(&fresh.log.level);
        Reloaded {
            needs_restart: differences(&settings, fresh),
            settings,
        }
    }
}

fn differences(running: &Settings, fresh: &Settings) -> Vec<&'static str> {
    // Destructured: the compiler asks on which side a new section belongs.
    let Settings {
        server,
        acme,
        storage,
        database,
        redis,
        events,
        ingest,
        query,
        monitors,
        geo,
        mail,
        alarms,
        signup,
        auth,
        agent,
        log,
        telemetry,
        provision,
        limits,
        egress,
        plans: _,
    } = running;
    macro_rules! compare {
        ($($section:ident),*) => {
            vec![$((stringify!($section), *$section != fresh.$section)),*]
        };
    }
    let mut pairs = compare![
        server, acme, storage, database, redis, events, ingest, query, monitors, geo, mail, alarms,
        signup, auth, agent, log, telemetry, provision
    ];
    pairs.push((
        "limits.body_bytes",
        limits.body_bytes != fresh.limits.body_bytes,
    ));
    pairs.push((
        "egress.name_servers",
        egress.name_servers != fresh.egress.name_servers,
    ));
    let changed = pairs.into_iter().filter(|(_, differs)| *differs);
    changed.map(|(section, _)| section).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::config::Settings;

    fn parse(text: &str) -> Settings {
        Settings::parse(Some((Path::new("f"), text.as_bytes())), []).unwrap()
    }

    #[test]
    fn limits_egress_plans_database_and_level_change_at_once() {
        let running = parse("");
        let fresh = parse(
            "limits.track_requests = 1\negress.allow = ['127.0.0.0/8']\nplans.enabled = true\nlog.level = 'debug'\ngeo.database = 'city.mmdb'",
        );
        let reloaded = running.adopt(&fresh);
        assert_eq!(reloaded.settings, fresh);
        assert_ne!(reloaded.settings, running);
        assert!(reloaded.needs_restart.is_empty());
    }

    #[test]
    fn everything_else_stays_and_is_named() {
        let running = parse("");
        let fresh = parse(
            "limits.track_requests = 1\nlimits.body_bytes = 9\nserver.workers = 3\nlog.format = 'json'\ngeo.city_header = 'x-city'\ndatabase.url = 'postgres://u:p@h/d'",
        );
        let reloaded = running.adopt(&fresh);
        assert_eq!(reloaded.settings.limits.track_requests, 1);
        assert_eq!(reloaded.settings.server, running.server);
        assert_eq!(reloaded.settings.database, running.database);
        assert_eq!(
            reloaded.needs_restart,
            ["server", "database", "geo", "log", "limits.body_bytes"]
        );
        assert_eq!(
            reloaded.settings.limits.body_bytes,
            running.limits.body_bytes
        );
    }
}
