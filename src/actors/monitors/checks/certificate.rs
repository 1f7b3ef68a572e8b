//! Assertions about the certificate that a check has seen.

use super::super::Expectations;
use crate::egress::{Certificate, Class, Failure, Trace};

const DAY_MS: i64 = 86_400_000;

/// Whether the certificate is valid for long enough. `now_ms` is Unix milliseconds.
pub(in crate::actors::monitors) fn check_days(
    expect: &Expectations,
    seen: Option<Certificate>,
    now_ms: i64,
) -> Result<(), Failure> {
    let (Some(days), Some(seen)) = (expect.certificate_days, seen) else {
        return Ok(());
    };
    let left = (seen.ends_ms - now_ms).div_euclid(DAY_MS);
    if left >= i64::from(days) {
        return Ok(());
    }
    let message = format!("the certificate ends in {left} days, sooner than {days}");
    Err(Failure::new(Class::TlsExpiring, message))
}

/// Whether the certificate has the issuer and the chain that are wanted. Without TLS there is none.
pub(super) fn check_chain(expect: &Expectations, trace: &Trace) -> Result<(), Failure> {
    let failed = |message: String| Err(Failure::new(Class::Assertion, message));
    if let Some(wanted) = &expect.certificate_issuer {
        let issuer = trace.issuer.as_deref().unwrap_or_default();
        if !issuer.to_lowercase().contains(&wanted.to_lowercase()) {
            return failed(format!("the certificate isn't issued by `{wanted}`"));
        }
    }
    let sent = trace.certificate.map_or(0, |_| trace.intermediates + 1);
    match expect.certificate_chain {
        Some(least) if sent < least => failed(format!(
            "the server sends {sent} certificates, fewer than {least}"
        )),
        _ => Ok(()),
    }
}
