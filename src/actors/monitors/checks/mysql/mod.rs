//! MySQL and MariaDB, protocol 10: handshake, TLS, sign-in and one statement or a ping.

mod answers;
mod sign_in;

use self::{
    answers::{Packets, run},
    sign_in::{Greeting, respond, sign_in, tls_request},
};
use super::{
    Credentials, Probe, no_credentials, no_tls,
    wire::{Stream, Wire},
};
use crate::{actors::monitors::CheckResult, egress::Failure};

const NAME: &str = "MySQL";

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let trace = &mut result.trace;
    let credentials = probe.credentials().ok_or_else(no_credentials)?;
    let database = probe.segment();
    let is_encrypted = probe.asks_for_tls();
    let (greeting, sequence, mut wire) = if is_encrypted {
        let mut wire = probe.open_plain(trace).await?;
        let mut packets = Packets::new(&mut wire, 0);
        let greeting = Greeting::read(&packets.read().await?)?;
        if !greeting.has_tls {
            return Err(no_tls());
        }
        packets.send(&tls_request(database.is_some())).await?;
        let sequence = packets.sequence();
        let stream = wire.into_stream()?;
        (greeting, sequence, probe.upgrade(stream, trace).await?)
    } else {
        let mut wire = probe.open(false, trace).await?;
        let mut packets = Packets::new(&mut wire, 0);
        let greeting = Greeting::read(&packets.read().await?)?;
        let sequence = packets.sequence();
        (greeting, sequence, wire)
    };
    let mut packets = Packets::new(&mut wire, sequence);
    let response = respond(&greeting, credentials, database.as_deref(), is_encrypted)?;
    packets.send(&response).await?;
    sign_in(&mut packets, &greeting, credentials.password, is_encrypted).await?;
    let value = run(&mut packets, probe.statement()).await?;
    packets.quit().await;
    probe.assert_text(&value).await
}

/// All that a server says over TLS, from its greeting to the answer to a statement.
pub(super) async fn replay<S: Stream>(
    wire: &mut Wire<'_, S>,
    credentials: Credentials<'_>,
) -> Result<String, Failure> {
    let mut packets = Packets::new(wire, 0);
    let greeting = Greeting::read(&packets.read().await?)?;
    packets
        .send(&respond(&greeting, credentials, None, true)?)
        .await?;
    sign_in(&mut packets, &greeting, credentials.password, true).await?;
    run(&mut packets, Some("SELECT 1")).await
}
