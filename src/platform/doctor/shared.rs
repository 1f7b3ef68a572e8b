//! The servers that settings may name beside the state database: Redis and `ClickHouse`.

use std::time::Instant;

use super::Finding;
use crate::{
    clock::Clock,
    config::Settings,
    events::versions::SCHEMA,
    platform::{clickhouse, stores},
};

/// What there is to say of them; nothing where neither is named.
pub(super) async fn all(settings: &Settings) -> Vec<Finding> {
    let found = [redis(settings).await, events(settings).await];
    found.into_iter().flatten().collect()
}

async fn redis(settings: &Settings) -> Option<Finding> {
    let what = "Redis";
    let fix = "check `redis.url`, and that Redis runs there and lets this machine in";
    let begun = Instant::now();
    let shared = match stores::counts(&settings.redis, &Clock::system()) {
        Ok(shared) => shared?,
        Err(error) => return Some(Finding::bad(what, format!("{error:#}"), fix)),
    };
    Some(match shared.ping().await {
        Ok(()) => Finding::good(what, answered(begun)),
        Err(error) => Finding::bad(what, error.to_string(), fix),
    })
}

async fn events(settings: &Settings) -> Option<Finding> {
    let what = "ClickHouse";
    let begun = Instant::now();
    let engine = match clickhouse::engine(settings) {
        Ok(engine) => engine?,
        Err(error) => {
            let fix = "an address is like \"http://user:password@host:8123/database\"";
            return Some(Finding::bad(what, format!("{error:#}"), fix));
        }
    };
    Some(match engine.version().await {
        Ok(Some(found)) if found > SCHEMA => Finding::bad(
            what,
            format!("its tables have version {found}: a later pharos made them"),
            "start that version",
        ),
        Ok(Some(SCHEMA)) => Finding::good(what, answered(begun)),
        Ok(_) => Finding::good(
            what,
            format!(
                "{}; the next start brings its tables up to date",
                answered(begun)
            ),
        ),
        Err(error) => Finding::bad(what, error.to_string(), clickhouse::connection_hint(&error)),
    })
}

fn answered(begun: Instant) -> String {
    format!("it answers, after {} ms", begun.elapsed().as_millis())
}
