//! The model that answers in chats, and the answers that it is writing.
//!
//! It is any server that speaks the chat completions of `OpenAI` as a stream ([`model`], [`chunks`]). It is asked by whoever
//! configured it, so it may be anywhere; its answers are bounded and may be anything. Clients that come again are told all
//! of an answer from the beginning, or from where they were ([`live`]).

pub(super) mod chunks;
pub(super) mod live;
pub(super) mod model;

pub use live::Agents;
pub use model::{Model, ModelOptions, NoModel};
