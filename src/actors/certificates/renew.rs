//! What becomes of a certificate that there is: its renewal is planned, or it is revoked and deleted.

use super::{
    CertificateError, Certificates,
    issue::next_check,
    rules::{MAX_REVOCATIONS, next_try, renew_within},
    store::Renewal,
};
use crate::acme::{Failure, FailureKind};

/// The authority is asked again after an answer that it has not given. Milliseconds.
const AGAIN_MS: i64 = 6 * 60 * 60 * 1_000;

impl Certificates {
    /// Serves a host no more. The leader revokes its certificate, and deletes certificate and key.
    ///
    /// # Errors
    /// The database is away.
    pub async fn forget(&self, host: &str) -> Result<(), CertificateError> {
        self.0.store.remove(host).await?;
        tracing::info!(
            host,
            "the host is not verified any more, and its certificate is removed"
        );
        Ok(())
    }

    /// Revokes the certificate of a removed host and deletes it, also when the authority doesn't want to after some attempts.
    pub(super) async fn revoke(&self, host: &str) -> Result<(), CertificateError> {
        let now_ms = self.0.clock.now_ms();
        let plan = self.0.memory.plan(host).unwrap_or_default();
        let has_ended = plan.ends_ms.is_some_and(|end| end <= now_ms);
        let revoked = if has_ended || plan.is_foreign {
            Ok(())
        } else {
            self.ask_revocation(host).await
        };
        let failures = plan.failures + 1;
        match revoked {
            Ok(()) => {
                tracing::info!(
                    host,
                    "the certificate of a removed host was revoked and deleted"
                );
                self.0.store.clear(host).await
            }
            Err(failure) if failures >= MAX_REVOCATIONS => {
                tracing::warn!(
                    host,
                    error = failure.message,
                    "the certificate of a removed host is deleted without being revoked"
                );
                self.0.store.clear(host).await
            }
            Err(failure) => {
                tracing::warn!(
                    host,
                    error = failure.message,
                    "the certificate of a removed host is not revoked; it is tried again"
                );
                let next_ms = next_try(failures, now_ms, failure.retry_at_ms);
                self.0
                    .store
                    .fail(host, &failure.message, (failures, next_ms))
                    .await
            }
        }
    }

    async fn ask_revocation(&self, host: &str) -> Result<(), Failure> {
        let (Some(authority), Some(leaf)) = (&self.0.authority, self.0.memory.find_leaf(host))
        else {
            return Ok(());
        };
        let session = self.open_session(authority).await?;
        match session.revoke(&leaf).await {
            Err(failure) if failure.kind == FailureKind::AlreadyRevoked => Ok(()),
            outcome => outcome,
        }
    }

    /// Asks the authority when it would like a certificate to be renewed.
    pub(super) async fn ask_renewal(&self, host: &str) -> Result<(), CertificateError> {
        let now_ms = self.0.clock.now_ms();
        let (Some(authority), Some(leaf), Some(plan)) = (
            &self.0.authority,
            self.0.memory.find_leaf(host),
            self.0.memory.plan(host),
        ) else {
            return Ok(());
        };
        let asked = match self.open_session(authority).await {
            Ok(session) => session.ask_renewal_window(&leaf).await,
            Err(failure) => Err(failure),
        };
        let ends_ms = plan.ends_ms.unwrap_or(now_ms);
        let renewal = match asked {
            Ok(Some(window)) => Renewal {
                renew_ms: renew_within(window, host, ends_ms),
                check_ms: Some(next_check(window, now_ms)),
            },
            other => {
                tracing::debug!(host, ?other, "the authority doesn't say when to renew");
                Renewal {
                    renew_ms: plan.renew_ms.unwrap_or(now_ms),
                    check_ms: Some(now_ms + AGAIN_MS),
                }
            }
        };
        self.0.store.plan_renewal(host, renewal).await
    }
}
