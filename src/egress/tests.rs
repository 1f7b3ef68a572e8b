//! Servers that misbehave, and what is said of them: the class of the failure, and phases that add up.

use std::{io::Write as _, sync::Arc, time::Duration};

use bytes::Bytes;
use hyper::{
    Method,
    header::{self, HeaderMap, HeaderValue},
};
use rustls::RootCertStore;
use tokio::{io::AsyncWriteExt as _, net::TcpStream, time::Instant};
use url::Url;

use super::{
    Answer, Ask, Bounds, Class, Egress, Failure, Phase, Trace,
    testing::{Book, Server, acceptor, head, this_machine},
};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const WAIT: Duration = Duration::from_millis(120);

fn ask(url: &str) -> Ask {
    Ask {
        url: Url::parse(url).unwrap(),
        method: Method::GET,
        headers: HeaderMap::new(),
        body: Bytes::new(),
        strict: true,
        stay: false,
        bounds: Bounds {
            time: Duration::from_secs(20),
            body: 100_000,
            text: 10_000,
            whole: true,
            redirects: 10,
        },
    }
}

fn brief(url: &str) -> Ask {
    let mut ask = ask(url);
    ask.bounds.time = Duration::from_millis(300);
    ask
}

fn egress() -> Egress {
    let book = Book::default()
        .with("here.example", &[&["127.0.0.1"]])
        .with("moves.example", &[&["127.0.0.1"], &["10.0.0.1"]]);
    Egress::new(this_machine(), Arc::new(book)).unwrap()
}

/// Asks, and checks what holds for every trace: the phases fill the time in their order, and no more.
async fn asked(egress: &Egress, ask: Ask) -> (Result<Answer, Failure>, Trace) {
    let begun = Instant::now();
    let mut trace = Trace::begin();
    let outcome = egress.ask(ask, &mut trace).await;
    let whole = begun.elapsed();
    let sum: Duration = Phase::ALL.iter().map(|phase| trace.phase(*phase)).sum();
    assert_eq!(sum, trace.total());
    assert!(sum <= whole, "{sum:?} {whole:?}");
    (outcome, trace)
}

async fn fails(ask: Ask) -> (Class, Trace) {
    let (outcome, trace) = asked(&egress(), ask).await;
    (
        outcome.map(|answer| answer.status).unwrap_err().class,
        trace,
    )
}

fn reached(trace: &Trace, last: Phase) {
    for phase in Phase::ALL {
        let behind = phase as usize > last as usize;
        assert!(
            !behind || trace.phase(phase).is_zero(),
            "{phase:?} behind {last:?}: {trace:?}"
        );
    }
}

#[tokio::test]
async fn a_server_that_works_is_timed_in_all_phases() {
    let server = Server::start(|mut stream| async move {
        let request = head(&mut stream).await;
        assert!(
            request.starts_with("GET /path?x=1 HTTP/1.1\r\n"),
            "{request}"
        );
        tokio::time::sleep(WAIT).await;
        let _ = stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nok")
            .await;
        tokio::time::sleep(WAIT).await;
        let _ = stream.write_all(b"ay").await;
    })
    .await;
    let url = format!("http://here.example:{}/path?x=1", server.address.port());
    let (answer, trace) = asked(&egress(), ask(&url)).await;
    let answer = answer.unwrap();
    assert_eq!(
        (answer.status.as_u16(), answer.text.as_slice()),
        (200, &b"okay"[..])
    );
    assert!(trace.phase(Phase::Ttfb) >= WAIT, "{trace:?}");
    assert!(trace.phase(Phase::Transfer) >= WAIT, "{trace:?}");
    assert!(trace.phase(Phase::Tls).is_zero());
    assert_eq!((trace.bytes, trace.redirects), (4, 0));
    assert_eq!(trace.address, Some("127.0.0.1".parse().unwrap()));
}

#[tokio::test]
async fn nobody_there_is_refused_and_an_unknown_name_does_not_exist() {
    let server = Server::saying(OK).await;
    let url = server.url("/");
    drop(server);
    tokio::task::yield_now().await;
    let (class, trace) = fails(ask(&url)).await;
    assert_eq!(class, Class::Refused);
    reached(&trace, Phase::Tcp);
    let (class, trace) = fails(ask("http://nowhere.example/")).await;
    assert_eq!(class, Class::NameNotFound);
    reached(&trace, Phase::Dns);
}

