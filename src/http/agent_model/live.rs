//! Answers that are being written: what was sent of each so far, for listeners that are there or return, and how they end.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::{sync::watch, time::timeout};

use super::model::Model;
use crate::{
    actors::chats::Status,
    fault::{Fault, Kind},
    ids::{ChatId, StreamId, UserId},
};

/// Answers that are written at a time, and those of one person.
const MAX_ANSWERS: usize = 32;
const MAX_OF_ONE: usize = 4;
/// How long to wait for the end of an answer that was stopped.
const PATIENCE: Duration = Duration::from_secs(5);

/// The model, if there is one, and the answers that are being written. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Agents(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    model: Option<Model>,
    live: Mutex<HashMap<ChatId, Arc<Live>>>,
}

/// Why an answer ends before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum Halt {
    Stopped,
    Closing,
}

/// What was sent of an answer.
#[derive(Debug, Default)]
pub(in crate::http) struct Transcript {
    /// Events as they are sent, in order.
    pub(in crate::http) events: Vec<Bytes>,
    /// Whether there are no more.
    pub(in crate::http) ended: bool,
}

/// An answer that is being written.
#[derive(Debug)]
pub(in crate::http) struct Live {
    pub(in crate::http) stream: StreamId,
    user: UserId,
    told: watch::Sender<Transcript>,
    halt: watch::Sender<Option<Halt>>,
}

impl Agents {
    /// With a model, or without one.
    pub fn new(model: Option<Model>) -> Self {
        Self(Arc::new(Inner {
            model,
            live: Mutex::default(),
        }))
    }

    /// The model, if one is configured.
    pub(in crate::http) fn model(&self) -> Result<Model, Fault> {
        let missing = || {
            let kind = Kind::FeatureUnavailable {
                feature: "agent_chats".into(),
                required_plan: None,
            };
            Fault::new(kind, "No model is configured. Set `agent.base_url`.")
        };
        self.0.model.clone().ok_or_else(missing)
    }

    /// Whether there is one who answers.
    pub(in crate::http) fn has_model(&self) -> bool {
        self.0.model.is_some()
    }

    fn live(&self) -> MutexGuard<'_, HashMap<ChatId, Arc<Live>>> {
        let live = self.0.live.lock();
        live.unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is room for one more answer of a person.
    pub(in crate::http) fn admit(&self, user: &UserId) -> Result<(), Fault> {
        let live = self.live();
        let own = live.values().filter(|live| live.user == *user).count();
        if live.len() >= MAX_ANSWERS || own >= MAX_OF_ONE {
            let message =
                "As many answers are being written as may be at a time: wait for the end of one";
            return Err(Fault::unavailable(message));
        }
        Ok(())
    }

    /// Says that an answer is being written from now on.
    pub(in crate::http) fn begin(
        &self,
        chat: &ChatId,
        stream: StreamId,
        user: UserId,
    ) -> Arc<Live> {
        let live = Arc::new(Live {
            stream,
            user,
            told: watch::Sender::default(),
            halt: watch::Sender::default(),
        });
        live.say("start", &json!({ "chatId": chat, "streamId": live.stream }));
        self.live().insert(chat.clone(), Arc::clone(&live));
        live
    }

    /// The answer that is being written in a chat.
    pub(in crate::http) fn find(&self, chat: &ChatId) -> Option<Arc<Live>> {
        self.live().get(chat).cloned()
    }

    /// Says that an answer has ended, and how.
    pub(in crate::http) fn end(&self, chat: &ChatId, live: &Live, status: Status) {
        let mut all = self.live();
        if all
            .get(chat)
            .is_some_and(|other| other.stream == live.stream)
        {
            all.remove(chat);
        }
        live.say("end", &json!({ "status": status }));
        live.told.send_modify(|told| told.ended = true);
    }

    /// Ends the answer that is being written in a chat, if there is one, and waits until it has ended.
    pub async fn stop(&self, chat: &ChatId) {
        let live = self.find(chat);
        if let Some(live) = live {
            live.halt(Halt::Stopped).await;
        }
    }

    /// Ends all answers, because the program stops, and waits until they have ended.
    pub async fn close(&self) {
        let all: Vec<_> = self.live().values().cloned().collect();
        let halts = all.iter().map(|live| live.halt(Halt::Closing));
        futures_util::future::join_all(halts).await;
    }
}

impl Live {
    pub(in crate::http) fn say(&self, event: &str, data: &Value) {
        self.told.send_modify(|told| {
            let number = told.events.len() + 1;
            let text = format!("id: {number}\nevent: {event}\ndata: {data}\n\n");
            told.events.push(text.into());
        });
    }

    /// What is sent from now on.
    pub(in crate::http) fn listen(&self) -> watch::Receiver<Transcript> {
        self.told.subscribe()
    }

    /// Waits until it is stopped.
    pub(in crate::http) async fn halted(&self) -> Halt {
        let mut halt = self.halt.subscribe();
        let told = halt.wait_for(Option::is_some).await;
        told.ok().and_then(|halt| *halt).unwrap_or(Halt::Closing)
    }

    async fn halt(&self, why: Halt) {
        self.halt.send_replace(Some(why));
        let mut told = self.told.subscribe();
        let ended = told.wait_for(|told| told.ended);
        if timeout(PATIENCE, ended).await.is_err() {
            tracing::warn!(stream = %self.stream, "an answer does not end");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_so_many_answers_and_no_more() {
        let agents = Agents::new(None);
        let begin = |nth: usize, user: &str| {
            let chat = ChatId::from(format!("{user}{nth}"));
            agents.begin(&chat, StreamId::new(), user.into());
        };
        for nth in 0..MAX_OF_ONE {
            agents.admit(&"one".into()).unwrap();
            begin(nth, "one");
        }
        assert!(agents.admit(&"one".into()).is_err());
        for nth in MAX_OF_ONE..MAX_ANSWERS {
            let user = format!("other{nth}");
            agents.admit(&user.as_str().into()).unwrap();
            begin(nth, &user);
        }
        assert!(agents.admit(&"last".into()).is_err());
        let chat = ChatId::from("one0");
        let live = agents.find(&chat).unwrap();
        agents.end(&chat, &live, Status::Complete);
        assert!(agents.find(&chat).is_none());
        agents.admit(&"last".into()).unwrap();
        let told = live.listen();
        let told = told.borrow();
        assert!(told.ended);
        assert_eq!(
            told.events[1],
            "id: 2\nevent: end\ndata: {\"status\":\"complete\"}\n\n"
        );
    }
}
