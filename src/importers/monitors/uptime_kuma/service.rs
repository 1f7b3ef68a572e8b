//! Databases and mail servers of Uptime Kuma.

use url::Url;

use crate::{
    actors::monitors::{Auth, Kind, MonitorFields, RequestFields},
    importers::record::Record,
};

/// A database by its connection string.
pub(super) fn fields(record: &Record, kind: Kind) -> Result<MonitorFields, String> {
    let text = record.text(&["database_connection_string"]);
    let text = text.ok_or("It has no connection string")?;
    let url = Url::parse(&text).map_err(|_| "Its connection string isn't a URL")?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err("Its connection string has parameters".to_owned());
    }
    let host = url.host_str().ok_or("Its connection string has no host")?;
    let query = record.text(&["database_query"]);
    let takes_query = matches!(kind, Kind::Postgresql | Kind::Mysql);
    if query.is_some() && kind == Kind::Mongodb {
        return Err("It runs a command of its own".to_owned());
    }
    let port = url.port().map(|port| format!(":{port}"));
    let port = port.unwrap_or_default();
    let path = url.path().trim_end_matches('/');
    let ignores_tls = kind == Kind::Redis && record.is_on(&["ignore_tls"]);
    Ok(MonitorFields {
        kind,
        url: Some(format!("{}://{host}{port}{path}", url.scheme())),
        request: Some(RequestFields {
            auth: auth(record, &url, kind),
            body: query.filter(|_| takes_query),
            verify_tls: ignores_tls.then_some(false),
            ..RequestFields::default()
        }),
        ..MonitorFields::default()
    })
}

fn auth(record: &Record, url: &Url, kind: Kind) -> Option<Auth> {
    // The form of MySQL monitors writes the password there.
    let apart = record.text(&["radius_password"]);
    let apart = apart.filter(|_| kind == Kind::Mysql);
    let password = apart.or_else(|| url.password().map(decode));
    if url.username().is_empty() && password.is_none() {
        return None;
    }
    Some(Auth::Basic {
        username: decode(url.username()),
        password: password.unwrap_or_default(),
    })
}

/// A part of a URL without its percent signs.
fn decode(text: &str) -> String {
    // Forms give a meaning to what URLs write as it is.
    let text = text
        .replace('+', "%2B")
        .replace('&', "%26")
        .replace('=', "%3D");
    let mut pairs = url::form_urlencoded::parse(text.as_bytes());
    pairs
        .next()
        .map(|(name, _)| name.into_owned())
        .unwrap_or_default()
}

/// A mail server, without a sign-in.
pub(super) fn smtp(record: &Record, host: &str, notes: &mut Vec<String>) -> MonitorFields {
    let security = record.text(&["smtp_security"]).unwrap_or_default();
    let (scheme, tls) = match security.as_str() {
        "secure" => ("smtps", false),
        "starttls" => ("smtp", true),
        "nostarttls" => ("smtp", false),
        _ => {
            notes.push("It doesn't change to TLS when the server offers it".to_owned());
            ("smtp", false)
        }
    };
    let port = record.text(&["port"]).map(|port| format!(":{port}"));
    MonitorFields {
        kind: Kind::Smtp,
        url: Some(format!("{scheme}://{host}{}", port.unwrap_or_default())),
        request: tls.then(|| RequestFields {
            tls: Some(true),
            ..RequestFields::default()
        }),
        ..MonitorFields::default()
    }
}
