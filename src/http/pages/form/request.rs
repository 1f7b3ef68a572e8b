//! Forms as browsers send them, out of requests.

use actix_web::{FromRequest, HttpRequest, dev::Payload, web::Bytes};
use futures_util::future::LocalBoxFuture;

use super::FormData;

impl FromRequest for FormData {
    type Error = actix_web::Error;
    type Future = LocalBoxFuture<'static, Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let bytes = Bytes::from_request(request, payload);
        Box::pin(async move { Ok(Self::read(&bytes.await?)) })
    }
}