#[tokio::test]
async fn a_server_that_hangs_up_resets_or_says_nothing() {
    let silent = Server::start(|stream| async move {
        tokio::time::sleep(Duration::from_mins(1)).await;
        drop(stream);
    })
    .await;
    let (class, trace) = fails(brief(&silent.url("/"))).await;
    assert_eq!(class, Class::FirstByteTimeout);
    assert!(trace.phase(Phase::Ttfb) >= Duration::from_millis(200));
    reached(&trace, Phase::Ttfb);

    let rude = Server::start(|mut stream: TcpStream| async move {
        head(&mut stream).await;
        stream.set_zero_linger().unwrap();
    })
    .await;
    let (class, _) = fails(ask(&rude.url("/"))).await;
    assert_eq!(class, Class::Reset);

    let short = Server::start(|mut stream: TcpStream| async move {
        head(&mut stream).await;
    })
    .await;
    let (class, _) = fails(ask(&short.url("/"))).await;
    assert_eq!(class, Class::Closed);
}

#[tokio::test]
async fn slow_heads_and_slow_bodies_end_at_the_deadline() {
    let slow = |start: &'static str, drop_by_drop: &'static str| {
        Server::start(move |mut stream| async move {
            head(&mut stream).await;
            let _ = stream.write_all(start.as_bytes()).await;
            loop {
                tokio::time::sleep(Duration::from_millis(20)).await;
                if stream.write_all(drop_by_drop.as_bytes()).await.is_err() {
                    return;
                }
            }
        })
    };
    let heads = slow("HTTP/1.1 200 OK\r\n", "x-a: b\r\n").await;
    let bodies = slow("HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n", "x").await;
    for server in [heads, bodies] {
        let (class, trace) = fails(brief(&server.url("/"))).await;
        assert_eq!(class, Class::TransferTimeout);
        assert!(
            trace.phase(Phase::Transfer) >= Duration::from_millis(100),
            "{trace:?}"
        );
        assert!(trace.total() >= Duration::from_millis(300), "{trace:?}");
    }
}

#[tokio::test]
async fn what_is_no_http_is_told_apart() {
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x-a: b\r\n".repeat(200));
    let large = format!("HTTP/1.1 200 OK\r\nx-a: {}\r\n\r\n", "b".repeat(100_000));
    for (answer, classes) in [
        ("SSH-2.0-OpenSSH\r\n\r\n".to_owned(), vec![Class::Protocol]),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n".to_owned(),
            vec![Class::Protocol],
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab".to_owned(),
            vec![Class::Protocol],
        ),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_owned(),
            vec![Class::Protocol],
        ),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n".to_owned(),
            vec![Class::Protocol],
        ),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab".to_owned(),
            vec![Class::Closed],
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort".to_owned(),
            vec![Class::Closed],
        ),
        ("HTTP/1.1 200".to_owned(), vec![Class::Closed]),
        (many, vec![Class::HeadersTooLarge, Class::Protocol]),
        (large, vec![Class::HeadersTooLarge]),
        (
            "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 20\r\n\r\nthis is not packed!!".to_owned(),
            vec![Class::Protocol],
        ),
    ] {
        let start: String = answer.chars().take(70).collect();
        let server = Server::saying(answer).await;
        let (outcome, _) = asked(&egress(), ask(&server.url("/"))).await;
        let class = outcome.map(|answer| answer.status).map_err(|failure| failure.class);
        let told = class.as_ref().is_err_and(|class| classes.contains(class));
        assert!(told, "{start:?}: {class:?}");
    }
}

fn gzip(length: usize) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(&vec![b'a'; length]).unwrap();
    packer.finish().unwrap()
}

