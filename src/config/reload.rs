//! Taking over an edited file while the program runs: what may change at once, and what has to wait.

use std::path::Path;

use super::{
    LoadError, Settings,
    sections::{Egress, Limits, Plans},
};

/// The settings that take effect without a restart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reloadable {
    pub limits: Limits,
    /// What probes and webhooks may reach.
    pub egress: Egress,
    /// What organizations may use.
    pub plans: Plans,
    /// The database of places; empty = none.
    pub geo_database: String,
    pub log_level: String,
}

/// Outcome of a reload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reloaded {
    /// The running settings with the reloadable ones replaced.
    pub settings: Settings,
    /// Sections (or single settings) that changed but need a restart, to be named in the log.
    pub needs_restart: Vec<&'static str>,
}

impl Settings {
    /// The part that takes effect without a restart.
    pub fn reloadable(&self) -> Reloadable {
        Reloadable {
            limits: self.limits,
            egress: self.egress.clone(),
            plans: self.plans.clone(),
            geo_database: self.geo.database.clone(),
            log_level: self.log.level.clone(),
        }
    }

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
        settings.egress = fresh.egress.clone();
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
    // Taken apart by name, so that a new section must be put on one side or the other.
    let Settings {
        server,
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
        agent,
        log,
        telemetry,
        provision,
        limits,
        egress: _,
        plans: _,
    } = running;
    let pairs = [
        ("server", *server != fresh.server),
        ("storage", *storage != fresh.storage),
        ("database", *database != fresh.database),
        ("redis", *redis != fresh.redis),
        ("events", *events != fresh.events),
        ("ingest", *ingest != fresh.ingest),
        ("query", *query != fresh.query),
        ("monitors", *monitors != fresh.monitors),
        ("geo", *geo != fresh.geo),
        ("mail", *mail != fresh.mail),
        ("alarms", *alarms != fresh.alarms),
        ("signup", *signup != fresh.signup),
        ("agent", *agent != fresh.agent),
        ("log", *log != fresh.log),
        ("telemetry", *telemetry != fresh.telemetry),
        ("provision", *provision != fresh.provision),
        (
            "limits.body_bytes",
            limits.body_bytes != fresh.limits.body_bytes,
        ),
    ];
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
        assert_ne!(reloaded.settings.reloadable(), running.reloadable());
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
