//! Any HTTP server. Messages are signed by Standard Webhooks.

use hyper::{
    Method,
    header::{HeaderName, HeaderValue},
};
use serde_json::json;

use super::{
    super::signature, Channel, ChannelRules, FieldError, Message, Request, Service, check_address,
};

pub(super) const SERVICE: Service = Service {
    title: "Webhook (URL)",
    fields: &["config.headers", "config.method", "config.secret"],
    is_told_one_by_one: false,
    check,
    request: Some(request),
};

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

fn check(channel: &mut Channel, rules: &ChannelRules) -> Result<(), FieldError> {
    check_address(channel, rules)?;
    for (at, (name, value)) in channel.headers.iter().enumerate() {
        let lower = name.to_ascii_lowercase();
        let good = HeaderName::try_from(lower.as_str()).is_ok()
            && HeaderValue::try_from(value).is_ok()
            && value.len() <= MAX_VALUE;
        if at >= MAX_HEADERS || !good || OURS.contains(&lower.as_str()) {
            let message =
                format!("`{name}` can't be sent as a header, or there are more than {MAX_HEADERS}");
            return Err(("config.headers", message));
        }
    }
    Ok(())
}

fn request(message: &Message<'_>) -> Result<Request, String> {
    let (channel, notice) = (message.channel, message.notice);
    let body = json!({ "type": notice.kind, "timestamp": notice.timestamp, "data": notice.data });
    let mut request = Request::post(channel.identifier.clone(), &body);
    let method = channel.method.as_deref().unwrap_or("POST");
    request.method = Method::from_bytes(method.as_bytes()).map_err(|error| error.to_string())?;
    if request.method == Method::GET {
        request.body.clear();
    }
    let (id, seconds) = (
        format!("msg_{}", message.id),
        message.now_ms.div_euclid(1_000),
    );
    let signature = signature::header(&channel.secrets, &id, seconds, &request.body);
    request.headers.extend(channel.headers.clone());
    let ours = [
        ("webhook-id", id),
        ("webhook-timestamp", seconds.to_string()),
        ("webhook-signature", signature),
    ];
    let ours = ours.map(|(name, value)| (name.to_owned(), value));
    request.headers.extend(ours);
    Ok(request)
}