fn packed(body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

#[tokio::test]
async fn bodies_are_unpacked_as_far_as_they_are_looked_at() {
    let fits = Server::saying(packed(&gzip(10_000))).await;
    let (answer, _) = asked(&egress(), ask(&fits.url("/"))).await;
    assert_eq!(answer.unwrap().text.len(), 10_000);
    // Fifty megabytes in fifty kilobytes, and the same packed twice over.
    for body in [gzip(10_001), gzip(50 << 20)] {
        let bomb = Server::saying(packed(&body)).await;
        assert_eq!(fails(ask(&bomb.url("/"))).await.0, Class::BodyTooLarge);
        let mut lenient = ask(&bomb.url("/"));
        lenient.bounds.whole = false;
        let (answer, trace) = asked(&egress(), lenient).await;
        assert!(answer.unwrap().text.is_empty());
        assert_eq!(trace.bytes, body.len() as u64);
    }
}

#[tokio::test]
async fn bodies_without_an_end_are_cut_off() {
    for start in [
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
    ] {
        let chunked = start.contains("chunked");
        let server = Server::start(move |mut stream| async move {
            head(&mut stream).await;
            let _ = stream.write_all(start.as_bytes()).await;
            let block = if chunked {
                format!("400\r\n{}\r\n", "x".repeat(1024))
            } else {
                "x".repeat(1024)
            };
            while stream.write_all(block.as_bytes()).await.is_ok() {}
        })
        .await;
        let mut ask = ask(&server.url("/"));
        ask.bounds.text = 0;
        let (class, trace) = fails(ask).await;
        assert_eq!(class, Class::BodyTooLarge);
        assert!((100_000..200_000).contains(&trace.bytes), "{}", trace.bytes);
    }
}

#[tokio::test]
async fn ten_redirects_are_followed_and_circles_end() {
    // Counts down to the end.
    let server = Server::start(|mut stream| async move {
        let request = head(&mut stream).await;
        let left: u32 = request.split(['/', ' ']).nth(2).unwrap().parse().unwrap();
        let answer = match left {
            0 => OK.to_owned(),
            left => format!(
                "HTTP/1.1 307 On\r\nlocation: /{}\r\ncontent-length: 0\r\n\r\n",
                left - 1
            ),
        };
        tokio::time::sleep(Duration::from_millis(10)).await;
        let _ = stream.write_all(answer.as_bytes()).await;
    })
    .await;
    let (answer, trace) = asked(&egress(), ask(&server.url("/10"))).await;
    assert_eq!(answer.unwrap().status.as_u16(), 200);
    assert_eq!(trace.redirects, 10);
    assert!(
        trace.phase(Phase::Ttfb) >= Duration::from_millis(110),
        "summed: {trace:?}"
    );
    let (class, trace) = fails(ask(&server.url("/11"))).await;
    assert_eq!((class, trace.redirects), (Class::TooManyRedirects, 10));

    let circle =
        Server::saying("HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n").await;
    assert_eq!(
        fails(ask(&circle.url("/"))).await.0,
        Class::TooManyRedirects
    );
    let mut stay = ask(&circle.url("/"));
    stay.stay = true;
    let (answer, _) = asked(&egress(), stay).await;
    assert_eq!(answer.unwrap().status.as_u16(), 302);
}

#[tokio::test]
async fn secrets_stay_with_the_origin_they_were_meant_for() {
    let other = Server::start(|mut stream| async move {
        let request = head(&mut stream).await;
        let leaks = request.to_lowercase().contains("secret");
        let answer = if leaks {
            "HTTP/1.1 500 Leak\r\ncontent-length: 0\r\n\r\n"
        } else {
            OK
        };
        let _ = stream.write_all(answer.as_bytes()).await;
    })
    .await;
    let door = Server::saying(format!(
        "HTTP/1.1 302 Found\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n",
        other.url("/")
    ))
    .await;
    let mut ask = ask(&door.url("/"));
    ask.headers.insert(
        header::AUTHORIZATION,
        HeaderValue::from_static("Bearer secret"),
    );
    ask.headers
        .insert("x-own", HeaderValue::from_static("secret"));
    let (answer, _) = asked(&egress(), ask).await;
    assert_eq!(answer.unwrap().status.as_u16(), 200);
}

/// A certificate for these names, good until the end of this year.
fn certificate(names: &[&str], until: i32) -> (rcgen::Certificate, rcgen::KeyPair) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = rcgen::CertificateParams::new(names).unwrap();
    params.not_before = rcgen::date_time_ymd(2020, 1, 1);
    params.not_after = rcgen::date_time_ymd(until, 1, 1);
    params.custom_extensions = vec![super::sct::tests::extension_of(2)];
    let key = rcgen::KeyPair::generate().unwrap();
    (params.self_signed(&key).unwrap(), key)
}

