//! Apps that people connect: the protocol step by step, what an app may do, and what attackers try.

mod account;
mod documents;
pub mod flow;
pub mod leaks;
mod protocol;
mod registration;
mod rights;
mod sdk;
mod threats;
mod tokens;
