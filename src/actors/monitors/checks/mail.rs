//! What the protocols of mail servers have in common: a greeting, and TLS from the start or after a command.

use super::{
    Credentials, Probe,
    wire::{Stream, Wire},
};
use crate::egress::{Failure, Trace};

/// A protocol of mail servers.
pub(super) trait Mail {
    async fn greet<S: Stream>(wire: &mut Wire<'_, S>) -> Result<String, Failure>;

    /// Asks a server that has greeted for TLS.
    async fn start_tls<S: Stream>(wire: Wire<'_, S>) -> Result<S, Failure>;

    /// Talks to a server that has greeted, and signs in if there are credentials.
    async fn talk<S: Stream>(
        wire: &mut Wire<'_, S>,
        credentials: Option<Credentials<'_>>,
    ) -> Result<(), Failure>;
}

/// Connects to the target, and gives its greeting.
pub(super) async fn open<'t, M: Mail>(
    probe: &Probe<'_>,
    trace: &'t mut Trace,
) -> Result<(String, Wire<'t, Box<dyn Stream>>), Failure> {
    if !probe.asks_for_tls() {
        let mut wire = probe.open(probe.starts_with_tls(), trace).await?;
        return Ok((M::greet(&mut wire).await?, wire));
    }
    let mut wire = probe.open_plain(trace).await?;
    let greeting = M::greet(&mut wire).await?;
    let stream = M::start_tls(wire).await?;
    Ok((greeting, probe.upgrade(stream, trace).await?))
}
