//! Nothing is served from the filesystem (threat T39), and the documentation loads nothing from elsewhere.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use regex::Regex;

use crate::app::App;

/// Request targets that try to leave the routes, as they go over the wire: clients would tidy them up.
fn targets() -> Vec<String> {
    let ups = [
        "..",
        "..%2f",
        "%2e%2e",
        "%2e%2e%2f",
        "..\\",
        "..%5c",
        "%252e%252e",
        "..;",
        "..%00",
        "..%c0%af",
    ];
    let files = ["etc/passwd", "Cargo.toml", "state.db", "spool"];
    let mut all = Vec::new();
    for prefix in ["/", "/docs/", "/pharos.js/", "/status/"] {
        for up in ups {
            for file in files {
                all.push(format!("{prefix}{up}/{file}"));
                all.push(format!("{prefix}{}{file}", format!("{up}/").repeat(8)));
            }
        }
    }
    let odd = [
        "//etc/passwd",
        "/%00",
        "/docs%00",
        "/docs/%00.html",
        "/C:%5cwindows",
        "/C:\\windows",
        "/.git/config",
        "/.env",
        "file:///etc/passwd",
        "http://127.0.0.1/etc/passwd",
        "/proc/self/environ",
        "/dev/stdin",
        "/~root",
        "/%2fetc%2fpasswd",
    ];
    all.extend(odd.map(str::to_owned));
    all
}

/// The status line and everything after it.
fn get(address: &str, target: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let request = format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // Of a target that is no URL the server hangs up as soon as it has answered.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[actix::test]
async fn no_spelling_of_a_path_reaches_a_file_on_any_listener() {
    let app = App::spawn().await;
    let hosts = [app.base.clone(), app.track.clone(), app.links.clone()];
    let asking = tokio::task::spawn_blocking(move || {
        let targets = targets();
        assert!(targets.len() >= 200);
        for host in hosts {
            let address = host.trim_start_matches("http://");
            assert!(get(address, "/health").starts_with("HTTP/1.1 200"));
            for target in &targets {
                let answer = get(address, target);
                let status = answer.get(9..12).unwrap_or_default();
                assert!(
                    matches!(status, "404" | "400"),
                    "{address} {target}: {answer:?}"
                );
            }
        }
    });
    asking.await.unwrap();
    app.finish().await;
}

/// The tags of a page. Examples in its text are none.
fn tags(html: &str) -> Vec<&str> {
    let rest = html.split('<').skip(1);
    rest.filter_map(|rest| rest.split('>').next()).collect()
}

#[actix::test]
async fn the_documentation_loads_its_own_files_and_nothing_else() {
    let app = App::spawn().await;
    let forbidden = "^(img|iframe|object|embed|base|form|style|meta http-equiv)| (style|on[a-z]+)=";
    let forbidden = Regex::new(forbidden).unwrap();
    for (path, said) in [
        ("/docs", "quick start"),
        ("/docs/tracker", "data-client-id"),
        ("/docs/api/websites", "/websites/create"),
        ("/docs/api/query-types", "top_pages"),
    ] {
        let page = app.get(format!("{}{path}", app.base)).await;
        assert_eq!(page.status, 200);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        let policy = page.header("content-security-policy");
        let mut rules: Vec<&str> = policy.split(';').map(str::trim).collect();
        rules.sort_unstable();
        assert_eq!(
            rules,
            [
                "base-uri 'none'",
                "connect-src 'self'",
                "default-src 'none'",
                "form-action 'none'",
                "frame-ancestors 'none'",
                "img-src 'self'",
                "script-src 'self'",
                "style-src 'self'",
            ]
        );
        let html = page.text.to_lowercase();
        assert!(html.contains(said), "{path}: {said}");
        let tags = tags(&html);
        let loads = |tag: &str| {
            [" src=", " srcset=", "link "]
                .iter()
                .any(|word| tag.contains(word))
        };
        let loaded: Vec<&&str> = tags.iter().filter(|tag| loads(tag)).collect();
        assert_eq!(loaded.len(), 5, "{loaded:?}");
        for tag in loaded {
            assert!(tag.contains("=\"/console/assets/"), "{tag}");
        }
        let is_forbidden = |tag: &&&str| forbidden.is_match(tag);
        assert_eq!(tags.iter().find(is_forbidden), None, "{path}");
    }
    app.finish().await;
}
