//! What a probe sends: results of checks in the order of its spool, signed with its token.

use std::net::IpAddr;

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

use crate::{
    actors::{
        hex,
        monitors::{Finding, LastCheck, check_result::cut, health},
    },
    ids::MonitorId,
};

/// Reports of one request.
pub const MAX_REPORTS: usize = 500;
/// The purpose of the key that signs reports.
const SIGNING: &str = "pharos 2026-11 reports of probes";
/// How long a phase may take, microseconds.
const MAX_PHASE_US: u64 = 600_000_000;
/// When certificates end at the latest, Unix milliseconds: the year 9999.
const MAX_EXPIRY_MS: i64 = 253_402_300_799_000;
/// Bytes of the parts of a health answer.
const MAX_PARTS: usize = 16_384;
/// Bytes of a report as JSON. Those of our probes have less than 4,000 beside the parts, and 1,200 of them may be the error.
pub(super) const MAX_REPORT: usize = 32_768;

/// What a probe has found in a slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The monitor's id.
    pub monitor: MonitorId,
    /// Unix milliseconds.
    pub slot: i64,
    /// Whether it was good, but degraded.
    #[serde(default)]
    pub slow: bool,
    pub check: LastCheck,
}

impl Report {
    pub fn new(monitor: MonitorId, slot: i64, found: Finding) -> Self {
        Self {
            monitor,
            slot,
            slow: found.slow,
            check: LastCheck {
                parts: found.check.parts.filter(fits),
                ..found.check
            },
        }
    }

    /// What it found, with everything that a probe could exaggerate in its bounds: the check began so many milliseconds behind its
    /// slot at the latest, and not after now, Unix milliseconds.
    pub(in crate::actors::monitors) fn into_finding(self, late_ms: i64, now_ms: i64) -> Finding {
        // A slot that is a little ahead begins where it is.
        let latest_ms = self.slot.saturating_add(late_ms).min(now_ms).max(self.slot);
        let check = self.check;
        let address = check
            .address
            .filter(|address| address.parse::<IpAddr>().is_ok());
        let parts = check.parts.filter(fits);
        let error = check.error_class.and(check.error);
        Finding {
            slow: self.slow,
            check: LastCheck {
                at_ms: check.at_ms.clamp(self.slot, latest_ms),
                http_code: check.http_code.min(999),
                phases: check.phases.map(|micros| micros.min(MAX_PHASE_US)),
                address,
                ssl_expiry: check.ssl_expiry.map(|at_ms| at_ms.clamp(0, MAX_EXPIRY_MS)),
                error: error.map(|error| cut(&error)),
                parts,
                ..check
            },
        }
    }
}

/// Whether the parts of a health answer are kept.
fn fits(parts: &Value) -> bool {
    health::is_parts(parts) && parts.to_string().len() <= MAX_PARTS
}

/// Reports of a spool, one after the other.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReportBatch {
    /// Names the spool: another one begins to count anew.
    pub spool: String,
    /// The number of the first report in the spool, which begins at 1.
    pub first: i64,
    /// Each a [`Report`] as it was sent. One that this version can't read keeps none of the others back.
    pub reports: Vec<Box<RawValue>>,
}

/// The signature of a body.
pub fn sign(token: &str, body: &[u8]) -> String {
    let key = blake3::derive_key(SIGNING, token.as_bytes());
    // A key of any length will do.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&key) else {
        return String::new();
    };
    mac.update(body);
    hex::encode(&mac.finalize().into_bytes())
}

