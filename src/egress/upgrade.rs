//! A connection that leaves HTTP after its first request, such as a WebSocket.

use std::pin::pin;

use hyper::{
    StatusCode,
    header::{self, HeaderMap, HeaderValue},
    upgrade::Upgraded,
};
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, timeout_at};

use super::{
    Ask, Class, Egress, Failure, Phase, Trace,
    broken::{Missing, failed},
    client::{check_size, drive, http1, request},
    tls::HTTP1,
};

/// A connection after HTTP.
pub type UpgradedStream = TokioIo<Upgraded>;

#[derive(Debug)]
pub struct Upgrade {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// What the connection became; nothing if the status is another one than 101.
    pub stream: Option<UpgradedStream>,
}

impl Egress {
    /// Asks for another protocol, which the request's `Upgrade` names. Redirects aren't followed.
    ///
    /// # Errors
    /// No answer came by the deadline, or the address may not be reached.
    pub async fn upgrade(
        &self,
        ask: &Ask,
        deadline: Instant,
        trace: &mut Trace,
    ) -> Result<Upgrade, Failure> {
        let stream = self.open(ask, HTTP1, deadline, trace).await?;
        trace.enter(Phase::Ttfb);
        let made = http1().handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = made.map_err(|error| failed(&error, Missing::Answer))?;
        let mut connection = pin!(connection.with_upgrades());
        let mut is_open = true;
        let mut request = request(ask)?;
        let upgrade = HeaderValue::from_static("Upgrade");
        request.headers_mut().insert(header::CONNECTION, upgrade);
        let late = || Failure::new(Class::FirstByteTimeout, "no answer came in time");
        let mut asking = pin!(sender.send_request(request));
        let answering = drive(connection.as_mut(), &mut is_open, asking.as_mut());
        let answered = timeout_at(deadline, answering).await;
        let response = answered
            .map_err(|_| late())?
            .map_err(|error| failed(&error, Missing::Answer))?;
        trace.enter(Phase::Transfer);
        check_size(response.headers())?;
        let (status, headers) = (response.status(), response.headers().clone());
        let mut stream = None;
        if status == StatusCode::SWITCHING_PROTOCOLS {
            let mut upgrading = pin!(hyper::upgrade::on(response));
            let upgrading = drive(connection.as_mut(), &mut is_open, upgrading.as_mut());
            let upgraded = timeout_at(deadline, upgrading).await.map_err(|_| late())?;
            let upgraded = upgraded.map_err(|error| failed(&error, Missing::Rest))?;
            stream = Some(TokioIo::new(upgraded));
        }
        Ok(Upgrade {
            status,
            headers,
            stream,
        })
    }
}
