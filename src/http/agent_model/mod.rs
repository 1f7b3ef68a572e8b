//! The model that answers in chats, and the answers that it is writing.
//!
//! It is any server that speaks the chat completions of `OpenAI` as a stream ([`model`], [`chunks`]). The operator
//! configures it, so it may be anywhere; its answers are bounded and may be anything. Clients that return get all
//! of an answer from the beginning, or from where they were ([`live`]).

pub(super) mod chunks;
pub(super) mod live;
pub(super) mod model;

pub use live::Agents;
pub use model::{Model, ModelOptions, NoModel};
