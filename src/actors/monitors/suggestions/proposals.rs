//! Monitors for what was seen of an address. Pure.

use url::Position;

use super::{Suggestion, observation::Observation};
use crate::{
    actors::{
        dns_proof::registrable,
        monitors::{Expectations, Granularity, Kind, MonitorFields, checks, expect},
    },
    clock::iso_ms,
    egress::{Failure, RecordKind},
};

/// Days that a certificate has to be valid for at least.
const CERTIFICATE_DAYS: u32 = 14;
/// Characters of a monitor's name.
const MAX_NAME: usize = 255;

pub(super) fn all(seen: &Observation) -> Vec<Suggestion> {
    let all = [
        Some(page(seen)),
        certificate(seen),
        records(seen),
        name_servers(seen),
    ];
    all.into_iter().flatten().collect()
}

/// The requested URL.
fn page(seen: &Observation) -> Suggestion {
    let status = seen.status.as_u16();
    let wants_sign_in = matches!(status, 401 | 403);
    let title = seen.title().filter(|_| seen.status.is_success());
    let mut reasons = vec![format!("{} answers {status}.", seen.url)];
    if seen.final_url != seen.url {
        reasons.push(format!("Redirects lead to {}.", seen.final_url));
    }
    if wants_sign_in {
        reasons.push("The check accepts that, because the page wants a sign-in.".to_owned());
    }
    if let Some(title) = &title {
        reasons.push(format!("The body has to contain the title “{title}”."));
    }
    let expect = Expectations {
        status: wants_sign_in.then(|| vec![status.to_string()]),
        contains: title,
        ..Expectations::default()
    };
    let outcome = seen
        .distrust
        .clone()
        .map_or(Ok(()), Err)
        .and_then(|()| checks::check_status(&expect, seen.status))
        .and_then(|()| expect::text(&expect, &seen.text));
    let name = &seen.url[Position::BeforeHost..Position::AfterPath];
    let monitor = MonitorFields {
        kind: Kind::Http,
        url: Some(seen.url.to_string()),
        granularity: Some(Granularity::FiveMinutes),
        ..MonitorFields::default()
    };
    let name = name.trim_end_matches('/');
    suggestion((monitor, expect), name, reasons.join(" "), outcome)
}

/// The certificate of the URL that answered.
fn certificate(seen: &Observation) -> Option<Suggestion> {
    let certificate = seen.certificate?;
    let host = seen.final_url.host_str()?;
    let expires: String = iso_ms(certificate.ends_ms).chars().take(10).collect();
    let reason = format!(
        "The certificate of {host} expires on {expires}. The check fails when fewer than {CERTIFICATE_DAYS} days are left."
    );
    let expect = Expectations {
        certificate_days: Some(CERTIFICATE_DAYS),
        ..Expectations::default()
    };
    let outcome = certificate
        .failure()
        .map_or(Ok(()), Err)
        .and_then(|()| checks::check_days(&expect, Some(certificate), seen.at_ms));
    let monitor = MonitorFields {
        kind: Kind::Tls,
        url: Some(seen.final_url[Position::BeforeHost..Position::AfterPort].to_owned()),
        granularity: Some(Granularity::SixHours),
        ..MonitorFields::default()
    };
    let name = format!("{host} certificate");
    Some(suggestion((monitor, expect), &name, reason, outcome))
}

/// The records of the requested name. A name has one DNS monitor: name servers tell more about a registered domain.
fn records(seen: &Observation) -> Option<Suggestion> {
    let name = seen.name()?;
    let (kind, found) = seen.records.as_ref()?;
    if registrable(name) == Some(name) && !seen.name_servers.is_empty() {
        return None;
    }
    let verb = if *kind == RecordKind::Cname {
        "is an alias of"
    } else {
        "resolves to"
    };
    let reason = format!(
        "{name} {verb} {}. The check fails when one of these records is missing.",
        found.join(", ")
    );
    let found = (*kind, found.as_slice());
    Some(dns(name, found, &format!("{name} DNS"), reason))
}

/// The name servers of the registered domain.
fn name_servers(seen: &Observation) -> Option<Suggestion> {
    let domain = registrable(seen.name()?)?;
    let found = &seen.name_servers;
    if found.is_empty() {
        return None;
    }
    let reason = format!(
        "The name servers of {domain} are {}. They change when the domain expires or moves.",
        found.join(", ")
    );
    let name = format!("{domain} name servers");
    Some(dns(
        domain,
        (RecordKind::Ns, found.as_slice()),
        &name,
        reason,
    ))
}

/// A monitor that expects these records.
fn dns(
    target: &str,
    (kind, found): (RecordKind, &[String]),
    name: &str,
    reason: String,
) -> Suggestion {
    let expect = Expectations {
        records: Some(found.to_vec()),
        ..Expectations::default()
    };
    let outcome = expect::records(&expect, found);
    let monitor = MonitorFields {
        kind: Kind::Dns,
        url: Some(target.to_owned()),
        record_type: Some(kind),
        granularity: Some(Granularity::Hour),
        ..MonitorFields::default()
    };
    suggestion((monitor, expect), name, reason, outcome)
}

fn suggestion(
    (monitor, expect): (MonitorFields, Expectations),
    name: &str,
    reason: String,
    outcome: Result<(), Failure>,
) -> Suggestion {
    Suggestion {
        monitor: MonitorFields {
            name: Some(name.chars().take(MAX_NAME).collect()),
            expect: (expect != Expectations::default()).then_some(expect),
            ..monitor
        },
        reason,
        problem: outcome.err().map(|failure| failure.message),
        schedule_id: None,
    }
}
