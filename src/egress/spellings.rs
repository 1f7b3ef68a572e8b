//! Every way of writing an address inside that we know of: none of them reaches anybody.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use hyper::{Method, header::HeaderMap};
use url::Url;

use super::{
    Ask, Bounds, Class, Egress, Policy, Trace,
    testing::{Book, Server, this_machine},
};

fn ask(url: &str) -> Option<Ask> {
    Some(Ask {
        url: Url::parse(url).ok()?,
        method: Method::GET,
        headers: HeaderMap::new(),
        body: Bytes::new(),
        strict: true,
        stay: false,
        bounds: Bounds {
            time: Duration::from_secs(5),
            body: 1_000,
            text: 0,
            whole: false,
            redirects: 10,
        },
    })
}

/// Hosts that mean this machine, a private network, a cloud's metadata, or nothing that is public; in words between white space.
const HOSTS: [&str; 26] = [
    // This machine in every notation of IPv4.
    "127.0.0.1 127.1 127.0.1 127.000.000.001 0177.0.0.01 0x7f.0.0.1 0x7f.1 0x7f000001 0X7F000001 2130706433",
    "017700000001 0177.0.0.1 0177.1 0x7f.0x0.0x0.0x1 127.0.0.1. 127.255.255.254 127.0.0.0x1 127.0.01 0x7F.1",
    "%31%32%37.0.0.1 127%2e0%2e0%2e1 127。0。0。1 127．0．0．1 １２７.0.0.1 ①②⑦.0.0.1 127｡0｡0｡1 ⑫7.0.0.1",
    // The unspecified address, which is this machine too.
    "0.0.0.0 0 0x0 00 0.0 0.0.0 0.1.2.3 0.255.255.255 000.000.000.000 0.0.0.0.",
    // Private networks.
    "10.0.0.1 10.1 10.255.255.255 012.0.0.1 0xa.0.0.1 0xa000001 167772161 01200000001 172.16.0.1 172.31.255.255",
    "0xac.0x10.0.1 2886729729 172.20.10.1 192.168.0.1 192.168.1 192.168.255.255 0xc0.0xa8.0.1 0xc0a80001",
    "3232235521 030052000001 192.168.0.1.",
    // Link-local, and with it metadata of clouds.
    "169.254.169.254 169.254.0.1 169.254.255.255 0xa9.0xfe.0xa9.0xfe 0xa9fea9fe 2852039166 025177524776",
    "169.16689662 169.254.43518 0251.0376.0251.0376 169.254.169.254. 169.254.170.2",
    // Shared, reserved, documentation, benchmarks, relays, multicast, broadcast, a cloud's inside.
    "100.64.0.1 100.127.255.255 100.100.100.200 192.0.0.1 192.0.0.192 192.0.0.170 192.0.2.1 192.88.99.1",
    "198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1 250.1.2.3",
    "255.255.255.255 0xffffffff 4294967295 168.63.129.16 0xa83f8110",
    // IPv6: unspecified, this machine, and the same in every notation.
    "[::] [::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0.0.0.1] [0::1] [::0001] [0:0::1]",
    "[::127.0.0.1] [::7f00:1] [::10.0.0.1]",
    // IPv4 inside of IPv6.
    "[::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:7F00:0001] [0:0:0:0:0:ffff:127.0.0.1] [0:0:0:0:0:ffff:7f00:1]",
    "[::ffff:0.0.0.0] [::ffff:10.0.0.1] [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [::ffff:192.168.0.1]",
    "[::ffff:c0a8:1] [::ffff:172.16.0.1] [::ffff:100.64.0.1] [::ffff:255.255.255.255] [::ffff:0:127.0.0.1]",
    "[::ffff:0:7f00:1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::169.254.169.254] [64:ff9b::a00:1]",
    "[64:ff9b:1::7f00:1] [64:ff9b:1:ffff:ffff:ffff:7f00:1] [2002:7f00:1::] [2002:a9fe:a9fe::1] [2002:c0a8:1::1]",
    "[2001::1] [2001:0:7f00:1::] [2001:0:4136:e378:8000:63bf:3fff:fdd2] [2001:10::1] [2001:20::1] [2001:2::1]",
    // Local, documentation, discard, segment routing, not handed out, multicast.
    "[fe80::1] [fe80::a9fe:a9fe] [febf::1] [fec0::1] [feff::1] [fc00::1] [fd00::1] [fd00:ec2::254] [fdff:ffff::1]",
    "[2001:db8::1] [3fff::1] [100::1] [5f00::1] [ff01::1] [ff02::1] [ff05::2] [ff0e::1] [4000::1] [8000::1]",
    "[1::1] [0100::]",
    // Zones.
    "[fe80::1%25eth0] [fe80::1%eth0] [::1%25lo]",
    // Names, however they are written and whatever is in front.
    "localhost LOCALHOST localhost. a.localhost foo.bar.localhost printer.local x.internal",
    "metadata.google.internal Ｌocalhost",
];

