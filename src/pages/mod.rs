//! What the web console's pages are made of: numbers and times as people read them, charts, parts of pages, and the frame
//! around them. Pure functions from values to HTML; which values, and who may see them, is decided in `http::pages`.
//!
//! Templates are [`maud`]'s: compiled, and everything that is put into them is escaped by its type. Nothing here writes
//! `style` attributes or inline scripts, which the pages' policy forbids: looks are classes of the one stylesheet
//! ([`assets`]), and the numbers of charts are attributes of SVG.

pub mod assets;
mod brand;
pub mod chart;
pub mod failure;
pub mod frame;
pub mod navigation;
pub mod number;
pub mod part;
pub mod problem;
mod shell;
mod sidebar;
pub mod time;
pub mod uptime;
pub mod utm;
pub mod view;

pub use brand::draw_brand;
