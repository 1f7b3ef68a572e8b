//! Datagrams: a question, and the answer of the judged address alone.

use std::{
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use tokio::{
    net::UdpSocket,
    time::{Instant, timeout_at},
};

use super::{Class, Egress, Failure, Phase, Trace};

/// The longest datagram there can be.
const MAX_DATAGRAM: usize = 65_535;
/// Datagrams that belong to no question, before the host counts as hostile.
const MAX_STRAY: usize = 100;
/// Time until a question is sent a second time. Doubles from then on.
const RESEND: Duration = Duration::from_secs(1);

/// A socket that sends to one address, and hears from that one alone.
#[derive(Debug)]
pub struct Datagrams(UdpSocket);

impl Egress {
    /// Opens a socket to a host, if every address of it may be reached. Nothing is sent yet.
    ///
    /// # Errors
    /// It may not, or its name has no answer by the deadline.
    pub async fn udp(
        &self,
        host: url::Host<&str>,
        port: u16,
        deadline: Instant,
        trace: &mut Trace,
    ) -> Result<Datagrams, Failure> {
        let address = self.find(host, port, deadline, trace).await?;
        let failed = |error: std::io::Error| Failure::from_socket(&error, "while opening");
        let own: SocketAddr = if address.is_ipv4() {
            (Ipv4Addr::UNSPECIFIED, 0).into()
        } else {
            (Ipv6Addr::UNSPECIFIED, 0).into()
        };
        let socket = UdpSocket::bind(own).await.map_err(failed)?;
        // From now on the system drops what others send.
        socket.connect(address).await.map_err(failed)?;
        trace.enter(Phase::Ttfb);
        Ok(Datagrams(socket))
    }
}

impl Datagrams {
    /// Sends a question, repeatedly while nothing comes, and waits for what `accept` makes of an answer. Other datagrams are
    /// ignored.
    ///
    /// # Errors
    /// There is no such answer by the deadline.
    pub async fn exchange<T>(
        &self,
        question: &[u8],
        deadline: Instant,
        trace: &mut Trace,
        accept: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<T, Failure> {
        let mut patience = RESEND;
        loop {
            let until = deadline.min(Instant::now() + patience);
            if let Some(answer) = self.ask_once(question, until, trace, &accept).await? {
                return Ok(answer);
            }
            check_time(deadline)?;
            patience *= 2;
        }
    }

    /// Sends a question once; nothing if no answer came until then.
    ///
    /// # Errors
    /// The host refuses datagrams, or sends too many that `accept` ignores.
    pub async fn ask_once<T>(
        &self,
        question: &[u8],
        until: Instant,
        trace: &mut Trace,
        accept: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, Failure> {
        let failed =
            |error: std::io::Error| Failure::from_socket(&error, "while waiting for the answer");
        self.0.send(question).await.map_err(failed)?;
        let mut buffer = vec![0; MAX_DATAGRAM];
        for _ in 0..MAX_STRAY {
            let Ok(received) = timeout_at(until, self.0.recv(&mut buffer)).await else {
                return Ok(None);
            };
            let length = received.map_err(failed)?;
            trace.bytes += length as u64;
            if let Some(answer) = accept(buffer.get(..length).unwrap_or_default()) {
                trace.enter(Phase::Transfer);
                return Ok(Some(answer));
            }
        }
        let message = "the host sends datagrams that don't answer the question";
        Err(Failure::new(Class::Protocol, message))
    }
}

/// Whether there is time for another question.
///
/// # Errors
/// There is none.
fn check_time(deadline: Instant) -> Result<(), Failure> {
    if Instant::now() < deadline {
        return Ok(());
    }
    Err(Failure::new(
        Class::FirstByteTimeout,
        "no answer came in time",
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::egress::testing::{Book, this_machine};

    async fn open(port: u16, trace: &mut Trace) -> Datagrams {
        let egress = Egress::new(this_machine(), Arc::new(Book::default())).unwrap();
        let host = url::Host::Ipv4(Ipv4Addr::LOCALHOST);
        let soon = Instant::now() + Duration::from_secs(20);
        egress.udp(host, port, soon, trace).await.unwrap()
    }

    #[tokio::test]
    async fn a_question_that_got_lost_is_sent_again() {
        let server = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let port = server.local_addr().unwrap().port();
        let serving = async {
            let mut buffer = [0; 64];
            server.recv_from(&mut buffer).await.unwrap();
            let (length, from) = server.recv_from(&mut buffer).await.unwrap();
            server.send_to(b"stray", from).await.unwrap();
            server.send_to(&buffer[..length], from).await.unwrap();
        };
        let mut trace = Trace::begin();
        let socket = open(port, &mut trace).await;
        let soon = Instant::now() + Duration::from_secs(20);
        let accept = |bytes: &[u8]| (bytes == b"ping").then_some(());
        let asking = socket.exchange(b"ping", soon, &mut trace, accept);
        let (outcome, ()) = tokio::join!(asking, serving);
        outcome.unwrap();
        assert_eq!(trace.bytes, 9);
    }

    #[tokio::test]
    async fn answers_from_elsewhere_are_never_seen() {
        let server = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let stranger = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let port = server.local_addr().unwrap().port();
        let serving = async {
            let mut buffer = [0; 64];
            let (_, from) = server.recv_from(&mut buffer).await.unwrap();
            stranger.send_to(b"forged", from).await.unwrap();
            server.send_to(b"real", from).await.unwrap();
        };
        let mut trace = Trace::begin();
        let socket = open(port, &mut trace).await;
        let soon = Instant::now() + Duration::from_secs(20);
        let accept = |bytes: &[u8]| Some(bytes.to_vec());
        let asking = socket.exchange(b"ping", soon, &mut trace, accept);
        let (outcome, ()) = tokio::join!(asking, serving);
        assert_eq!(outcome.unwrap(), b"real");
    }

    #[tokio::test]
    async fn a_flood_of_strays_ends_the_question() {
        let server = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let port = server.local_addr().unwrap().port();
        let serving = async {
            let mut buffer = [0; 64];
            let (_, from) = server.recv_from(&mut buffer).await.unwrap();
            for _ in 0..MAX_STRAY {
                server.send_to(b"stray", from).await.unwrap();
                tokio::task::yield_now().await;
            }
        };
        let mut trace = Trace::begin();
        let socket = open(port, &mut trace).await;
        let soon = Instant::now() + Duration::from_secs(20);
        let asking = socket.exchange::<()>(b"ping", soon, &mut trace, |_| None);
        let (outcome, ()) = tokio::join!(asking, serving);
        assert_eq!(outcome.unwrap_err().class, Class::Protocol);
    }

    #[tokio::test]
    async fn a_closed_port_refuses() {
        let server = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let port = server.local_addr().unwrap().port();
        drop(server);
        let mut trace = Trace::begin();
        let socket = open(port, &mut trace).await;
        let soon = Instant::now() + Duration::from_secs(20);
        let outcome = socket
            .exchange(b"ping", soon, &mut trace, |_| Some(()))
            .await;
        assert_eq!(outcome.unwrap_err().class, Class::Refused);
    }
}
