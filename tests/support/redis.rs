//! A Redis of a test's own, which can be stopped, frozen and started again where it was.

use std::{
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};

/// A throwaway `redis-server`, gone with this value.
pub(crate) struct Redis {
    child: Child,
    port: u16,
}

impl Redis {
    /// Starts one. `None` where there is no `redis-server` and `PHAROS_NO_REDIS` says that this is known.
    #[expect(clippy::disallowed_methods, reason = "how a test is told")]
    pub(crate) fn start() -> Option<Self> {
        for _ in 0..5 {
            let free = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = free.local_addr().unwrap().port();
            drop(free);
            match serve(port) {
                Ok(mut child) => {
                    if answers(&mut child, port) {
                        return Some(Self { child, port });
                    }
                    // Somebody else was faster with the port.
                }
                Err(error) => {
                    assert!(
                        std::env::var("PHAROS_NO_REDIS").is_ok(),
                        "redis-server: {error}: install it, or set PHAROS_NO_REDIS to test without it"
                    );
                    eprintln!("NOT TESTED: there is no redis-server here");
                    return None;
                }
            }
        }
        panic!("redis-server does not start")
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Kills it; whatever it knew is gone.
    pub(crate) fn stop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again where it was, empty.
    pub(crate) fn again(&mut self) {
        self.child = serve(self.port).unwrap();
        assert!(answers(&mut self.child, self.port));
    }

    /// Lets it stand still, or go on.
    pub(crate) fn freeze(&self, frozen: bool) {
        let id = Pid::from_raw(self.child.id() as i32).unwrap();
        let signal = if frozen { Signal::STOP } else { Signal::CONT };
        kill_process(id, signal).unwrap();
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(port: u16) -> std::io::Result<Child> {
    let arguments = [
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--appendonly",
        "no",
        "--dir",
        "/tmp",
        "--port",
    ];
    Command::new("redis-server")
        .args(arguments)
        .arg(port.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// Whether it takes connections, once it has had the time to.
#[expect(clippy::disallowed_methods, reason = "another process is waited for")]
fn answers(child: &mut Child, port: u16) -> bool {
    for _ in 0..1_000 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return true;
        }
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}
