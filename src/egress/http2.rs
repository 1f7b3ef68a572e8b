//! One request over HTTP/2, with its trailers: over TLS where the scheme says so, else by prior knowledge.

use std::pin::pin;

use bytes::Bytes;
use h2::{RecvStream, client::SendRequest};
use hyper::{Request, StatusCode, header::HeaderMap};
use tokio::time::{Instant, timeout_at};

use super::{
    Ask, Class, Egress, Failure, Phase, Trace,
    client::{Connected, MAX_HEAD, check_size, drive},
};

#[derive(Debug)]
pub struct Http2Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
    /// What follows the body; empty when nothing does.
    pub trailers: HeaderMap,
}

impl Egress {
    /// Asks over HTTP/2. Redirects are answers like any other, and bodies stay as they are sent.
    ///
    /// # Errors
    /// There is no whole answer within the bounds, or it isn't HTTP/2.
    pub async fn ask_http2(&self, ask: &Ask, trace: &mut Trace) -> Result<Http2Answer, Failure> {
        let deadline = Instant::now() + ask.bounds.time;
        let stream = self.open(ask, &[b"h2"], deadline, trace).await?;
        trace.enter(Phase::Ttfb);
        let outcome = timeout_at(deadline, exchange(stream, ask, trace)).await;
        trace.end();
        outcome.unwrap_or_else(|_| Err(Failure::late(trace.is_answering())))
    }
}

async fn exchange(stream: Connected, ask: &Ask, trace: &mut Trace) -> Result<Http2Answer, Failure> {
    let mut builder = h2::client::Builder::new();
    builder
        .enable_push(false)
        .max_header_list_size(MAX_HEAD as u32);
    let (sender, connection) = builder
        .handshake::<_, Bytes>(stream)
        .await
        .map_err(|error| broken(&error))?;
    let mut connection = pin!(connection);
    let mut work = pin!(ask_over(sender, ask, trace));
    // What went wrong with the connection comes out of the work.
    drive(connection.as_mut(), &mut true, work.as_mut()).await
}

async fn ask_over(
    sender: SendRequest<Bytes>,
    ask: &Ask,
    trace: &mut Trace,
) -> Result<Http2Answer, Failure> {
    let broken = |error: h2::Error| broken(&error);
    let mut sender = sender.ready().await.map_err(broken)?;
    let is_empty = ask.body.is_empty();
    let sent = sender.send_request(request(ask)?, is_empty);
    let (answering, mut sending) = sent.map_err(broken)?;
    if !is_empty {
        sending.send_data(ask.body.clone(), true).map_err(broken)?;
    }
    let (head, mut body) = answering.await.map_err(broken)?.into_parts();
    trace.enter(Phase::Transfer);
    check_size(&head.headers)?;
    let kept = read(&mut body, ask.bounds.body, trace).await?;
    let trailers = body.trailers().await.map_err(broken)?.unwrap_or_default();
    check_size(&trailers)?;
    Ok(Http2Answer {
        status: head.status,
        headers: head.headers,
        body: kept,
        trailers,
    })
}

fn request(ask: &Ask) -> Result<Request<()>, Failure> {
    let built = Request::builder()
        .method(ask.method.clone())
        .uri(ask.url.as_str())
        .body(());
    let mut request = built.map_err(|error| Failure::new(Class::Protocol, error.to_string()))?;
    *request.headers_mut() = ask.headers.clone();
    Ok(request)
}

/// Reads a body to its end, at most so many bytes.
async fn read(body: &mut RecvStream, most: u64, trace: &mut Trace) -> Result<Vec<u8>, Failure> {
    let mut kept = Vec::new();
    while let Some(data) = body.data().await {
        let data = data.map_err(|error| broken(&error))?;
        trace.bytes += data.len() as u64;
        if (kept.len() + data.len()) as u64 > most {
            let message = format!("the body has more than {most} bytes");
            return Err(Failure::new(Class::BodyTooLarge, message));
        }
        kept.extend_from_slice(&data);
        let taken = body.flow_control().release_capacity(data.len());
        taken.map_err(|error| broken(&error))?;
    }
    Ok(kept)
}

