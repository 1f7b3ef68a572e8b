//! What people do with their own accounts.
//!
//! A message with a password is prepared beside the mailbox ([`handlers!`](crate::actors::kit)), because hashes are slow.

mod account;
mod password;
mod reset;
mod sessions;
mod sign_in;
mod sign_up;
