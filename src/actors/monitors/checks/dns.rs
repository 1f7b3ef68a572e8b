//! DNS: the records of a name.

use tokio::time::timeout_at;

use super::{
    super::{CheckResult, expect},
    Probe,
};
use crate::egress::{Class, Failure};

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let url = &probe.monitor.url;
    let name = url.strip_prefix("dns://").unwrap_or(url);
    let kind = probe.monitor.fields.record_type.unwrap_or_default();
    let answered = timeout_at(probe.deadline, probe.egress.records(name, kind)).await;
    let late = |_| Failure::new(Class::NameTimeout, "no name server answered in time");
    let found = answered.map_err(late)??;
    result.trace.end();
    if found.is_empty() {
        let message = "the name has no such record";
        return Err(Failure::new(Class::NameNotFound, message));
    }
    expect::records(probe.expect, &found)
}
