//! Parts that many pages are made of.

mod confirm;
mod form;
mod list_page;
mod panel;
mod ranked;
mod ticks;

pub use confirm::{button, confirm, more};
pub use form::{Field, Form, choice, hidden, tick};
pub use list_page::{Heading, ListPage, things};
pub use panel::{change, copied, empty, meter, notice, panel, time};
pub use ranked::{RankedRow, ranked_list};
pub use ticks::ticks;
