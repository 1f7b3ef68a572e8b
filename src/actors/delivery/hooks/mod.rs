//! Messages over HTTP: webhooks signed by Standard Webhooks, and the services that people gather in.
//!
//! What is sent is made by pure functions (`channels`, `signature.rs`), and so is what an answer means (`answer.rs`);
//! this file only sends. Redirects are not followed: a receiver that moved needs a new address here.

mod answer;
mod channels;
mod receiver;
mod signature;
#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{FutureExt, future::BoxFuture};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Attempt, Delivery, Failure, Sender, sender::Pauses};
use crate::{
    clock::Clock,
    egress::{Ask, Bounds, Egress, Trace},
    ids::OrganizationId,
};

pub use channels::{
    Category, Channel, ChannelKind, ChannelOptions, ChannelRules, Channels, ChannelsError,
    Definition, Field, FieldError,
};
pub use receiver::receiver;
pub use signature::{InvalidSecret, decode_secret, new_secret};

/// The kind of deliveries that are messages over HTTP.
const KIND: &str = "hook";
/// How long a receiver may take.
const PATIENCE: Duration = Duration::from_secs(15);
/// Bytes of an answer that are read.
const MAX_ANSWER: u32 = 64 << 10;

/// A message for any kind of channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// What it is, such as `alarm.fired`.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it happened, ISO 8601.
    pub timestamp: String,
    /// In a few words.
    pub title: String,
    /// In sentences, one a line.
    pub text: String,
    /// Where there is more.
    pub link: String,
    /// What belongs together: the same for everything that is said of one thing.
    pub thread: String,
    /// Whether it is over.
    pub resolved: bool,
    /// Everything, for programs.
    pub data: Value,
}

/// A message and where it goes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hook {
    pub to: Channel,
    pub notice: Notice,
}

impl Notice {
    /// The kind of a test.
    pub const TEST: &'static str = "alarm.test";
}

impl Hook {
    pub fn delivery(self, key: String, organization: Option<OrganizationId>) -> Delivery {
        Delivery::new(KIND, key, organization, &self)
    }
}

#[derive(Debug, Clone)]
pub struct Hooks {
    egress: Egress,
    channels: Channels,
    clock: Clock,
    patience: Duration,
}

impl Hooks {
    /// A sender over these channels.
    pub fn new(egress: Egress, channels: Channels, clock: Clock) -> Self {
        Self {
            egress,
            channels,
            clock,
            patience: PATIENCE,
        }
    }

    /// The kind of deliveries it delivers, and itself.
    pub fn into_sender(self) -> (&'static str, Arc<dyn Sender>) {
        (KIND, Arc::new(self))
    }

    async fn send(self, attempt: Attempt) -> Result<(), Failure> {
        let hook = Hook::deserialize(&attempt.payload).map_err(Failure::forever)?;
        let now_ms = self.clock.now_ms();
        let message = channels::Message {
            channel: &hook.to,
            notice: &hook.notice,
            channels: &self.channels,
            id: &attempt.id,
            now_ms,
        };
        let definition = message.definition().map_err(Failure::forever)?;
        let Some(made) = message.request().map_err(Failure::forever)? else {
            return Ok(());
        };
        let ask = Ask {
            url: made.url,
            method: made.method,
            headers: made.headers,
            body: Bytes::from(made.body),
            strict: true,
            stay: true,
            bounds: Bounds {
                time: self.patience,
                body: MAX_ANSWER.into(),
                text: MAX_ANSWER as usize,
                whole: false,
                redirects: 0,
            },
        };
        let mut trace = Trace::begin();
        match self.egress.ask(ask, &mut trace).await {
            Ok(said) => answer::judge(definition, &said, now_ms),
            Err(failure) => Err(Failure::again(failure)),
        }
    }
}

impl Sender for Hooks {
    fn deliver(&self, attempt: Attempt) -> BoxFuture<'static, Result<(), Failure>> {
        self.clone().send(attempt).boxed()
    }

    fn pauses(&self) -> Pauses {
        Pauses::HOURS
    }

    fn keeps(&self) -> bool {
        true
    }
}
