//! Identity providers that send people and groups: the protocol step by step, as Okta and Entra ID speak it, and what attackers try.

mod client;
mod clients;
mod console;
mod deactivation;
mod discovery;
mod groups;
mod joining;
mod leaks;
mod rights;
mod search;
mod tester;
mod threats;
mod users;
