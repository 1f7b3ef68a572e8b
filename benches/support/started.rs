//! The released program itself: how long from the start of the process to a healthy answer, and what it holds idle.

use std::{path::Path, time::Duration};

use crate::{child::Server, machine};

/// Starts; their median counts.
const STARTS: usize = 5;
/// How long it rests before its memory is read.
const REST: Duration = Duration::from_secs(5);

/// Measures the program over a data directory.
pub(crate) async fn measure(data: &Path) -> anyhow::Result<()> {
    let mut took = Vec::new();
    let mut resident = 0.0;
    for start in 0..STARTS {
        let mut running = Server::start(data, &[])?;
        took.push(running.healthy().await?);
        if start + 1 == STARTS {
            tokio::time::sleep(REST).await;
            resident = running.resident_mb()?;
        }
        running.stop()?;
    }
    println!(
        "start: healthy {:.0} ms after exec (median of {STARTS}); idle {} s later: {resident:.0} MB resident",
        machine::median(took),
        REST.as_secs()
    );
    Ok(())
}