async fn tls_server(certificate: &rcgen::Certificate, key: &rcgen::KeyPair) -> Server {
    let acceptor = acceptor(certificate, key);
    Server::start(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            tokio::time::sleep(Duration::from_millis(30)).await;
            if let Ok(mut stream) = acceptor.accept(stream).await {
                head(&mut stream).await;
                let _ = stream.write_all(OK.as_bytes()).await;
                let _ = stream.shutdown().await;
            }
        }
    })
    .await
}

#[tokio::test]
async fn certificates_are_judged_and_dated() {
    let good = certificate(&["here.example"], 2099);
    let expired = certificate(&["here.example"], 2021);
    let other = certificate(&["there.example"], 2099);
    let stranger = certificate(&["here.example"], 2099);
    let mut roots = RootCertStore::empty();
    for (known, _) in [&good, &expired, &other] {
        roots.add(known.der().clone()).unwrap();
    }
    let book = Book::default().with("here.example", &[&["127.0.0.1"]]);
    let egress = Egress::trusting(this_machine(), Arc::new(book), roots).unwrap();
    for ((certificate, key), problem) in [
        (&good, None),
        (&expired, Some(Class::TlsExpired)),
        (&other, Some(Class::TlsName)),
        (&stranger, Some(Class::TlsUntrusted)),
    ] {
        let server = tls_server(certificate, key).await;
        let url = format!("https://here.example:{}/", server.address.port());
        let (answer, trace) = asked(&egress, ask(&url)).await;
        let seen = trace.certificate.expect("a certificate was seen");
        assert_eq!(seen.problem, problem);
        assert!(seen.ends_ms > 1_600_000_000_000);
        assert_eq!(trace.scts, 2);
        assert_eq!(
            answer
                .map(|answer| answer.status.as_u16())
                .map_err(|f| f.class),
            problem.map_or(Ok(200), Err)
        );
        assert!(
            trace.phase(Phase::Tls) >= Duration::from_millis(30),
            "{trace:?}"
        );
        // Who does not insist gets an answer, and the verdict beside it.
        let mut lenient = ask(&url);
        lenient.strict = false;
        let (answer, trace) = asked(&egress, lenient).await;
        assert_eq!(answer.unwrap().status.as_u16(), 200);
        assert_eq!(trace.certificate.unwrap().problem, problem);
    }
}

#[tokio::test]
async fn handshakes_that_are_none_fail_in_their_phase() {
    let plain = Server::start(|mut stream: TcpStream| async move {
        let _ = stream.write_all(OK.as_bytes()).await;
        head(&mut stream).await;
    })
    .await;
    let url = format!("https://here.example:{}/", plain.address.port());
    let (class, trace) = fails(ask(&url)).await;
    assert!(
        matches!(class, Class::TlsFailed | Class::Closed | Class::Reset),
        "{class:?}"
    );
    reached(&trace, Phase::Tls);
    let silent = Server::start(|stream| async move {
        tokio::time::sleep(Duration::from_mins(1)).await;
        drop(stream);
    })
    .await;
    let url = format!("https://here.example:{}/", silent.address.port());
    let (class, trace) = fails(brief(&url)).await;
    assert_eq!(class, Class::TlsTimeout);
    assert!(
        trace.phase(Phase::Tls) >= Duration::from_millis(200),
        "{trace:?}"
    );
    reached(&trace, Phase::Tls);
}

#[tokio::test]
async fn a_name_that_moves_is_asked_for_every_time() {
    let server = Server::saying(OK).await;
    let url = format!("http://moves.example:{}/", server.address.port());
    let egress = egress();
    assert!(asked(&egress, ask(&url)).await.0.is_ok());
    let (second, _) = asked(&egress, ask(&url)).await;
    assert_eq!(
        second.map(|answer| answer.status).unwrap_err().class,
        Class::BlockedAddress
    );
}
