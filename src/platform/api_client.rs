//! A running server, as commands ask it: with a key from the environment.

use std::{fmt, time::Duration};

use anyhow::Context as _;
use bytes::Bytes;
use reqwest::{Client, RequestBuilder, StatusCode};
use serde::Serialize;
use serde_json::Value;

use super::CommandError;
use crate::config::{self, Settings};

/// Names the key with which the server is asked.
const KEY: &str = "PHAROS_API_KEY";
/// How long a server may take for one answer.
const PATIENCE: Duration = Duration::from_mins(10);

pub(super) struct ApiClient {
    client: Client,
    base: String,
    key: String,
    /// What a key needs that is refused.
    scopes: &'static str,
}

/// The server did not answer, or refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum ApiError {
    #[error("the server cannot be reached: {0}")]
    Away(#[from] reqwest::Error),
    #[error("the server refuses: {1}")]
    Refused(StatusCode, String, &'static str),
}

impl ApiClient {
    /// The server at this address, by default `server.base_url`.
    pub(super) fn new(
        settings: &Settings,
        server: Option<&str>,
        scopes: &'static str,
    ) -> anyhow::Result<Self> {
        let Some(key) = config::variable(KEY).filter(|key| !key.is_empty()) else {
            return CommandError::refuse(
                format!("there is no API key in {KEY}"),
                "create a key in the console and set the variable to it",
            );
        };
        let base = server.map_or_else(|| settings.server.urls().base, str::to_owned);
        Ok(Self {
            client: Client::builder().timeout(PATIENCE).build()?,
            base: base.trim_end_matches('/').to_owned(),
            key,
            scopes,
        })
    }

    /// Calls a procedure.
    pub(super) async fn call(&self, path: &str, body: &impl Serialize) -> Result<Value, ApiError> {
        self.send(self.client.post(format!("{}{path}", self.base)).json(body))
            .await
    }

    pub(super) async fn put(&self, path: &str, body: Bytes) -> Result<Value, ApiError> {
        let request = self.client.put(format!("{}{path}", self.base));
        let request = request.header("content-type", "application/octet-stream");
        self.send(request.body(body)).await
    }

    async fn send(&self, request: RequestBuilder) -> Result<Value, ApiError> {
        let answer = request.header("x-api-key", &self.key).send().await?;
        let status = answer.status();
        let text = answer.text().await?;
        if status.is_success() {
            return Ok(serde_json::from_str(&text).unwrap_or_default());
        }
        Err(ApiError::Refused(
            status,
            Refusal(&text).to_string(),
            self.scopes,
        ))
    }
}

impl From<ApiError> for CommandError {
    fn from(error: ApiError) -> Self {
        let hint = match &error {
            ApiError::Away(_) => "start it, and name its address with --server".to_owned(),
            ApiError::Refused(status, _, scopes) => match status.as_u16() {
                401 | 403 => format!("the key needs the scope of what is imported: {scopes}"),
                413 => "split the file, or raise the limit that the message names".to_owned(),
                _ => "the message says what to change".to_owned(),
            },
        };
        Self::new(error.to_string(), hint)
    }
}

/// The message in the body of an answer.
struct Refusal<'a>(&'a str);

impl fmt::Display for Refusal<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body: Value = serde_json::from_str(self.0).unwrap_or_default();
        let messages = [
            "/data/issues/0/message",
            "/message",
            "/details/0/message",
            "/error",
        ];
        let mut messages = messages
            .iter()
            .filter_map(|path| body.pointer(path)?.as_str());
        formatter.write_str(messages.next().unwrap_or(self.0))
    }
}

/// An answer as what it is.
pub(super) fn read<T: serde::de::DeserializeOwned>(answer: Value) -> anyhow::Result<T> {
    serde_json::from_value(answer).context("the server's answer can't be read")
}
