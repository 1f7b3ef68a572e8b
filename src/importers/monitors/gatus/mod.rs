//! Gatus: `config.yaml`.

mod condition;
mod yaml;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use self::condition::Conditions;
use super::{no_type, set_interval};
use crate::{
    actors::monitors::{Kind, MonitorFields, RequestFields, Window},
    importers::{
        Definition, ImportError, MonitorDefinition, Plan, Source, source::check_count,
        text::one_line,
    },
};

const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];
/// Settings of the client without which a monitor would not reach its target.
const CLIENT: [&str; 5] = [
    "oauth2",
    "identity-aware-proxy",
    "tls",
    "tunnel",
    "proxy-url",
];
/// Gatus's timeout.
const TIMEOUT_MS: u64 = 10_000;

pub(super) fn read(source: &Source<'_>) -> Result<Plan, ImportError> {
    let config = yaml::read(source.text()?)?;
    let list = |name: &str| config[name].as_array().map_or(&[][..], Vec::as_slice);
    let (endpoints, external) = (list("endpoints"), list("external-endpoints"));
    if endpoints.is_empty() && external.is_empty() {
        let message = "The file has no `endpoints`";
        return Err(ImportError::new(message));
    }
    check_count(endpoints.len() + external.len())?;
    let mut plan = Plan::default();
    let mut windows = Vec::new();
    read_window(
        &config["maintenance"],
        "maintenance",
        &mut windows,
        &mut plan,
    );
    for (at, endpoint) in endpoints.iter().enumerate() {
        let at = format!("endpoints[{at}]");
        read_endpoint(&at, endpoint, &windows, &mut plan, fields);
    }
    for (at, endpoint) in external.iter().enumerate() {
        let at = format!("external-endpoints[{at}]");
        read_endpoint(&at, endpoint, &windows, &mut plan, push_fields);
    }
    for (at, suite) in list("suites").iter().enumerate() {
        let what = format!("suite {}", text(&suite["name"]).unwrap_or_default());
        plan.omit(
            format!("suites[{at}]"),
            what,
            "A monitor here is one request",
        );
    }
    if !config["alerting"].is_null() {
        let reason = "Create alerts with notification channels instead";
        plan.omit("alerting", "alerts", reason);
    }
    Ok(plan)
}

/// Reads the fields of an endpoint; notes are what of it is not carried.
type Read = fn(&Value, &mut Vec<String>) -> Result<MonitorFields, String>;

fn read_endpoint(at: &str, endpoint: &Value, windows: &[Window], plan: &mut Plan, read: Read) {
    let title = text(&endpoint["name"]).unwrap_or_default();
    let group = text(&endpoint["group"]);
    let what = format!("monitor {title}");
    let mut notes = Vec::new();
    let mut fields = match read(endpoint, &mut notes) {
        Ok(fields) => fields,
        Err(reason) => return plan.omit(at, what, reason),
    };
    for note in notes {
        plan.omit(at, what.clone(), note);
    }
    let mut own = windows.to_vec();
    let listed = endpoint["maintenance-windows"]
        .as_array()
        .into_iter()
        .flatten();
    for (place, window) in listed.enumerate() {
        let at = format!("{at}.maintenance-windows[{place}]");
        read_window(window, &at, &mut own, plan);
    }
    fields.maintenance = (!own.is_empty()).then_some(own);
    fields.group = group.as_deref().map(|group| one_line(group, 100));
    fields.name = Some(one_line(&title, 255));
    let key = format!("{}_{title}", group.unwrap_or_default());
    let monitor = MonitorDefinition {
        key,
        fields,
        is_paused: endpoint["enabled"] == json!(false),
    };
    plan.push(at, Definition::Monitor(Box::new(monitor)));
}

