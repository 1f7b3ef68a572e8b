//! What is done when: pure decisions.

use crate::acme::RenewalWindow;

const MINUTE_MS: i64 = 60_000;
/// The first wait after a failure.
const FIRST_WAIT_MS: i64 = MINUTE_MS;
/// The longest wait after a failure.
const MAX_WAIT_MS: i64 = 12 * 60 * MINUTE_MS;
/// After a certificate the next order of its host waits at least this long, whatever the clock shows.
const REST_MS: i64 = 60 * MINUTE_MS;
/// Orders and questions at the same time.
pub(super) const MAX_AT_ONCE: usize = 4;
/// Orders in any [`WINDOW_MS`]. Let's Encrypt takes 300 of an account.
pub(super) const MAX_ORDERS: u64 = 250;
pub(super) const WINDOW_MS: i64 = 3 * 60 * MINUTE_MS;
/// The longest wait that an authority may ask for.
const LONGEST_WAIT_MS: i64 = 7 * 24 * 60 * MINUTE_MS;
/// A removed certificate that the authority doesn't revoke is deleted after so many attempts.
pub(super) const MAX_REVOCATIONS: u32 = 5;

/// What is known of a host's certificate, without the certificate.
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts of a row, which don't exclude each other"
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) has_certificate: bool,
    pub(super) ends_ms: Option<i64>,
    pub(super) renew_ms: Option<i64>,
    /// When the authority is asked again when to renew; `None` = it doesn't say.
    pub(super) check_ms: Option<i64>,
    pub(super) failures: u32,
    pub(super) has_failed: bool,
    pub(super) next_try_ms: Option<i64>,
    pub(super) is_removed: bool,
    /// Whether the certificate is of another authority than the one that is asked now.
    pub(super) is_foreign: bool,
}

/// What is to be done for a host, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Task {
    /// Get the next certificate, which many first ones of one organization must not hold up.
    Renew,
    /// Get the first one.
    Order,
    /// The host isn't verified any more: delete its certificate.
    Remove,
    /// Revoke the certificate of a removed host, and delete it.
    Revoke,
    /// Ask the authority when to renew.
    AskRenewal,
}

impl Task {
    /// Whether it counts against the limit of orders.
    pub(super) const fn is_order(self) -> bool {
        matches!(self, Self::Renew | Self::Order)
    }
}

pub(super) fn find_task(plan: Option<&Plan>, is_verified: bool, now_ms: i64) -> Option<Task> {
    let Some(plan) = plan else {
        return is_verified.then_some(Task::Order);
    };
    let may_try = (plan.next_try_ms).is_none_or(|at| has_come(at, now_ms, LONGEST_WAIT_MS));
    let is_due = |at: Option<i64>| at.is_some_and(|at| at <= now_ms);
    if plan.is_removed {
        return match (plan.has_certificate, is_verified) {
            (true, _) => may_try.then_some(Task::Revoke),
            (false, true) => Some(Task::Order),
            (false, false) => None,
        };
    }
    if !is_verified {
        return Some(Task::Remove);
    }
    if !plan.has_certificate {
        return may_try.then_some(Task::Order);
    }
    // A certificate of a staging environment is replaced at once.
    if plan.is_foreign && (may_try || plan.failures == 0) {
        return Some(Task::Renew);
    }
    if is_due(plan.renew_ms) && may_try {
        return Some(Task::Renew);
    }
    let may_ask = (plan.check_ms).is_some_and(|at| has_come(at, now_ms, LONGEST_WAIT_MS));
    may_ask.then_some(Task::AskRenewal)
}

/// Whether a moment has come. One that is farther away than anything waits was written by a clock that was ahead.
const fn has_come(at: i64, now_ms: i64, longest_ms: i64) -> bool {
    at <= now_ms || at > now_ms + longest_ms
}

/// The first moment of a plan that is still to come.
pub(super) fn next_moment(plan: &Plan, now_ms: i64) -> Option<i64> {
    let moments = [plan.next_try_ms, plan.renew_ms, plan.check_ms];
    moments
        .into_iter()
        .flatten()
        .filter(|at| *at > now_ms)
        .min()
}

/// When a certificate is renewed whose authority says nothing about it: after two thirds of its lifetime.
pub(super) fn renew_after(begins_ms: i64, ends_ms: i64) -> i64 {
    begins_ms + (ends_ms - begins_ms) / 3 * 2
}

