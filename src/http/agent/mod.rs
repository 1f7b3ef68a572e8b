//! Agents that answer people in chats: a model that the operator configures, and tools that are the caller's own.
//!
//! - The model is the operator's ([`agent_model`](super::agent_model)).
//! - Its tools are those of the MCP endpoint, called with the rights that the caller has at that moment, in the chat's
//!   organization and in no other ([`tools`], [`access`]). What changes something is only shown to the model; the person has it
//!   done by confirming it (threat T43).
//! - An answer is written by a task of its own ([`answer`]): a client that goes away stops nothing. What a client is shown was stored
//!   before. A client that returns gets all of it from the beginning, or from where it was (`routes.rs`).
//! - It ends when it is stopped, when the person loses the right (threat T11), and with the program.

mod access;
mod answer;
mod confirm;
mod history;
mod routes;
mod tools;

pub(super) use routes::{SendBody, ready, routes, say};
