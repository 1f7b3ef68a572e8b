//! Bounds on bodies before they are read: their declared length, how long a client may take and pause, and the memory for all of them.

use std::{io, rc::Rc, time::Duration};

use actix_web::{
    HttpMessage,
    dev::{Payload, ServiceRequest},
    error::PayloadError,
    http::header::{CONTENT_LENGTH, TRANSFER_ENCODING},
};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use tokio::time::{Instant, timeout_at};

use super::{Shared, body_memory::Share};
use crate::fault::{Fault, Kind};

/// Read and thrown away before the refusal: a client that is still sending gets to read it.
const DRAINED: usize = 16 * 1024 * 1024;
/// A client who sends nothing of its body for this long has gone.
const PAUSE: Duration = Duration::from_secs(10);
/// A file has to arrive within this time, or in several requests.
const FILE_TIME: Duration = Duration::from_hours(6);
/// A body that is thrown away has to arrive within this time.
const DRAIN_TIME: Duration = Duration::from_secs(30);

/// 413 for a declared length beyond `limit`. Bodies without a length are cut off while they are read.
pub(super) async fn bound(
    shared: &Shared,
    limit: usize,
    request: &mut ServiceRequest,
) -> Result<(), Fault> {
    let length = declared(request);
    if length.is_some_and(|length| length > limit as u64) {
        if length.is_some_and(|length| length <= DRAINED as u64) {
            drain(request.take_payload()).await;
        }
        return Err(Fault::new(Kind::TooLarge, "Payload too large"));
    }
    if length.is_some_and(|length| length > 0) || request.headers().contains_key(TRANSFER_ENCODING)
    {
        let share = Share::begin(&shared.body_memory, request);
        let time = shared.options.body_time;
        let payload = with_timeout(request.take_payload(), time, PAUSE.min(time));
        request.set_payload(count_bytes(payload, share));
    }
    Ok(())
}

/// Bounds a file that its handler writes to the disk as it comes: it takes no memory, and as long as the client goes on sending.
pub(super) fn bound_file(shared: &Shared, request: &mut ServiceRequest) -> Result<(), Fault> {
    // A form has more than the file.
    let limit = shared.options.import_bytes.saturating_add(1 << 20);
    if declared(request).is_some_and(|length| length > limit) {
        return Err(Fault::new(Kind::TooLarge, "Payload too large"));
    }
    let payload = with_timeout(request.take_payload(), FILE_TIME, PAUSE);
    request.set_payload(payload);
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

/// The same body, ending in an error when the client pauses for too long or takes too long for all of it.
fn with_timeout(payload: Payload, time: Duration, pause: Duration) -> Payload {
    let end = Instant::now() + time;
    let chunks = stream::unfold(Some(payload), move |payload| async move {
        let mut payload = payload?;
        match timeout_at(end.min(Instant::now() + pause), payload.next()).await {
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

/// The same body, ending in an error when there is no memory for more of it.
fn count_bytes(payload: Payload, share: Rc<Share>) -> Payload {
    let chunks = stream::unfold(Some((payload, share)), |state| async move {
        let (mut payload, share) = state?;
        let chunk = payload.next().await?;
        let counted = chunk.as_ref().map(Bytes::len).unwrap_or_default();
        match share.grow(counted) {
            Ok(()) => Some((chunk, Some((payload, share)))),
            Err(_) => Some((Err(no_memory()), None)),
        }
    });
    Payload::Stream {
        payload: Box::pin(chunks),
    }
}

fn no_memory() -> PayloadError {
    let error = io::Error::new(
        io::ErrorKind::OutOfMemory,
        "there is no memory for the body",
    );
    PayloadError::Io(error)
}

/// Whether a body broke off because there was no memory for it.
pub(super) fn lacks_memory(error: &PayloadError) -> bool {
    matches!(error, PayloadError::Io(error) if error.kind() == io::ErrorKind::OutOfMemory)
}

/// Reads what is left of a body that is refused, as far as that is reasonable.
pub(super) async fn drain(payload: Payload) {
    let (mut payload, mut read) = (with_timeout(payload, DRAIN_TIME, PAUSE), 0);
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
    async fn a_client_that_never_pauses_and_never_ends_is_given_up() {
        let drops = stream::repeat_with(|| Ok(Bytes::from_static(b" ")));
        // Gives the timer its turn, as the network does.
        let drops = drops.then(|drop| async {
            tokio::task::yield_now().await;
            drop
        });
        let payload = Box::pin(drops);
        let hour = Duration::from_hours(1);
        let time = Duration::from_millis(1);
        let mut payload = with_timeout(Payload::Stream { payload }, time, hour);
        while let Some(Ok(_)) = payload.next().await {}
        assert!(payload.next().await.is_none());
    }

    #[tokio::test]
    async fn a_client_who_pauses_too_long_is_given_up() {
        let first = stream::once(async { Ok(Bytes::from_static(b"{")) });
        let payload = Box::pin(first.chain(stream::pending()));
        let hour = Duration::from_hours(1);
        let mut payload = with_timeout(Payload::Stream { payload }, hour, Duration::ZERO);
        assert_eq!(payload.next().await.unwrap().unwrap().as_ref(), b"{");
        assert!(matches!(
            payload.next().await,
            Some(Err(PayloadError::Io(_)))
        ));
        assert!(payload.next().await.is_none());
    }
}
