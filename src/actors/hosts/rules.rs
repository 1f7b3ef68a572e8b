//! Pure decisions: what a host may be called, and what a check means.

use url::Url;

use super::{CustomHost, DnsFindings, HostFields, Pointing, Proof};
use crate::{
    actors::{
        dns_proof::{self, MISSING_MS},
        issues::Issues,
        validation::ValidationError,
    },
    fault::Issue,
};

/// A verified host is checked again after this long, milliseconds.
const DAILY_MS: i64 = 24 * 60 * 60 * 1000;
/// A new host is looked for this often, and for so long, milliseconds.
const NEW_MS: (i64, i64) = (10 * 60 * 1000, 7 * 24 * 60 * 60 * 1000);
const MAX_URL: usize = 2_048;

/// The name of a host as it is stored. It is no address, has no port, and is below a domain that can be registered.
pub(super) fn name(given: &str) -> Result<String, ValidationError> {
    let no_label = |label: &str| label.starts_with('-') || label.ends_with('-');
    let name = dns_proof::provable(given.trim());
    let name = name.filter(|name| !name.split('.').any(no_label));
    let message = "Enter a host name of your own without https:// and path, such as go.example.com";
    name.ok_or_else(|| ValidationError::new("host", message))
}

/// The fields of a host in their stored form. None leads back to the host: browsers would follow that in circles.
pub(super) fn check_fields(mut fields: HostFields, name: &str) -> Result<HostFields, Vec<Issue>> {
    let mut issues = Issues::default();
    for (field, url) in [
        ("rootUrl", &mut fields.root_url),
        ("unknownUrl", &mut fields.unknown_url),
        ("endedUrl", &mut fields.ended_url),
    ] {
        *url = url.take().filter(|url| !url.trim().is_empty());
        let Some(given) = url.as_deref() else {
            continue;
        };
        match Url::parse(given) {
            Ok(parsed) if leads_to(&parsed, name) => issues.refuse(
                "invalid_url",
                field,
                format!("`{field}` leads back to {name}. Enter a URL on another host."),
            ),
            Ok(parsed)
                if matches!(parsed.scheme(), "http" | "https")
                    && parsed.as_str().len() <= MAX_URL
                    && parsed.username().is_empty()
                    && parsed.password().is_none() =>
            {
                *url = Some(parsed.into());
            }
            _ => issues.refuse(
                "invalid_url",
                field,
                format!("`{field}` must be a full URL, such as https://example.com/"),
            ),
        }
    }
    issues.finish(fields)
}

fn leads_to(url: &Url, name: &str) -> bool {
    let host = url.host_str().unwrap_or_default();
    host.trim_end_matches('.').eq_ignore_ascii_case(name)
}

/// What it says of a host that it leads here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressProof {
    /// It is the organization's.
    Accepted,
    /// Another organization claims it or had it, or a wildcard record of the operator's may lead any name here: this counts
    /// only for the one that has it.
    HolderOnly,
}

/// The host after a check.
pub(super) fn judge(
    before: &CustomHost,
    findings: DnsFindings,
    address: AddressProof,
    now_ms: i64,
) -> CustomHost {
    let has_text = findings.text;
    let leads_here = findings.pointing;
    let is_enough = match address {
        AddressProof::Accepted => true,
        // A claim takes nothing from the holder.
        AddressProof::HolderOnly => before.is_verified(),
    };
    let mut after = CustomHost {
        checked_ms: Some(now_ms),
        findings: Some(findings),
        ..before.clone()
    };
    let proof = match (has_text, leads_here) {
        (Some(true), _) => Some(Proof::Text),
        (_, Pointing::Here) if is_enough => Some(Proof::Address),
        _ => None,
    };
    if proof.is_some() {
        after.proof = proof;
        after.missing_since_ms = None;
        return after;
    }
    // Silence says nothing.
    let is_silent = has_text.is_none() || leads_here == Pointing::Unknown;
    if before.is_verified() && !is_silent {
        let since_ms = before.missing_since_ms.unwrap_or(now_ms);
        after.missing_since_ms = Some(since_ms);
        after.proof = before.proof.filter(|_| now_ms < since_ms + MISSING_MS);
    }
    after
}

