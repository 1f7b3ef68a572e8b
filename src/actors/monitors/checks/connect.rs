//! TCP, TLS and ping: whether there is a host, and what its certificate is like.

use super::{
    super::{CheckResult, Kind},
    Probe, place,
};
use crate::egress::Failure;

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let url = probe.target()?;
    let (host, port) = place(&url)?;
    let (egress, deadline, trace) = (probe.egress, probe.deadline, &mut result.trace);
    if probe.monitor.kind == Kind::Ping {
        return egress.ping(host, deadline, trace).await;
    }
    let stream = egress.connect(host.clone(), port, deadline, trace).await?;
    if probe.monitor.kind == Kind::Tls {
        egress
            .handshake(stream, host, true, deadline, trace)
            .await?;
    }
    Ok(())
}
