//! A mail server on loopback that keeps what it is sent, and can be told to refuse.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A running mail server.
pub struct Post {
    pub url: String,
    letters: Arc<Mutex<Vec<String>>>,
    refusals: Arc<Mutex<Vec<&'static str>>>,
    task: JoinHandle<()>,
}

impl Post {
    /// Listens on a free port.
    pub async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let letters = Arc::new(Mutex::new(Vec::new()));
        let refusals = Arc::new(Mutex::new(Vec::new()));
        let (kept, refused) = (Arc::clone(&letters), Arc::clone(&refusals));
        let task = actix::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                actix::spawn(serve(stream, Arc::clone(&kept), Arc::clone(&refused)));
            }
        });
        Self {
            url,
            letters,
            refusals,
            task,
        }
    }

    /// Answers the next recipient so instead of taking the letter.
    pub fn refuse(&self, answer: &'static str) {
        self.refusals.lock().unwrap().push(answer);
    }

    /// What has come, readable.
    pub fn letters(&self) -> Vec<String> {
        self.letters.lock().unwrap().clone()
    }

    /// The letters, once there are so many.
    pub async fn wait_for(&self, count: usize) -> Vec<String> {
        crate::app::until("the letters came", async || self.letters().len() >= count).await;
        self.letters()
    }
}

impl Drop for Post {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    stream: TcpStream,
    letters: Arc<Mutex<Vec<String>>>,
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
            let mut letter = String::new();
            while let Ok(Some(line)) = lines.next_line().await {
                if line == "." {
                    break;
                }
                letter.push_str(&line);
                letter.push('\n');
            }
            // Long lines are folded in the quoted-printable form.
            let readable = letter.replace("=\n", "").replace("=3D", "=");
            letters.lock().unwrap().push(readable);
            let _ = write.write_all(b"250 taken\r\n").await;
        }
    }
}
