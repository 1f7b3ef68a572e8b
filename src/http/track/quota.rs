//! The events that a plan allows in a month (402 `Event quota exceeded`, 503 `Billing check unavailable`).

use std::time::Duration;

use super::authorize::Sender;
use crate::{
    access::plans::PlanResource,
    events::{
        store::Accepted,
        usage::{Reservation, UsageError},
    },
    fault::{Fault, Kind},
    ids::OrganizationId,
};

impl Sender<'_> {
    /// Notes whose plan pays for the request.
    pub(super) fn pays(&self, organization: Option<&OrganizationId>) {
        if self.shared.plans.load().enabled {
            *self.payer.borrow_mut() = organization.cloned();
        }
    }

    /// Room for the events in the plan of their organization; nothing where plans do not count them.
    pub(super) async fn reserve(&self, events: &[Accepted]) -> Result<Option<Reservation>, Fault> {
        let Some(first) = events.first() else {
            return Ok(None);
        };
        let payer = self.payer.borrow().clone();
        let allowance = payer.and_then(|payer| self.shared.allowance(&payer, PlanResource::Events));
        let Some(allowance) = allowance else {
            return Ok(None);
        };
        let owner = first.event.organization;
        let now_ms = self.shared.clock.now_ms();
        let wanted = events.len() as u64;
        let usage = &self.shared.usage;
        match usage.reserve(owner, wanted, allowance.limit, now_ms).await {
            Ok(reservation) => Ok(Some(reservation)),
            Err(UsageError::Full { used }) => Err(Fault::plan_limit(
                "Event quota exceeded",
                allowance.limit,
                used,
                allowance.next_plan,
            )),
            Err(error @ UsageError::Unknown(_)) => {
                let retry_after = Duration::from_secs(5);
                let kind = Kind::Unavailable { retry_after };
                let fault = Fault::new(kind, "Billing check unavailable");
                let mut fault = fault.with_code("BILLING_CHECK_UNAVAILABLE");
                fault.cause = Some(error.into());
                Err(fault)
            }
        }
    }
}
