//! Which fields a monitor type has, by the table of types.

use super::super::{
    Auth, Expectations, Field, Granularity, HERE, Kind, MonitorFields, RequestFields, target,
};
use crate::{actors::issues::Issues, egress::Policy};

/// Fields of a request.
const REQUEST: [Field; 7] = [
    Field::Http,
    Field::Headers,
    Field::Auth,
    Field::Body,
    Field::VerifyTls,
    Field::Tls,
    Field::Community,
];
/// Registries limit how often they are asked. Milliseconds.
const LEAST_DOMAIN_INTERVAL: i64 = 3_600_000;

/// Refuses fields of other types.
pub(super) fn check_fields(issues: &mut Issues, fields: &MonitorFields) {
    let row = fields.kind.info();
    let usual = RequestFields::default();
    let request = fields.request.as_ref().unwrap_or(&usual);
    let empty = Expectations::default();
    let expect = fields.expect.as_ref().unwrap_or(&empty);
    let takes_request = REQUEST.iter().any(|field| row.has(*field));
    if fields.request.is_some() && !takes_request {
        refuse(issues, fields.kind, "request");
        return;
    }
    let own = [
        ("steps", fields.steps.is_some(), Field::Steps),
        (
            "recordType",
            fields.record_type.is_some(),
            Field::RecordType,
        ),
        ("grace", fields.grace.is_some(), Field::Grace),
    ];
    let all = own.into_iter().chain(request_fields(request));
    for (field, is_set, own) in all.chain(assertions(expect)) {
        if is_set && !row.has(own) {
            refuse(issues, fields.kind, field);
        }
    }
    check_interval(issues, fields);
}

/// Refuses a page that no browser opens. A probe has a browser of its own.
pub(super) fn check_browser(issues: &mut Issues, fields: &MonitorFields, policy: &Policy) {
    let is_here = |places: &Vec<String>| places.iter().any(|place| place == HERE);
    let needs_browser = fields.kind == Kind::Browser && fields.places.as_ref().is_none_or(is_here);
    let holds = !needs_browser || !policy.browser_url.is_empty();
    let message = "`kind` is `browser`, and no browser is configured here: set `egress.browser_url`, or choose probes in `places`";
    issues.require(holds, "invalid", "kind", message);
}

/// A field by its name, whether it is set, and what it is in the table of types.
pub(super) type Given = (&'static str, bool, Field);

fn request_fields(request: &RequestFields) -> [Given; 9] {
    use Field::{Auth, Body, Community, Headers, Http, Tls, VerifyTls};
    let follows = request.follow_redirects.is_some();
    let has_version = request.snmp_version.is_some();
    [
        ("request.method", request.method.is_some(), Http),
        ("request.followRedirects", follows, Http),
        ("request.headers", request.headers.is_some(), Headers),
        ("request.auth", request.auth.is_some(), Auth),
        ("request.body", request.body.is_some(), Body),
        ("request.verifyTls", request.verify_tls.is_some(), VerifyTls),
        ("request.tls", request.tls.is_some(), Tls),
        ("request.community", request.community.is_some(), Community),
        ("request.snmpVersion", has_version, Community),
    ]
}

pub(super) fn assertions(expect: &Expectations) -> [Given; 12] {
    use Field::{Certificate, DomainDays, Json, Offset, Records, Status, Text};
    let has_json = expect.json.as_ref().is_some_and(|list| !list.is_empty());
    let has_days = expect.certificate_days.is_some();
    let has_issuer = expect.certificate_issuer.is_some();
    let has_chain = expect.certificate_chain.is_some();
    let has_scts = expect.certificate_scts.is_some();
    let has_domain = expect.domain_days.is_some();
    [
        ("expect.status", expect.status.is_some(), Status),
        ("expect.json", has_json, Json),
        ("expect.contains", expect.contains.is_some(), Text),
        ("expect.lacks", expect.lacks.is_some(), Text),
        ("expect.matches", expect.matches.is_some(), Text),
        ("expect.records", expect.records.is_some(), Records),
        ("expect.certificateDays", has_days, Certificate),
        ("expect.certificateIssuer", has_issuer, Certificate),
        ("expect.certificateChain", has_chain, Certificate),
        ("expect.certificateScts", has_scts, Certificate),
        ("expect.domainDays", has_domain, DomainDays),
        ("expect.offset", expect.offset.is_some(), Offset),
    ]
}

fn check_interval(issues: &mut Issues, fields: &MonitorFields) {
    let interval = fields.granularity.and_then(Granularity::interval_ms);
    let is_often = interval.is_some_and(|interval| interval < LEAST_DOMAIN_INTERVAL);
    let message = "a domain is checked every hour at most, because registries allow few questions";
    let holds = fields.kind != Kind::Domain || !is_often;
    issues.require(holds, "out_of_range", "granularity", message);
}

fn refuse(issues: &mut Issues, kind: Kind, field: &str) {
    let name = kind.as_str();
    let message = format_args!("`{field}` says nothing to a monitor of kind `{name}`");
    issues.require(false, "invalid", field, message);
}

/// Checks the credentials of protocols other than HTTP. `url` is the target in its stored form.
pub(super) fn check_service(issues: &mut Issues, fields: &MonitorFields, url: &str) {
    let kind = fields.kind;
    let request = fields.request.as_ref();
    let auth = request.and_then(|request| request.auth.as_ref());
    let row = kind.info();
    if row.has(Field::Headers) || !row.has(Field::Auth) {
        return;
    }
    let holds = match auth {
        Some(Auth::Basic { username, password }) => {
            // They end lines and texts of these protocols.
            !username
                .chars()
                .chain(password.chars())
                .any(char::is_control)
        }
        Some(Auth::Bearer { .. }) => false,
        None => true,
    };
    let message = "`request.auth` is `basic` here, without control characters";
    issues.require(holds, "invalid", "request.auth", message);
    let starts_with_tls = target::find_scheme(kind, url).is_some_and(|scheme| scheme.is_tls);
    let has_tls = starts_with_tls || request.and_then(|request| request.tls) == Some(true);
    let is_mail = matches!(kind, Kind::Smtp | Kind::Imap | Kind::Pop3);
    let message =
        "`request.auth` needs TLS: set `request.tls`, or choose a scheme such as `smtps://`";
    let is_private = auth.is_none() || has_tls || !is_mail;
    issues.require(is_private, "invalid", "request.auth", message);
    // The server counts a connection without a sign-in as an attack, and blocks its host.
    let message = "`request.auth` is required: MySQL blocks hosts that don't sign in";
    let may_stay_out = auth.is_some() || kind != Kind::Mysql;
    issues.require(may_stay_out, "missing", "request.auth", message);
    let has_body = request.is_some_and(|request| request.body.is_some());
    let message = "`request.body` needs `request.auth`";
    let can_run = !has_body || auth.is_some() || kind == Kind::Redis;
    issues.require(can_run, "invalid", "request.body", message);
}
