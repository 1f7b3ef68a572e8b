//! Where the program listens, and with which certificate.

use std::time::Duration;

use super::CommandError;
use crate::{
    config::sections,
    http::{Listeners, ServeOptions, Tls},
};

/// Binds the listeners of the settings, each for so many connections.
///
/// # Errors
/// A [`CommandError`]: an address is taken, or the certificate cannot be used.
pub(super) fn bind(
    settings: &sections::Server,
    connections: usize,
) -> Result<Listeners, CommandError> {
    let tls = tls(settings)?;
    let listeners = Listeners::bind(&ServeOptions {
        api: settings.api_listen,
        track: settings.track_listen,
        links: settings.links_listen,
        https: settings.https_address(),
        http: settings.http_address(),
        workers: settings.worker_count(),
        connections,
        write_patience: Duration::from_secs(settings.write_seconds.into()),
        tls,
    });
    listeners.map_err(|error| {
        CommandError::new(
            error.to_string(),
            "stop what listens there, or set another address as `server.api_listen`, `track_listen`, `links_listen`, `https_listen` or `http_listen`",
        )
    })
}

/// The certificate that the settings name.
pub(super) fn tls(settings: &sections::Server) -> Result<Option<Tls>, CommandError> {
    if settings.tls_certificate.is_empty() {
        return Ok(None);
    }
    let (certificate, key) = (&settings.tls_certificate, &settings.tls_key);
    let opened = Tls::open(certificate.as_ref(), key.as_ref());
    Ok(Some(opened.map_err(|error| {
        CommandError::new(
            error.to_string(),
            "`server.tls_certificate` and `server.tls_key` name PEM files that belong together and that the program may read",
        )
    })?))
}
