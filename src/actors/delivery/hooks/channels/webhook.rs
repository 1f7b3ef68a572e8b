//! What people may set of a webhook's request.

use hyper::header::{HeaderName, HeaderValue};

use super::{Channel, FieldError};

const MAX_HEADERS: usize = 20;
/// Characters of a header's value.
const MAX_VALUE: usize = 2_048;
/// Fields of a request's head that are not for people who set up a destination.
const OURS: [&str; 15] = [
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "host",
    "keep-alive",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "webhook-id",
    "webhook-signature",
    "webhook-timestamp",
];

pub(super) fn check(channel: &Channel) -> Result<(), FieldError> {
    for (at, (name, value)) in channel.headers.iter().enumerate() {
        let lower = name.to_ascii_lowercase();
        let good = HeaderName::try_from(lower.as_str()).is_ok()
            && HeaderValue::try_from(value).is_ok()
            && value.len() <= MAX_VALUE;
        if at >= MAX_HEADERS || !good || OURS.contains(&lower.as_str()) {
            let message =
                format!("`{name}` can't be sent as a header, or there are more than {MAX_HEADERS}");
            return Err(("config.headers".to_owned(), message));
        }
    }
    Ok(())
}
