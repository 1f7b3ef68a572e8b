//! ICMP echo, where the system lets programs without privileges do it (on Linux `net.ipv4.ping_group_range`).

use std::{
    io,
    net::{IpAddr, SocketAddr, UdpSocket as StdSocket},
};

use rustix::net::{AddressFamily, SocketFlags, SocketType, ipproto, socket_with};
use tokio::{
    net::UdpSocket,
    time::{Instant, timeout_at},
};

use super::{Class, Egress, Failure, Phase, Trace};

/// Bytes behind the header, by which the answer is recognised.
const MARK: usize = 16;

impl Egress {
    /// Asks a host for an echo.
    ///
    /// # Errors
    /// It may not be reached, does not answer by the deadline, or the system does not allow it.
    pub async fn ping(
        &self,
        host: url::Host<&str>,
        deadline: Instant,
        trace: &mut Trace,
    ) -> Result<(), Failure> {
        // There is no port to be blocked; one that never is takes its place.
        let address = self.find(host, 443, deadline, trace).await?;
        trace.enter(Phase::Tcp);
        let socket = open(address.ip()).map_err(|error| {
            let what =
                format!("the system does not allow pings ({error}): see net.ipv4.ping_group_range");
            Failure::new(Class::NotPermitted, what)
        })?;
        trace.enter(Phase::Ttfb);
        let echoed = timeout_at(deadline, echo(&socket, address.ip())).await;
        echoed
            .map_err(|_| Failure::new(Class::FirstByteTimeout, "no echo came in time"))?
            .map_err(|error| Failure::from_socket(&error, "while waiting for the echo"))
    }
}

fn open(ip: IpAddr) -> io::Result<UdpSocket> {
    let (family, protocol) = match ip {
        IpAddr::V4(_) => (AddressFamily::INET, ipproto::ICMP),
        IpAddr::V6(_) => (AddressFamily::INET6, ipproto::ICMPV6),
    };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = socket_with(family, SocketType::DGRAM, flags, Some(protocol))?;
    UdpSocket::from_std(StdSocket::from(socket))
}

async fn echo(socket: &UdpSocket, ip: IpAddr) -> io::Result<()> {
    let mut mark = [0; MARK];
    getrandom::fill(&mut mark).map_err(io::Error::other)?;
    let (asks, answers) = if ip.is_ipv4() { (8, 0) } else { (128, 129) };
    let packet = request(asks, &mark);
    socket.send_to(&packet, SocketAddr::new(ip, 0)).await?;
    let mut buffer = [0; 256];
    loop {
        let (length, from) = socket.recv_from(&mut buffer).await?;
        let answer = buffer.get(..length).unwrap_or_default();
        if from.ip().to_canonical() == ip
            && answer.first() == Some(&answers)
            && answer.ends_with(&mark)
        {
            return Ok(());
        }
    }
}

/// An echo request; the system fills in the identifier.
fn request(kind: u8, mark: &[u8; MARK]) -> Vec<u8> {
    let mut packet = vec![kind, 0, 0, 0, 0, 0, 0, 1];
    packet.extend_from_slice(mark);
    let sum = checksum(&packet);
    packet[2..4].copy_from_slice(&sum.to_be_bytes());
    packet
}

fn checksum(packet: &[u8]) -> u16 {
    let words = packet.chunks(2).map(|pair| {
        let (high, low) = (pair[0], pair.get(1).copied().unwrap_or(0));
        u32::from(u16::from_be_bytes([high, low]))
    });
    let mut sum: u32 = words.sum();
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_with_its_checksum_sums_up_to_nothing() {
        for mark in [[0; MARK], [0xff; MARK], *b"0123456789abcdef"] {
            let packet = request(8, &mark);
            assert_eq!(checksum(&packet), 0);
            assert!(packet.ends_with(&mark));
        }
    }
}
