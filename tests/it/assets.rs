//! Nothing is served from the filesystem (threat T39), and the reference page loads nothing from anywhere.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

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

#[actix::test]
async fn the_reference_page_is_all_there_is_to_load() {
    let app = App::spawn().await;
    let page = app.get(format!("{}/docs", app.base)).await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    let policy = page.header("content-security-policy");
    let mut rules: Vec<&str> = policy.split(';').map(str::trim).collect();
    rules.sort_unstable();
    assert_eq!(
        rules,
        [
            "base-uri 'none'",
            "default-src 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "style-src 'unsafe-inline'",
        ]
    );
    let html = page.text.to_lowercase();
    for (group, path) in [
        ("websites", "/websites/create"),
        ("query types", "/v1/query"),
        ("tracker script", "data-client-id"),
    ] {
        assert!(html.contains(group) && html.contains(path), "{group}");
    }
    // Examples in the text are no tags.
    let tags: Vec<&str> = html
        .split('<')
        .skip(1)
        .filter_map(|rest| rest.split('>').next())
        .collect();
    for attribute in [" src=", " srcset=", " on"] {
        let found = tags.iter().find(|tag| tag.contains(attribute));
        assert_eq!(found, None, "{attribute}");
    }
    let loads = [
        "<script",
        "<link",
        "<img",
        "<iframe",
        "<object",
        "<embed",
        "<base",
        "<meta http-equiv",
        "url(",
        "@import",
        "javascript:",
    ];
    for load in loads {
        assert!(!html.contains(load), "{load}");
    }
    for target in html.split("href=\"").skip(1) {
        let target = target.split('"').next().unwrap();
        let own = target == "/openapi.json" || target.starts_with('#');
        assert!(own, "{target}");
        let anchor = format!("id=\"{}\"", target.trim_start_matches('#'));
        assert!(
            !target.starts_with('#') || html.contains(&anchor),
            "{target} leads nowhere"
        );
    }
    app.finish().await;
}
