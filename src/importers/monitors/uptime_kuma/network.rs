//! Monitors of Uptime Kuma that speak neither HTTP nor DNS.

use crate::{
    actors::monitors::{
        Expectations, JsonExpectation, Kind, MonitorFields, RequestFields, SnmpVersion,
    },
    importers::record::Record,
};

pub(super) fn websocket(record: &Record) -> Result<MonitorFields, String> {
    Ok(MonitorFields {
        kind: Kind::Websocket,
        url: Some(record.text(&["url"]).ok_or("It has no URL")?),
        request: Some(RequestFields {
            verify_tls: Some(!record.is_on(&["ignore_tls"])),
            ..RequestFields::default()
        }),
        ..MonitorFields::default()
    })
}

pub(super) fn snmp(
    record: &Record,
    host: String,
    notes: &mut Vec<String>,
) -> Result<MonitorFields, String> {
    let version = record.text(&["snmp_version"]);
    let snmp_version = match version.as_deref() {
        Some("1") => SnmpVersion::V1,
        None | Some("2c") => SnmpVersion::V2c,
        Some(version) => return Err(format!("It speaks version {version} of SNMP")),
    };
    let object = record.text(&["snmp_oid"]).ok_or("It has no OID")?;
    Ok(MonitorFields {
        kind: Kind::Snmp,
        url: Some(format!("{}/{object}", place(record, &host))),
        request: Some(RequestFields {
            community: record.text(&["radius_password"]),
            snmp_version: Some(snmp_version),
            ..RequestFields::default()
        }),
        expect: value(record, notes),
        ..MonitorFields::default()
    })
}

/// A server that Uptime Kuma looks for in the list of Steam, and that answers Source queries itself.
pub(super) fn game(record: &Record, host: &str) -> MonitorFields {
    MonitorFields {
        kind: Kind::Game,
        url: Some(place(record, host)),
        ..MonitorFields::default()
    }
}

fn place(record: &Record, host: &str) -> String {
    match record.text(&["port"]) {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// The value that is expected, if it is compared for equality.
fn value(record: &Record, notes: &mut Vec<String>) -> Option<Expectations> {
    let wanted = record.text(&["expected_value"])?;
    let path = record.text(&["json_path"]).unwrap_or_default();
    let operator = record.text(&["json_path_operator"]).unwrap_or_default();
    if !matches!(path.as_str(), "" | "$") || !matches!(operator.as_str(), "" | "==") {
        notes.push("Its condition isn't carried. Add assertions".to_owned());
        return None;
    }
    Some(Expectations {
        json: Some(vec![JsonExpectation {
            path: "$.value".to_owned(),
            equals: Some(wanted.into()),
        }]),
        ..Expectations::default()
    })
}
