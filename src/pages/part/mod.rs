//! Parts that many pages are made of.

mod checkboxes;
mod confirm;
mod form;
mod list_page;
mod panel;
mod ranked;
mod split;

pub use checkboxes::checkboxes;
pub use confirm::{button, confirm, more};
pub use form::{Field, Form, checkbox, choice, hidden};
pub use list_page::{Heading, ListPage, resource_table};
pub use panel::{change, compared, copyable, empty, meter, notice, panel, time};
pub use ranked::{RankedRow, ranked_list, ranked_table};
pub use split::split_bar;
