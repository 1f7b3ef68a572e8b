//! Signals: stop, and look at the settings again.

use std::future::Future;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Resolves with the signal's name when the process is asked to stop. Listens from the call on, not from when it is
/// awaited: a stop may follow as soon as the log says that the program listens.
pub(super) fn stop() -> impl Future<Output = &'static str> {
    let (mut terminate, mut interrupt) = (
        listen(SignalKind::terminate()),
        listen(SignalKind::interrupt()),
    );
    async move {
        tokio::select! {
            () = received(&mut terminate) => "SIGTERM",
            () = received(&mut interrupt) => "SIGINT",
        }
    }
}

/// The signal that asks for a reload.
pub(super) fn hangup() -> Option<Signal> {
    listen(SignalKind::hangup())
}

/// Waits for a signal; for ever if it cannot be listened to.
pub(super) async fn received(signal: &mut Option<Signal>) {
    let heard = match signal {
        Some(signal) => signal.recv().await,
        None => None,
    };
    if heard.is_none() {
        std::future::pending::<()>().await;
    }
}

fn listen(kind: SignalKind) -> Option<Signal> {
    signal(kind)
        .inspect_err(|error| tracing::error!(%error, ?kind, "cannot listen to a signal"))
        .ok()
}
