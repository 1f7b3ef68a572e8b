//! Connecting: name, judgement, address, and the connection to just that address.

use std::net::SocketAddr;

use tokio::{
    net::TcpStream,
    time::{Instant, timeout_at},
};

use super::{Class, Egress, Failure, Phase, Trace};

impl Egress {
    /// Connects to a host, if every address of it may be reached.
    ///
    /// # Errors
    /// It may not, or there is no answer by the deadline.
    pub async fn connect(
        &self,
        host: url::Host<&str>,
        port: u16,
        deadline: Instant,
        trace: &mut Trace,
    ) -> Result<TcpStream, Failure> {
        let address = self.find(host, port, deadline, trace).await?;
        trace.enter(Phase::Tcp);
        let connected = timeout_at(deadline, TcpStream::connect(address)).await;
        let stream = connected
            .map_err(|_| {
                Failure::new(
                    Class::ConnectTimeout,
                    "the host did not accept the connection in time",
                )
            })?
            .map_err(|error| Failure::from_socket(&error, "while connecting"))?;
        // Requests are small and are waited for.
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }

    /// The address that a host is reached at, judged.
    pub(super) async fn find(
        &self,
        host: url::Host<&str>,
        port: u16,
        deadline: Instant,
        trace: &mut Trace,
    ) -> Result<SocketAddr, Failure> {
        trace.enter(Phase::Dns);
        let found = timeout_at(deadline, self.addresses(host, port)).await;
        let ip = found
            .map_err(|_| Failure::new(Class::NameTimeout, "no name server answered in time"))??;
        trace.address = Some(ip);
        Ok(SocketAddr::new(ip, port))
    }
}
