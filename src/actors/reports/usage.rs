//! Events of the month that are nearly used up, or all of them.
//!
//! An email's key says which month and how much. It is kept for a week: owners who stay above a mark get another email
//! then.

use super::{ReportsEnv, organizations};
use crate::{
    access::plans::PlanResource,
    actors::{
        Domains,
        delivery::{Email, line},
    },
    clock::iso_ms,
};

/// Percent of the month's events at which owners get an email, the highest first.
const MARKS: [u64; 2] = [100, 80];

fn mark(used: u64, limit: u64) -> Option<u64> {
    let reached = |mark: &u64| u128::from(used) * 100 >= u128::from(limit) * u128::from(*mark);
    MARKS.into_iter().find(reached)
}

/// Emails owners about used-up events, if they want; how many emails.
///
/// # Errors
/// Events cannot be counted; the next turn tries again.
pub async fn turn(domains: &Domains, env: &ReportsEnv) -> anyhow::Result<usize> {
    let (now_ms, plans) = (env.clock.now_ms(), env.plans.load());
    let month: String = iso_ms(now_ms).chars().take(7).collect();
    let mut emails = 0;
    for organization in organizations(domains) {
        let settings = organization.notifications.clone().unwrap_or_default();
        let allowance = plans.allowance(&organization.plan, PlanResource::Events);
        let Some(allowance) = allowance.filter(|_| settings.billing.usage_warnings) else {
            continue;
        };
        let tenant = &organization.tenant;
        let used = env.usage.used(tenant.key.0, now_ms).await?;
        let Some(mark) = mark(used, allowance.limit) else {
            continue;
        };
        let name = line(&organization.name);
        let what = match mark {
            100 => "All of the month's events are used",
            _ => "The month's events are nearly used",
        };
        let more = allowance
            .next_plan
            .as_deref()
            .map_or_else(String::new, |plan| {
                format!(" The plan {} allows more.", line(plan))
            });
        let email = Email {
            subject: format!("{name}: {}", what.to_lowercase()),
            text: format!(
                "{what}: {used} of {} in {month} (UTC).\n\nWhen all of them are, further events are refused until the month is \
                 over.{more}\n\nOwners choose whether this comes in the organization's settings.\n\n{}\n",
                allowance.limit, env.base_url
            ),
            ..Email::default()
        };
        let key = format!("usage:{}:{month}:{mark}", tenant.id);
        emails += env
            .email_owners(domains, &organization, (&key, &email))
            .await?;
    }
    Ok(emails)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_reached_at_four_fifths_and_at_all_of_it() {
        let of = |used| mark(used, 1_000);
        assert_eq!((of(0), of(799)), (None, None));
        assert_eq!((of(800), of(999)), (Some(80), Some(80)));
        assert_eq!((of(1_000), of(u64::MAX)), (Some(100), Some(100)));
        assert_eq!(mark(4, 5), Some(80));
    }
}
