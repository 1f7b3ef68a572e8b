use rustix::net::{AddressFamily, SocketType, socket};

use super::*;
use crate::egress::{
    NoNameServers,
    testing::{Server, closed, this_machine},
};

/// What the proxy replies to a request for this address, with the answer that came through it.
async fn ask(egress: Egress, browser_port: u16, target: SocketAddr) -> (Vec<u8>, Arc<Proxy>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let browser = SocketAddr::from(([127, 0, 0, 1], browser_port));
    let deadline = Instant::now() + Duration::from_secs(20);
    let proxy = Arc::new(Proxy::new(egress, browser, deadline));
    let IpAddr::V4(ip) = target.ip() else {
        panic!("{target}");
    };
    let mut request = b"\x05\x01\0\x05\x01\0\x01".to_vec();
    request.extend(ip.octets());
    request.extend(target.port().to_be_bytes());
    let asking = async {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(&request).await.unwrap();
        let mut answer = vec![0; 12];
        stream.read_exact(&mut answer).await.unwrap();
        // It may be closed already.
        let _ = stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await;
        let _ = stream.shutdown().await;
        let _ = stream.read_to_end(&mut answer).await;
        answer
    };
    let answer = tokio::select! {
        answer = asking => answer,
        error = proxy.serve(listener) => panic!("{error}"),
    };
    (answer, proxy)
}

fn url(target: SocketAddr) -> Url {
    Url::parse(&format!("http://{target}/a")).unwrap()
}

#[tokio::test]
async fn an_address_that_may_not_be_reached_is_not() {
    let server = Server::saying("HTTP/1.1 200 OK\r\n\r\nhello").await;
    let (answer, proxy) = ask(closed(), 1, server.address).await;
    assert_eq!(answer[..4], [5, 0, 5, Reply::NotAllowed as u8]);
    assert_eq!((answer.len(), server.hits()), (12, 0));
    let route = proxy.route(&url(server.address)).unwrap();
    assert_eq!(route.failure.unwrap().class, Class::BlockedAddress);
}

#[tokio::test]
async fn what_may_be_reached_is_relayed_and_counted() {
    let server = Server::saying("HTTP/1.1 200 OK\r\n\r\nhello").await;
    let egress = Egress::new(this_machine(), Arc::new(NoNameServers)).unwrap();
    let (answer, proxy) = ask(egress, 1, server.address).await;
    assert_eq!(answer[2..4], [5, Reply::Connected as u8]);
    assert!(answer.ends_with(b"hello"), "{answer:?}");
    assert_eq!(proxy.received(), answer.len() as u64 - 12);
    let route = proxy.route(&url(server.address)).unwrap();
    assert_eq!(
        (route.address, route.failure),
        (Some(server.address.ip()), None)
    );
}

#[tokio::test]
async fn a_page_never_reaches_the_browser_itself() {
    let server = Server::saying("HTTP/1.1 200 OK\r\n\r\nhello").await;
    let egress = Egress::new(this_machine(), Arc::new(NoNameServers)).unwrap();
    let (answer, _) = ask(egress, server.address.port(), server.address).await;
    assert_eq!(answer[2..4], [5, Reply::NotAllowed as u8]);
    assert_eq!(answer.len(), 12);
}

#[tokio::test]
async fn a_proxy_that_takes_no_connections_says_so() {
    // A socket that doesn't listen.
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    let listener = std::net::TcpListener::from(socket);
    listener.set_nonblocking(true).unwrap();
    let listener = TcpListener::from_std(listener).unwrap();
    let browser = SocketAddr::from(([127, 0, 0, 1], 1));
    let deadline = Instant::now() + Duration::from_secs(20);
    let proxy = Arc::new(Proxy::new(closed(), browser, deadline));
    let serving = timeout_at(deadline, proxy.serve(listener)).await;
    assert_eq!(serving.unwrap().kind(), ErrorKind::InvalidInput);
}
