//! The way between a probe and its server, which breaks as a test wants.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// What becomes of what a probe sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Open,
    /// Nothing comes through.
    Cut,
    /// A proxy asks for a sign-in of its own.
    Refused,
    /// Results come to an end in front of the server.
    NoReports,
    /// Results arrive, and their answers are lost.
    NoAnswers,
}

struct State {
    way: Way,
    server: String,
}

/// A proxy in front of the server.
pub(super) struct Proxy {
    pub(super) url: String,
    state: Arc<Mutex<State>>,
    _task: JoinSet<()>,
}

impl Proxy {
    /// Leads to the server at this URL.
    pub(super) async fn start(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State {
            way: Way::Open,
            server: server.trim_start_matches("http://").to_owned(),
        }));
        let shared = Arc::clone(&state);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self {
            url,
            state,
            _task: task,
        }
    }

    pub(super) fn set(&self, way: Way) {
        self.state.lock().unwrap().way = way;
    }

    /// The server is elsewhere after a restart.
    pub(super) fn lead_to(&self, server: &str) {
        let server = server.trim_start_matches("http://").to_owned();
        self.state.lock().unwrap().server = server;
    }
}

/// Passes on one connection until its way is cut.
async fn serve(mut client: TcpStream, state: Arc<Mutex<State>>) {
    let (way, address) = {
        let state = state.lock().unwrap();
        (state.way, state.server.clone())
    };
    if way == Way::Cut {
        return;
    }
    if way == Way::Refused {
        let _ = client.read(&mut [0; 4_096]).await;
        let _ = client
            .write_all(b"HTTP/1.1 401 X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            .await;
        return;
    }
    let Ok(mut server) = TcpStream::connect(address).await else {
        return;
    };
    let (mut up, mut down) = (vec![0; 65_536], vec![0; 65_536]);
    let mut is_report = false;
    loop {
        let (length, is_up) = tokio::select! {
            read = client.read(&mut up) => (read, true),
            read = server.read(&mut down) => (read, false),
        };
        let Ok(length) = length else { return };
        let way = state.lock().unwrap().way;
        if length == 0 || way == Way::Cut {
            return;
        }
        let written = if is_up {
            is_report |= up[..length].starts_with(b"POST");
            is_report &= !up[..length].starts_with(b"GET");
            if is_report && way == Way::NoReports {
                return;
            }
            server.write_all(&up[..length]).await
        } else {
            if is_report && way == Way::NoAnswers {
                return;
            }
            client.write_all(&down[..length]).await
        };
        if written.is_err() {
            return;
        }
    }
}
