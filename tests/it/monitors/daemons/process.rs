//! A program of its own for a test.

use std::{
    fs,
    io::ErrorKind,
    net::TcpListener,
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;
use tokio::net::TcpStream;

use crate::app::until;

/// A server and the processes that it has started, gone with this value.
pub(super) struct Process {
    leader: Pid,
    child: Option<Child>,
    /// Its files.
    home: Option<TempDir>,
    /// What is run at the end.
    end: Option<Command>,
}

impl Process {
    /// Runs a server until it takes connections. Nothing where it isn't installed and `PHAROS_NO_SERVERS` says that this is
    /// known.
    pub(super) async fn start(mut command: Command, home: TempDir, ports: &[u16]) -> Option<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        let log = fs::File::create(home.path().join("log")).unwrap();
        command
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .process_group(0);
        let child = spawned(&name, command.spawn())?;
        let mut process = Self {
            leader: Pid::from_raw(child.id() as i32).unwrap(),
            child: Some(child),
            home: Some(home),
            end: None,
        };
        for port in ports {
            until(&format!("{name} takes connections"), async || {
                process.check();
                TcpStream::connect(("127.0.0.1", *port)).await.is_ok()
            })
            .await;
        }
        Some(process)
    }

    /// A server that has started already, and what ends it.
    pub(super) fn adopt(leader: i32, end: Command) -> Self {
        Self {
            leader: Pid::from_raw(leader).unwrap(),
            child: None,
            home: None,
            end: Some(end),
        }
    }

    /// Fails if the server has ended by itself.
    fn check(&mut self) {
        let ended = self.child.as_mut().unwrap().try_wait().unwrap();
        let home = self.home.as_ref().unwrap();
        let log = || fs::read_to_string(home.path().join("log")).unwrap();
        assert!(ended.is_none(), "{}", log());
    }

    /// Runs a command once the server is gone.
    pub(super) fn at_end(mut self, command: Command) -> Self {
        self.end = Some(command);
        self
    }

    /// Lets it stand still: the system takes connections that nothing answers.
    pub(super) fn freeze(&self) {
        kill_process_group(self.leader, Signal::STOP).unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = kill_process_group(self.leader, Signal::KILL);
            let _ = child.wait();
        } else {
            // Its own command ends it, if it listens.
            let _ = kill_process_group(self.leader, Signal::CONT);
        }
        if let Some(command) = &mut self.end {
            let _ = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        }
    }
}

/// Runs a command to its end. Nothing where it isn't installed and this is known.
pub(super) fn run(mut command: Command) -> Option<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = spawned(&name, command.output())?;
    assert!(output.status.success(), "{name}: {output:?}");
    Some(())
}

fn spawned<T>(name: &str, outcome: std::io::Result<T>) -> Option<T> {
    match outcome {
        Ok(made) => Some(made),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            assert!(
                std::env::var_os("PHAROS_NO_SERVERS").is_some(),
                "{name} is not installed: install it, or set PHAROS_NO_SERVERS to test without it"
            );
            eprintln!("NOT TESTED: there is no {name} here");
            None
        }
        Err(error) => panic!("{name}: {error}"),
    }
}

/// A directory that users of servers may look into.
pub(super) fn home() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    home
}

/// Writes the files of a certificate that no authority has signed.
pub(super) fn write_certificate(home: &Path) -> (PathBuf, PathBuf) {
    let (certificate, key) = (home.join("certificate.pem"), home.join("key.pem"));
    let signed = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    fs::write(&certificate, signed.cert.pem()).unwrap();
    fs::write(&key, signed.signing_key.serialize_pem()).unwrap();
    (certificate, key)
}

/// Ports that are free now.
pub(super) fn free_ports<const N: usize>() -> [u16; N] {
    let held = [(); N].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    held.map(|listener| listener.local_addr().unwrap().port())
}
