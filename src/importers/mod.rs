//! Definitions of other products: their exports as plans of what to create here.
//!
//! A format is one file with a `read`, and one line in the list of its family ([`links`], [`monitors`], [`flags`]).
//! A reader is pure. It carries a definition as it is, or lists it with the reason; it never approximates.
//! Readers check shapes alone. The rules of the domains are checked by who executes a plan.

pub mod flags;
mod format;
pub mod links;
pub mod monitors;
mod plan;
mod record;
mod source;
mod text;

pub use self::{
    format::Format,
    plan::{
        Definition, ImportError, IncidentDefinition, Item, LinkDefinition, MAX_ITEMS,
        MonitorDefinition, Omission, PageDefinition, Plan,
    },
    source::{MAX_BYTES, Source},
};

#[cfg(test)]
mod tests;
