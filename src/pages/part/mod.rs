//! Parts that many pages are made of.

mod form;
mod panel;
mod ranked;
mod confirm;
mod ticks;

pub use form::{Field, Form, choice, hidden, tick};
pub use panel::{change, copied, empty, meter, notice, panel, time};
pub use ranked::{Ranked, ranked};
pub use confirm::{button, more, confirm};
pub use ticks::ticks;
