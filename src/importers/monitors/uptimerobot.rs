//! UptimeRobot: CSV of its dashboard, or the answer of `POST /v2/getMonitors`.

use serde_json::Value;

use super::{no_type, set_interval};
use crate::{
    actors::monitors::{Auth, Expectations, Kind, Method, MonitorFields, RequestFields},
    importers::{
        Definition, ImportError, MonitorDefinition, Plan, Source, record::Record, text::one_line,
    },
};

/// Ports that the API names by a number instead.
const PORTS: [(u64, u64); 6] = [(1, 80), (2, 443), (3, 21), (4, 25), (5, 110), (6, 143)];
const TYPE: [&str; 2] = ["type", "monitor type"];
/// Smaller intervals are minutes.
const MIN_SECONDS: u64 = 30;

pub(super) fn read(source: &Source<'_>) -> Result<Plan, ImportError> {
    let records = source.records(&["monitors", ""])?;
    if !records.iter().any(|record| record.text(&TYPE).is_some()) {
        let message = "Nothing in the file has a type. Is it an export of UptimeRobot?";
        return Err(ImportError::new(message));
    }
    let mut plan = Plan::default();
    for record in records {
        let title = record.text(&["friendly name", "name"]).unwrap_or_default();
        let what = format!("monitor {title}");
        let mut notes = Vec::new();
        match fields(&record, &mut notes) {
            Ok(mut fields) => {
                for note in notes {
                    plan.omit(&record.at, what.clone(), note);
                }
                fields.name = Some(one_line(&title, 255));
                let monitor = MonitorDefinition {
                    key: record.text(&["id"]).unwrap_or_else(|| record.at.clone()),
                    fields,
                    is_paused: is_paused(&record),
                };
                plan.push(&record.at, Definition::Monitor(Box::new(monitor)));
            }
            Err(reason) => plan.omit(&record.at, what, reason),
        }
    }
    Ok(plan)
}

fn is_paused(record: &Record) -> bool {
    let status = record.text(&["status"]).unwrap_or_default().to_lowercase();
    status == "0" || status.contains("pause")
}

fn fields(record: &Record, notes: &mut Vec<String>) -> Result<MonitorFields, String> {
    let url = record.text(&["url", "url/ip", "url (or ip)", "target"]);
    let url = || url.clone().ok_or("It has no URL".to_owned());
    let kind = record.text(&TYPE).unwrap_or_default();
    let mut fields = match kind.to_lowercase().as_str() {
        "1" | "http" | "http(s)" | "https" => http(record, url()?, false)?,
        "2" | "keyword" => http(record, url()?, true)?,
        "3" | "ping" => MonitorFields {
            kind: Kind::Ping,
            url: Some(url()?),
            ..MonitorFields::default()
        },
        "4" | "port" => MonitorFields {
            kind: Kind::Tcp,
            url: Some(format!("{}:{}", url()?, port(record)?)),
            ..MonitorFields::default()
        },
        "5" | "heartbeat" => {
            notes.push("Its heartbeat URL is another one. Call that of the new monitor".to_owned());
            MonitorFields {
                kind: Kind::Push,
                ..MonitorFields::default()
            }
        }
        _ => return Err(no_type(&kind)),
    };
    let interval = record.number(&["interval", "interval (seconds)", "monitoring interval"]);
    let interval = interval.unwrap_or(300);
    let seconds = if interval < MIN_SECONDS {
        interval * 60
    } else {
        interval
    };
    notes.extend(set_interval(&mut fields, seconds));
    Ok(fields)
}

fn http(record: &Record, url: String, is_keyword: bool) -> Result<MonitorFields, String> {
    let mut expect = Expectations::default();
    if is_keyword {
        let keyword = record
            .text(&["keyword value", "keyword"])
            .ok_or("It has no keyword")?;
        // The type says when the monitor is down.
        match record
            .text(&["keyword type"])
            .unwrap_or_default()
            .to_lowercase()
            .as_str()
        {
            "1" | "exists" => expect.lacks = Some(keyword),
            "2" | "not exists" | "notexists" => expect.contains = Some(keyword),
            other => return Err(format!("Its keyword type is `{other}`")),
        }
    }
    let username = record.text(&["http username", "username"]);
    let digest = record
        .text(&["http auth type"])
        .is_some_and(|kind| kind == "2");
    if username.is_some() && digest {
        return Err("It authenticates by digest".to_owned());
    }
    let method = match record.value(&["http method"]) {
        Some(Value::Number(number)) if number.as_u64() == Some(1) => Method::Head,
        Some(Value::String(text)) if text.eq_ignore_ascii_case("head") => Method::Head,
        _ => Method::Get,
    };
    Ok(MonitorFields {
        kind: Kind::Http,
        url: Some(url),
        request: Some(RequestFields {
            method: Some(method),
            auth: username.map(|username| Auth::Basic {
                username,
                password: record
                    .text(&["http password", "password"])
                    .unwrap_or_default(),
            }),
            ..RequestFields::default()
        }),
        expect: is_keyword.then_some(expect),
        ..MonitorFields::default()
    })
}

fn port(record: &Record) -> Result<u64, String> {
    let named = record.number(&["port"]);
    let kind = record.number(&["sub type"]);
    let usual = PORTS.iter().find(|(own, _)| Some(*own) == kind);
    named
        .or(usual.map(|(_, port)| *port))
        .ok_or("It has no port".to_owned())
}
