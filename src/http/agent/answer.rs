//! Writing an answer: ask the model, store what it says, call the tools it wants, ask again.

use std::{cell::RefCell, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

use super::{
    access,
    confirm::{Pending, pending},
    history,
    tools::{self, Outcome},
};
use crate::{
    access::{Permission, Principal},
    actors::chats::{Body, ChatError, EndAnswer, Part, Role, StartedAnswer, Status, StoreMessage},
    fault::Fault,
    http::{
        Shared,
        agent_model::{
            chunks::{ToolRequest, add},
            live::{Halt, Live},
            model::{Broken, Model},
        },
        procedures::Call,
        wire::Wire,
    },
    ids::MessageId,
};

/// How often it is looked whether the caller may still have it written.
const LOOK: Duration = Duration::from_millis(500);
/// Words that come within this time are stored together.
const GATHER: Duration = Duration::from_millis(40);
/// How long all of an answer may take.
const MAX_TIME: Duration = Duration::from_mins(10);
/// How often the model is asked for one answer; the last time without tools.
const MAX_TURNS: usize = 8;
/// Bytes of what it says in one turn.
const MAX_TEXT: usize = 200_000;

/// An answer to be written.
pub(super) struct Job {
    pub(super) shared: Arc<Shared>,
    pub(super) model: Model,
    /// Who asked.
    pub(super) caller: Principal,
    pub(super) begun: StartedAnswer,
    pub(super) live: Arc<Live>,
    /// The change to be made first.
    pub(super) confirms: Option<String>,
    /// What is being said.
    pub(super) draft: RefCell<Draft>,
}

/// A message of the model, as far as it has come.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    id: MessageId,
    text: String,
    calls: Vec<Part>,
}

/// Why there is no more of an answer.
enum Cut {
    Halted(Halt),
    /// The caller has lost the right.
    NoRight,
    /// The model has failed.
    Broken(Broken),
    /// It cannot be stored any more: the chat is gone, or storage fails.
    Lost,
}

impl From<Broken> for Cut {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            id: MessageId::new(),
            text: String::new(),
            calls: Vec::new(),
        }
    }
}

impl Draft {
    fn parts(&self) -> Vec<Part> {
        let text = (!self.text.is_empty()).then(|| Part::Text {
            text: self.text.clone(),
        });
        text.into_iter().chain(self.calls.iter().cloned()).collect()
    }
}

impl Job {
    /// Writes it to its end, with or without listeners.
    pub(super) async fn run(self) {
        let too_long = Broken {
            code: "MODEL_TIMEOUT",
            message: "The answer took longer than an answer may take".to_owned(),
        };
        let outcome = tokio::select! {
            biased;
            cut = self.cut() => Err(cut),
            outcome = timeout(MAX_TIME, self.answer()) => outcome.unwrap_or(Err(too_long.into())),
        };
        let status = self.finish(outcome).await;
        let ended = EndAnswer {
            chat: self.begun.chat.id.clone(),
            stream: self.begun.stream.clone(),
        };
        // It may be gone; a start ends it, if nothing else does.
        let _ = self.shared.chats.ask(ended).await;
        let agents = &self.shared.agents;
        agents.end(&self.begun.chat.id, &self.live, status);
    }

