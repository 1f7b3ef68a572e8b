//! Probes beside a server, each a process of its own.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::{
    child::{Server, binary},
    wire::{self, Connection},
};

struct Probe {
    id: String,
    child: Child,
    log: PathBuf,
}

/// Killed when dropped.
pub(crate) struct Probes(Vec<Probe>);

impl Probes {
    /// Creates and starts so many.
    pub(crate) async fn start(
        server: &Server,
        key: &str,
        home: &Path,
        count: usize,
    ) -> anyhow::Result<Self> {
        let mut connection = Connection::open(server.api).await?;
        let key = format!("x-api-key: {key}\r\n");
        let mut all = Self(Vec::new());
        for number in 0..count {
            let body = json!({ "name": format!("Place {number}") }).to_string();
            let request = wire::post("/probes/create", &key, &body);
            let status = connection.exchange(&request).await?;
            ensure!(status == 200, "a probe is refused: {status}");
            let made: Value = serde_json::from_slice(connection.body())?;
            let text = |name: &str| made[name].as_str().map(str::to_owned).context("no probe");
            let directory = home.join(format!("probe{number}"));
            fs::create_dir(&directory)?;
            let log = directory.join("log");
            let child = Command::new(binary()?)
                .current_dir(&directory)
                .args(["probe", "--join", &format!("http://{}", server.api)])
                .env("PHAROS_PROBE_TOKEN", text("token")?)
                .env("PHAROS__EGRESS__ALLOW", "127.0.0.0/8")
                .env("PHAROS__LOG__FORMAT", "json")
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(File::create(&log)?)
                .spawn()?;
            let id = text("id")?;
            all.0.push(Probe { id, child, log });
        }
        Ok(all)
    }

    /// The probe of a monitor.
    pub(crate) fn choose(&self, number: usize) -> Option<&str> {
        let at = number.checked_rem(self.0.len())?;
        self.0.get(at).map(|probe| probe.id.as_str())
    }

    /// The 99th percentile of the lateness in the worst minute of each, milliseconds.
    pub(crate) fn worst_lateness_ms(&self) -> anyhow::Result<Vec<i64>> {
        let worst = |probe: &Probe| -> anyhow::Result<i64> {
            let log = fs::read_to_string(&probe.log)?;
            let told = log.split("\"late_p99_ms\":").skip(1);
            let numbers = told.filter_map(|rest| rest.split([',', '}']).next()?.parse().ok());
            // Its first minute begins without work.
            numbers.skip(1).max().context("the run is too short")
        };
        self.0.iter().map(worst).collect()
    }
}

impl Drop for Probes {
    fn drop(&mut self) {
        for probe in &mut self.0 {
            let _ = probe.child.kill();
            let _ = probe.child.wait();
        }
    }
}
