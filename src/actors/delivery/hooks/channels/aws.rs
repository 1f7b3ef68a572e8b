//! Version 4 of AWS's signatures
//! (<https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html>).

use std::collections::BTreeMap;

use chrono::DateTime;
use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

use super::request::Request;

const SNS: &str = "sns";
const SIGNED: &str = "content-type;host;x-amz-date";

/// Signs a request with the fields `access_key`, `secret_key` and `region`.
pub(super) fn sign(
    request: &mut Request,
    fields: &BTreeMap<String, String>,
    now_ms: i64,
) -> Result<(), String> {
    sign_for(SNS, request, fields, now_ms)
}

fn sign_for(
    service: &str,
    request: &mut Request,
    fields: &BTreeMap<String, String>,
    now_ms: i64,
) -> Result<(), String> {
    let field = |name: &str| {
        let value = fields.get(name).map(String::as_str);
        value.ok_or_else(|| format!("`{name}` is missing"))
    };
    let now = DateTime::from_timestamp_millis(now_ms).unwrap_or_default();
    let (date, time) = (
        now.format("%Y%m%d").to_string(),
        now.format("%Y%m%dT%H%M%SZ").to_string(),
    );
    let media = request.headers.get("content-type");
    let media = media
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let host = &request.url[url::Position::BeforeHost..url::Position::AfterPort];
    let canonical = format!(
        "{}\n{}\n{}\ncontent-type:{media}\nhost:{host}\nx-amz-date:{time}\n\n{SIGNED}\n{}",
        request.method,
        request.url.path(),
        request.url.query().unwrap_or_default(),
        HEXLOWER.encode(&Sha256::digest(&request.body)),
    );
    let scope = format!("{date}/{}/{service}/aws4_request", field("region")?);
    let to_sign = format!(
        "AWS4-HMAC-SHA256\n{time}\n{scope}\n{}",
        HEXLOWER.encode(&Sha256::digest(canonical))
    );
    let mut key = format!("AWS4{}", field("secret_key")?).into_bytes();
    for part in [date.as_str(), field("region")?, service, "aws4_request"] {
        key = keyed(&key, part);
    }
    let signature = HEXLOWER.encode(&keyed(&key, &to_sign));
    let credential = field("access_key")?;
    request.set("x-amz-date", &time)?;
    request.set(
        "authorization",
        &format!("AWS4-HMAC-SHA256 Credential={credential}/{scope}, SignedHeaders={SIGNED}, Signature={signature}"),
    )
}

fn keyed(key: &[u8], text: &str) -> Vec<u8> {
    // A key of HMAC may have any length.
    Hmac::<Sha256>::new_from_slice(key).map_or_else(
        |_| Vec::new(),
        |mut mac| {
            mac.update(text.as_bytes());
            mac.finalize().into_bytes().to_vec()
        },
    )
}

#[cfg(test)]
mod tests {
    use hyper::{Method, header::HeaderMap};

    use super::*;

    /// `post-x-www-form-urlencoded` of the test suite that AWS has published.
    #[test]
    fn the_published_vector_holds() {
        let mut request = Request {
            method: Method::POST,
            url: "https://example.amazonaws.com/".parse().unwrap(),
            headers: HeaderMap::new(),
            body: "Param1=value1".to_owned(),
        };
        let media = "application/x-www-form-urlencoded";
        request.set("content-type", media).unwrap();
        let fields = [
            ("region", "us-east-1"),
            ("access_key", "AKIDEXAMPLE"),
            ("secret_key", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
        ];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        sign_for("service", &mut request, &fields.into(), 1_440_938_160_000).unwrap();
        let signed = request.headers["authorization"].to_str().unwrap();
        assert_eq!(
            signed,
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
             SignedHeaders=content-type;host;x-amz-date, \
             Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"
        );
    }
}
