//! Questions about a website on behalf of its organization.

use anyhow::Context as _;
use serde_json::Value;

use super::ReportsEnv;
use crate::{
    access::authorize::{self, Tenant},
    actors::websites::Website,
    analytics::{Call, Target, catalogue::Subject, run},
};

/// The rows of each parameter of a body.
pub(super) async fn ask(
    env: &ReportsEnv,
    tenant: &Tenant,
    website: &Website,
    body: &Value,
) -> anyhow::Result<Vec<Vec<Value>>> {
    let access = authorize::read_on_behalf(tenant, Some(&website.site()))
        .context("the website has changed hands")?;
    let target = Target {
        domain: Some(website.domain.clone()),
        lenient: website.lenient_bots().into_iter().collect(),
        ..Target::new(access, Some(Subject::Website))
    };
    let call = Call {
        body,
        timezone: Some("UTC"),
        now_ms: env.clock.now_ms(),
    };
    let answers = run::execute(&env.events, &target, call).await;
    let answers = answers.map_err(|fault| anyhow::anyhow!("{}", fault.message))?;
    let results = answers.into_results().into_iter();
    let rows = results.map(|result| result.rows);
    rows.map(|rows| rows.map_err(|why| anyhow::anyhow!("the store says: {why}")))
        .collect()
}

/// A number of a row; none is 0.
pub(super) fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or(0.0)
}

/// A text of a row; none is empty.
pub(super) fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_default()
}