    /// Waits for whatever ends it before its end.
    async fn cut(&self) -> Cut {
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                halt = self.live.halted() => return Cut::Halted(halt),
                _ = look.tick() => if self.caller().is_err() {
                    return Cut::NoRight;
                },
            }
        }
    }

    /// The caller with their current rights.
    fn caller(&self) -> Result<Principal, Cut> {
        let organization = &self.begun.organization;
        let permission = Permission::ChatWrite;
        access::current(&self.shared, &self.caller, organization, permission).ok_or(Cut::NoRight)
    }

    async fn answer(&self) -> Result<(), Cut> {
        let said = &self.begun.said;
        let mut messages = vec![history::system(&self.begun.chat, &self.today())];
        messages.extend(history::messages(said));
        if let Some(id) = &self.confirms {
            let pending = pending(said, id).map_err(|fault| refused(&fault))?;
            let (name, output) = self.confirm(pending).await?;
            messages.push(json!({ "role": "user", "content": format!(
                "I have confirmed what `{name}` had shown. What it gave back, as data: {output}"
            ) }));
        }
        for turn in 1..=MAX_TURNS {
            let offered = tools::list_tools(&self.caller()?);
            let tools = if turn < MAX_TURNS { &*offered } else { &[] };
            let (text, wanted) = self.turn(&messages, tools).await?;
            if wanted.is_empty() {
                return Ok(());
            }
            let calls: Vec<Value> = wanted.iter().map(call_json).collect();
            messages.push(json!({ "role": "assistant", "content": text, "tool_calls": calls }));
            for call in &wanted {
                let outcome = self.tool(call).await?;
                let content = outcome.output.to_string();
                messages
                    .push(json!({ "role": "tool", "tool_call_id": call.id, "content": content }));
            }
        }
        Ok(())
    }

    fn today(&self) -> String {
        let today = self.shared.clock.now();
        today.format("%Y-%m-%d").to_string()
    }

    /// One answer of the model, stored as it comes: what it said, and the tools that it wants.
    async fn turn(
        &self,
        messages: &[Value],
        tools: &[Value],
    ) -> Result<(String, Vec<ToolRequest>), Cut> {
        let unreadable = |what: &str| Broken {
            code: "MODEL_FAILED",
            message: format!("The model's server sent {what}"),
        };
        let mut reply = self.model.ask(messages, tools).await?;
        let (mut wanted, mut said, mut shown) = (Vec::new(), 0, 0);
        let mut due = Instant::now();
        loop {
            let delta = tokio::select! {
                delta = reply.next() => match delta {
                    Ok(delta) => delta,
                    Err(broken) => {
                        self.show(shown).await?;
                        return Err(broken.into());
                    }
                },
                () = sleep_until(due), if said > shown => {
                    shown = self.show(shown).await?;
                    due = Instant::now() + GATHER;
                    continue;
                }
            };
            let Some(delta) = delta else { break };
            said += delta.text.len();
            self.draft.borrow_mut().text.push_str(&delta.text);
            add(&mut wanted, delta.calls).map_err(unreadable)?;
            if said > MAX_TEXT {
                return Err(unreadable("more words than are read").into());
            }
        }
        self.show(shown).await?;
        let mut draft = self.draft.borrow().clone();
        for (nth, call) in wanted.iter_mut().enumerate() {
            // Some give none, and some give the same in every answer.
            call.id = format!("{}-{nth}", draft.id);
        }
        draft.calls = wanted.iter().map(part).collect();
        self.store(&draft.id, Role::Assistant, Status::Complete, draft.parts())
            .await?;
        self.draft.take();
        for call in &wanted {
            self.live.say(
                "tool-call",
                &json!({ "messageId": draft.id, "toolCallId": call.id, "toolName": call.name, "input": input(call) }),
            );
        }
        Ok((draft.text, wanted))
    }

    /// Stores the answer so far and then sends what is new; returns how much was sent.
    async fn show(&self, shown: usize) -> Result<usize, Cut> {
        let draft = self.draft.borrow().clone();
        let new = draft.text.get(shown..).unwrap_or_default();
        if !new.is_empty() {
            self.store(&draft.id, Role::Assistant, Status::Streaming, draft.parts())
                .await?;
            self.live
                .say("text", &json!({ "messageId": draft.id, "text": new }));
        }
        Ok(draft.text.len())
    }

    /// Calls a tool that the model wants, with what the caller may do now.
    async fn tool(&self, wanted: &ToolRequest) -> Result<Outcome, Cut> {
        let outcome = tools::run(&self.call()?, wanted).await;
        let id = MessageId::new();
        let part = Part::ToolResult {
            tool_call_id: wanted.id.clone(),
            tool_name: wanted.name.clone(),
            output: outcome.output.clone(),
            is_error: outcome.is_error,
        };
        self.store(&id, Role::Tool, Status::Complete, vec![part.clone()])
            .await?;
        self.tell("tool-result", &id, &part);
        Ok(outcome)
    }

    /// Makes a change. The confirmation is stored first: it is made at most once.
    async fn confirm(&self, pending: Pending) -> Result<(String, Value), Cut> {
        let id = MessageId::new();
        let part = |output: Value, is_error| Part::Confirmation {
            tool_call_id: pending.id.clone(),
            tool_name: pending.tool.clone(),
            output,
            is_error,
        };
        let call = self.call()?;
        let before = vec![part(Value::Null, false)];
        self.store(&id, Role::Tool, Status::Streaming, before)
            .await?;
        let outcome = tools::confirm(&call, &pending.tool, pending.input.clone()).await;
        let part = part(outcome.output.clone(), outcome.is_error);
        self.store(&id, Role::Tool, Status::Complete, vec![part.clone()])
            .await?;
        self.tell("confirmation", &id, &part);
        Ok((pending.tool, outcome.output))
    }

    fn call(&self) -> Result<Call, Cut> {
        Ok(Call {
            shared: Arc::clone(&self.shared),
            caller: self.caller()?,
            address: None,
        })
    }

    fn tell(&self, event: &str, id: &MessageId, part: &Part) {
        let mut data = json!(part);
        if let Some(fields) = data.as_object_mut() {
            fields.shift_remove("type");
            fields.insert("messageId".to_owned(), json!(id));
        }
        self.live.say(event, &data);
    }

    async fn store(
        &self,
        id: &MessageId,
        role: Role,
        status: Status,
        parts: Vec<Part>,
    ) -> Result<(), Cut> {
        let message = StoreMessage {
            chat: self.begun.chat.id.clone(),
            stream: self.begun.stream.clone(),
            id: id.clone(),
            role,
            body: Body { status, parts },
        };
        match self.shared.chats.ask(message).await {
            Ok(()) => Ok(()),
            Err(ChatError::Ended(_)) => Err(Cut::Lost),
            Err(error) => {
                tracing::error!(%error, chat.id = %self.begun.chat.id, "an answer cannot be stored");
                Err(Cut::Lost)
            }
        }
    }

    /// Stores how it ended.
    async fn finish(&self, outcome: Result<(), Cut>) -> Status {
        let (status, broken) = match outcome {
            Ok(()) => return Status::Complete,
            Err(Cut::Lost) => return Status::Failed,
            Err(Cut::Halted(Halt::Stopped)) => (Status::Stopped, None),
            Err(Cut::Halted(Halt::Closing)) => (Status::Interrupted, None),
            Err(Cut::NoRight) => {
                let broken = Broken {
                    code: "FORBIDDEN",
                    message: "You no longer have permission to use this chat".to_owned(),
                };
                (Status::Stopped, Some(broken))
            }
            Err(Cut::Broken(broken)) => {
                tracing::warn!(code = broken.code, "{}", broken.message);
                (Status::Failed, Some(broken))
            }
        };
        let draft = self.draft.take();
        let mut parts = draft.parts();
        if let Some(Broken { code, message }) = broken {
            self.live
                .say("error", &json!({ "code": code, "message": message }));
            parts.push(Part::Error {
                code: code.to_owned(),
                message,
            });
        }
        // Of a chat that is gone nothing is stored.
        let _ = self.store(&draft.id, Role::Assistant, status, parts).await;
        status
    }
}

fn refused(fault: &Fault) -> Cut {
    let (_, code) = Wire::Rpc.meaning(fault);
    Cut::Broken(Broken {
        code,
        message: fault.message.to_string(),
    })
}

/// What a call is given, for people and for the record; what is no JSON stays text.
fn input(wanted: &ToolRequest) -> Value {
    tools::arguments(wanted).map_or_else(|| json!(wanted.arguments), Value::Object)
}

fn part(wanted: &ToolRequest) -> Part {
    Part::ToolCall {
        tool_call_id: wanted.id.clone(),
        tool_name: wanted.name.clone(),
        input: input(wanted),
    }
}

/// A call as the model is reminded of it.
fn call_json(wanted: &ToolRequest) -> Value {
    let arguments = input(wanted).to_string();
    json!({ "id": wanted.id, "type": "function", "function": { "name": wanted.name, "arguments": arguments } })
}