/// Whether a check has found what the one before had found.
pub(super) fn changes_only_time(before: &CustomHost, after: &CustomHost) -> bool {
    let timed = CustomHost {
        checked_ms: after.checked_ms,
        ..before.clone()
    };
    timed == *after
}

/// Whether the clock asks for a check: often of a new host until it is verified and leads here, daily of the others that are or
/// were verified.
pub(super) fn is_due(host: &CustomHost, now_ms: i64) -> bool {
    let Some(checked_ms) = host.checked_ms else {
        return true;
    };
    let was_verified = host.is_verified() || host.missing_since_ms.is_some();
    let (often, long) = NEW_MS;
    let is_awaited = !was_verified || host.is_verified() && !host.leads_here();
    if is_awaited && now_ms < host.created_ms + long {
        return checked_ms + often <= now_ms;
    }
    was_verified && checked_ms + DAILY_MS <= now_ms
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::actors::hosts::HostUse;

    const DAY_MS: i64 = 24 * 60 * 60 * 1000;

    fn host(proof: Option<Proof>) -> CustomHost {
        CustomHost {
            id: "h".into(),
            organization: "o".into(),
            name: "go.acme.example".to_owned(),
            serves: HostUse::Links,
            subject: None,
            fields: HostFields::default(),
            token: "t".to_owned(),
            proof,
            findings: None,
            checked_ms: None,
            missing_since_ms: None,
            created_ms: 0,
        }
    }

    fn found(text: Option<bool>, pointing: Pointing) -> DnsFindings {
        DnsFindings {
            text,
            texts: Vec::new(),
            pointing,
            leads_to: Vec::new(),
        }
    }

    fn claimed(is_claimed: bool) -> AddressProof {
        if is_claimed {
            AddressProof::HolderOnly
        } else {
            AddressProof::Accepted
        }
    }

    #[test]
    fn hosts_are_names_below_a_registered_domain() {
        for (given, stored) in [
            ("go.acme.com", "go.acme.com"),
            (" GO.Acme.com. ", "go.acme.com"),
            ("acme.co.uk", "acme.co.uk"),
            ("münchen.example", "xn--mnchen-3ya.example"),
        ] {
            assert_eq!(name(given).as_deref(), Ok(stored), "{given}");
        }
        for given in [
            "",
            "com",
            "co.uk",
            "127.0.0.1",
            "[::1]",
            "2130706433",
            "0x7f.1",
            "https://go.acme.com",
            "go.acme.com:443",
            "go.acme.com/a",
            "a b.com",
            "-a.com",
            "a-.com",
            "*.acme.com",
            "_x.acme.com",
            "a..com",
            "localhost",
        ] {
            assert!(name(given).is_err(), "{given}");
        }
        let long = format!("{}.com", ["a"; 126].join("."));
        assert!(name(&long).is_err());
    }

    #[test]
    fn a_host_leads_to_other_hosts_only() {
        let check = |url: &str| {
            let fields = HostFields {
                root_url: Some(url.to_owned()),
                ..HostFields::default()
            };
            check_fields(fields, "go.acme.com")
        };
        for own in [
            "https://go.acme.com",
            "http://GO.acme.com:8080/welcome",
            "https://go.acme.com./a?b",
        ] {
            let refused = check(own).unwrap_err();
            assert_eq!(
                refused[0].message,
                "`rootUrl` leads back to go.acme.com. Enter a URL on another host."
            );
        }
        for other in ["https://acme.com/go.acme.com", "https://a.go.acme.com/"] {
            assert!(check(other).is_ok(), "{other}");
        }
    }

    #[test]
    fn a_text_record_proves_always_and_an_address_while_nobody_else_claims_the_host() {
        let proof = |text, pointing, is_claimed| {
            judge(&host(None), found(text, pointing), claimed(is_claimed), 0).proof
        };
        assert_eq!(
            proof(Some(true), Pointing::Elsewhere, true),
            Some(Proof::Text)
        );
        assert_eq!(
            proof(Some(false), Pointing::Here, false),
            Some(Proof::Address)
        );
        assert_eq!(proof(None, Pointing::Here, false), Some(Proof::Address));
        assert_eq!(proof(Some(false), Pointing::Here, true), None);
        assert_eq!(proof(Some(false), Pointing::Elsewhere, false), None);
        assert_eq!(proof(None, Pointing::Unknown, false), None);
        let holder = host(Some(Proof::Address));
        let claimed = judge(
            &holder,
            found(Some(false), Pointing::Here),
            AddressProof::HolderOnly,
            9 * DAY_MS,
        );
        assert!(claimed.is_verified(), "a claim takes nothing away");
    }

    #[test]
    fn a_host_is_lost_after_days_without_proof_and_not_because_of_silence() {
        let verified = host(Some(Proof::Address));
        let gone = || found(Some(false), Pointing::Elsewhere);
        let free = AddressProof::Accepted;
        let first = judge(&verified, gone(), free, DAY_MS);
        assert_eq!(
            (first.proof, first.missing_since_ms),
            (verified.proof, Some(DAY_MS))
        );
        for silent in [
            found(None, Pointing::Elsewhere),
            found(Some(false), Pointing::Unknown),
        ] {
            assert!(judge(&first, silent, free, 90 * DAY_MS).is_verified());
        }
        let late = judge(&first, gone(), free, DAY_MS + MISSING_MS - 1);
        assert!(late.is_verified());
        let lost = judge(&late, gone(), free, DAY_MS + MISSING_MS);
        assert!(!lost.is_verified());
        let back = judge(&lost, found(Some(true), Pointing::Here), free, 9 * DAY_MS);
        assert_eq!(
            (back.proof, back.missing_since_ms),
            (Some(Proof::Text), None)
        );
    }

    #[test]
    fn new_hosts_are_looked_for_often_and_verified_ones_daily() {
        let at = |proof, checked_ms| CustomHost {
            checked_ms: Some(checked_ms),
            ..host(proof)
        };
        assert!(is_due(&host(None), 0));
        assert!(!is_due(&at(None, 0), 10 * 60 * 1000 - 1));
        assert!(is_due(&at(None, 0), 10 * 60 * 1000));
        assert!(!is_due(&at(None, 0), 7 * DAY_MS));
        assert!(!is_due(&at(Some(Proof::Text), 0), DAY_MS - 1));
        let moving = CustomHost {
            findings: Some(found(Some(true), Pointing::Elsewhere)),
            ..at(Some(Proof::Text), 0)
        };
        assert!(is_due(&moving, 10 * 60 * 1000), "it is about to be moved");
        assert!(!is_due(
            &CustomHost {
                checked_ms: Some(8 * DAY_MS),
                ..moving
            },
            8 * DAY_MS + 1
        ));
        assert!(is_due(&at(Some(Proof::Text), 0), 90 * DAY_MS));
    }

    #[test]
    fn a_check_that_finds_the_same_changes_only_its_time() {
        let silent = || found(None, Pointing::Unknown);
        let first = judge(&host(None), silent(), AddressProof::Accepted, 1);
        assert!(!changes_only_time(&host(None), &first));
        let second = judge(&first, silent(), AddressProof::Accepted, 2);
        assert!(changes_only_time(&first, &second));
        let here = found(None, Pointing::Here);
        let proved = judge(&second, here, AddressProof::Accepted, 3);
        assert!(!changes_only_time(&second, &proved));
    }

    proptest! {
        /// Nothing but a text record gives a host to an organization while another one claims it.
        #[test]
        fn a_claimed_host_needs_the_text_record(
            text in proptest::option::of(any::<bool>()), which in 0..3_usize, now_ms in 0..10_i64,
        ) {
            let pointing = [Pointing::Here, Pointing::Elsewhere, Pointing::Unknown][which];
            let after = judge(&host(None), found(text, pointing), AddressProof::HolderOnly, now_ms);
            prop_assert_eq!(after.is_verified(), text == Some(true));
        }
    }
}
