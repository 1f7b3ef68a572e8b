//! The public addresses: as set, else derived from the listeners.

use std::{net::SocketAddr, num::NonZero, thread};

use super::sections::{Query, Server};
use crate::{actors::hosts::HostsPlace, http::Urls};

impl Server {
    /// The public addresses, with the configured listeners where none is set.
    pub fn urls(&self) -> Urls {
        self.urls_when_bound(self.api_listen, self.track_listen, self.links_listen)
    }

    /// The public addresses when the listeners got these addresses (they may be configured with port 0).
    pub fn urls_when_bound(&self, api: SocketAddr, track: SocketAddr, links: SocketAddr) -> Urls {
        let scheme = if self.tls_certificate.is_empty() {
            "http"
        } else {
            "https"
        };
        let given_or = |given: &str, otherwise: String| match given.trim_end_matches('/') {
            "" => otherwise,
            url => url.to_owned(),
        };
        let base = given_or(&self.base_url, address(scheme, api));
        Urls {
            track: given_or(&self.track_url, address(scheme, track)),
            links: given_or(&self.links_url, address(scheme, links)),
            docs: given_or(&self.docs_url, base.clone()),
            base,
        }
    }

    /// Where hosts of organizations are reached: on the listener for all hosts, or else as `{base_url}` is.
    pub fn hosts_place(&self) -> HostsPlace {
        let place = self.urls().hosts_place();
        match self.https_address() {
            Some(_) => HostsPlace {
                is_https: true,
                port: None,
                ..place
            },
            None => place,
        }
    }

    /// HTTP workers per listener.
    pub fn worker_count(&self) -> usize {
        count_or_cores(self.workers)
    }
}

impl Query {
    /// Threads of the query engine.
    pub fn thread_count(&self) -> usize {
        count_or_cores(self.threads)
    }
}

fn address(scheme: &str, listener: SocketAddr) -> String {
    if listener.ip().is_unspecified() {
        format!("{scheme}://localhost:{}", listener.port())
    } else {
        format!("{scheme}://{listener}")
    }
}

fn count_or_cores(count: u32) -> usize {
    match count {
        0 => thread::available_parallelism().map_or(1, NonZero::get),
        count => count as usize,
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Settings;

    #[test]
    fn addresses_come_from_the_listeners() {
        let mut server = Settings::parse(None, []).unwrap().server;
        let urls = server.urls();
        assert_eq!(urls.base, "http://127.0.0.1:8080");
        assert_eq!(urls.track, "http://127.0.0.1:8081");
        assert_eq!(urls.links, "http://127.0.0.1:8082");
        assert_eq!(urls.docs, urls.base);

        server.api_listen = "[::]:80".parse().unwrap();
        server.base_url = "https://a.example/".into();
        let urls = server.urls();
        assert_eq!(urls.base, "https://a.example");
        assert_eq!(urls.docs, urls.base);
        server.base_url = String::new();
        assert_eq!(server.urls().base, "http://localhost:80");
    }

    #[test]
    fn bound_ports_count() {
        let mut server = Settings::parse(None, []).unwrap().server;
        server.api_listen = "127.0.0.1:0".parse().unwrap();
        let bound = "127.0.0.1:4711".parse().unwrap();
        let urls = server.urls_when_bound(bound, server.track_listen, server.links_listen);
        assert_eq!(urls.base, "http://127.0.0.1:4711");
    }
}
