//! A ClickHouse that fails in every way, and remembers what it has.

use std::{
    collections::{BTreeMap, VecDeque},
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, mpsc},
    thread,
};

use crate::events::versions::SCHEMA;

/// What becomes of an insert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// It is stored, and the answer never comes.
    StoredUnheard,
    /// It is stored, and the connection breaks in the middle of the answer.
    StoredHalfHeard,
    /// The connection breaks in the middle of the request.
    CutOff,
    /// 500 with words of the engine.
    Trouble,
    /// 502 of something in between.
    Gateway,
}

pub(super) const WAYS: [Way; 5] = [
    Way::StoredUnheard,
    Way::StoredHalfHeard,
    Way::CutOff,
    Way::Trouble,
    Way::Gateway,
];

/// Rows with this in them are refused.
pub(super) const POISON: &str = "poison";

#[derive(Default)]
struct TenantIndex {
    plan: VecDeque<Way>,
    is_away: bool,
    /// What every name was sent with first.
    sent: BTreeMap<String, Vec<u8>>,
    /// Names of all inserts that arrived whole, in order.
    tokens: Vec<String>,
    /// What is stored, in order.
    stored: Vec<Vec<u8>>,
    /// Names that are stored.
    known: Vec<String>,
    wrong: Vec<String>,
}

/// The server; it ends with the process of the test.
pub(super) struct Fake {
    port: u16,
    held: Arc<Mutex<TenantIndex>>,
}

impl Fake {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let held = Arc::new(Mutex::new(TenantIndex::default()));
        let shared = Arc::clone(&held);
        thread::spawn(move || {
            // Requests that are never answered stay open.
            let (keep, kept) = mpsc::channel::<TcpStream>();
            for stream in listener.incoming().flatten() {
                let (shared, keep) = (Arc::clone(&shared), keep.clone());
                thread::spawn(move || drop(serve(stream, &shared, &keep)));
            }
            drop(kept);
        });
        Self { port, held }
    }

    pub(super) fn url(&self) -> String {
        format!("http://u:p@127.0.0.1:{}/d", self.port)
    }

    /// The next inserts go this way; those behind them are taken.
    pub(super) fn next(&self, ways: &[Way]) {
        self.held.lock().unwrap().plan.extend(ways);
    }

    /// Whether every connection is refused.
    pub(super) fn away(&self, is_away: bool) {
        self.held.lock().unwrap().is_away = is_away;
    }

    /// Names of the inserts that arrived, in order.
    pub(super) fn tokens(&self) -> Vec<String> {
        self.held.lock().unwrap().tokens.clone()
    }

    /// Names of the events that are stored, as `name-000000`, in order.
    pub(super) fn names(&self) -> Vec<String> {
        let held = self.held.lock().unwrap();
        assert_eq!(held.wrong, [""; 0], "the same name with other rows");
        let bytes = held.stored.concat();
        let starts = memchr::memmem::find_iter(&bytes, "name-");
        starts
            .map(|at| String::from_utf8_lossy(&bytes[at..at + 11]).into_owned())
            .collect()
    }
}

fn serve(
    mut stream: TcpStream,
    held: &Mutex<TenantIndex>,
    keep: &mpsc::Sender<TcpStream>,
) -> std::io::Result<()> {
    if held.lock().unwrap().is_away {
        return Ok(());
    }
    let (head, body) = request(&mut stream, held)?;
    let target = head.split(' ').nth(1).unwrap_or_default();
    let url = url::Url::parse(&format!("http://h{target}")).unwrap();
    let query = url.query_pairs().find(|(name, _)| name == "query");
    let Some((_, insert)) = query else {
        let text = String::from_utf8_lossy(&body);
        let answer = if text.starts_with("SELECT max(version)") {
            SCHEMA.to_string()
        } else {
            "1".to_owned()
        };
        return answered(&mut stream, "200 OK", &answer);
    };
    let (_, behind) = insert.split_once("insert_deduplication_token = '").unwrap();
    let token = behind.split('\'').next().unwrap().to_owned();
    let way = arrived(&mut held.lock().unwrap(), &token, &body);
    match way {
        None if memchr::memmem::find(&body, POISON.as_bytes()).is_some() => {
            let words = "Code: 117. DB::Exception: poison (INCORRECT_DATA)";
            answered(&mut stream, "400 Bad Request", words)
        }
        None => answered(&mut stream, "200 OK", ""),
        Some(Way::StoredUnheard) => {
            let _ = keep.send(stream);
            Ok(())
        }
        Some(Way::StoredHalfHeard) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        }
        Some(Way::Trouble) => {
            let words = "Code: 999. DB::Exception: no keeper (KEEPER_EXCEPTION)";
            answered(&mut stream, "500 Internal Server Error", words)
        }
        Some(Way::Gateway | Way::CutOff) => answered(&mut stream, "502 Bad Gateway", ""),
    }
}

/// Notes an insert, and whether it is stored.
fn arrived(held: &mut TenantIndex, token: &str, body: &[u8]) -> Option<Way> {
    held.tokens.push(token.to_owned());
    let first = held
        .sent
        .entry(token.to_owned())
        .or_insert_with(|| body.to_vec());
    if first.as_slice() != body {
        held.wrong.push(token.to_owned());
    }
    let poisoned = memchr::memmem::find(body, POISON.as_bytes()).is_some();
    let way = if poisoned {
        None
    } else {
        held.plan.pop_front()
    };
    let stores = matches!(way, None | Some(Way::StoredUnheard | Way::StoredHalfHeard));
    if stores && !poisoned && !held.known.iter().any(|known| known == token) {
        held.known.push(token.to_owned());
        held.stored.push(body.to_vec());
    }
    way
}

/// The head and the body of a request; nothing when the plan says that it is cut off.
fn request(
    stream: &mut TcpStream,
    held: &Mutex<TenantIndex>,
) -> std::io::Result<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    let head = loop {
        if let Some(at) = memchr::memmem::find(&bytes, b"\r\n\r\n") {
            break at;
        }
        match stream.read(&mut piece)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            read => bytes.extend_from_slice(&piece[..read]),
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    if text.contains("query=INSERT") {
        let mut held = held.lock().unwrap();
        if held.plan.front() == Some(&Way::CutOff) {
            held.plan.pop_front();
            return Err(std::io::ErrorKind::ConnectionReset.into());
        }
    }
    let length = text
        .lines()
        .find_map(|line| {
            line.to_ascii_lowercase()
                .strip_prefix("content-length: ")?
                .parse()
                .ok()
        })
        .unwrap_or(0);
    let mut body = bytes.split_off(head + 4);
    while body.len() < length {
        match stream.read(&mut piece)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            read => body.extend_from_slice(&piece[..read]),
        }
    }
    Ok((text, body))
}

fn answered(stream: &mut TcpStream, status: &str, body: &str) -> std::io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}
