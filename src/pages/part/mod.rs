//! Parts that many pages are made of.

mod form;
mod panel;
mod ranked;
mod sure;
mod ticks;

pub use form::{Field, Form, choice, hidden, tick};
pub use panel::{change, copied, empty, meter, notice, panel, time};
pub use ranked::{Ranked, ranked};
pub use sure::{button, more, sure};
pub use ticks::ticks;
