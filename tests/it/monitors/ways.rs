//! Several ways to one server.

use std::sync::Arc;

use serde_json::Value;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream, UdpSocket},
    task::JoinSet,
};

/// Ways to servers: an organization monitors an address once.
#[derive(Default)]
pub(super) struct Ways(JoinSet<()>);

impl Ways {
    /// A monitor of the same server at an address of its own.
    pub(super) async fn vary(&mut self, mut monitor: Value) -> Value {
        let url = monitor["url"].as_str().unwrap().to_owned();
        let from = url.find("127.0.0.1").unwrap();
        let to = url[from..].find('/').map_or(url.len(), |at| from + at);
        let place = url[from..to].to_owned();
        let own = if monitor["kind"] == "ntp" {
            self.open_datagrams(place).await
        } else {
            self.open(place).await
        };
        monitor["url"] = format!("{}{own}{}", &url[..from], &url[to..]).into();
        monitor
    }

    async fn open(&mut self, to: String) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let own = listener.local_addr().unwrap().to_string();
        self.0.spawn(async move {
            let mut talks = JoinSet::new();
            while let Ok((mut near, _)) = listener.accept().await {
                let to = to.clone();
                talks.spawn(async move {
                    let mut far = TcpStream::connect(to).await.unwrap();
                    let _ = copy_bidirectional(&mut near, &mut far).await;
                });
            }
        });
        own
    }

    /// The same for datagrams: each question gets one answer.
    async fn open_datagrams(&mut self, to: String) -> String {
        let near = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
        let own = near.local_addr().unwrap().to_string();
        self.0.spawn(async move {
            let mut talks = JoinSet::new();
            let mut question = [0; 2_048];
            while let Ok((length, from)) = near.recv_from(&mut question).await {
                let far = UdpSocket::bind("127.0.0.1:0").await.unwrap();
                far.connect(&to).await.unwrap();
                far.send(&question[..length]).await.unwrap();
                let near = Arc::clone(&near);
                talks.spawn(async move {
                    let mut answer = [0; 2_048];
                    if let Ok(length) = far.recv(&mut answer).await {
                        let _ = near.send_to(&answer[..length], from).await;
                    }
                });
            }
        });
        own
    }
}
