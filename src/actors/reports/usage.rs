//! Events of the month that are nearly used up, or all of them.
//!
//! An email's key says which month and how much. It is kept for a week: owners who stay above a mark get another email
//! then.

use chrono::NaiveDate;

use super::{ReportsEnv, organizations};
use crate::{
    access::plans::PlanResource,
    actors::{
        Domains,
        delivery::{Email, line},
    },
    clock::{from_ms, iso_ms},
    locale::Texts,
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
        let usage = Usage {
            organization: &line(&organization.name),
            is_all: mark == 100,
            used,
            limit: allowance.limit,
            next_plan: allowance.next_plan.as_deref(),
            base_url: &env.base_url,
        };
        let key = format!("usage:{}:{month}:{mark}", tenant.id);
        let today = from_ms(now_ms).date_naive();
        emails += env
            .email_owners(domains, &organization, &key, |texts| {
                usage.email(texts, today)
            })
            .await?;
    }
    Ok(emails)
}

/// What an email says of the events of a month.
struct Usage<'a> {
    organization: &'a str,
    is_all: bool,
    used: u64,
    limit: u64,
    next_plan: Option<&'a str>,
    base_url: &'a str,
}

impl Usage<'_> {
    fn email(&self, texts: Texts, today: NaiveDate) -> Email {
        let (subject, what) = if self.is_all {
            let subject = texts.email_usage_all_subject(self.organization);
            (subject, texts.email_usage_all())
        } else {
            let subject = texts.email_usage_most_subject(self.organization);
            (subject, texts.email_usage_most())
        };
        let (used, limit) = (texts.count(self.used), texts.count(self.limit));
        let numbers = texts.email_usage_numbers(&used, &limit, &texts.month(today));
        let refused = texts.email_usage_refused();
        let more = self
            .next_plan
            .map(|plan| texts.email_usage_plan(&line(plan)));
        let more = more.map_or_else(String::new, |more| format!("{more}\n\n"));
        Email {
            subject: subject.into_owned(),
            text: format!(
                "{what}\n{numbers}\n\n{refused}\n\n{more}{}\n\n{}\n",
                texts.email_owners(),
                self.base_url
            ),
            ..Email::default()
        }
    }
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