fn fields(endpoint: &Value, notes: &mut Vec<String>) -> Result<MonitorFields, String> {
    let url = text(&endpoint["url"]).ok_or("It has no `url`")?;
    if names_variable(endpoint) {
        return Err("It names an environment variable. Write its value into the file".to_owned());
    }
    let client = &endpoint["client"];
    if let Some(setting) = CLIENT.iter().find(|setting| !client[**setting].is_null()) {
        return Err(format!("Its client has `{setting}`"));
    }
    if !client["dns-resolver"].is_null() {
        notes.push("The resolver of this server is asked".to_owned());
    }
    let mut fields = MonitorFields::default();
    let scheme = url.split("://").next().unwrap_or_default();
    let rest = || url.split_once("://").map(|(_, rest)| rest.to_owned());
    (fields.kind, fields.url) = match scheme {
        _ if endpoint["dns"].is_object() => (Kind::Dns, text(&endpoint["dns"]["query-name"])),
        "http" | "https" => (Kind::Http, Some(url.clone())),
        "tcp" => (Kind::Tcp, rest()),
        "tls" => (Kind::Tls, rest()),
        "icmp" => (Kind::Ping, rest()),
        "starttls" => (Kind::Smtp, rest()),
        // Without credentials Gatus looks at the banner alone.
        "ssh" if has_no_credentials(&endpoint["ssh"]) => (Kind::Ssh, rest()),
        "ssh" => return Err("It runs a command over SSH".to_owned()),
        "ws" | "wss" => (Kind::Websocket, Some(url.clone())),
        "grpc" | "grpcs" => (Kind::Grpc, Some(url.clone())),
        other => return Err(no_type(other)),
    };
    if fields.kind == Kind::Dns {
        let kind = text(&endpoint["dns"]["query-type"]).unwrap_or_else(|| "A".to_owned());
        let read = serde_json::from_value(kind.clone().into());
        fields.record_type = Some(read.map_err(|_| format!("It asks for {kind} records"))?);
        notes.push(format!(
            "The resolver of this server is asked instead of {url}"
        ));
    }
    fields.request = kind_request(endpoint, fields.kind)?;
    let timeout = duration_ms(&client["timeout"]).unwrap_or(TIMEOUT_MS);
    fields.timeout = u32::try_from(timeout.clamp(1_000, 120_000)).ok();
    // Gatus counts a failure at once.
    fields.retries = Some(0);
    let seconds = duration_ms(&endpoint["interval"]).unwrap_or(60_000) / 1_000;
    notes.extend(set_interval(&mut fields, seconds));
    let conditions = Conditions::new(&fields, &endpoint["conditions"]);
    notes.extend(conditions.notes);
    fields.expect = Some(conditions.expect);
    Ok(fields)
}

/// The settings of the request that a type has.
fn kind_request(endpoint: &Value, kind: Kind) -> Result<Option<RequestFields>, String> {
    Ok(match kind {
        Kind::Http => Some(request(endpoint)?),
        Kind::Websocket | Kind::Grpc => {
            let read = request(endpoint)?;
            Some(RequestFields {
                method: None,
                follow_redirects: None,
                body: read.body.filter(|_| kind == Kind::Websocket),
                ..read
            })
        }
        Kind::Smtp => Some(RequestFields {
            verify_tls: Some(endpoint["client"]["insecure"] != json!(true)),
            tls: Some(true),
            ..RequestFields::default()
        }),
        _ => None,
    })
}

fn has_no_credentials(ssh: &Value) -> bool {
    ["username", "password", "private-key"]
        .iter()
        .all(|name| text(&ssh[*name]).is_none_or(|text| text.is_empty()))
}

/// An external endpoint, which calls us.
fn push_fields(endpoint: &Value, notes: &mut Vec<String>) -> Result<MonitorFields, String> {
    let interval = duration_ms(&endpoint["heartbeat"]["interval"]).unwrap_or_default();
    if interval == 0 {
        return Err("It has no heartbeat interval, so nothing says when it is down".to_owned());
    }
    let mut fields = MonitorFields {
        kind: Kind::Push,
        ..MonitorFields::default()
    };
    notes.push("Its push URL is another one. Call the heartbeat URL of the new monitor".to_owned());
    notes.extend(set_interval(&mut fields, interval / 1_000));
    Ok(fields)
}

