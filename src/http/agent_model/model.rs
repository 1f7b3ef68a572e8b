//! Asking the model: one request a turn, answered as a stream.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use hyper::{
    Method,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, USER_AGENT},
};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use url::Url;

use super::chunks::{Delta, Events, Piece, Unreadable, piece};
use crate::egress::{Ask, Bounds, Egress, Failure, Streaming};

/// Bytes of an answer.
const MAX_ANSWER: u64 = 16 << 20;

/// Which model, and where.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    /// The address below which `chat/completions` is.
    pub base: String,
    /// What it is called there.
    pub name: String,
    /// What opens it; empty = nothing is needed.
    pub key: SecretString,
    /// How long it may say nothing.
    pub silence: Duration,
}

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
pub enum NoModel {
    /// The address is none.
    #[error("`agent.base_url` is no address: {0}")]
    Address(#[from] url::ParseError),
    /// The key is none.
    #[error("`agent.api_key` has characters that no header can have")]
    Key,
}

/// A model that can be asked; cheap to clone.
#[derive(Debug, Clone)]
pub struct Model(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    url: Url,
    name: String,
    headers: HeaderMap,
    silence: Duration,
    egress: Egress,
}

/// Why a model has not answered, in words for the person. They never hold what the model's server said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::http) struct Broken {
    pub(in crate::http) code: &'static str,
    pub(in crate::http) message: String,
}

impl Broken {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}

impl From<Failure> for Broken {
    fn from(failure: Failure) -> Self {
        use crate::egress::Class;
        let code = match failure.class {
            Class::FirstByteTimeout | Class::TransferTimeout => "MODEL_TIMEOUT",
            _ => "MODEL_UNREACHABLE",
        };
        Self::new(code, format!("The model could not be heard: {failure}"))
    }
}

impl Model {
    /// A model, asked over a way out that may reach it.
    ///
    /// # Errors
    /// The settings are not what they should be.
    pub fn new(options: &ModelOptions, egress: Egress) -> Result<Self, NoModel> {
        let base = options.base.trim_end_matches('/');
        let url = Url::parse(&format!("{base}/chat/completions"))?;
        let mut headers = HeaderMap::new();
        let agent = concat!("pharos/", env!("CARGO_PKG_VERSION"));
        for (name, value) in [
            (CONTENT_TYPE, "application/json"),
            (ACCEPT, "text/event-stream"),
            (USER_AGENT, agent),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        let key = options.key.expose_secret();
        if !key.is_empty() {
            let value = HeaderValue::from_str(&format!("Bearer {key}"));
            let mut value = value.map_err(|_| NoModel::Key)?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        Ok(Self(Arc::new(Inner {
            url,
            name: options.name.clone(),
            headers,
            silence: options.silence,
            egress,
        })))
    }

    /// Asks it to go on with a conversation; without tools it can only talk.
    pub(in crate::http) async fn ask(
        &self,
        messages: &[Value],
        tools: &[Value],
    ) -> Result<Reply, Broken> {
        let mut body = json!({ "model": self.0.name, "stream": true, "messages": messages });
        if !tools.is_empty() {
            body["tools"] = json!(tools);
        }
        let ask = Ask {
            url: self.0.url.clone(),
            method: Method::POST,
            headers: self.0.headers.clone(),
            body: body.to_string().into(),
            strict: true,
            stay: true,
            bounds: Bounds {
                time: self.0.silence,
                body: MAX_ANSWER,
                text: 0,
                whole: false,
                redirects: 0,
            },
        };
        let stream = self.0.egress.stream(&ask).await?;
        if !stream.status.is_success() {
            let status = stream.status.as_u16();
            return Err(Broken::new(
                "MODEL_FAILED",
                format!("The model's server answered {status}"),
            ));
        }
        if !stream.media.starts_with("text/event-stream") {
            return Err(Broken::new(
                "MODEL_FAILED",
                "The model's server answered with something else than a stream",
            ));
        }
        Ok(Reply {
            stream,
            events: Events::default(),
            ready: VecDeque::new(),
            finished: false,
            done: false,
            broken: None,
        })
    }
}

/// An answer of the model that is being heard.
#[derive(Debug)]
pub(in crate::http) struct Reply {
    stream: Streaming,
    events: Events,
    ready: VecDeque<Delta>,
    finished: bool,
    done: bool,
    /// What comes behind the pieces that could be read.
    broken: Option<Broken>,
}

impl Reply {
    /// The next piece, or nothing when the model has said all. May be dropped and called again.
    pub(in crate::http) async fn next(&mut self) -> Result<Option<Delta>, Broken> {
        loop {
            if let Some(delta) = self.ready.pop_front() {
                return Ok(Some(delta));
            }
            if let Some(broken) = self.broken.take() {
                return Err(broken);
            }
            if self.done {
                return Ok(None);
            }
            let Some(bytes) = self.stream.next().await? else {
                if self.finished {
                    return Ok(None);
                }
                return Err(Broken::new(
                    "MODEL_UNREACHABLE",
                    "The model's server hung up before the answer's end",
                ));
            };
            if let Err(what) = self.take(&bytes) {
                let message = format!("The model's server sent {what}");
                self.broken = Some(Broken::new("MODEL_FAILED", message));
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Unreadable> {
        for data in self.events.take(bytes)? {
            match piece(&data)? {
                // Nothing is waited for behind it.
                Piece::Done => self.done = true,
                Piece::More(delta) => {
                    self.finished |= delta.finished;
                    self.ready.push_back(delta);
                }
            }
        }
        Ok(())
    }
}
