//! Bounds on bodies before anybody reads them: their declared length, and how long a client may pause.

use std::{io, time::Duration};

use actix_web::{
    HttpMessage,
    dev::{Payload, ServiceRequest},
    error::PayloadError,
    http::header::{CONTENT_LENGTH, TRANSFER_ENCODING},
};
use futures_util::{StreamExt, stream};
use tokio::time::timeout;

use crate::fault::{Fault, Kind};

/// Read and thrown away before the refusal, so that a client who is still sending gets to read it.
const DRAINED: usize = 16 * 1024 * 1024;
/// A client who sends nothing of its body for this long has gone.
const PAUSE: Duration = Duration::from_secs(10);

/// 413 for a declared length beyond `limit`. Bodies without a length are cut off while they are read.
pub(super) async fn bound(limit: usize, request: &mut ServiceRequest) -> Result<(), Fault> {
    let length = declared(request);
    if length.is_some_and(|length| length > limit as u64) {
        if length.is_some_and(|length| length <= DRAINED as u64) {
            drain(request.take_payload()).await;
        }
        return Err(Fault::new(Kind::TooLarge, "Payload too large"));
    }
    if length.is_some_and(|length| length > 0) || request.headers().contains_key(TRANSFER_ENCODING)
    {
        let payload = impatient(request.take_payload(), PAUSE);
        request.set_payload(payload);
    }
    Ok(())
}

fn declared(request: &ServiceRequest) -> Option<u64> {
    request
        .headers()
        .get(CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

/// The same body, ending in an error when the client pauses for too long.
fn impatient(payload: Payload, pause: Duration) -> Payload {
    let chunks = stream::unfold(Some(payload), move |payload| async move {
        let mut payload = payload?;
        match timeout(pause, payload.next()).await {
            Ok(Some(chunk)) => Some((chunk, Some(payload))),
            Ok(None) => None,
            Err(_) => {
                let error =
                    io::Error::new(io::ErrorKind::TimedOut, "the body did not arrive in time");
                Some((Err(PayloadError::Io(error)), None))
            }
        }
    });
    Payload::Stream {
        payload: Box::pin(chunks),
    }
}

/// Reads what is left of a body that is refused, as far as that is reasonable.
pub(super) async fn drain(payload: Payload) {
    let (mut payload, mut read) = (impatient(payload, PAUSE), 0);
    while let Some(Ok(chunk)) = payload.next().await {
        read += chunk.len();
        if read > DRAINED {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_who_pauses_too_long_is_given_up() {
        let first = stream::once(async { Ok(bytes::Bytes::from_static(b"{")) });
        let payload = Box::pin(first.chain(stream::pending()));
        let mut payload = impatient(Payload::Stream { payload }, Duration::ZERO);
        assert_eq!(payload.next().await.unwrap().unwrap().as_ref(), b"{");
        assert!(matches!(
            payload.next().await,
            Some(Err(PayloadError::Io(_)))
        ));
        assert!(payload.next().await.is_none());
    }
}
