//! The outbox: whatever has to leave the program because of something that was stored.
//!
//! Whoever acts puts a [`Parcel`] into the outbox inside its own transaction ([`Outbox::put`]), so that neither happens
//! without the other, and rings ([`Outbox::ring`]) when the transaction is through. This domain then hands the parcel to the
//! [`Courier`] of its kind until that succeeds, with growing pauses, and gives up after about a day.
//!
//! Owns the table `outbox`, but for what is put in. Start at `outbox.rs`.
//!
//! Invariants:
//! - Delivery is at least once: what a crash interrupts is delivered again. The parcel's id is the same every time, so that the
//!   receiver can tell.
//! - The same key is put in once, whatever happens to the parcel.
//! - Payloads are sealed with a key of the installation, and gone once nobody will try again.
//! - What was given up stays visible: in the view, in `/metrics`, and for 90 days in the table.

mod actor;
mod courier;
mod hooks;
mod log;
mod mail;
mod out;
mod outbox;
mod repo;
mod round;
mod rules;
#[cfg(test)]
mod tests;

pub use actor::{Delivery, DeliveryEnv, DeliveryError, DeliveryView};
pub use courier::{Courier, Couriers, Failure, Handed, Pauses};
pub use hooks::{
    Bases, Channel, Hook, Hooks, NotASecret, Notice, key_of as key_of_secret, new_secret, receiver,
};
pub use log::{Logged, Replay, gone, log};
pub use mail::{Letter, Mail, MailError, line};
pub use outbox::{Outbox, OutboxError, Parcel, forget, forget_about};