/// Whether a body is signed with this token.
pub fn is_signed(token: &str, body: &[u8], signature: &str) -> bool {
    let expected = sign(token, body);
    !expected.is_empty() && expected.as_bytes().ct_eq(signature.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::{
        actors::monitors::CheckResult,
        egress::{Class, Failure, Trace},
    };

    fn report(check: serde_json::Value) -> Report {
        let mut all = json!({
            "at_ms": 5, "status": 1, "http_code": 200, "phases": [1, 2, 3, 4, 5], "address": null, "bytes": 0,
            "redirects": 0, "ssl_expiry": null, "ssl_valid": null, "error_class": null, "error": null, "parts": null,
        });
        all.as_object_mut()
            .unwrap()
            .extend(check.as_object().unwrap().clone());
        serde_json::from_value(json!({ "monitor": "m", "slot": 1_000, "check": all })).unwrap()
    }

    #[test]
    fn what_a_probe_says_is_kept_in_bounds() {
        let said = report(json!({
            "at_ms": 5, "http_code": 65_000, "phases": [u64::MAX, 0, 0, 0, 0], "address": "<b>", "error": "x".repeat(900),
            "error_class": "refused", "parts": { "a": { "status": "x".repeat(20_000) } },
        }));
        let found = said.into_finding(60_000, 9_000);
        assert!(!found.is_up());
        let check = found.check;
        assert_eq!((check.at_ms, check.http_code), (1_000, 999));
        assert_eq!(
            (check.phases[0], check.address, check.parts),
            (MAX_PHASE_US, None, None)
        );
        assert_eq!(check.error.unwrap().len(), 300);
        let good = report(json!({ "at_ms": 1_900, "error": "no class", "address": "::1" }))
            .into_finding(60_000, 9_000);
        assert!(good.is_up());
        assert_eq!((good.check.at_ms, good.check.error), (1_900, None));
        assert_eq!(good.check.address.as_deref(), Some("::1"));
    }

    #[test]
    fn a_result_of_ours_is_never_too_large() {
        let report = |bytes: usize| {
            let trace = Trace::lasting(Duration::from_mins(10));
            let result = CheckResult {
                http_code: 599,
                failure: Some(Failure::new(Class::Refused, "\u{1f6a8}".repeat(900))),
                parts: Some(json!({ "a": { "status": "x".repeat(bytes) } })),
                ..CheckResult::new(i64::MAX, trace)
            };
            Report::new(MonitorId::new(), i64::MAX, result.finding())
        };
        let around = r#"{"a":{"status":""}}"#.len();
        let largest = report(MAX_PARTS - around);
        assert!(largest.check.parts.is_some());
        let bytes = serde_json::to_string(&largest).unwrap().len();
        // Which is less than `MAX_REPORT`.
        assert!(bytes < MAX_PARTS + 4_000, "{bytes}");
        assert_eq!(report(MAX_PARTS).check.parts, None);
    }

    #[test]
    fn lists_in_place_of_parts_are_not_kept() {
        let said = report(json!({ "at_ms": 5, "parts": vec![0; 100] }));
        assert_eq!(said.into_finding(60_000, 9_000).check.parts, None);
    }

    #[test]
    fn a_check_begins_soon_after_its_slot_and_not_in_the_future() {
        // The slot is 1,000.
        for (said_ms, late_ms, now_ms, kept_ms) in [
            (5, 60_000, 9_000, 1_000),
            (8_000, 60_000, 9_000, 8_000),
            (9_500, 60_000, 9_000, 9_000),
            (70_000, 60_000, 900_000, 61_000),
            (i64::MAX, 60_000, 900_000, 61_000),
            (5_000, 60_000, 900, 1_000),
        ] {
            let found = report(json!({ "at_ms": said_ms })).into_finding(late_ms, now_ms);
            assert_eq!(found.check.at_ms, kept_ms, "{said_ms} at {now_ms}");
        }
    }

    #[test]
    fn a_signature_holds_for_one_token_and_one_body() {
        let signature = sign("a", b"body");
        assert!(is_signed("a", b"body", &signature));
        assert!(!is_signed("b", b"body", &signature));
        assert!(!is_signed("a", b"other", &signature));
        assert!(!is_signed("a", b"body", ""));
    }
}
