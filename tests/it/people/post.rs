//! A mail server on loopback that keeps messages, and refuses them on demand.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A running mail server.
pub struct Post {
    pub url: String,
    emails: Arc<Mutex<Vec<String>>>,
    refusals: Arc<Mutex<Vec<&'static str>>>,
    task: JoinHandle<()>,
}

impl Post {
    /// Listens on a free port.
    pub async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let emails = Arc::new(Mutex::new(Vec::new()));
        let refusals = Arc::new(Mutex::new(Vec::new()));
        let (kept, refused) = (Arc::clone(&emails), Arc::clone(&refusals));
        let task = actix::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                actix::spawn(serve(stream, Arc::clone(&kept), Arc::clone(&refused)));
            }
        });
        Self {
            url,
            emails,
            refusals,
            task,
        }
    }

    /// Answers the next recipient so instead of taking the email.
    pub fn refuse(&self, answer: &'static str) {
        self.refusals.lock().unwrap().push(answer);
    }

    /// Waits until every refusal was given.
    pub async fn has_refused(&self) {
        let is_empty = async || self.refusals.lock().unwrap().is_empty();
        crate::app::until("an email was refused", is_empty).await;
    }

    /// What has come, readable.
    pub fn emails(&self) -> Vec<String> {
        self.emails.lock().unwrap().clone()
    }

    /// The emails, once there are so many.
    pub async fn wait_for(&self, count: usize) -> Vec<String> {
        crate::app::until("the emails came", async || self.emails().len() >= count).await;
        self.emails()
    }
}

impl Drop for Post {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    stream: TcpStream,
    emails: Arc<Mutex<Vec<String>>>,
    refusals: Arc<Mutex<Vec<&'static str>>>,
) {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();
    write.write_all(b"220 test\r\n").await.unwrap();
    while let Ok(Some(line)) = lines.next_line().await {
        let word = line.split([' ', ':']).next().unwrap().to_ascii_uppercase();
        let refused = (word == "RCPT")
            .then(|| refusals.lock().unwrap().pop())
            .flatten();
        let answer = match (word.as_str(), refused) {
            (_, Some(refusal)) => refusal,
            ("DATA", _) => "354 go on",
            ("QUIT", _) => "221 bye",
            _ => "250 fine",
        };
        if write
            .write_all(format!("{answer}\r\n").as_bytes())
            .await
            .is_err()
        {
            return;
        }
        if word == "DATA" {
            let mut email = String::new();
            while let Ok(Some(line)) = lines.next_line().await {
                if line == "." {
                    break;
                }
                email.push_str(&line);
                email.push('\n');
            }
            // Long lines are folded in the quoted-printable form.
            let readable = email.replace("=\n", "").replace("=3D", "=");
            emails.lock().unwrap().push(readable);
            let _ = write.write_all(b"250 taken\r\n").await;
        }
    }
}
