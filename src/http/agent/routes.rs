//! `/agent-chats/send` and `/agent-chats/resume`: answers as server-sent events.

use std::{cell::RefCell, sync::Arc, time::Duration};

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    http::{
        Method,
        header::{CACHE_CONTROL, HeaderName},
    },
    web,
};
use bytes::Bytes;
use futures_util::stream;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::{
    sync::{OwnedSemaphorePermit, watch},
    time::{Interval, MissedTickBehavior, interval},
};

use super::{access, answer::Job, confirm::pending};
use crate::{
    access::{Permission, Principal, Scope},
    actors::chats::{BeginAnswer, Body, ChatAccess, ChatError, Part, Status},
    fault::{Classify, Fault, Issue},
    http::{
        Host, Shared,
        agent_model::live::{Live, Transcript},
        auth::Caller,
        procedures::{self, Call},
        routes::{Access, Route},
        schema::schema,
    },
    ids::{ChatId, OrganizationId},
};

/// How often it is looked whether a listener may still listen.
const LOOK: Duration = Duration::from_millis(500);
/// Looks after which a quiet stream says that it is still there.
const QUIET: u32 = 30;
/// Characters of what a person says.
const MAX_SAID: usize = 10_000;
const LAST: HeaderName = HeaderName::from_static("last-event-id");

pub(in crate::http) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, Host::Base, "/agent-chats/send", |route| route.to(send))
            .says(
                "Send a message in an agent chat",
                "The answer comes as server-sent events, each stored before it is sent: `start`, `text`, `tool-call`, \
                 `tool-result`, `confirmation`, `error`, and at last `end` with its `status`. It is completed even if you \
                 disconnect. `confirm` makes a change that a tool has only shown. Needs a configured model (`agent.base_url`).",
            )
            .tagged("Organizations")
            .needs(Access::Scoped(Scope::ManageConfig))
            .or(409)
            .body(schema::<SendBody>())
            .media("text/event-stream"),
        Route::new(Method::POST, Host::Base, "/agent-chats/resume", |route| route.to(resume))
            .says(
                "Resume an answer",
                "All events of the answer that is being written, or those after `Last-Event-ID`, and then what comes. 204 when none is \
                 being written: the chat has all of it.",
            )
            .tagged("Organizations")
            .needs(Access::Scoped(Scope::ReadData))
            .or(204)
            .body(schema::<ResumeBody>())
            .media("text/event-stream"),
    ]
}

/// A message in a chat, or the confirmation of a change.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = [{ "required": ["message"] }, { "required": ["confirm"] }]))]
pub(in crate::http) struct SendBody {
    /// The chat's id.
    id: String,
    #[schemars(length(min = 1, max = 10_000))]
    message: Option<String>,
    /// The `toolCallId` of the change to make.
    confirm: Option<String>,
}

impl SendBody {
    /// What was sent, as programs send it.
    pub(in crate::http) fn read(body: &[u8]) -> Result<Self, Fault> {
        procedures::check_input(procedures::parse_input(body)?, Self::check)
    }

    /// The same in another chat.
    pub(in crate::http) fn within(self, chat: &str) -> Self {
        Self {
            id: chat.to_owned(),
            ..self
        }
    }

