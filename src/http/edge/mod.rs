//! What happens to every request before anybody asks who is calling: a request id, a span, the client's address,
//! security headers, cross-origin rules and a count.

mod address;
mod cors;
mod headers;
mod observe;
mod request_id;

pub use address::{ClientAddress, Proxies};
pub use cors::Cors;
pub use observe::{Edge, EdgeOptions};
pub use request_id::{RequestId, RequestIds};
