//! How the tests speak HTTP: with this machine only, so without the authorities of the system, which take long to read.

use reqwest::{Client, ClientBuilder};

pub fn client() -> Client {
    builder().build().unwrap()
}

/// [`client`], for more settings.
pub fn builder() -> ClientBuilder {
    Client::builder().tls_certs_only([])
}
