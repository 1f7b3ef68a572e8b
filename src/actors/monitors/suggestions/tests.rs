use std::{net::IpAddr, sync::Arc, time::Duration};

use futures_util::{FutureExt as _, future::BoxFuture};
use hyper::StatusCode;
use rustls::RootCertStore;
use tokio::io::AsyncWriteExt as _;

use super::*;
use crate::{
    actors::monitors::{Expectations, Granularity},
    egress::{
        RecordKind, Resolve,
        testing::{Server, acceptor, closed, head, this_machine},
    },
};

/// 2026-10-14T12:00:00Z.
const NOW: i64 = 1_791_979_200_000;
const PAGE: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n\
                    <html><head><TITLE lang=\"en\">\n Acme &amp; sons </TITLE></head></html>";

/// A zone in which every name is this machine.
struct Zone;

impl Resolve for Zone {
    fn addresses<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, Failure>> {
        async { Ok(vec![IpAddr::from([127, 0, 0, 1])]) }.boxed()
    }

    fn records<'a>(
        &'a self,
        _: &'a str,
        kind: RecordKind,
    ) -> BoxFuture<'a, Result<Vec<String>, Failure>> {
        let found: &[&str] = match kind {
            RecordKind::A => &["127.0.0.1"],
            RecordKind::Ns => &["ns2.acme.example.", "ns1.acme.example."],
            _ => &[],
        };
        let found: Vec<String> = found.iter().map(|record| (*record).to_owned()).collect();
        async move { Ok(found) }.boxed()
    }
}

/// A certificate of `shop.acme.example` until 2099, and a server with it.
async fn serve() -> (rcgen::Certificate, Server) {
    let mut params = rcgen::CertificateParams::new(vec!["shop.acme.example".to_owned()]).unwrap();
    params.not_before = rcgen::date_time_ymd(2020, 1, 1);
    params.not_after = rcgen::date_time_ymd(2099, 1, 1);
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let acceptor = acceptor(&certificate, &key);
    let server = Server::start(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            if let Ok(mut stream) = acceptor.accept(stream).await {
                head(&mut stream).await;
                let _ = stream.write_all(PAGE.as_bytes()).await;
                let _ = stream.shutdown().await;
            }
        }
    });
    (certificate, server.await)
}

fn egress(trusted: &[&rcgen::Certificate]) -> Egress {
    let mut roots = RootCertStore::empty();
    for certificate in trusted {
        roots.add(certificate.der().clone()).unwrap();
    }
    Egress::trusting(this_machine(), Arc::new(Zone), roots).unwrap()
}

fn targets(found: &Suggestions) -> Vec<(Kind, &str)> {
    let all = found.suggestions.iter().map(|one| &one.monitor);
    all.map(|monitor| (monitor.kind, monitor.url.as_deref().unwrap()))
        .collect()
}

#[tokio::test]
async fn a_page_over_tls_gets_monitors_that_would_be_up_and_can_be_created() {
    let (certificate, server) = serve().await;
    let egress = egress(&[&certificate]);
    let port = server.address.port();
    let address = format!("shop.acme.example:{port}/health");
    let found = suggest(&egress, &address, NOW).await.unwrap();
    assert_eq!(found.http_code, 200);
    let page = format!("https://shop.acme.example:{port}/health");
    let certificate = format!("tls://shop.acme.example:{port}");
    assert_eq!(
        targets(&found),
        [
            (Kind::Http, &*page),
            (Kind::Tls, &*certificate),
            (Kind::Dns, "dns://shop.acme.example"),
            (Kind::Dns, "dns://acme.example"),
        ]
    );
    let expect = |at: usize| found.suggestions[at].monitor.expect.clone().unwrap();
    assert_eq!(expect(0).contains.as_deref(), Some("Acme &amp; sons"));
    assert_eq!(expect(1).certificate_days, Some(14));
    assert_eq!(expect(2).records.unwrap(), ["127.0.0.1"]);
    let name_servers = ["ns1.acme.example", "ns2.acme.example"];
    assert_eq!(expect(3).records.unwrap(), name_servers);
    for one in &found.suggestions {
        assert_eq!(one.problem, None, "{one:?}");
        let input = serde_json::to_value(one).unwrap()["monitor"].clone();
        assert!(!input.to_string().contains("null"), "{input}");
        let read = MonitorFields::read(input.as_object().unwrap()).unwrap();
        assert_eq!(read, one.monitor);
    }
    assert_eq!(server.hits(), 1, "one look");
}

#[tokio::test]
async fn what_would_be_down_now_says_why() {
    let ((stranger, server), (other, _)) = (serve().await, serve().await);
    let address = format!("https://shop.acme.example:{}/", server.address.port());
    let found = suggest(&egress(&[&other]), &address, NOW).await.unwrap();
    let problem = "the certificate is not signed by a trusted authority";
    for one in &found.suggestions[..2] {
        assert_eq!(one.problem.as_deref(), Some(problem), "{one:?}");
    }
    // The same certificate, trusted, a week before its end.
    let ends = crate::egress::certificate_end_ms(stranger.der()).unwrap();
    let week = ends - 7 * 86_400_000;
    let found = suggest(&egress(&[&stranger]), &address, week).await;
    let found = found.unwrap().suggestions;
    assert_eq!(found[0].problem, None);
    let problem = "the certificate ends in 7 days, sooner than 14";
    assert_eq!(found[1].problem.as_deref(), Some(problem));
}

