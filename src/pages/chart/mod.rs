//! Charts as SVG: pure functions from numbers to markup. Colors and lines are classes of the stylesheet, which follow
//! light and dark; only geometry is in attributes.
//!
//! | chart | for | comes with |
//! |---|---|---|
//! | [`Line`] | a number over time, with an earlier period | name, axes, legend, table |
//! | [`Stack`] | parts of a number over time | name, axes, legend, table |
//! | [`Spark`] | a number over time in a row of a table | name with its numbers ([`describe_values`]); one [`SeriesTable`] for the whole list |
//! | [`map()`] | a number by country | name, legend, a label each |
//!
//! `assets/charts.js` adds a card at the cursor, arrow keys, touch, zoom and series on and off. It reads no data of its own:
//! - In a `.chart` the table is the data. Headings with `data-series` are in the card. Rows are newest first.
//! - Elements of a series have a class of its name (`current`, `before`, `layer1` …), and so has its `.legend` entry `data-series`.
//! - `data-steps` of a small chart holds a line of text a step. Bars of `pages/uptime.rs` have their cards instead.
//! - `data-zoom` is the first day of a chart and `data-per-day` its steps a day: a drag sets `from` and `to` of the address.
//!   `data-span` is the text of a range, with `%` for its ends, and `data-hint` says how to zoom.

mod curve;
mod funnel;
mod line;
mod map;
mod plot;
mod sankey;
mod scale;
mod spark;
mod stack;
mod table;
mod world;

pub use funnel::{FunnelBar, funnel_bars};
pub use line::{Line, LineOptions, MAX_WHOLE, Mark};
pub use map::{Country, map};
pub use plot::{Step, Zoom};
pub use sankey::{Flow, Node, Sankey};
pub use spark::{Spark, describe_values};
pub use stack::{Layer, Stack};
pub use table::{Column, SeriesTable, steps_below, table_below};
