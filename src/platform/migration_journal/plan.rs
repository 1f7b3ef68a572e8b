//! Where stores are, and what a migration has to do.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    config::{
        Settings,
        sections::{Database, EventStore},
    },
    platform::CommandError,
};

const EMBEDDED: &str = "embedded";

/// Where the stores of an installation are, without passwords.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::platform) struct StoreLocation {
    /// `sqlite`, or the address of `PostgreSQL`.
    pub(in crate::platform) state: String,
    /// `embedded`, or the address of `ClickHouse`.
    pub(in crate::platform) events: String,
}

impl StoreLocation {
    pub(in crate::platform) fn from_settings(settings: &Settings) -> Self {
        let events = match settings.events.store {
            EventStore::Embedded => EMBEDDED.to_owned(),
            EventStore::Clickhouse => bare(settings.events.clickhouse_url.expose()),
        };
        let state = match settings.database.url.expose() {
            url if settings.database.is_embedded() => url.to_owned(),
            url => bare(url),
        };
        Self { state, events }
    }

    /// Whether state is in the data directory, and whether events are.
    pub(in crate::platform) fn kinds(&self) -> (bool, bool) {
        (self.state == Database::EMBEDDED, self.events == EMBEDDED)
    }
}

/// What is migrated, and from where to where.
#[derive(Debug)]
pub(in crate::platform) struct Plan<'s> {
    pub(in crate::platform) from: &'s Settings,
    pub(in crate::platform) to: &'s Settings,
    /// The one that both have.
    pub(in crate::platform) data_dir: PathBuf,
    /// Whether state is migrated.
    pub(in crate::platform) state: bool,
    /// Whether events are migrated.
    pub(in crate::platform) events: bool,
}

impl<'s> Plan<'s> {
    /// What two settings are apart.
    ///
    /// # Errors
    /// That is nothing, or nothing that can be migrated.
    pub(in crate::platform) fn between(
        from: &'s Settings,
        to: &'s Settings,
    ) -> anyhow::Result<Self> {
        let data_dir = std::path::absolute(&from.storage.data_dir)?;
        let other = std::path::absolute(&to.storage.data_dir)?;
        if data_dir != other {
            return CommandError::refuse(
                format!(
                    "the data directory stays where it is: `{}`, and not `{}`",
                    data_dir.display(),
                    other.display()
                ),
                "name the same `storage.data_dir` in the file behind `--to`",
            );
        }
        let (here, there) = (
            StoreLocation::from_settings(from),
            StoreLocation::from_settings(to),
        );
        if here == there {
            return CommandError::refuse(
                "the file behind `--to` names the stores that there are",
                "change `database.url`, `events.store` or both in it; what the environment says of stores does not count for it",
            );
        }
        let (state, events) = (
            here.kinds().0 != there.kinds().0,
            here.kinds().1 != there.kinds().1,
        );
        if !state && here.state != there.state {
            return CommandError::refuse(
                "state moves between SQLite and PostgreSQL, not between two servers",
                "use `pg_dump` and `pg_restore`",
            );
        }
        if !events && here.events != there.events {
            return CommandError::refuse(
                "events move between the data directory and ClickHouse, not between two servers",
                "use `BACKUP DATABASE` and `RESTORE DATABASE` of ClickHouse",
            );
        }
        Ok(Self {
            from,
            to,
            data_dir,
            state,
            events,
        })
    }
}

/// An address without the user, the password and what is asked of the connection.
fn bare(address: &str) -> String {
    let Ok(mut url) = Url::parse(address) else {
        return "an address that cannot be read".to_owned();
    };
    // Neither can fail for an address with a host; without one there is nothing to hide.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.into()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn settings(toml: &str) -> Settings {
        let file = Path::new("test.toml");
        Settings::parse(Some((file, toml.as_bytes())), []).unwrap()
    }

    const POSTGRES: &str = "database.url = \"postgres://u:hunter2@h/d?sslmode=require\"\n";
    const CLICKHOUSE: &str =
        "events.store = \"clickhouse\"\nevents.clickhouse_url = \"http://u:hunter2@h:8123/d\"\n";

    #[test]
    fn places_have_no_passwords() {
        let place = StoreLocation::from_settings(&settings(&format!("{POSTGRES}{CLICKHOUSE}")));
        assert_eq!(place.state, "postgres://h/d");
        assert_eq!(place.events, "http://h:8123/d");
        assert_eq!(place.kinds(), (false, false));
    }

    #[test]
    fn what_differs_is_moved_and_nothing_else() {
        let (embedded, both) = (settings(""), settings(&format!("{POSTGRES}{CLICKHOUSE}")));
        let (postgres, clickhouse) = (settings(POSTGRES), settings(CLICKHOUSE));
        let moves = |from, to| {
            Plan::between(from, to)
                .map(|plan| (plan.state, plan.events))
                .ok()
        };
        assert_eq!(moves(&embedded, &both), Some((true, true)));
        assert_eq!(moves(&both, &embedded), Some((true, true)));
        assert_eq!(moves(&embedded, &postgres), Some((true, false)));
        assert_eq!(moves(&both, &postgres), Some((false, true)));
        assert_eq!(moves(&clickhouse, &postgres), Some((true, true)));
        let elsewhere = settings("storage.data_dir = \"/elsewhere\"\n");
        let other = settings("database.url = \"postgres://other/d\"\n");
        for (from, to) in [
            (&embedded, &embedded),
            (&embedded, &elsewhere),
            (&postgres, &other),
        ] {
            assert_eq!(moves(from, to), None);
        }
    }
}
