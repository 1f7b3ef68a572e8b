//! One request of the HTTP interface.

use std::time::Duration;

use bytes::Bytes;

use super::{ClickHouse, Failure, failure::CODE};

impl ClickHouse {
    /// Runs a statement of ours that carries no values.
    pub(super) async fn tell(&self, statement: &str, patience: Duration) -> Result<Bytes, Failure> {
        self.ask(&[], statement.to_owned().into(), patience).await
    }

    /// Posts a body with these parameters in the URL and gives the whole answer. The request ends when this is dropped.
    pub(super) async fn ask(
        &self,
        parameters: &[(String, String)],
        body: Bytes,
        patience: Duration,
    ) -> Result<Bytes, Failure> {
        let address = &self.0.options.address;
        let mut url = address.base.clone();
        url.query_pairs_mut()
            .append_pair("database", &address.database)
            // A failure behind the first rows is a failure, with its status.
            .append_pair("wait_end_of_query", "1")
            .extend_pairs(parameters);
        let request = self
            .0
            .http
            .post(url)
            .header("X-ClickHouse-User", &address.user)
            .header("X-ClickHouse-Key", &address.password)
            .timeout(patience)
            .body(body);
        let away = |error: reqwest::Error| Failure::Away(describe_error(&error));
        let answer = request.send().await.map_err(away)?;
        let status = answer.status();
        let code = answer.headers().get(CODE);
        let code = code.and_then(|code| code.to_str().ok()?.parse().ok());
        let body = answer.bytes().await.map_err(away)?;
        if status.is_success() && code.is_none() {
            return Ok(body);
        }
        let words = String::from_utf8_lossy(&body);
        Err(Failure::from_response(status.as_u16(), code, &words))
    }
}

/// What went wrong, without the address.
fn describe_error(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        "it takes too long".to_owned()
    } else if error.is_connect() {
        "it can't be reached".to_owned()
    } else {
        "the connection broke".to_owned()
    }
}