/// When a certificate is renewed within its authority's window: always at the same point for one host, and all over the window
/// for many. Never after two thirds of what is left beyond the window.
pub(super) fn renew_within(window: RenewalWindow, host: &str, ends_ms: i64) -> i64 {
    let length = window.end_ms.saturating_sub(window.start_ms).max(1);
    let hash = blake3::hash(host.as_bytes());
    let (first, _) = hash
        .as_bytes()
        .split_first_chunk::<8>()
        .unwrap_or((&[0; 8], &[]));
    let offset = i64::from_le_bytes(*first).rem_euclid(length);
    window.start_ms.saturating_add(offset).min(ends_ms)
}

/// When the next attempt may be made after so many failures in a row, and what the authority has said.
pub(super) fn next_try(failures: u32, now_ms: i64, retry_at_ms: Option<i64>) -> i64 {
    let doubled = FIRST_WAIT_MS << failures.saturating_sub(1).min(10);
    let own = now_ms + doubled.min(MAX_WAIT_MS);
    let theirs = retry_at_ms.map(|theirs| theirs.min(now_ms + LONGEST_WAIT_MS));
    theirs.map_or(own, |theirs| own.max(theirs))
}

/// When the next order of a host may follow a certificate, which should be renewed at this moment.
pub(super) const fn rest_until(renew_ms: i64, now_ms: i64) -> i64 {
    // What is due as soon as it is there comes of a wrong clock, or of an authority in trouble.
    let rest_ms = if renew_ms <= now_ms {
        MAX_WAIT_MS
    } else {
        REST_MS
    };
    now_ms + rest_ms
}

