//! Visitors and sessions of clients that bring no ids of theirs.
//!
//! A visitor without an id is made of address, user agent and website, and hashed with the salt of the day like every id of a
//! browser. When the salt is gone, it can't be made again.

use std::{
    cell::OnceCell,
    net::IpAddr,
    sync::{LazyLock, Mutex, PoisonError},
};

use actix_web::http::header::USER_AGENT;
use data_encoding::HEXLOWER;

use crate::{
    events::{accept::protocols::Origin, enrich::SenderContext, sessions},
    http::track::authorize::Sender,
};

/// Visitors whose sessions a process knows at most; beyond that, sessions begin anew.
const MAX_VISITORS: usize = 200_000;
/// Parts that they are kept in, each with its own lock.
const PARTS: usize = 16;

/// Where neighbouring items of a request come from.
pub(super) struct Source<'a> {
    pub(super) origin: Origin<'a>,
    pub(super) visit: SenderContext,
    derived: OnceCell<String>,
}

impl<'a> Source<'a> {
    pub(super) const fn new(origin: Origin<'a>, visit: SenderContext) -> Self {
        Self {
            origin,
            visit,
            derived: OnceCell::new(),
        }
    }

    /// The browser's id: the client's own, or one that is made where the browser itself is here. Empty when there is none.
    pub(super) fn browser<'b>(
        &'b self,
        sender: &Sender<'_>,
        (own, is_here): (Option<&'b str>, bool),
        website: i64,
    ) -> &'b str {
        match own {
            Some(own) => own,
            None if is_here => self.derive(sender, website),
            None => "",
        }
    }

    /// A request is about one website, so it is made once.
    fn derive(&self, sender: &Sender<'_>, website: i64) -> &str {
        self.derived
            .get_or_init(|| derive(sender, &self.origin, website))
    }
}

/// The id of a visitor who brings none; empty when a server sent the event, whose own address would be everyone's.
fn derive(sender: &Sender<'_>, origin: &Origin<'_>, website: i64) -> String {
    let header = sender.request.headers().get(USER_AGENT);
    let own_agent = header.and_then(|value| value.to_str().ok());
    let own_address = sender.address().map(|address| address.0);
    let address = origin.address.or(own_address.filter(|_| !origin.is_server));
    let agent = origin.user_agent.as_deref();
    let agent = agent.or(own_agent.filter(|_| !origin.is_server));
    let Some(address) = address else {
        return String::new();
    };
    let mut hasher = blake3::Hasher::new();
    hasher.update(&website.to_le_bytes());
    match address.to_canonical() {
        IpAddr::V4(address) => hasher.update(&address.octets()),
        IpAddr::V6(address) => hasher.update(&address.octets()),
    };
    hasher.update(agent.unwrap_or_default().as_bytes());
    HEXLOWER.encode(&hasher.finalize().as_bytes()[..16])
}

static OPEN: LazyLock<[Mutex<sessions::Sessions>; PARTS]> = LazyLock::new(|| {
    std::array::from_fn(|_| Mutex::new(sessions::Sessions::bounded(MAX_VISITORS / PARTS)))
});

/// Sessions of a request's visitors whose clients name none: half an hour of silence ends one. Each process knows its own.
#[derive(Default)]
pub(super) struct Sessions {
    last: Session,
}

/// The session that was found last; neighbours are in the same as a rule.
#[derive(Default)]
struct Session {
    anonymous: String,
    visitor: [u8; 16],
    /// The latest time that was asked for, Unix ms.
    time: i64,
    begun: i64,
    id: String,
}

impl Sessions {
    /// The id of the session that a visitor is in at a time; empty without a visitor. A request is about one website.
    pub(super) fn find(
        &mut self,
        sender: &Sender<'_>,
        anonymous: &str,
        website: i64,
        time: i64,
    ) -> &str {
        if anonymous.is_empty() {
            return "";
        }
        let last = &mut self.last;
        let is_new = last.anonymous != anonymous;
        // Times may go back a little within a session: the lock of all requests has nothing to add.
        if !is_new && time <= last.time {
            return &last.id;
        }
        last.time = time;
        if is_new {
            let mut hasher = blake3::Hasher::new_keyed(&sender.shared.secret);
            hasher.update(&website.to_le_bytes());
            hasher.update(anonymous.as_bytes());
            hasher.finalize_xof().fill(&mut last.visitor);
            anonymous.clone_into(&mut last.anonymous);
        }
        let part = &OPEN[usize::from(last.visitor[0]) % PARTS];
        let mut open = part.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = open.begun(last.visitor, time);
        drop(open);
        if is_new || last.begun != begun {
            last.begun = begun;
            last.id = format!("{}.{begun}", HEXLOWER.encode(&last.visitor));
        }
        &last.id
    }
}
