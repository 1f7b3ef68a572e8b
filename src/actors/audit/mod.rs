//! The audit log: who changed keys, members, roles and resources, and when.
//!
//! No domain of its own: [`record()`] runs in the transaction of the acting domain: a change without its entry cannot
//! exist, because an insert that fails rolls the change back. [`AuditLog`] reads; [`verify()`] proves.
//!
//! Changes of other resources (websites, monitors, flags and so on) are logged by the procedure table, once they are done
//! ([`AuditLog::append`]): no domain can forget it. A crash in between can leave such a change without its entry.
//!
//! Invariants:
//! - Entries form one hash chain per organization: each carries the hash of the one before it, and of itself. Changing,
//!   taking out, inserting or cutting off entries is noticed by [`verify()`].
//! - Entries hold ids and settings, never secrets, e-mail addresses or clients' addresses. What was only read, or was
//!   refused, is not in it.

mod chain;
mod entry;
mod log;
mod record;
#[cfg(test)]
mod tests;
mod verify;

pub use entry::{Action, Actor, Entry};
pub use log::{AuditLog, AuditRecord, Filter, last_written};
pub use record::{record, was_done};
pub use verify::{Broken, Report, verify};
