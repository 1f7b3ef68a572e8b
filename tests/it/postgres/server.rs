//! A `PostgreSQL` of a test's own, which can be taken away and given back.

use std::{path::Path, process::Command};

use pharos::store::{StateDb, state::Options};
use rustix::process::{Pid, Signal, kill_process};
use sea_orm::{ConnectionTrait as _, Database};

/// A throwaway server (`scripts/postgres`), gone with this value.
pub struct Server {
    url: String,
    home: String,
}

impl Server {
    /// Starts one. `None` where there is no `PostgreSQL` and `PHAROS_NO_POSTGRES` says that this is known.
    pub fn start() -> Option<Self> {
        let output = script("start", "").output().unwrap();
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                std::env::var("PHAROS_NO_POSTGRES").is_ok(),
                "{said}install PostgreSQL, or set PHAROS_NO_POSTGRES to test without it"
            );
            eprintln!("NOT TESTED: there is no PostgreSQL here");
            return None;
        }
        let printed = String::from_utf8(output.stdout).unwrap();
        let value = |name: &str| {
            let mut lines = printed.lines();
            let value = lines.find_map(|line| line.strip_prefix(&format!("export {name}=")));
            value.unwrap().to_owned()
        };
        Some(Self {
            url: value("PHAROS_TEST_POSTGRES"),
            home: value("PHAROS_TEST_POSTGRES_HOME"),
        })
    }

    /// Makes an empty database; its address.
    pub async fn database(&self, name: &str) -> String {
        let admin = Database::connect(&self.url).await.unwrap();
        let make = format!("CREATE DATABASE {name}");
        admin.execute_unprepared(&make).await.unwrap();
        admin.close().await.unwrap();
        self.url.replace("/postgres", &format!("/{name}"))
    }

    /// Takes it away, as a power cut does.
    pub fn halt(&self) {
        self.run("halt");
    }

    /// Gives it back.
    pub fn resume(&self) {
        self.run("resume");
    }

    /// Pauses or resumes the server: connections are accepted and not answered.
    pub fn freeze(&self, frozen: bool) {
        let signal = if frozen { Signal::STOP } else { Signal::CONT };
        let file = Path::new(&self.home).join("data/postmaster.pid");
        let text = std::fs::read_to_string(file).unwrap();
        let first: i32 = text.lines().next().unwrap().parse().unwrap();
        let mut all = vec![first];
        for entry in std::fs::read_dir("/proc").unwrap() {
            let name = entry.unwrap().file_name();
            let Some(id) = name.to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            // Behind the name in parentheses: the state, then the parent.
            let parent = stat
                .rsplit(')')
                .next()
                .and_then(|rest| rest.split_whitespace().nth(1));
            if parent == Some(&first.to_string()) {
                all.push(id);
            }
        }
        for id in all {
            kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
        }
    }

    fn run(&self, what: &str) {
        let output = script(what, &self.home).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{what}: {said}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = script("stop", &self.home).output();
    }
}

fn script(what: &str, home: &str) -> Command {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/postgres");
    let mut command = Command::new(script);
    command
        .arg(what)
        .env("PHAROS_TEST_POSTGRES_HOME", home)
        .env_remove("PHAROS_TEST_POSTGRES");
    command
}

/// Opens a database as the program does.
pub async fn open(url: &str) -> StateDb {
    let options = Options {
        url: url.to_owned(),
        data_dir: std::env::temp_dir(),
    };
    StateDb::open(&options).await.unwrap()
}
