//! Visitors and sessions of clients that bring no ids of theirs.
//!
//! A visitor without an id is made of address, user agent and website, and hashed with the salt of the day like every id of a
//! browser. When the salt is gone, it can't be made again.

use std::{
    net::IpAddr,
    sync::{LazyLock, Mutex, PoisonError},
};

use actix_web::http::header::USER_AGENT;
use data_encoding::HEXLOWER;

use crate::{
    events::{
        accept::{
            Context,
            protocols::{Input, Origin, Person},
        },
        sessions,
    },
    http::track::authorize::Sender,
};

/// Visitors whose sessions a process knows at most; beyond that, sessions begin anew.
const MAX_VISITORS: usize = 200_000;

/// The visitor of an item.
pub(super) struct Who {
    /// The id of the browser, empty when there is none.
    pub(super) anonymous: String,
    website: i64,
}

impl Who {
    pub(super) fn of_event(sender: &Sender<'_>, input: &Input, context: &Context<'_>) -> Self {
        let website = context.target.access.website().0;
        let derived = || derive(sender, &input.origin, website);
        Self {
            anonymous: input.anonymous.clone().unwrap_or_else(derived),
            website,
        }
    }

    pub(super) fn of_person(sender: &Sender<'_>, person: &Person, context: &Context<'_>) -> Self {
        let website = context.target.access.website().0;
        let anonymous = match &person.anonymous {
            Some(anonymous) => anonymous.clone(),
            None if person.is_here => derive(sender, &person.origin, website),
            None => String::new(),
        };
        Self { anonymous, website }
    }
}

/// The id of a visitor who brings none; empty when a server sent the event, whose own address would be everyone's.
fn derive(sender: &Sender<'_>, origin: &Origin, website: i64) -> String {
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

/// Sessions of visitors whose clients name none: half an hour of silence ends one. Each process knows its own.
pub(super) struct Sessions;

static OPEN: LazyLock<Mutex<sessions::Sessions>> =
    LazyLock::new(|| Mutex::new(sessions::Sessions::bounded(MAX_VISITORS)));

impl Sessions {
    /// The id of the session that a visitor is in at a time; empty without a visitor.
    pub(super) fn find(sender: &Sender<'_>, who: &Who, time: i64) -> String {
        if who.anonymous.is_empty() {
            return String::new();
        }
        let mut hasher = blake3::Hasher::new_keyed(&sender.shared.secret);
        hasher.update(&who.website.to_le_bytes());
        hasher.update(who.anonymous.as_bytes());
        let mut visitor = [0; 16];
        hasher.finalize_xof().fill(&mut visitor);
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = open.begun(visitor, time);
        format!("{}.{begun}", HEXLOWER.encode(&visitor))
    }
}
