//! What a form has sent.

use actix_web::{FromRequest, HttpRequest, dev::Payload, web::Bytes};
use futures_util::future::LocalBoxFuture;

/// The fields of a form, in their order.
#[derive(Debug, Default)]
pub(super) struct Sent(Vec<(String, String)>);

impl FromRequest for Sent {
    type Error = actix_web::Error;
    type Future = LocalBoxFuture<'static, Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let bytes = Bytes::from_request(request, payload);
        Box::pin(async move { Ok(Self::read(&bytes.await?)) })
    }
}

impl Sent {
    fn read(bytes: &[u8]) -> Self {
        Self(url::form_urlencoded::parse(bytes).into_owned().collect())
    }

    /// A field as it was sent; empty when it was not.
    pub(super) fn raw(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(own, _)| own == name);
        found.map_or("", |(_, value)| value)
    }

    /// A field without the white space around it.
    pub(super) fn text(&self, name: &str) -> &str {
        self.raw(name).trim()
    }

    /// Whether a box is ticked.
    pub(super) fn is_on(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| own == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_browsers_write_them() {
        let sent = Sent::read("name=+A%26B+&x=1&x=2&%C3%A4=%F0%9F%8C%8D&bad=%ff".as_bytes());
        assert_eq!((sent.raw("name"), sent.text("name")), (" A&B ", "A&B"));
        assert_eq!(sent.raw("x"), "1");
        assert_eq!(sent.raw("ä"), "🌍");
        assert_eq!(sent.raw("bad"), "\u{fffd}");
        assert!(sent.is_on("x") && !sent.is_on("y"));
        assert_eq!(Sent::read(b"").raw("x"), "");
    }
}
