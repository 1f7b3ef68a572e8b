//! Monitors for tests.

use super::{Kind, Monitor, MonitorFields, RemoteMonitor};

/// An HTTP monitor that was never written.
pub(super) fn monitor(id: &str, fields: MonitorFields) -> Monitor {
    let sent = RemoteMonitor {
        id: id.into(),
        number: 1,
        kind: Kind::Http,
        url: "https://example.com/".to_owned(),
        asked: None,
        fields,
    };
    sent.into_monitor().unwrap()
}
