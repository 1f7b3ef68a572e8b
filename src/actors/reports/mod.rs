//! Emails that the calendar or the state of things asks for, to the owners of an organization, as it wants them:
//! a report every week ([`mod@weekly`]), a word when a website's rules keep events out ([`mod@tracking`]), and one when
//! a plan's events are used up ([`mod@usage`]).
//!
//! There is no table: the outbox is the memory. An email's key names its subject and time, and delivered emails are
//! kept there for seven days, so nothing is sent twice. Without mail, reports are off.

mod ask;
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
    store::{InstanceSecret, StateDb},
};

pub use tracking::turn as tracking;
pub use usage::turn as usage;
pub use weekly::turn as weekly;

/// How often it is looked.
const TURN: Duration = Duration::from_mins(30);
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
}

opaque_debug!(ReportsEnv);

impl ReportsEnv {
    pub fn new(
        db: StateDb,
        clock: Clock,
        events: EventStore,
        secret: &InstanceSecret,
        base_url: String,
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
        }
    }

    /// Puts an email to each owner in, all or none; the addresses are added here.
    async fn email_owners(
        &self,
        domains: &Domains,
        organization: &Organization,
        (key, email): (&str, &Email),
    ) -> anyhow::Result<usize> {
        let view = domains.organizations.view();
        let owners = view.owners(&organization.tenant.id);
        let now_ms = self.clock.now_ms();
        let write = self.db.begin().await?;
        let mut emails = 0;
        for owner in owners {
            let own = Email {
                to: owner.email.clone(),
                ..email.clone()
            };
            let key = format!("{key}:{}", owner.id);
            let delivery = own.delivery(key, Some(organization.tenant.id.clone()));
            emails += usize::from(self.outbox.put(&write, delivery, now_ms).await?);
        }
        write.commit().await?;
        Ok(emails)
    }
}

/// Looks now and every half an hour; for ever, and never where no mail is sent.
pub async fn run(domains: Domains, env: Option<ReportsEnv>) {
    let Some(env) = env else {
        return std::future::pending().await;
    };
    loop {
        if !env.db.is_leader() {
            tokio::time::sleep(STAND_BY).await;
            continue;
        }
        let (weekly, tracking) = (weekly(&domains, &env).await, tracking(&domains, &env).await);
        for (outcome, trouble) in [
            (weekly, "the reports of the week are not out yet"),
            (tracking, "nobody was told of trouble with tracking"),
            (
                usage(&domains, &env).await,
                "nobody was told of events that are used up",
            ),
        ] {
            if let Err(error) = outcome {
                let error = format!("{error:#}");
                tracing::warn!(error, "{trouble}");
            }
        }
        tokio::time::sleep(TURN).await;
    }
}

fn organizations(domains: &Domains) -> Vec<Arc<Organization>> {
    domains.organizations.view().all()
}
