//! Answers go out in pieces, and a client that takes them too slowly loses its connection.
//!
//! The kernel ends connections whose client takes nothing at all (`serve.rs`). Here a client that takes a little now and then is
//! ended: beyond its patience an answer has to go out at [`LEAST_RATE`]. Only the time counts in which the client has not taken
//! what is there, not the time in which an answer is made.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use bytes::Bytes;

/// Most bytes that are handed to a connection at once.
const PIECE: usize = 32 * 1024;
/// Bytes per second that a client takes at least.
const LEAST_RATE: u32 = 4 * 1024;

/// The same answer in pieces, which ends in an error when the client is too slow.
pub(super) fn limit(body: BoxBody, patience: Duration) -> BoxBody {
    match body.size() {
        BodySize::None => body,
        BodySize::Sized(bytes) if bytes <= PIECE as u64 => body,
        BodySize::Sized(_) | BodySize::Stream => BoxBody::new(LimitedBody {
            body,
            rest: Bytes::new(),
            allowed: patience,
            given: None,
        }),
    }
}

struct LimitedBody {
    body: BoxBody,
    /// What is left of the piece that the body gave.
    rest: Bytes,
    /// Time that the client may still take.
    allowed: Duration,
    /// When the last piece was given to the connection.
    given: Option<Instant>,
}

impl LimitedBody {
    fn give(&mut self) -> Bytes {
        let piece = self.rest.split_to(self.rest.len().min(PIECE));
        self.given = Some(Instant::now());
        self.allowed += Duration::from_secs(1) * piece.len() as u32 / LEAST_RATE;
        piece
    }
}

impl MessageBody for LimitedBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        // The connection asks for more when it has room, which is when the client has taken what there was.
        if let Some(given) = self.given.take() {
            let Some(left) = self.allowed.checked_sub(given.elapsed()) else {
                let why = "the client takes the answer too slowly";
                let error = io::Error::new(io::ErrorKind::TimedOut, why);
                return Poll::Ready(Some(Err(error.into())));
            };
            self.allowed = left;
        }
        while self.rest.is_empty() {
            match Pin::new(&mut self.body).poll_next(context) {
                Poll::Ready(Some(Ok(piece))) => self.rest = piece,
                other => return other,
            }
        }
        Poll::Ready(Some(Ok(self.give())))
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    async fn next(body: &mut BoxBody) -> Option<Result<Bytes, Box<dyn std::error::Error>>> {
        poll_fn(|context| Pin::new(&mut *body).poll_next(context)).await
    }

    #[tokio::test]
    async fn an_answer_goes_out_in_pieces_and_whole() {
        let whole = Bytes::from(vec![7; 3 * PIECE + 1]);
        let mut body = limit(BoxBody::new(whole.clone()), Duration::from_hours(1));
        assert_eq!(body.size(), BodySize::Sized(whole.len() as u64));
        let mut come = Vec::new();
        while let Some(piece) = next(&mut body).await {
            let piece = piece.unwrap();
            assert!(piece.len() <= PIECE);
            come.extend_from_slice(&piece);
        }
        assert_eq!(come, whole);
    }

    #[tokio::test]
    async fn a_client_that_is_too_slow_is_given_up() {
        let mut slow = LimitedBody {
            body: BoxBody::new(Bytes::from(vec![7; 2 * PIECE])),
            rest: Bytes::new(),
            allowed: Duration::ZERO,
            given: None,
        };
        let _ = slow.give();
        // As if the client had taken all of its time.
        slow.allowed = Duration::ZERO;
        let mut slow = BoxBody::new(slow);
        assert!(matches!(next(&mut slow).await, Some(Err(_))));
    }
}
