//! Queries about a website on behalf of its organization.

use anyhow::Context as _;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ReportsEnv;
use crate::{
    access::authorize::{self, Tenant},
    actors::websites::Website,
    analytics::{
        Call, Target,
        catalogue::Subject,
        run::{self, Answers},
    },
};

/// The answers to a query body.
pub(super) async fn ask(
    env: &ReportsEnv,
    tenant: &Tenant,
    website: &Website,
    body: &Value,
) -> anyhow::Result<Answers> {
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
    answers.map_err(|fault| anyhow::anyhow!("{}", fault.message))
}

/// The rows of one parameter.
pub(super) fn rows<R: DeserializeOwned>(answers: &Answers, name: &str) -> anyhow::Result<Vec<R>> {
    let rows = answers.rows(name);
    rows.map_err(|why| anyhow::anyhow!("the store says: {why}"))
}
