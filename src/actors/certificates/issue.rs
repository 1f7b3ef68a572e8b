//! One attempt to get a certificate.

use std::sync::atomic::Ordering;

use super::{
    Certificates,
    rules::{is_about_account, next_try, renew_after, renew_within, rest_until},
    store::Renewal,
};
use crate::{
    acme::{
        Authority, ChallengeKind, Failure, FailureKind, IssuedCertificate, RenewalWindow, Session,
    },
    clock::iso_ms,
    ids::OrganizationId,
};

/// How long orders pause that the authority has refused without saying for how long. Milliseconds.
const PAUSE_MS: i64 = 15 * 60 * 1_000;
/// The longest such pause: the refusal may be about one host after all. Milliseconds.
const MAX_PAUSE_MS: i64 = 60 * 60 * 1_000;
/// What helps when the authority doesn't see the answer to its challenge.
const CHALLENGE_HINT: &str =
    "check that the host's DNS record leads here, and that ports 80 and 443 are reachable";
/// Bounds of when an authority is asked again when to renew, milliseconds.
const CHECK_MS: (i64, i64) = (60 * 60 * 1_000, 24 * 60 * 60 * 1_000);

impl Certificates {
    /// Orders a certificate of a host, and stores what came of it.
    pub(super) async fn issue(&self, host: &str, owner: Option<&OrganizationId>) {
        let Some(authority) = &self.0.authority else {
            return;
        };
        let known = self.0.memory.plan(host).filter(|plan| !plan.is_removed);
        let failures = known.map_or(0, |plan| plan.failures).saturating_add(1);
        let began_ms = self.0.clock.now_ms();
        let retry_ms = next_try(failures, began_ms, None);
        let begun = self.0.store.begin_order((host, owner), failures, retry_ms);
        match begun.await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                tracing::warn!(host, %error, "no certificate is ordered, because that can't be stored; it is tried again");
                return;
            }
        }
        tracing::info!(host, "a certificate is ordered");
        let outcome = self.order(authority, (host, owner), failures == 1).await;
        let now_ms = self.0.clock.now_ms();
        let stored = match outcome {
            Ok((issued, window)) => {
                let renewal = plan_renewal(host, &issued, window, now_ms);
                let id = authority.account_id();
                let next = rest_until(renewal.renew_ms, now_ms);
                let saved = self.0.store.save(host, &issued, &id, (renewal, next));
                let saved = saved.await;
                if saved.is_ok() {
                    let renewed = iso_ms(renewal.renew_ms);
                    let ends = iso_ms(issued.ends_ms);
                    tracing::info!(host, ends, renewed, "a certificate was issued");
                    warn_of_clock(host, renewal, (now_ms, next));
                }
                saved
            }
            Err(failure) => {
                self.pause(host, &failure, now_ms);
                let retry_ms = next_try(failures, now_ms, failure.retry_at_ms);
                let hint = (failure.kind == FailureKind::Challenge).then_some(CHALLENGE_HINT);
                tracing::warn!(
                    host,
                    error = failure.message,
                    next = iso_ms(retry_ms),
                    hint,
                    "the order of a certificate failed"
                );
                let error = failure.message.as_str();
                self.0.store.fail(host, error, (failures, retry_ms)).await
            }
        };
        if let Err(error) = stored {
            tracing::warn!(host, %error, "what came of an order is not stored; it is tried again");
        }
    }

    /// After a refusal that is about all hosts, none is ordered for a while.
    fn pause(&self, host: &str, failure: &Failure, now_ms: i64) {
        if failure.kind == FailureKind::RateLimited && is_about_account(&failure.message, host) {
            let until_ms = failure.retry_at_ms.unwrap_or(now_ms + PAUSE_MS);
            let until_ms = until_ms.min(now_ms + MAX_PAUSE_MS);
            self.0.paused_until_ms.fetch_max(until_ms, Ordering::SeqCst);
            tracing::warn!(
                until = iso_ms(until_ms),
                "the authority wants no further orders for now"
            );
        }
    }

    async fn order(
        &self,
        authority: &Authority,
        (host, owner): (&str, Option<&OrganizationId>),
        is_first_attempt: bool,
    ) -> Result<(IssuedCertificate, Option<RenewalWindow>), Failure> {
        let session = self.open_session(authority).await?;
        let known = self.0.memory.plan(host);
        let replaced = known
            .is_some_and(|plan| plan.check_ms.is_some() && !plan.is_removed && !plan.is_foreign);
        // The authority refuses a replacement of what it has replaced, or doesn't know.
        let replaced = replaced && is_first_attempt;
        let replaced = self.0.memory.find_leaf(host).filter(|_| replaced);
        let replaced = replaced.as_deref();
        let first = if self.0.answers_http {
            ChallengeKind::Http
        } else {
            ChallengeKind::TlsAlpn
        };
        let issued = match session.order(host, first, replaced, self).await {
            Err(failure) if failure.kind == FailureKind::Challenge && self.0.answers_http => {
                let second = first.other();
                let may_try = self.0.store.count_order(host, owner).await.unwrap_or(false);
                if !may_try {
                    return Err(failure);
                }
                let again = session.order(host, second, replaced, self).await;
                again.map_err(|other| Failure {
                    message: format!(
                        "{}: {}; {}: {}",
                        first.name(),
                        failure.message,
                        second.name(),
                        other.message
                    ),
                    ..other
                })
            }
            outcome => outcome,
        };
        if let Err(failure) = &issued
            && failure.kind == FailureKind::NoAccount
        {
            // The next attempt makes another one.
            let deleted = self.0.accounts.delete(&authority.account_id()).await;
            if let Err(error) = deleted {
                tracing::warn!(%error, "an account that the authority doesn't know is not deleted");
            }
        }
        let issued = issued?;
        let window = match issued.chain.first() {
            Some(leaf) => session.ask_renewal_window(leaf).await,
            None => Ok(None),
        };
        let window = window.unwrap_or_else(|error| {
            tracing::debug!(host, %error, "the authority doesn't say when to renew");
            None
        });
        Ok((issued, window))
    }

    /// The account at the authority, made at the first time.
    pub(super) async fn open_session(&self, authority: &Authority) -> Result<Session, Failure> {
        let _account = self.0.account.lock().await;
        let id = authority.account_id();
        let fail = |error: super::CertificateError| Failure::new(error.to_string());
        if let Some(credentials) = self.0.accounts.find(&id).await.map_err(fail)? {
            return authority.open_account(&credentials).await;
        }
        let (session, credentials) = authority.create_account().await?;
        self.0
            .accounts
            .save(&id, &credentials)
            .await
            .map_err(fail)?;
        tracing::info!(
            authority = id,
            "an account at the certificate authority was created"
        );
        Ok(session)
    }
}

fn warn_of_clock(host: &str, renewal: Renewal, (now_ms, next_ms): (i64, i64)) {
    if renewal.renew_ms <= now_ms {
        tracing::warn!(
            host,
            next = iso_ms(next_ms),
            "the new certificate is to be renewed already: check this machine's clock"
        );
    }
}

/// When a certificate is renewed: as the authority would like it, and else after two thirds of its lifetime.
fn plan_renewal(
    host: &str,
    issued: &IssuedCertificate,
    window: Option<RenewalWindow>,
    now_ms: i64,
) -> Renewal {
    match window {
        Some(window) => Renewal {
            renew_ms: renew_within(window, host, issued.ends_ms),
            check_ms: Some(next_check(window, now_ms)),
        },
        None => Renewal {
            renew_ms: renew_after(issued.begins_ms, issued.ends_ms),
            check_ms: None,
        },
    }
}

/// When the authority is asked again, at most every hour and at least every day.
pub(super) fn next_check(window: RenewalWindow, now_ms: i64) -> i64 {
    let (least, most) = CHECK_MS;
    window.check_at_ms.clamp(now_ms + least, now_ms + most)
}
