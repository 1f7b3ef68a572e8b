//! The outbox: whatever has to leave the program because of something that was stored.
//!
//! The acting domain puts a [`Delivery`] into the outbox in its own transaction ([`Outbox::put`]), so neither happens
//! without the other, and rings ([`Outbox::ring`]) when the transaction is through. This domain then hands the delivery
//! to the [`Sender`] of its kind until that succeeds, with growing pauses, and gives up after about a day.
//!
//! Owns the table `outbox`, but for what is put in. Start at `outbox.rs`.
//!
//! It is an actor, because it owns the attempts in flight.
//!
//! Invariants:
//! - Delivery is at least once: what a crash interrupts is delivered again, under the same id.
//! - The same key is put in once, whatever happens to the delivery.
//! - Payloads are sealed with a key of the installation, and deleted after the last try.
//! - What was given up stays visible: in the view, in `/metrics`, and for 90 days in the table.

mod actor;
mod env;
mod error;
mod hooks;
mod in_flight;
mod log;
mod mail;
mod outbox;
mod repo;
mod round;
mod rules;
mod sender;
#[cfg(test)]
mod tests;
mod view;

pub use actor::Deliveries;
pub use hooks::{
    Category, Channel, ChannelKind, ChannelOptions, ChannelRules, Channels, ChannelsError,
    Definition, Field, FieldError, Hook, Hooks, InvalidSecret, Notice, decode_secret, new_secret,
    receiver,
};
pub use log::{DeliveryRecord, FailedDelivery, Replay, list_created, list_failed, log};
pub use mail::{Email, Mail, MailError, line};
pub use outbox::{Delivery, Outbox, forget, forget_about};
pub use sender::{Attempt, Failure, Pauses, Sender, Senders};
pub use {env::DeliveryEnv, error::DeliveryError, view::DeliveryView};
