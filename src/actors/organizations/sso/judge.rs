//! What a check means for a domain. Pure.

use crate::{
    actors::{
        dns_proof,
        organizations::{DomainOutcome, MISSING_MS, SsoDomain},
    },
    egress::TextRecord,
};

/// The domain after a check.
pub(super) fn judge(before: &SsoDomain, found: TextRecord, now_ms: i64) -> SsoDomain {
    let mut after = SsoDomain {
        checked_ms: Some(now_ms),
        ..before.clone()
    };
    after.outcome = Some(match found {
        TextRecord::Found => {
            after.is_verified = true;
            after.missing_since_ms = None;
            DomainOutcome::Found
        }
        TextRecord::Missing(texts) => {
            if before.is_verified {
                let since_ms = before.missing_since_ms.unwrap_or(now_ms);
                after.missing_since_ms = Some(since_ms);
                after.is_verified = now_ms < since_ms + MISSING_MS;
            }
            DomainOutcome::Missing(dns_proof::shown(texts))
        }
        TextRecord::Unknown(failure) => DomainOutcome::Unknown(failure.message),
    });
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::egress::{Class, Failure};

    const DAY_MS: i64 = 24 * 60 * 60 * 1000;

    #[test]
    fn a_domain_is_lost_after_days_without_its_record_and_not_because_of_silence() {
        let new = SsoDomain {
            id: "d".into(),
            organization: "o".into(),
            name: "acme.example".to_owned(),
            token: "t".to_owned(),
            is_verified: false,
            outcome: None,
            checked_ms: None,
            missing_since_ms: None,
            created_ms: 0,
        };
        let missing = || TextRecord::Missing(Vec::new());
        let silent = || TextRecord::Unknown(Failure::new(Class::NameTimeout, "late"));
        assert!(!judge(&new, missing(), 0).is_verified);
        assert_eq!(judge(&new, missing(), 0).missing_since_ms, None);
        let verified = judge(&new, TextRecord::Found, 0);
        assert!(verified.is_verified);
        assert!(judge(&verified, silent(), 90 * DAY_MS).is_verified);

        let first = judge(&verified, missing(), DAY_MS);
        assert!(first.is_verified);
        let late = judge(&first, missing(), DAY_MS + MISSING_MS - 1);
        assert!(late.is_verified && late.missing_since_ms == Some(DAY_MS));
        assert!(judge(&late, silent(), DAY_MS + MISSING_MS).is_verified);
        let lost = judge(&late, missing(), DAY_MS + MISSING_MS);
        assert!(!lost.is_verified);
        assert!(judge(&lost, TextRecord::Found, 9 * DAY_MS).is_verified);
        assert_eq!(
            judge(&late, TextRecord::Found, 3 * DAY_MS).missing_since_ms,
            None
        );
    }
}
