//! Results on their way to a server that is played here.

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::JoinSet,
};

use super::*;

/// A server that takes bodies of so many bytes, and tells the first and the last number of what it has taken.
async fn serve(max_bytes: usize) -> (String, UnboundedReceiver<(i64, i64)>, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (taken, takes) = unbounded_channel();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            connections.spawn(answer_all(stream, max_bytes, taken.clone()));
        }
    });
    (url, takes, tasks)
}

async fn answer_all(stream: TcpStream, max_bytes: usize, taken: UnboundedSender<(i64, i64)>) {
    let mut stream = BufReader::new(stream);
    while let Some(body) = read_body(&mut stream).await {
        let (status, answer) = if body.len() > max_bytes {
            ("413 X", "{}".to_owned())
        } else {
            let batch: serde_json::Value = serde_json::from_slice(&body).unwrap();
            let first = batch["first"].as_i64().unwrap();
            let last = first - 1 + batch["reports"].as_array().unwrap().len() as i64;
            let _ = taken.send((first, last));
            ("200 X", format!(r#"{{"acknowledged":{last}}}"#))
        };
        let length = answer.len();
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{answer}");
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read_body(stream: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let mut lines = head.lines();
    let length = lines
        .find_map(|line| line.strip_prefix("content-length: "))
        .unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut body).await.ok()?;
    Some(body)
}

#[tokio::test]
async fn batches_shrink_below_the_limit_of_the_way_and_only_what_never_fits_is_lost() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (url, mut takes, _tasks) = serve(10_000).await;
    let server = Server::new(&url, "prb_x".into(), String::new()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut spool = Spool::open(directory.path(), MAX_BYTES).unwrap();
    let text = |bytes: usize| format!("\"{}\"", "x".repeat(bytes));
    let mut texts = vec![text(1_000); 20];
    texts[9] = text(20_000);
    spool.append(&texts).unwrap();
    let shared = Arc::new(SharedSpool {
        spool: Mutex::new(spool),
        written: Notify::new(),
    });
    let mut missing: Vec<i64> = (1..=20).collect();
    let all_taken = async {
        while missing != [10] {
            let (first, last) = takes.recv().await.unwrap();
            missing.retain(|number| !(first..=last).contains(number));
        }
    };
    tokio::select! {
        error = send(&server, &shared) => panic!("{error}"),
        () = all_taken => {}
    }
}
