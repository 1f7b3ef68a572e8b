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

/// Whether the certificate has the issuer, the chain and the timestamps that are wanted. Without TLS there is none.
pub(super) fn check_chain(expect: &Expectations, trace: &Trace) -> Result<(), Failure> {
    let failed = |message: String| Err(Failure::new(Class::Assertion, message));
    if let Some(wanted) = &expect.certificate_issuer {
        let issuer = trace.issuer.as_deref().unwrap_or_default();
        if !issuer.to_lowercase().contains(&wanted.to_lowercase()) {
            return failed(format!("the certificate isn't issued by `{wanted}`"));
        }
    }
    let sent = trace.certificate.map_or(0, |_| trace.intermediates + 1);
    if let Some(least) = expect.certificate_chain.filter(|least| sent < *least) {
        return failed(format!(
            "the server sends {sent} certificates, fewer than {least}"
        ));
    }
    let scts = trace.certificate.map_or(0, |_| trace.scts);
    match expect.certificate_scts {
        Some(least) if scts < least => failed(format!(
            "the certificate has {scts} signed certificate timestamps (SCTs), fewer than {least}"
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_timestamps_are_counted_in_the_message() {
        let expect = Expectations {
            certificate_scts: Some(2),
            ..Expectations::default()
        };
        let mut trace = Trace::begin();
        trace.certificate = Some(Certificate {
            ends_ms: 0,
            problem: None,
        });
        trace.scts = 2;
        assert_eq!(check_chain(&expect, &trace), Ok(()));
        assert_eq!(check_chain(&Expectations::default(), &trace), Ok(()));
        trace.scts = 1;
        let failure = check_chain(&expect, &trace).unwrap_err();
        assert_eq!(failure.class, Class::Assertion);
        assert!(failure.message.contains("has 1 signed"), "{failure}");
        // Those of an earlier connection don't count for one without TLS.
        (trace.certificate, trace.scts) = (None, 2);
        let failure = check_chain(&expect, &trace).unwrap_err();
        assert!(failure.message.contains("has 0 signed"), "{failure}");
    }
}
