//! Queries about a website on behalf of its organization.

use anyhow::Context as _;
use serde_json::Value;

use super::ReportsEnv;
pub(super) use crate::actors::scheduled_reports::rows;
use crate::{
    access::authorize::{self, Tenant},
    actors::websites::Website,
    analytics::{
        Call, Target,
        catalogue::Subject,
        run::{self, Answers},
    },
};

/// The answers to a query body, in a time zone.
pub(super) async fn ask(
    env: &ReportsEnv,
    tenant: &Tenant,
    website: &Website,
    (timezone, body): (&str, &Value),
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
        timezone: Some(timezone),
        now_ms: env.clock.now_ms(),
    };
    let answers = run::execute(&env.events, &target, call).await;
    answers.map_err(|fault| anyhow::anyhow!("{}", fault.message))
}
