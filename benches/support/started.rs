//! The released program itself: how long from the start of the process to a healthy answer, and what it holds idle.

use std::{
    net::{SocketAddr, TcpListener},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use rustix::process::{Pid, Signal, kill_process};

use crate::{args::variable, machine, wire::Connection};

/// Starts of which the median counts.
const STARTS: usize = 5;
/// How long it rests before its memory is read.
const REST: Duration = Duration::from_secs(5);
const PATIENCE: Duration = Duration::from_secs(30);
const HEALTH: &[u8] = b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// Measures the program that `PHAROS_BIN` names over a data directory; without it says how to.
pub(crate) async fn measure(data: &Path) -> anyhow::Result<()> {
    let Some(program) = variable("PHAROS_BIN") else {
        println!("start: not measured; set PHAROS_BIN to the release binary");
        return Ok(());
    };
    let program = program
        .canonicalize()
        .with_context(|| format!("PHAROS_BIN: no `{}`", program.display()))?;
    let mut took = Vec::new();
    let mut resident = 0.0;
    for start in 0..STARTS {
        let last = start + 1 == STARTS;
        let running = Running::start(&program, data)?;
        took.push(running.healthy().await?);
        if last {
            tokio::time::sleep(REST).await;
            resident = machine::resident_mb(&running.child.id().to_string())?;
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

struct Running {
    child: Child,
    started: Instant,
    api: SocketAddr,
}

impl Running {
    fn start(program: &Path, data: &Path) -> anyhow::Result<Self> {
        // Free now; nobody else takes it in the next moment.
        let api = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let started = Instant::now();
        let child = Command::new(program)
            .arg("serve")
            .current_dir(data)
            .env("PHAROS__STORAGE__DATA_DIR", data)
            .env("PHAROS__SERVER__API_LISTEN", api.to_string())
            .env("PHAROS__SERVER__TRACK_LISTEN", "127.0.0.1:0")
            .env("PHAROS__SERVER__LINKS_LISTEN", "127.0.0.1:0")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self {
            child,
            started,
            api,
        })
    }

    /// Milliseconds until `/health` answers 200.
    async fn healthy(&self) -> anyhow::Result<f64> {
        while self.started.elapsed() < PATIENCE {
            if let Ok(mut connection) = Connection::open(self.api).await
                && matches!(connection.exchange(HEALTH).await, Ok(200))
            {
                return Ok(self.started.elapsed().as_secs_f64() * 1e3);
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        bail!("the program is not healthy after {PATIENCE:?}")
    }

    fn stop(mut self) -> anyhow::Result<()> {
        kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        let status = self.child.wait()?;
        if !status.success() {
            bail!("the program ended with {status}");
        }
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Ends it when a measurement failed; nothing to do after `stop`.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