#[tokio::test]
async fn an_address_that_is_refused_or_does_not_answer_gets_none() {
    for (address, message) in [
        ("", "`address` is required"),
        (
            "ftp://acme.example",
            "`address` is an http or https address",
        ),
        (
            "http://10.0.0.1/",
            "`address` is refused: the target is not a public address",
        ),
        (
            "acme.example",
            "`address` can't be reached: no name servers are known",
        ),
    ] {
        let error = suggest(&closed(), address, NOW).await.unwrap_err();
        assert!(error.to_string().starts_with(message), "{error}");
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let free = taken.local_addr().unwrap();
    drop(taken);
    let (certificate, _) = serve().await;
    let egress = egress(&[&certificate]);
    let refused = suggest(&egress, &format!("http://{free}/"), NOW).await;
    let message = "`address` can't be reached: connection refused (while connecting)";
    assert_eq!(refused.unwrap_err().to_string(), message);
}

/// What was seen of a page.
fn seen(status: u16, text: &str) -> Observation {
    let url = Url::parse("https://acme.example/").unwrap();
    Observation {
        final_url: url.clone(),
        url,
        at_ms: NOW,
        took: Duration::from_millis(20),
        status: StatusCode::from_u16(status).unwrap(),
        media: "text/html; charset=utf-8".to_owned(),
        text: text.as_bytes().to_vec(),
        certificate: None,
        distrust: None,
        records: Some((RecordKind::A, vec!["192.0.2.1".to_owned()])),
        name_servers: vec!["ns.acme.example".to_owned()],
    }
}

#[test]
fn a_sign_in_is_accepted_and_an_error_is_a_problem() {
    for (status, expected, problem) in [
        (200, None, None),
        (401, Some("401"), None),
        (403, Some("403"), None),
        (404, None, Some("HTTP 404: Not Found")),
        (503, None, Some("HTTP 503: Service Unavailable")),
    ] {
        let page = proposals::all(&seen(status, "<title>Acme</title>")).remove(0);
        assert_eq!(page.problem.as_deref(), problem, "{status}");
        let expect = page.monitor.expect.unwrap_or_default();
        let accepted = expected.map(|status| vec![status.to_owned()]);
        assert_eq!(expect.status, accepted, "{status}");
        assert_eq!(expect.contains.is_some(), status == 200, "{status}");
    }
}

#[test]
fn a_registered_domain_has_one_dns_monitor() {
    let targets = |seen: &Observation| {
        let all = proposals::all(seen).into_iter().skip(1);
        let all = all.map(|one| (one.monitor.record_type.unwrap(), one.monitor.url.unwrap()));
        all.collect::<Vec<_>>()
    };
    let domain = "acme.example".to_owned();
    let mut seen = seen(200, "");
    assert_eq!(targets(&seen), [(RecordKind::Ns, domain.clone())]);
    seen.name_servers.clear();
    assert_eq!(targets(&seen), [(RecordKind::A, domain)]);
    seen.url = Url::parse("https://192.0.2.1/").unwrap();
    assert!(targets(&seen).is_empty());
}

#[test]
fn a_title_is_expected_where_it_will_be_the_same() {
    let long = format!("<title>{}</title>", "a".repeat(201));
    for (page, title) in [
        ("<title>Acme</title>", Some("Acme")),
        ("<svg></svg><Title data-x> Ä </TITLE >", Some("Ä")),
        ("<title>(3) Inbox</title>", None),
        ("<title>one\ntwo</title>", None),
        ("<title> </title>", None),
        ("<title>open", None),
        ("<title", None),
        ("", None),
        (long.as_str(), None),
    ] {
        assert_eq!(seen(200, page).title().as_deref(), title, "{page}");
    }
    let mut json = seen(200, "<title>Acme</title>");
    json.media = "application/json".to_owned();
    assert_eq!(json.title(), None);
    let broken = Observation {
        text: b"<title>Acm\xe9</title>".to_vec(),
        ..seen(200, "")
    };
    assert_eq!(broken.title(), None);
}

#[test]
fn fields_that_are_not_set_are_left_out() {
    let page = proposals::all(&seen(200, "")).remove(0);
    assert_eq!(page.monitor.expect, None);
    assert_eq!(page.monitor.granularity, Some(Granularity::FiveMinutes));
    let monitor = MonitorFields {
        expect: Some(Expectations {
            contains: Some("a".to_owned()),
            ..Expectations::default()
        }),
        ..page.monitor.clone()
    };
    let shown = serde_json::to_value(Suggestion { monitor, ..page }).unwrap();
    let wanted = serde_json::json!({
        "kind": "http", "url": "https://acme.example/", "name": "acme.example",
        "granularity": "five_minutes", "expect": { "contains": "a" },
    });
    assert_eq!(shown["monitor"], wanted);
}
