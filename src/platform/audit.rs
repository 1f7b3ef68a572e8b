//! `pharos audit verify`: reads the state database beside whatever runs, and takes no lock.

use anyhow::Context;
use serde::Serialize;

use super::offline::with_state;
use crate::{
    actors::audit::{self, Report},
    config::Settings,
};

/// The result of the walk through the audit log.
#[derive(Debug, Serialize)]
pub struct AuditReport {
    /// Whether every chain holds.
    pub ok: bool,
    #[serde(flatten)]
    pub report: Report,
}

/// Walks every chain of the audit log from its beginning.
///
/// # Errors
/// A [`super::CommandError`] when there is no store yet, or what the store says. A broken chain is in the report, and no error.
pub fn audit_verify(settings: &Settings) -> anyhow::Result<AuditReport> {
    let report = with_state(settings, async |db| {
        let report = audit::verify(db).await;
        report.context("the audit log cannot be read")
    })?;
    Ok(AuditReport {
        ok: report.broken.is_empty(),
        report,
    })
}