/// What an error of the client means. Its own words may repeat what the other side sent.
fn broken(error: &h2::Error) -> Failure {
    if let Some(socket) = error.get_io() {
        return Failure::from_socket(socket, "while waiting for the answer");
    }
    let reason = error.reason();
    let reason = reason.as_ref().map_or("unknown", h2::Reason::description);
    if error.is_remote() {
        let message = format!("the other side ended the request: {reason}");
        return Failure::new(Class::Reset, message);
    }
    Failure::new(
        Class::Protocol,
        format!("the answer is no HTTP/2: {reason}"),
    )
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use hyper::Method;
    use tokio::io::AsyncWriteExt as _;
    use url::Url;

    use super::*;
    use crate::egress::{
        Bounds,
        testing::{Book, Server, this_machine},
    };

    fn ask(server: &Server, time: Duration) -> Ask {
        Ask {
            url: Url::parse(&server.url("/a")).unwrap(),
            method: Method::POST,
            headers: HeaderMap::new(),
            body: Bytes::from_static(b"hello"),
            strict: true,
            stay: true,
            bounds: Bounds {
                time,
                body: 1_000,
                text: 0,
                whole: true,
                redirects: 0,
            },
        }
    }

    async fn asked(server: &Server, time: Duration) -> Result<Http2Answer, Failure> {
        let egress = Egress::new(this_machine(), Arc::new(Book::default())).unwrap();
        egress
            .ask_http2(&ask(server, time), &mut Trace::begin())
            .await
    }

    /// Answers each request with a body of this many bytes, and with trailers.
    async fn server(bytes: usize) -> Server {
        Server::start(move |stream| async move {
            let Ok(mut connection) = h2::server::handshake(stream).await else {
                return;
            };
            while let Some(Ok((request, mut respond))) = connection.accept().await {
                let response = hyper::Response::builder()
                    .header("x-path", request.uri().path())
                    .body(())
                    .unwrap();
                let mut sending = respond.send_response(response, false).unwrap();
                let _ = sending.send_data(Bytes::from(vec![b'x'; bytes]), false);
                let mut trailers = HeaderMap::new();
                trailers.insert("x-end", "1".parse().unwrap());
                let _ = sending.send_trailers(trailers);
            }
        })
        .await
    }

    #[tokio::test]
    async fn an_answer_comes_with_its_trailers() {
        let server = server(10).await;
        let answer = asked(&server, Duration::from_secs(20)).await.unwrap();
        assert_eq!(answer.headers["x-path"], "/a");
        assert_eq!(
            (answer.body.len(), &answer.trailers["x-end"]),
            (10, &"1".parse().unwrap())
        );
    }

    #[tokio::test]
    async fn servers_that_are_hostile_or_old_fail_in_words() {
        let large = server(5_000).await;
        let old = Server::saying("HTTP/1.1 400 Bad Request\r\n\r\n").await;
        let closed = Server::start(|stream| async move { drop(stream) }).await;
        let garbage = Server::start(|mut stream| async move {
            while stream.write_all(&[0xff; 4_096]).await.is_ok() {}
        })
        .await;
        for (server, classes) in [
            (&large, &[Class::BodyTooLarge][..]),
            (&old, &[Class::Protocol, Class::Reset, Class::Closed]),
            (&closed, &[Class::Closed, Class::Reset, Class::Protocol]),
            (&garbage, &[Class::Protocol, Class::Reset]),
        ] {
            let failure = asked(server, Duration::from_secs(20)).await.unwrap_err();
            assert!(classes.contains(&failure.class), "{failure:?}");
        }
    }

    #[tokio::test]
    async fn silence_ends_at_the_deadline() {
        let server = Server::start(|stream| async move {
            std::future::pending::<()>().await;
            drop(stream);
        })
        .await;
        let failure = asked(&server, Duration::from_millis(200))
            .await
            .unwrap_err();
        assert_eq!(failure.class, Class::FirstByteTimeout);
    }
}