fn hosts() -> Vec<&'static str> {
    HOSTS.iter().flat_map(|line| line.split(' ')).collect()
}

#[tokio::test]
async fn no_spelling_reaches_anybody() {
    let canary = Server::saying("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let port = canary.address.port();
    // The names are known, and mean this machine.
    let mut book = Book::default();
    for host in hosts() {
        let parsed = Url::parse(&format!("http://{host}/")).ok();
        if let Some(url::Host::Domain(name)) = parsed.as_ref().and_then(Url::host) {
            book = book.with(name, &[&["127.0.0.1"]]);
        }
    }
    let egress = Egress::new(Policy::default(), Arc::new(book)).unwrap();
    let mut asked = 0;
    for host in hosts() {
        for front in ["", "user@", "user:pass@", "example.com:80@"] {
            let text = format!("http://{front}{host}:{port}/");
            // What the parser refuses cannot be asked for.
            let Some(ask) = ask(&text) else {
                continue;
            };
            let spelled = egress.policy().spelling(&ask.url.host().unwrap(), port);
            assert!(spelled.is_err(), "{text}");
            let failure = egress.ask(ask, &mut Trace::begin()).await.unwrap_err();
            assert_eq!(failure.class, Class::BlockedAddress, "{text}: {failure}");
            asked += 1;
        }
    }
    assert!(hosts().len() >= 150, "{}", hosts().len());
    assert!(asked >= 500, "{asked}");
    assert_eq!(canary.hits(), 0);
}

#[tokio::test]
async fn an_answer_with_one_address_inside_is_refused_as_a_whole() {
    let canary = Server::saying("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let port = canary.address.port();
    let book = Book::default()
        .with("inside.example", &[&["127.0.0.1"]])
        .with("mixed.example", &[&["93.184.215.14", "127.0.0.1"]])
        .with("mapped.example", &[&["93.184.215.14", "::ffff:10.0.0.1"]])
        .with("six.example", &[&["93.184.215.14", "fd00::1"]]);
    let egress = Egress::new(Policy::default(), Arc::new(book)).unwrap();
    for name in ["inside", "mixed", "mapped", "six"] {
        let ask = ask(&format!("http://{name}.example:{port}/")).unwrap();
        let failure = egress.ask(ask, &mut Trace::begin()).await.unwrap_err();
        assert_eq!(failure.class, Class::BlockedAddress, "{name}");
    }
    assert_eq!(canary.hits(), 0);
}

/// The first answer is fine, every later one leads inside: what was judged is what is connected to, and the next
/// request is judged anew.
#[tokio::test]
async fn a_name_that_changes_its_mind_changes_nothing() {
    let first = Server::saying("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let port = first.address.port();
    let book = Book::default().with(
        "turns.example",
        &[&["127.0.0.1"], &["127.0.0.2"], &["10.0.0.1"]],
    );
    let policy = Policy {
        allow: vec!["127.0.0.1/32".parse().unwrap()],
        ..Policy::default()
    };
    let egress = Egress::new(policy, Arc::new(book)).unwrap();
    let url = format!("http://turns.example:{port}/");
    let mut trace = Trace::begin();
    egress.ask(ask(&url).unwrap(), &mut trace).await.unwrap();
    assert_eq!(trace.address, Some("127.0.0.1".parse().unwrap()));
    for _ in 0..3 {
        let failure = egress
            .ask(ask(&url).unwrap(), &mut Trace::begin())
            .await
            .unwrap_err();
        assert_eq!(failure.class, Class::BlockedAddress);
    }
    assert_eq!(first.hits(), 1);
}

/// F21: a resolver that answers anew every time, for ten thousand probes. Whatever it says, nothing inside is called.
#[tokio::test]
async fn ten_thousand_probes_of_a_name_that_flips_reach_nobody_inside() {
    const PROBES: usize = 10_000;
    let open = Server::saying("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let port = open.address.port();
    let canary = std::net::TcpListener::bind(("127.0.0.2", port)).unwrap();
    canary.set_nonblocking(true).unwrap();
    let kinds: [&[&str]; 5] = [
        &["127.0.0.2"],
        &["127.0.0.1"],
        &["127.0.0.1", "127.0.0.2"],
        &["::ffff:127.0.0.2"],
        &["10.0.0.1"],
    ];
    // No period that a cache or a retry could fall into step with.
    let answers: Vec<&[&str]> = (0..PROBES * 2)
        .map(|turn| kinds[(turn * turn + turn / 7) % kinds.len()])
        .collect();
    let book = Book::default().with("flips.example", &answers);
    let policy = Policy {
        allow: vec!["127.0.0.1/32".parse().unwrap()],
        ..Policy::default()
    };
    let egress = Egress::new(policy, Arc::new(book)).unwrap();
    let url = format!("http://flips.example:{port}/");
    let mut fine = 0;
    for _ in 0..PROBES {
        let mut trace = Trace::begin();
        match egress.ask(ask(&url).unwrap(), &mut trace).await {
            Ok(_) => fine += 1,
            Err(failure) => assert_eq!(failure.class, Class::BlockedAddress, "{failure}"),
        }
    }
    let came = canary.accept().unwrap_err();
    assert_eq!(came.kind(), std::io::ErrorKind::WouldBlock);
    assert_eq!(open.hits(), fine);
    assert!((PROBES / 10..PROBES / 2).contains(&fine), "{fine}");
}

#[tokio::test]
async fn redirects_are_judged_like_the_first_address() {
    let canary = Server::saying("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let inside = canary.address.port();
    let book = || Book::default().with("evil.example", &[&["127.0.0.2"]]);
    let policy = Policy {
        allow: vec!["127.0.0.1/32".parse().unwrap()],
        blocked_ports: vec![inside],
        ..Policy::default()
    };
    for location in [
        format!("http://127.0.0.2:{inside}/"),
        format!("http://evil.example:{inside}/"),
        format!("//127.0.0.3:{inside}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://[::1]/".to_owned(),
        "http://0/".to_owned(),
        // An address that is open, but a port that is not.
        format!("http://127.0.0.1:{inside}/"),
    ] {
        let answer =
            format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
        let door = Server::saying(answer).await;
        let egress = Egress::new(policy.clone(), Arc::new(book())).unwrap();
        let mut trace = Trace::begin();
        let failure = egress
            .ask(ask(&door.url("/")).unwrap(), &mut trace)
            .await
            .unwrap_err();
        assert!(
            matches!(failure.class, Class::BlockedAddress | Class::BlockedPort),
            "{location}: {failure}"
        );
        assert_eq!((door.hits(), trace.redirects), (1, 1), "{location}");
    }
    for location in [
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "javascript:alert(1)",
        "http://",
        "\u{7f}",
    ] {
        let answer =
            format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
        let door = Server::saying(answer).await;
        let egress = Egress::new(this_machine(), Arc::new(book())).unwrap();
        let failure = egress
            .ask(ask(&door.url("/")).unwrap(), &mut Trace::begin())
            .await;
        let class = failure.map(|answer| answer.status).unwrap_err().class;
        assert!(
            matches!(
                class,
                Class::BadRedirect | Class::Protocol | Class::TooManyRedirects
            ),
            "{location}: {class:?}"
        );
    }
    assert_eq!(canary.hits(), 0);
}
