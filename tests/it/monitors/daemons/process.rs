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
    pub(super) async fn start(command: Command, home: TempDir, ports: &[u16]) -> Option<Self> {
        let listens = async || {
            for port in ports {
                if TcpStream::connect(("127.0.0.1", *port)).await.is_err() {
                    return false;
                }
            }
            true
        };
        Self::start_until(command, home, listens).await
    }

    /// [`Process::start`] for a server that is ready when this says so.
    pub(super) async fn start_until(
        mut command: Command,
        home: TempDir,
        mut is_ready: impl AsyncFnMut() -> bool,
    ) -> Option<Self> {
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
        until(&format!("{name} is ready"), async || {
            process.check();
            is_ready().await
        })
        .await;
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

/// What a program of every system says.
pub(super) fn run_for_text(program: &str, argument: &str) -> String {
    let said = Command::new(program).arg(argument).output().unwrap().stdout;
    String::from_utf8(said).unwrap().trim().to_owned()
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

/// The command of a server. Debian keeps servers where only root looks for programs.
pub(super) fn server(name: &str) -> Command {
    let place = Path::new("/usr/sbin").join(name);
    Command::new(if place.exists() { place } else { name.into() })
}

pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A directory that users of servers may look into.
pub(in super::super) fn home() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    home
}

/// Writes the files of a certificate that no authority has signed.
pub(super) fn write_certificate(home: &Path) -> (PathBuf, PathBuf) {
    let signed = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    write_files(home, &signed.cert, &signed.signing_key)
}

/// Writes the files of a certificate.
pub(in super::super) fn write_files(
    home: &Path,
    certificate: &rcgen::Certificate,
    key: &rcgen::KeyPair,
) -> (PathBuf, PathBuf) {
    let (file, key_file) = (home.join("certificate.pem"), home.join("key.pem"));
    fs::write(&file, certificate.pem()).unwrap();
    fs::write(&key_file, key.serialize_pem()).unwrap();
    (file, key_file)
}

/// Ports that are free now.
pub(super) fn free_ports<const N: usize>() -> [u16; N] {
    let held = [(); N].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    held.map(|listener| listener.local_addr().unwrap().port())
}
