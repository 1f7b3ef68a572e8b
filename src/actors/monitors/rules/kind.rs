//! Which fields a monitor type has, by the table of types.

use super::super::{
    Auth, Expectations, Kind, MonitorFields, RequestFields, kinds, kinds::Field, target,
};
use crate::actors::issues::Issues;

/// Fields of a request.
const REQUEST: [Field; 5] = [
    Field::Http,
    Field::Auth,
    Field::Body,
    Field::VerifyTls,
    Field::Tls,
];

/// Refuses fields of other types.
pub(super) fn check_fields(issues: &mut Issues, fields: &MonitorFields) {
    let row = kinds::find(fields.kind);
    let usual = RequestFields::default();
    let request = fields.request.as_ref().unwrap_or(&usual);
    let empty = Expectations::default();
    let expect = fields.expect.as_ref().unwrap_or(&empty);
    let has_json = expect.json.as_ref().is_some_and(|list| !list.is_empty());
    let takes_request = REQUEST.iter().any(|field| row.has(*field));
    if fields.request.is_some() && !takes_request {
        refuse(issues, fields.kind, "request");
        return;
    }
    for (field, is_set, own) in [
        ("request.method", request.method.is_some(), Field::Http),
        ("request.headers", request.headers.is_some(), Field::Http),
        (
            "request.followRedirects",
            request.follow_redirects.is_some(),
            Field::Http,
        ),
        ("request.auth", request.auth.is_some(), Field::Auth),
        ("request.body", request.body.is_some(), Field::Body),
        (
            "request.verifyTls",
            request.verify_tls.is_some(),
            Field::VerifyTls,
        ),
        ("request.tls", request.tls.is_some(), Field::Tls),
        ("recordType", fields.record_type.is_some(), Field::Records),
        ("grace", fields.grace.is_some(), Field::Grace),
        ("expect.status", expect.status.is_some(), Field::Http),
        ("expect.json", has_json, Field::Http),
        ("expect.contains", expect.contains.is_some(), Field::Text),
        ("expect.lacks", expect.lacks.is_some(), Field::Text),
        ("expect.matches", expect.matches.is_some(), Field::Text),
        ("expect.records", expect.records.is_some(), Field::Records),
        (
            "expect.certificateDays",
            expect.certificate_days.is_some(),
            Field::CertificateDays,
        ),
    ] {
        if is_set && !row.has(own) {
            refuse(issues, fields.kind, field);
        }
    }
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
    if kind == Kind::Http || !kinds::find(kind).has(Field::Auth) {
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
