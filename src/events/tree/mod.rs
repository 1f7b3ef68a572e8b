//! JSON that others wrote, as trees that are read once and taken apart.

mod object;
mod value;

pub use self::{object::Object, value::Value};
