//! How far the program's shipper has come, by the program's own figures.

use std::{net::SocketAddr, time::Duration};

use anyhow::Context;

use crate::wire::Connection;

/// How often it is asked.
const LOOK: Duration = Duration::from_millis(50);
const METRICS: &[u8] = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// What the last look said.
pub(crate) struct Shipped {
    connection: Connection,
    /// Events that ClickHouse has taken since the start.
    pub(crate) events: u64,
    /// Bytes of the log that wait.
    pub(crate) bytes: f64,
    /// Age of the oldest event that waits, seconds.
    pub(crate) seconds: f64,
}

impl Shipped {
    /// Looks for the first time.
    pub(crate) async fn of(address: SocketAddr) -> anyhow::Result<Self> {
        let connection = Connection::open(address).await?;
        let mut shipped = Self {
            connection,
            events: 0,
            bytes: 0.0,
            seconds: 0.0,
        };
        shipped.look().await?;
        Ok(shipped)
    }

    /// Looks again, a moment later.
    pub(crate) async fn look(&mut self) -> anyhow::Result<()> {
        tokio::time::sleep(LOOK).await;
        self.connection.exchange(METRICS).await?;
        let text = String::from_utf8_lossy(self.connection.body());
        let value = |name: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once(' '));
            let found = lines.find(|(known, _)| *known == name);
            let (_, value) = found.with_context(|| format!("no figure `{name}`"))?;
            Ok::<f64, anyhow::Error>(value.parse()?)
        };
        let (events, bytes) = (
            value("pharos_ship_events_total")?,
            value("pharos_ship_backlog_bytes")?,
        );
        self.seconds = value("pharos_ship_backlog_seconds")?;
        (self.events, self.bytes) = (events as u64, bytes);
        Ok(())
    }

    /// Looks until something is so.
    pub(crate) async fn until(&mut self, is_so: impl Fn(&Self) -> bool) -> anyhow::Result<()> {
        loop {
            self.look().await?;
            if is_so(self) {
                return Ok(());
            }
        }
    }
}
