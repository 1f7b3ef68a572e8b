//! Registered domains: when they expire, by RDAP (RFC 9083).

use chrono::{DateTime, NaiveDateTime};
use hyper::{
    StatusCode,
    header::{self, HeaderValue},
};
use serde_json::{Value, json};
use tokio::time::Instant;
use url::Url;

use super::{
    super::{CheckResult, Expectations},
    Probe, check_status, plain_request,
};
use crate::{
    clock::iso_ms,
    egress::{Class, Failure},
};

/// Who is asked without a setting. It redirects to the registry of each domain.
const SERVICE: &str = "https://rdap.org/";
/// Days that a domain has to be registered for without an assertion.
const DAYS: u32 = 14;
const DAY_MS: i64 = 86_400_000;

/// What a registry says.
#[derive(Debug, PartialEq)]
pub(super) struct Registration {
    expires_ms: i64,
    registrar: Option<String>,
    status: Vec<String>,
}

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let url = &probe.monitor.url;
    let domain = url.strip_prefix("domain://").unwrap_or(url);
    let service = probe.egress.policy().rdap_url.clone();
    let service = if service.is_empty() {
        SERVICE
    } else {
        &service
    };
    let time = probe.deadline.saturating_duration_since(Instant::now());
    let mut ask = plain_request(question(service, domain)?, true, time)?;
    let media = HeaderValue::from_static("application/rdap+json, application/json");
    ask.headers.insert(header::ACCEPT, media);
    let answered = probe.egress.ask(ask, &mut result.trace).await;
    // The certificate is the one of the registry.
    result.trace.certificate = None;
    let answer = answered?;
    result.http_code = answer.status.as_u16();
    if answer.status == StatusCode::NOT_FOUND {
        let message = "the registry doesn't know the domain, or RDAP doesn't know the registry";
        return Err(Failure::new(Class::NameNotFound, message));
    }
    check_status(&Expectations::default(), answer.status)?;
    let registration = read(&answer.text, domain)?;
    let left = (registration.expires_ms - result.at_ms).div_euclid(DAY_MS);
    check_days(probe.expect, left)?;
    let document = json!({
        "domain": domain, "expires": iso_ms(registration.expires_ms), "daysLeft": left,
        "registrar": registration.registrar, "status": registration.status,
    });
    probe.assert_document(&document).await
}

fn question(service: &str, domain: &str) -> Result<Url, Failure> {
    let url = Url::parse(service).and_then(|url| url.join(&format!("domain/{domain}")));
    let wrong = |_| Failure::new(Class::Other, "`egress.rdap_url` is no URL");
    url.map_err(wrong)
}

fn check_days(expect: &Expectations, left: i64) -> Result<(), Failure> {
    let days = expect.domain_days.unwrap_or(DAYS);
    if left >= i64::from(days) {
        return Ok(());
    }
    let message = match left {
        ..0 => "the domain has expired".to_owned(),
        left => format!("the domain expires in {left} days, sooner than {days}"),
    };
    Err(Failure::new(Class::DomainExpiring, message))
}

pub(super) fn read(text: &[u8], domain: &str) -> Result<Registration, Failure> {
    let broken = |message: &str| Failure::new(Class::Protocol, message);
    let Ok(answer) = serde_json::from_slice::<Value>(text) else {
        return Err(broken("the answer of the registry isn't RDAP"));
    };
    let named = answer["ldhName"].as_str().unwrap_or_default();
    if !named.trim_end_matches('.').eq_ignore_ascii_case(domain) {
        return Err(broken("the answer of the registry is about another name"));
    }
    let events = answer["events"].as_array().map_or(&[][..], Vec::as_slice);
    let date = |action: &str| {
        let event = events.iter().find(|event| event["eventAction"] == action)?;
        moment(event["eventDate"].as_str()?)
    };
    let Some(expires_ms) = date("expiration").or_else(|| date("registrar expiration")) else {
        return Err(Failure::new(
            Class::Assertion,
            "the registry doesn't say when the domain expires",
        ));
    };
    let texts = answer["status"].as_array().into_iter().flatten();
    let status = texts.filter_map(|text| Some(text.as_str()?.to_owned()));
    Ok(Registration {
        expires_ms,
        registrar: registrar(&answer),
        status: status.collect(),
    })
}

