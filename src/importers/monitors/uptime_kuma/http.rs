//! What an HTTP monitor of Uptime Kuma asks, and what it expects.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    actors::monitors::{Auth, Expectations, JsonExpectation, Kind, MonitorFields, RequestFields},
    importers::record::Record,
};

pub(super) fn fields(record: &Record, kind: &str) -> Result<MonitorFields, String> {
    let url = record.text(&["url"]).ok_or("It has no URL")?;
    let mut expect = Expectations {
        status: statuses(record)?,
        ..Expectations::default()
    };
    match kind {
        "keyword" => {
            let keyword = record.text(&["keyword"]).ok_or("It has no keyword")?;
            if record.is_on(&["invert_keyword"]) {
                expect.lacks = Some(keyword);
            } else {
                expect.contains = Some(keyword);
            }
        }
        "json-query" => expect.json = Some(vec![json_query(record)?]),
        _ => {}
    }
    Ok(MonitorFields {
        kind: Kind::Http,
        url: Some(url),
        request: Some(request(record)?),
        expect: Some(expect),
        cache_bust: record.is_on(&["cache_bust"]).then_some(true),
        ..MonitorFields::default()
    })
}

fn statuses(record: &Record) -> Result<Option<Vec<String>>, String> {
    let listed = match record.value(&["accepted_statuscodes_json", "accepted_statuscodes"]) {
        Some(Value::String(text)) => serde_json::from_str(text).ok(),
        Some(list @ Value::Array(_)) => serde_json::from_value(list.clone()).ok(),
        None => return Ok(None),
        _ => None,
    };
    let listed: Vec<String> = listed.ok_or("Its accepted status codes can't be read")?;
    Ok((!listed.is_empty()).then_some(listed))
}

/// A query that is a plain path and compares for equality; JSONata can do more.
fn json_query(record: &Record) -> Result<JsonExpectation, String> {
    let path = record.text(&["json_path"]).unwrap_or_default();
    let operator = record.text(&["json_path_operator"]);
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-.[]$".contains(letter);
    let bare = path.trim_start_matches('$').trim_start_matches('.');
    if bare.is_empty() || !path.chars().all(plain) {
        return Err(format!("Its JSON query `{path}` isn't a plain path"));
    }
    if operator.as_deref().is_some_and(|operator| operator != "==") {
        let operator = operator.unwrap_or_default();
        return Err(format!("Its JSON query compares by `{operator}`"));
    }
    let wanted = record.text(&["expected_value"]).unwrap_or_default();
    Ok(JsonExpectation {
        path: format!("$.{bare}"),
        equals: Some(wanted.into()),
    })
}

fn request(record: &Record) -> Result<RequestFields, String> {
    let method = record.text(&["method"]).unwrap_or_else(|| "GET".to_owned());
    let method = serde_json::from_value(method.to_uppercase().into());
    let mut headers = headers(record)?;
    let body = record.text(&["body"]);
    if body.is_some() {
        let encoding = match record.text(&["http_body_encoding"]).as_deref() {
            Some("form") => "application/x-www-form-urlencoded",
            Some("xml") => "text/xml; charset=utf-8",
            _ => "application/json",
        };
        let is_set = headers
            .keys()
            .any(|name| name.eq_ignore_ascii_case("content-type"));
        if !is_set {
            headers.insert("Content-Type".to_owned(), encoding.to_owned());
        }
    }
    Ok(RequestFields {
        method: Some(method.map_err(|_| "Its method can't be used")?),
        headers: (!headers.is_empty()).then_some(headers),
        body,
        auth: auth(record)?,
        follow_redirects: Some(record.number(&["maxredirects"]).is_none_or(|most| most > 0)),
        verify_tls: Some(!record.is_on(&["ignore_tls"])),
        ..RequestFields::default()
    })
}

fn headers(record: &Record) -> Result<BTreeMap<String, String>, String> {
    let Some(text) = record.text(&["headers"]) else {
        return Ok(BTreeMap::new());
    };
    let read: Result<BTreeMap<String, Value>, _> = serde_json::from_str(&text);
    let read = read.map_err(|_| "Its headers aren't a JSON object")?;
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    Ok(read
        .into_iter()
        .map(|(name, value)| (name, text(value)))
        .collect())
}

fn auth(record: &Record) -> Result<Option<Auth>, String> {
    let method = record
        .text(&["auth_method", "authMethod"])
        .unwrap_or_default();
    match method.as_str() {
        "" | "basic" | "null" => {
            Ok(record
                .text(&["basic_auth_user"])
                .map(|username| Auth::Basic {
                    username,
                    password: record.text(&["basic_auth_pass"]).unwrap_or_default(),
                }))
        }
        "bearer" => Ok(record
            .text(&["bearer_token"])
            .map(|token| Auth::Bearer { token })),
        other => Err(format!("It authenticates by `{other}`")),
    }
}
