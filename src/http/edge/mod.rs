//! What happens to every request before anybody asks who is calling: a request id, a span, the client's address,
//! security headers, cross-origin rules and a count.

mod address;
mod cors;
mod geo;
mod headers;
mod observe;
mod request_id;

use actix_web::{Error, body::BoxBody, dev::ServiceResponse};

pub use address::{ClientAddress, Proxies};
pub use cors::Cors;
pub(super) use geo::proxy_geo;
pub use observe::{Edge, EdgeOptions};
pub use request_id::{RequestId, RequestIds};

/// What a stage that every request passes gives back.
pub(super) type Answer = Result<ServiceResponse<BoxBody>, Error>;
