//! DNSSEC: whether the records of a name are signed, with each key confirmed by the zone above, up to the root.

use tokio::time::timeout_at;

use super::{super::CheckResult, Probe};
use crate::egress::{Chain, Class, Failure, RecordKind};

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let url = &probe.monitor.url;
    let name = url.strip_prefix("dnssec://").unwrap_or(url);
    // Every zone has this record, and that a name below it has none is signed as well.
    let kind = probe.monitor.fields.record_type.unwrap_or(RecordKind::Soa);
    let asking = probe.egress.validate(name, kind);
    let answered = timeout_at(probe.deadline, asking).await;
    result.trace.end();
    let late = |_| Failure::new(Class::NameTimeout, "no name server answered in time");
    match answered.map_err(late)?? {
        Chain::Signed => Ok(()),
        Chain::Unsigned => Err(Failure::new(
            Class::Unsigned,
            "the name's records aren't signed, or the zone above has no DS record",
        )),
    }
}
