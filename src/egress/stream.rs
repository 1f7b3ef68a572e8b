//! An answer whose body is read as it comes, from an address that the operator chose.

use std::{pin::Pin, time::Duration};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{StatusCode, body::Incoming, client::conn::http1::SendRequest};
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, timeout, timeout_at};

use super::{
    Ask, Class, Egress, Failure, Trace,
    client::{Connected, drive, http1, media, request},
    tls::HTTP1,
};
use crate::egress::broken::{Missing, failed};

type Connection = Pin<Box<dyn Future<Output = hyper::Result<()>> + Send>>;

/// An answer that has begun. Dropping it ends the connection.
pub struct Streaming {
    pub status: StatusCode,
    /// Its `Content-Type`, if it is text.
    pub media: String,
    body: Incoming,
    connection: Connection,
    is_open: bool,
    // The connection ends with it.
    _sender: SendRequest<Full<Bytes>>,
    silence: Duration,
    left: u64,
}

impl std::fmt::Debug for Streaming {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Streaming({})", self.status)
    }
}

impl Egress {
    /// Asks for an answer that is read in pieces. Redirects are answers like any other. Of the bounds, `time` is how long the
    /// other side may be silent, before the answer begins and between two pieces of it; `body` is the whole length.
    ///
    /// # Errors
    /// No answer began in time, or the address may not be reached.
    pub async fn stream(&self, ask: &Ask) -> Result<Streaming, Failure> {
        let mut trace = Trace::begin();
        let deadline = Instant::now() + ask.bounds.time;
        let stream = self.open(ask, HTTP1, deadline, &mut trace).await?;
        begin(stream, ask, deadline).await
    }
}

async fn begin(stream: Connected, ask: &Ask, deadline: Instant) -> Result<Streaming, Failure> {
    let made = http1().handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = made.map_err(|error| failed(&error, Missing::Answer))?;
    let mut connection: Connection = Box::pin(connection);
    let mut is_open = true;
    let request = request(ask)?;
    let answered = {
        let mut asking = std::pin::pin!(sender.send_request(request));
        let asking = drive(connection.as_mut(), &mut is_open, asking.as_mut());
        timeout_at(deadline, asking).await
    };
    let response = answered
        .map_err(|_| Failure::late(false))?
        .map_err(|error| failed(&error, Missing::Answer))?;
    let (head, body) = response.into_parts();
    Ok(Streaming {
        status: head.status,
        media: media(&head.headers),
        body,
        connection,
        is_open,
        _sender: sender,
        silence: ask.bounds.time,
        left: ask.bounds.body,
    })
}

impl Streaming {
    /// The next piece, or nothing at the end. May be dropped and called again.
    ///
    /// # Errors
    /// Nothing came in time, too much came, or the other side hung up.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Failure> {
        loop {
            let mut reading = std::pin::pin!(self.body.frame());
            let driven = drive(
                self.connection.as_mut(),
                &mut self.is_open,
                reading.as_mut(),
            );
            let frame = timeout(self.silence, driven)
                .await
                .map_err(|_| Failure::new(Class::TransferTimeout, "nothing more came in time"))?;
            let frame = match frame {
                None => return Ok(None),
                Some(frame) => frame.map_err(|error| failed(&error, Missing::Rest))?,
            };
            let Ok(data) = frame.into_data() else {
                continue;
            };
            let length = data.len() as u64;
            let Some(left) = self.left.checked_sub(length) else {
                let message = "the answer is larger than what is read";
                return Err(Failure::new(Class::BodyTooLarge, message));
            };
            self.left = left;
            return Ok(Some(data));
        }
    }
}
