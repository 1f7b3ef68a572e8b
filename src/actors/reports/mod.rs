//! Emails that the calendar or the state of things asks for, to the owners of an organization, as it wants them:
//! a report every week ([`mod@weekly`]), a word when a website's rules keep events out ([`mod@tracking`]), and one when
//! a plan's events are used up ([`mod@usage`]). And the reports that recipients get on a schedule ([`mod@scheduled`]).
//!
//! Of the former there is no table: the outbox is the memory. An email's key names its subject and time, and delivered emails are
//! kept there for seven days, so nothing is sent twice. Without mail, they are off.

mod ask;
mod scheduled;
mod tracking;
mod usage;
mod weekly;

use std::{sync::Arc, time::Duration};

use arc_swap::ArcSwap;

use super::{
    Domains,
    delivery::{Email, Outbox},
    organizations::Organization,
    seal::opaque_debug,
};
use crate::{
    access::plans::Plans,
    clock::Clock,
    events::{store::EventStore, usage::Usage},
    locale::Texts,
    store::{InstanceSecret, StateDb},
};

pub use scheduled::turn as scheduled;
pub use tracking::turn as tracking;
pub use usage::turn as usage;
pub use weekly::turn as weekly;

/// How often it is looked for scheduled reports.
const TURN: Duration = Duration::from_mins(1);
/// In which turns it is looked for the others.
const OTHERS: u64 = 30;
/// How often it is looked whether another process does that.
const STAND_BY: Duration = Duration::from_secs(10);

#[derive(Clone)]
pub struct ReportsEnv {
    db: StateDb,
    clock: Clock,
    events: EventStore,
    outbox: Outbox,
    base_url: String,
    usage: Usage,
    plans: Arc<ArcSwap<Plans>>,
    sends_mail: bool,
}

opaque_debug!(ReportsEnv);

impl ReportsEnv {
    pub fn new(
        db: StateDb,
        clock: Clock,
        events: EventStore,
        secret: &InstanceSecret,
        (base_url, sends_mail): (String, bool),
        (usage, plans): (Usage, Arc<ArcSwap<Plans>>),
    ) -> Self {
        Self {
            db,
            clock,
            events,
            outbox: Outbox::new(secret),
            base_url,
            usage,
            plans,
            sends_mail,
        }
    }

    /// Puts an email to each owner in, in their language, all or none; the addresses are added here.
    async fn email_owners(
        &self,
        domains: &Domains,
        organization: &Organization,
        key: &str,
        email: impl Fn(Texts) -> Email,
    ) -> anyhow::Result<usize> {
        let view = domains.organizations.view();
        let owners = view.owners(&organization.tenant.id);
        let now_ms = self.clock.now_ms();
        let write = self.db.begin().await?;
        let mut emails = 0;
        for owner in owners {
            let own = Email {
                to: owner.email.clone(),
                ..email(owner.language.unwrap_or_default().texts())
            };
            let key = format!("{key}:{}", owner.id);
            let delivery = own.delivery(key, Some(organization.tenant.id.clone()));
            emails += usize::from(self.outbox.put(&write, delivery, now_ms).await?);
        }
        write.commit().await?;
        Ok(emails)
    }
}

/// Looks now and every minute, for ever.
pub async fn run(domains: Domains, env: ReportsEnv) {
    let mut turn: u64 = 0;
    loop {
        if !env.db.is_leader() {
            tokio::time::sleep(STAND_BY).await;
            continue;
        }
        let scheduled = scheduled(&domains, &env).await;
        warn(scheduled, "scheduled reports are not out yet");
        if env.sends_mail && turn.is_multiple_of(OTHERS) {
            let weekly = weekly(&domains, &env).await;
            warn(weekly, "the reports of the week are not out yet");
            let tracking = tracking(&domains, &env).await;
            warn(tracking, "emails about tracking problems are not out yet");
            let usage = usage(&domains, &env).await;
            warn(usage, "emails about used-up events are not out yet");
        }
        turn += 1;
        tokio::time::sleep(TURN).await;
    }
}

fn warn(outcome: anyhow::Result<usize>, trouble: &str) {
    if let Err(error) = outcome {
        let error = format!("{error:#}");
        tracing::warn!(error, "{trouble}");
    }
}

fn organizations(domains: &Domains) -> Vec<Arc<Organization>> {
    domains.organizations.view().all()
}
