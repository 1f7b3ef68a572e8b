//! `pharos audit verify`: reads the state database beside whatever runs, and takes no lock.

use anyhow::Context;
use serde::Serialize;

use super::offline::with_state;
use crate::{
    actors::audit::{self, Report},
    config::Settings,
};

/// What the walk through the audit log found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditFound {
    /// Whether every chain holds.
    pub ok: bool,
    /// Chains, one for each organization.
    pub chains: u64,
    /// Entries in all of them.
    pub entries: u64,
    /// Where chains do not hold.
    pub broken: Vec<AuditBroken>,
}

/// Where a chain does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditBroken {
    /// Whose log; empty for the log of no organization.
    pub organization: String,
    /// Which entry, from 1.
    pub entry: i64,
    /// What is wrong there.
    pub why: &'static str,
}

/// Walks every chain of the audit log from its beginning.
///
/// # Errors
/// A [`super::CommandError`] when there is no store yet, or what the store says. A broken chain is no error but in what is found.
pub fn audit_verify(settings: &Settings) -> anyhow::Result<AuditFound> {
    let report = with_state(settings, async |db| {
        let report = audit::verify(db).await;
        report.context("the audit log cannot be read")
    })?;
    Ok(AuditFound::from(report))
}

impl From<Report> for AuditFound {
    fn from(report: Report) -> Self {
        Self {
            ok: report.broken.is_empty(),
            chains: report.chains,
            entries: report.entries,
            broken: report
                .broken
                .into_iter()
                .map(|broken| AuditBroken {
                    organization: broken.chain,
                    entry: broken.seq,
                    why: broken.why,
                })
                .collect(),
        }
    }
}