/// Whether a refusal for too many requests is about all hosts: its text names neither this one nor a domain above it.
pub(super) fn is_about_account(message: &str, host: &str) -> bool {
    // Let's Encrypt says so of too many certificates for the same host.
    if message.contains("exact set") {
        return false;
    }
    let labels: Vec<&str> = host.split('.').collect();
    let mut domains = (0..labels.len().saturating_sub(1)).map(|from| labels[from..].join("."));
    !domains.any(|domain| message.contains(&domain))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 60 * MINUTE_MS;

    fn valid() -> Plan {
        Plan {
            has_certificate: true,
            ends_ms: Some(900),
            renew_ms: Some(600),
            ..Plan::default()
        }
    }

    #[test]
    fn only_verified_hosts_get_orders_and_a_lost_one_is_removed() {
        assert_eq!(find_task(None, true, 0), Some(Task::Order));
        assert_eq!(find_task(None, false, 0), None);
        for plan in [valid(), Plan::default()] {
            assert_eq!(find_task(Some(&plan), false, 0), Some(Task::Remove));
        }
        let removed = Plan {
            is_removed: true,
            ..valid()
        };
        assert_eq!(find_task(Some(&removed), false, 0), Some(Task::Revoke));
        let revoked = Plan {
            has_certificate: false,
            ..removed
        };
        assert_eq!(find_task(Some(&revoked), false, 0), None);
        assert_eq!(find_task(Some(&revoked), true, 0), Some(Task::Order));
    }

    #[test]
    fn renewals_wait_for_their_time_and_failures_for_the_next_attempt() {
        assert_eq!(find_task(Some(&valid()), true, 599), None);
        assert_eq!(find_task(Some(&valid()), true, 600), Some(Task::Renew));
        let failed = Plan {
            failures: 1,
            next_try_ms: Some(650),
            ..valid()
        };
        assert_eq!(find_task(Some(&failed), true, 649), None);
        assert_eq!(find_task(Some(&failed), true, 650), Some(Task::Renew));
        let first = Plan {
            has_certificate: false,
            ..failed
        };
        assert_eq!(find_task(Some(&first), true, 649), None);
        assert_eq!(find_task(Some(&first), true, 650), Some(Task::Order));
        let asked = Plan {
            check_ms: Some(300),
            ..valid()
        };
        assert_eq!(find_task(Some(&asked), true, 299), None);
        assert_eq!(find_task(Some(&asked), true, 300), Some(Task::AskRenewal));
    }

    #[test]
    fn a_certificate_of_another_authority_is_replaced_at_once() {
        let foreign = Plan {
            is_foreign: true,
            next_try_ms: Some(500),
            ..valid()
        };
        assert_eq!(find_task(Some(&foreign), true, 0), Some(Task::Renew));
        let failed = Plan {
            failures: 1,
            ..foreign
        };
        assert_eq!(find_task(Some(&failed), true, 499), None);
        assert_eq!(find_task(Some(&failed), true, 500), Some(Task::Renew));
    }

    #[test]
    fn a_certificate_is_renewed_after_two_thirds_of_its_lifetime() {
        assert_eq!(renew_after(0, 90), 60);
        assert_eq!(renew_after(100, 106), 104);
    }

    #[test]
    fn an_authoritys_window_spreads_hosts_and_keeps_each_at_its_point() {
        let window = RenewalWindow {
            start_ms: 1_000,
            end_ms: 2_000,
            check_at_ms: 0,
        };
        let points: Vec<i64> = (0..50)
            .map(|nth| renew_within(window, &format!("h{nth}.example"), 9_000))
            .collect();
        assert!(points.iter().all(|at| (1_000..2_000).contains(at)));
        assert!(points.iter().any(|at| *at < 1_300) && points.iter().any(|at| *at > 1_700));
        assert_eq!(points[7], renew_within(window, "h7.example", 9_000));
        let odd = RenewalWindow {
            start_ms: 5_000,
            end_ms: 4_000,
            check_at_ms: 0,
        };
        assert_eq!(renew_within(odd, "a.example", 4_500), 4_500);
    }

    #[test]
    fn failures_wait_a_minute_to_twelve_hours_or_as_the_authority_says() {
        assert_eq!(next_try(1, 0, None), MINUTE_MS);
        assert_eq!(next_try(2, 0, None), 2 * MINUTE_MS);
        assert_eq!(next_try(5, 0, None), 16 * MINUTE_MS);
        assert_eq!(next_try(11, 0, None), 12 * HOUR);
        assert_eq!(next_try(u32::MAX, 0, None), 12 * HOUR);
        assert_eq!(next_try(1, 0, Some(40 * HOUR)), 40 * HOUR);
        assert_eq!(next_try(1, 0, Some(5)), MINUTE_MS);
        assert_eq!(next_try(1, 0, Some(9_000 * HOUR)), 7 * 24 * HOUR);
    }

    #[test]
    fn what_a_clock_that_was_ahead_has_put_off_for_a_year_is_due() {
        let year = 365 * 24 * HOUR;
        let put_off = Plan {
            next_try_ms: Some(year + MINUTE_MS),
            ..Plan::default()
        };
        assert_eq!(find_task(Some(&put_off), true, 0), Some(Task::Order));
        assert_eq!(find_task(Some(&put_off), true, year), None);
        let asked = Plan {
            check_ms: Some(year),
            ends_ms: Some(2 * year),
            renew_ms: Some(2 * year),
            ..valid()
        };
        assert_eq!(find_task(Some(&asked), true, 0), Some(Task::AskRenewal));
        assert_eq!(find_task(Some(&asked), true, year - HOUR), None);
    }

    #[test]
    fn a_certificate_that_is_due_at_once_rests_for_half_a_day() {
        assert_eq!(rest_until(10 * HOUR, 0), HOUR);
        assert_eq!(rest_until(0, 0), 12 * HOUR);
    }

    #[test]
    fn the_next_moment_is_the_first_that_has_not_come() {
        let plan = Plan {
            next_try_ms: Some(5),
            check_ms: Some(300),
            ..valid()
        };
        assert_eq!(next_moment(&plan, 5), Some(300));
        assert_eq!(next_moment(&plan, 300), Some(600));
        assert_eq!(next_moment(&plan, 600), None);
    }

    #[test]
    fn a_refusal_that_names_no_domain_of_the_host_is_about_the_account() {
        let host = "links.a.example";
        assert!(is_about_account("too many new orders recently", host));
        assert!(!is_about_account(
            "too many certificates already issued for \"a.example\"",
            host
        ));
        assert!(!is_about_account(
            "too many failures for links.a.example",
            host
        ));
        assert!(!is_about_account(
            "too many certificates (5) already issued for this exact set of identifiers",
            host
        ));
        assert!(is_about_account(
            "too many, see https://b.example/limits",
            host
        ));
    }
}
