//! Runs checks. Kinds that speak a protocol of their own have a file each.

mod dnssec;
mod domain;
mod game;
mod grpc;
mod ntp;
mod snmp;
mod steps;
mod template;
mod websocket;

use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::time::Instant;

pub(super) use template::{Source, is_name, join, names};

use super::{
    CheckResult, Expectations, Kind, Monitor, expect,
    probe::{self, Probe, TIMEOUT},
};
use crate::egress::{Class, Egress, Failure, Trace};

/// Checks a monitor. `now_ms` is when it begins, Unix milliseconds.
pub(super) async fn run_check(egress: Egress, monitor: &Monitor, now_ms: i64) -> CheckResult {
    let mut result = CheckResult::new(now_ms, Trace::begin());
    let nothing = Expectations::default();
    let expect = monitor.fields.expect.as_ref().unwrap_or(&nothing);
    let limit = Duration::from_millis(monitor.fields.timeout.unwrap_or(TIMEOUT).into());
    let probe = Probe {
        egress: &egress,
        monitor,
        expect,
        limit,
        deadline: Instant::now() + limit,
    };
    // A panic while reading a foreign answer fails the check, not the program.
    let checking = std::panic::AssertUnwindSafe(check(&probe, &mut result));
    let outcome = checking.catch_unwind().await;
    let outcome =
        outcome.unwrap_or_else(|_| Err(Failure::new(Class::Other, "the check itself failed")));
    result.trace.end();
    let took = result.trace.total();
    let outcome = outcome
        .and_then(|()| probe::certificate(expect, result.trace.certificate, result.at_ms))
        .and_then(|()| probe::issuer(expect, &result.trace))
        .and_then(|()| expect::time(expect, took));
    result.failure = outcome.err().map(|failure| in_time(failure, limit));
    result.slow = monitor.is_slow(took);
    result
}

async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    match probe.monitor.kind {
        Kind::Http if probe.monitor.fields.steps.is_some() => steps::check(probe, result).await,
        Kind::Http => probe.request(result).await,
        Kind::Dns => probe.look_up(result).await,
        Kind::Push => Err(Failure::new(Class::Silent, "no heartbeat arrived in time")),
        Kind::Tcp | Kind::Tls | Kind::Ping => probe.connect(result).await,
        Kind::Websocket => websocket::check(probe, result).await,
        Kind::Grpc => grpc::check(probe, result).await,
        Kind::Domain => domain::check(probe, result).await,
        Kind::Dnssec => dnssec::check(probe, result).await,
        Kind::Ntp => ntp::check(probe, result).await,
        Kind::Snmp => snmp::check(probe, result).await,
        Kind::Game => game::check(probe, result).await,
    }
}

/// Adds the limit to the message of a timeout.
fn in_time(failure: Failure, limit: Duration) -> Failure {
    use Class::{ConnectTimeout, FirstByteTimeout, NameTimeout, TlsTimeout, TransferTimeout};
    match failure.class {
        ConnectTimeout | FirstByteTimeout | NameTimeout | TlsTimeout | TransferTimeout => {
            let message = format!("Timeout after {}ms: {}", limit.as_millis(), failure.message);
            Failure::new(failure.class, message)
        }
        _ => failure,
    }
}