    fn check(&self, issues: &mut Vec<Issue>) {
        let said = self.message.as_deref().map(str::trim);
        match said {
            None if self.confirm.is_none() => {
                let message = "say something, or confirm something";
                issues.push(Issue::new("invalid_type", "message", message));
            }
            Some("") => {
                let message = "must not be empty";
                issues.push(Issue::new("too_small", "message", message));
            }
            Some(said) if said.chars().count() > MAX_SAID => {
                let message = format!("must have at most {MAX_SAID} characters");
                issues.push(Issue::new("too_big", "message", message));
            }
            _ => {}
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ResumeBody {
    /// The chat's id.
    id: String,
    /// Only this answer, as `activeStreamId` names it.
    stream_id: Option<String>,
}

async fn send(
    request: HttpRequest,
    caller: Caller,
    body: Bytes,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    let call = new_call(&request, caller, shared);
    // Rights come before what is wrong with the body.
    listener(&call, SAYING)?;
    let sent = SendBody::read(&body)?;
    let place = call.shared.streams.open()?;
    let (live, organization) = begin_answer(&call, sent).await?;
    Ok(stream_events(
        &call,
        &live,
        organization,
        (0, SAYING),
        place,
    ))
}

/// The person who is answered. An app is an agent itself, and is not answered by another.
fn listener(call: &Call, permission: Permission) -> Result<ChatAccess, Fault> {
    if matches!(&call.caller, Principal::Key(key) if key.is_app()) {
        return Err(Fault::forbidden(
            "An app can't use the assistant: sign in, or use an API key",
        ));
    }
    procedures::chats::person(call, permission)
}

/// The right to say something.
const SAYING: Permission = Permission::ChatWrite;

/// Refuses what could not be said in any chat of the caller: by who may not, without a model, or in the midst of too many answers.
pub(in crate::http) fn ready(call: &Call) -> Result<(), Fault> {
    let whose = listener(call, SAYING)?;
    call.shared.agents.model()?;
    call.shared.agents.admit(&whose.user)
}

/// Adds a message to a chat of the caller. The answer is written from now on, with or without listeners.
pub(in crate::http) async fn say(call: &Call, sent: SendBody) -> Result<(), Fault> {
    begin_answer(call, sent).await.map(|_| ())
}

async fn begin_answer(call: &Call, sent: SendBody) -> Result<(Arc<Live>, OrganizationId), Fault> {
    let whose = listener(call, SAYING)?;
    let id = ChatId::from(sent.id);
    let said = find_chat(call, &whose, &id, sent.confirm.as_deref()).await?;
    let agents = &call.shared.agents;
    let model = agents.model()?;
    agents.admit(&whose.user)?;
    let user = whose.user.clone();
    let message = BeginAnswer {
        whose,
        id,
        body: Body {
            status: Status::Complete,
            parts: vec![Part::Text {
                text: sent.message.unwrap_or(said),
            }],
        },
    };
    let begun = call.shared.chats.ask(message).await?;
    let organization = begun.organization.clone();
    let live = agents.begin(&begun.chat.id, begun.stream.clone(), user);
    let job = Job {
        shared: Arc::clone(&call.shared),
        model,
        caller: call.caller.clone(),
        begun,
        live: Arc::clone(&live),
        confirms: sent.confirm,
        draft: RefCell::default(),
    };
    // Not of a listener.
    actix_web::rt::spawn(job.run());
    Ok((live, organization))
}

/// Refuses what is about no chat of the caller, or confirms nothing that waits; else what is said by confirming.
async fn find_chat(
    call: &Call,
    whose: &ChatAccess,
    id: &ChatId,
    confirm: Option<&str>,
) -> Result<String, Fault> {
    let view = call.shared.chats.view();
    let found = view.with_messages(whose, id).await?;
    let missing = || ChatError::NotFound(id.clone()).classify();
    let (_, said) = found.ok_or_else(missing)?;
    let Some(confirm) = confirm else {
        return Ok(String::new());
    };
    let pending = pending(&said, confirm)?;
    Ok(format!("Do it: `{}`", pending.tool))
}

async fn resume(
    request: HttpRequest,
    caller: Caller,
    body: Bytes,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    let last = request.headers().get(LAST);
    let last = last.and_then(|last| last.to_str().ok()?.parse().ok());
    let call = new_call(&request, caller, shared);
    let permission = Permission::OrganizationRead;
    let whose = listener(&call, permission)?;
    let asked: ResumeBody = procedures::parse_input(&body)?;
    let id = ChatId::from(asked.id);
    let view = call.shared.chats.view();
    let found = view.organization(&whose, &id).await?;
    let missing = || ChatError::NotFound(id.clone()).classify();
    let owner = found.ok_or_else(missing)?;
    let wanted = |live: &Arc<Live>| {
        let named = asked.stream_id.as_deref();
        named.is_none_or(|named| named == live.stream.as_str())
    };
    let Some(live) = call.shared.agents.find(&id).filter(wanted) else {
        return Ok(HttpResponse::NoContent().finish());
    };
    let place = call.shared.streams.open()?;
    let from = (last.unwrap_or(0), permission);
    Ok(stream_events(&call, &live, owner, from, place))
}

fn new_call(request: &HttpRequest, caller: Caller, shared: web::Data<Shared>) -> Call {
    Call {
        shared: shared.into_inner(),
        caller: caller.principal,
        address: request.extensions().get().copied(),
    }
}

/// A client that listens to an answer.
struct Listener {
    told: watch::Receiver<Transcript>,
    next: usize,
    shared: Arc<Shared>,
    caller: Principal,
    organization: OrganizationId,
    permission: Permission,
    look: Interval,
    quiet: u32,
    _place: OwnedSemaphorePermit,
}

/// An answer from behind its first events, for as long as the caller may hear it.
fn stream_events(
    call: &Call,
    live: &Live,
    organization: OrganizationId,
    (next, permission): (usize, Permission),
    place: OwnedSemaphorePermit,
) -> HttpResponse {
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let listener = Listener {
        told: live.listen(),
        next,
        shared: Arc::clone(&call.shared),
        caller: call.caller.clone(),
        organization,
        permission,
        look,
        quiet: 0,
        _place: place,
    };
    HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header(("X-Accel-Buffering", "no"))
        .streaming(stream::unfold(listener, Listener::next))
}

type Piece = Result<Bytes, std::convert::Infallible>;

impl Listener {
    async fn next(mut self) -> Option<(Piece, Self)> {
        loop {
            let (new, count, ended) = {
                let told = self.told.borrow_and_update();
                let new = told.events.get(self.next..).unwrap_or_default();
                (new.concat(), told.events.len(), told.ended)
            };
            if !new.is_empty() {
                self.next = count;
                self.quiet = 0;
                return Some((Ok(new.into()), self));
            }
            if ended {
                return None;
            }
            tokio::select! {
                changed = self.told.changed() => changed.ok()?,
                _ = self.look.tick() => {
                    access::current(&self.shared, &self.caller, &self.organization, self.permission)?;
                    self.quiet += 1;
                    if self.quiet > QUIET {
                        self.quiet = 0;
                        return Some((Ok(Bytes::from_static(b": still here\n\n")), self));
                    }
                }
            }
        }
    }
}
