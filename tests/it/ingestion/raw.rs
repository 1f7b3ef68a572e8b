//! Requests that no proper client would send, byte by byte.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, TcpStream},
    time::Duration,
};

use crate::app::App;

/// A connection to the app's ingestion listener that gives up some time.
pub fn connect(app: &App) -> TcpStream {
    let stream = TcpStream::connect(app.track.trim_start_matches("http://")).unwrap();
    let patience = Some(Duration::from_secs(30));
    stream.set_read_timeout(patience).unwrap();
    stream.set_write_timeout(patience).unwrap();
    stream
}

/// The head of a `POST` for the app's website without its last line.
pub fn head(app: &App, path: &str, headers: &str) -> Vec<u8> {
    format!(
        "POST {path}?website_id={0}&client_id={0} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n",
        app.website
    )
    .into_bytes()
}

/// Sends everything, says that there is no more, and reads what comes back.
pub async fn exchange(app: &App, request: Vec<u8>) -> String {
    let stream = connect(app);
    tokio::task::spawn_blocking(move || {
        let mut stream = stream;
        write_all(&mut stream, &request);
        // The other side may have hung up already.
        let _ = stream.shutdown(Shutdown::Write);
        read_all(&mut stream)
    })
    .await
    .unwrap()
}

/// Writes until the other side hangs up; whether everything was written.
pub fn write_all(stream: &mut TcpStream, bytes: &[u8]) -> bool {
    match stream.write_all(bytes) {
        Ok(()) => true,
        Err(error) => {
            let gone = [ErrorKind::BrokenPipe, ErrorKind::ConnectionReset];
            assert!(gone.contains(&error.kind()), "{error}");
            false
        }
    }
}

/// Reads to the end, however it comes.
pub fn read_all(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer) {
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// The statuses of the answers, in order.
pub fn statuses(answers: &str) -> Vec<u16> {
    let lines = answers.split("HTTP/1.1 ").skip(1);
    lines.map(|rest| rest[..3].parse().unwrap()).collect()
}

/// A body in chunks of so many bytes.
pub fn chunked(body: &[u8], size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len() + body.len() / size * 16 + 16);
    for chunk in body.chunks(size) {
        out.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"0\r\n\r\n");
    out
}