fn request(endpoint: &Value) -> Result<RequestFields, String> {
    let client = &endpoint["client"];
    let method = text(&endpoint["method"]).unwrap_or_else(|| "GET".to_owned());
    let method = serde_json::from_value(method.to_uppercase().into());
    let headers = endpoint["headers"].as_object().into_iter().flatten();
    let headers = headers.map(|(name, value)| Some((name.clone(), text(value)?)));
    let headers: Option<BTreeMap<String, String>> = headers.collect();
    let mut headers = headers.ok_or("Its headers can't be read")?;
    let mut body = text(&endpoint["body"]);
    if endpoint["graphql"] == json!(true) {
        body = Some(json!({ "query": body.unwrap_or_default() }).to_string());
        if !headers
            .keys()
            .any(|name| name.eq_ignore_ascii_case("content-type"))
        {
            headers.insert("Content-Type".to_owned(), "application/json".to_owned());
        }
    }
    // The host cannot be another one than the URL's.
    if headers.keys().any(|name| name.eq_ignore_ascii_case("host")) {
        return Err("It sets the header `Host`".to_owned());
    }
    Ok(RequestFields {
        method: Some(method.map_err(|_| "Its method can't be used")?),
        headers: (!headers.is_empty()).then_some(headers),
        body,
        auth: None,
        follow_redirects: Some(client["ignore-redirect"] != json!(true)),
        verify_tls: Some(client["insecure"] != json!(true)),
        ..RequestFields::default()
    })
}

/// Whether a text of an endpoint is to be replaced by a variable of Gatus's environment.
fn names_variable(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("${"),
        Value::Array(items) => items.iter().any(names_variable),
        Value::Object(fields) => fields.values().any(names_variable),
        _ => false,
    }
}

fn read_window(window: &Value, at: &str, into: &mut Vec<Window>, plan: &mut Plan) {
    if window.is_null() || window["enabled"] == json!(false) {
        return;
    }
    let read = || {
        let start = text(&window["start"])?;
        let (hour, minute) = start.split_once(':')?;
        let (hour, minute): (u8, u8) = (hour.parse().ok()?, minute.parse().ok()?);
        let minutes = duration_ms(&window["duration"])? / 60_000;
        let days = window["every"].as_array().into_iter().flatten();
        let days = days.map(|day| {
            let own = DAYS.iter().position(|own| Some(*own) == day.as_str())?;
            Some(own.to_string())
        });
        let days: Vec<String> = days.collect::<Option<_>>()?;
        let days = if days.is_empty() {
            "*".to_owned()
        } else {
            days.join(",")
        };
        Some(Window {
            title: None,
            starts_at: None,
            ends_at: None,
            cron: Some(format!("{minute} {hour} * * {days}")),
            minutes: u32::try_from(minutes).ok(),
            timezone: text(&window["timezone"]).map(|zone| one_line(&zone, 64)),
        })
    };
    match read() {
        Some(window) => into.push(window),
        None => plan.omit(at, "maintenance window", "It can't be read"),
    }
}

/// A scalar as it is written.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// A duration such as `1h30m` or `500ms`, in milliseconds.
fn duration_ms(value: &Value) -> Option<u64> {
    let text = value.as_str()?.trim();
    let mut rest = text;
    let mut sum = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let (number, after) = rest.split_at_checked(digits)?;
        let end = after.find(|letter: char| letter.is_ascii_digit());
        let (unit, after) = after.split_at_checked(end.unwrap_or(after.len()))?;
        let factor = match unit {
            "ms" => 1.0,
            "s" => 1_000.0,
            "m" => 60_000.0,
            "h" => 3_600_000.0,
            _ => return None,
        };
        sum += number.parse::<f64>().ok()? * factor;
        rest = after;
    }
    (sum > 0.0 && sum < 1e12).then_some(sum as u64)
}