/// A time with its zone, or one of UTC without it, as Unix milliseconds.
fn moment(text: &str) -> Option<i64> {
    if let Ok(exact) = DateTime::parse_from_rfc3339(text) {
        return Some(exact.timestamp_millis());
    }
    let plain = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").ok()?;
    Some(plain.and_utc().timestamp_millis())
}

/// The name in the card of the registrar.
fn registrar(answer: &Value) -> Option<String> {
    let is_registrar = |entity: &&Value| {
        let mut roles = entity["roles"].as_array().into_iter().flatten();
        roles.any(|role| role == "registrar")
    };
    let entity = answer["entities"].as_array()?.iter().find(is_registrar)?;
    let mut card = entity["vcardArray"][1].as_array()?.iter();
    let name = card.find(|property| property[0] == "fn")?;
    Some(name[3].as_str()?.chars().take(200).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the form of section 5.3 of RFC 9083, shortened.
    fn recorded() -> Value {
        json!({
            "objectClassName": "domain", "ldhName": "EXAMPLE.com", "status": ["active", "client transfer prohibited"],
            "events": [
                { "eventAction": "registration", "eventDate": "1995-08-14T04:00:00Z" },
                { "eventAction": "expiration", "eventDate": "2026-08-13T04:00:00+02:00" },
            ],
            "entities": [{
                "objectClassName": "entity", "roles": ["registrar"],
                "vcardArray": ["vcard", [["version", {}, "text", "4.0"], ["fn", {}, "text", "Example Registrar"]]],
            }],
        })
    }

    fn read_value(value: &Value) -> Result<Registration, Failure> {
        read(value.to_string().as_bytes(), "example.com")
    }

    #[test]
    fn the_end_and_the_registrar_are_read() {
        let read = read_value(&recorded()).unwrap();
        assert_eq!(iso_ms(read.expires_ms), "2026-08-13T02:00:00.000Z");
        assert_eq!(read.registrar.as_deref(), Some("Example Registrar"));
        assert_eq!(read.status.len(), 2);
        assert_eq!(moment("2026-08-13T02:00:00"), Some(read.expires_ms));
    }

    #[test]
    fn answers_about_nothing_fail_in_words() {
        let mut other = recorded();
        other["ldhName"] = "example.org".into();
        let mut endless = recorded();
        endless["events"] = json!([{ "eventAction": "registration" }, 5, null]);
        let mut undated = recorded();
        undated["events"][1]["eventDate"] = "soon".into();
        for (value, class) in [
            (other, Class::Protocol),
            (endless, Class::Assertion),
            (undated, Class::Assertion),
            (json!([]), Class::Protocol),
            (json!("x"), Class::Protocol),
        ] {
            assert_eq!(read_value(&value).unwrap_err().class, class, "{value}");
        }
        assert_eq!(
            read(b"<html>", "a.example").unwrap_err().class,
            Class::Protocol
        );
    }

    #[test]
    fn a_domain_has_to_last_for_the_days_that_are_wanted() {
        let expect = |days: Option<u32>| Expectations {
            domain_days: days,
            ..Expectations::default()
        };
        for (days, left, good) in [
            (None, 14, true),
            (None, 13, false),
            (Some(30), 29, false),
            (Some(30), 30, true),
            (Some(1), -1, false),
        ] {
            let checked = check_days(&expect(days), left);
            assert_eq!(checked.is_ok(), good, "{days:?} {left}");
        }
    }

    #[test]
    fn the_question_is_below_the_path_of_the_service() {
        let url = question("https://rdap.example/v1/", "example.com").unwrap();
        assert_eq!(url.as_str(), "https://rdap.example/v1/domain/example.com");
        assert!(question("rdap", "example.com").is_err());
    }
}
