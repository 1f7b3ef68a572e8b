//! Charts as SVG: pure functions from numbers to markup. Colours and lines are classes of the stylesheet, which follow
//! light and dark; only geometry is in attributes.

mod curve;
mod funnel;
mod line;
mod map;
mod plot;
mod sankey;
mod scale;
mod spark;
mod stack;

pub use funnel::{FunnelBar, funnel_bars};
pub use line::Line;
pub use map::{Country, map};
pub use plot::Step;
pub use sankey::{Flow, Node, Sankey};
pub use spark::spark;
pub use stack::{Layer, Stack};
