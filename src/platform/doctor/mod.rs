//! `pharos doctor` checks the environment of the program and says what to do.
//! It works beside a running server and changes nothing.

mod certificates;
mod clock;
mod healthcheck;
mod network;
mod shared;
mod storage;

pub use healthcheck::healthcheck;
use serde::Serialize;

use crate::{config::Settings, platform::offline::block_on};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// In order.
    Good,
    /// It works, but you should know.
    Doubtful,
    /// It does not work.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub what: &'static str,
    pub health: Health,
    pub seen: String,
    /// What to do about it; empty when nothing is to be done.
    pub fix: String,
}

impl Finding {
    fn good(what: &'static str, seen: impl Into<String>) -> Self {
        Self::new(what, Health::Good, seen, "")
    }

    fn doubtful(what: &'static str, seen: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(what, Health::Doubtful, seen, fix)
    }

    fn bad(what: &'static str, seen: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(what, Health::Bad, seen, fix)
    }

    fn new(
        what: &'static str,
        health: Health,
        seen: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            what,
            health,
            seen: seen.into(),
            fix: fix.into(),
        }
    }
}

/// Looks at everything.
///
/// # Errors
/// No runtime could be started. What is wrong is no error but in what is found.
pub fn doctor(settings: &Settings) -> anyhow::Result<Vec<Finding>> {
    block_on(async {
        let mut findings = vec![Finding::good("settings", "every setting is understood")];
        findings.extend(storage::all(settings).await);
        findings.extend(shared::all(settings).await);
        findings.push(clock::check(settings).await);
        findings.extend(network::all(settings).await);
        findings.extend(certificates::all(settings).await);
        Ok(findings)
    })
}
