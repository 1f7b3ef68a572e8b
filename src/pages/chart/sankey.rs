//! Flows between columns of nodes: from left to right, as broad as they are large.

use std::fmt::Write as _;

use maud::{Markup, html};

use crate::pages::number;

/// The distance of two columns.
const COLUMN: f64 = 168.0;
/// The width of a node.
const NODE: f64 = 12.0;
/// The height of the largest column without gaps.
const HEIGHT: f64 = 300.0;
/// The least height of a node with its name.
const SLOT: f64 = 26.0;
/// Room above and below.
const EDGE: f64 = 4.0;
/// Characters of a name.
const MAX_NAME: usize = 18;

/// A node.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub name: String,
    pub value: u64,
    /// The address of a click, and what it does.
    pub link: Option<(String, String)>,
    /// Whether it is one of the less important ends.
    pub is_dim: bool,
}

/// A flow from a node of a column to a node of the next column, by their places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flow {
    pub column: usize,
    pub from: usize,
    pub to: usize,
    pub value: u64,
}

/// Columns of nodes with flows between them.
#[derive(Debug)]
pub struct Sankey<'a> {
    /// Its name for screen readers.
    pub title: &'a str,
    /// What is counted: one, many.
    pub noun: (&'a str, &'a str),
    pub columns: &'a [Vec<Node>],
    pub flows: &'a [Flow],
}

/// Where a node is.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    top: f64,
    height: f64,
    /// The height of the flows that have left it and reached it so far.
    left: f64,
    reached: f64,
}

impl Sankey<'_> {
    pub fn draw(&self) -> Markup {
        let scale = self.scale();
        let mut places = self.places(scale);
        let ends = places.iter().filter_map(|column| column.last());
        let height = ends
            .map(|place| place.top + place.height.max(SLOT))
            .fold(SLOT, f64::max)
            + EDGE;
        let width = COLUMN * self.columns.len().max(1) as f64;
        let flows: Vec<(String, String)> = self
            .flows
            .iter()
            .filter_map(|flow| Some((place_flow(&mut places, flow, scale)?, self.describe(flow)?)))
            .collect();
        html! {
            div.scroll {
                svg.sankey viewBox=(format!("0 0 {width:.0} {height:.0}")) width=(format!("{width:.0}")) height=(format!("{height:.0}")) role="group" aria-label=(self.title) {
                    @for (path, title) in &flows { path.flow d=(path) { title { (title) } } }
                    @for (at, column) in self.columns.iter().enumerate() {
                        @for (node, place) in column.iter().zip(&places[at]) { (self.draw_node(at, node, place)) }
                    }
                }
            }
        }
    }

    /// Units of height by value.
    fn scale(&self) -> f64 {
        let sum = |column: &Vec<Node>| column.iter().map(|node| node.value).sum::<u64>();
        HEIGHT / self.columns.iter().map(sum).max().unwrap_or(0).max(1) as f64
    }

    fn places(&self, scale: f64) -> Vec<Vec<Place>> {
        let column = |column: &Vec<Node>| {
            let mut top = EDGE;
            let place = |node: &Node| {
                let height = (node.value as f64 * scale).max(1.0);
                let place = Place {
                    top,
                    height,
                    ..Place::default()
                };
                top += height.max(SLOT);
                place
            };
            column.iter().map(place).collect()
        };
        self.columns.iter().map(column).collect()
    }

    fn describe(&self, flow: &Flow) -> Option<String> {
        let from = self.columns.get(flow.column)?.get(flow.from)?;
        let to = self.columns.get(flow.column + 1)?.get(flow.to)?;
        let (one, many) = self.noun;
        let count = number::with_noun(flow.value, one, many);
        Some(format!("{} → {}: {count}", from.name, to.name))
    }

    fn draw_node(&self, at: usize, node: &Node, place: &Place) -> Markup {
        let x = COLUMN * at as f64;
        let (one, many) = self.noun;
        let count = number::with_noun(node.value, one, many);
        let middle = place.top + place.height.max(SLOT - 4.0) / 2.0;
        let (name, short) = (shorten(&node.name), number::short(node.value));
        // The label begins with the visible text, which speech input needs (WCAG 2.5.3).
        let label = |does: &str| {
            format!(
                "{name} {short}: {}, step {}, {count}. {does}",
                node.name,
                at + 1
            )
        };
        let drawn = html! {
            title { (node.name) ": " (count) }
            // The area of a click is as large as the name.
            rect.hit x=(one_decimal(x)) y=(one_decimal(place.top)) width=(one_decimal(COLUMN - NODE)) height=(one_decimal(place.height.max(SLOT - 2.0))) {}
            rect.node.dim[node.is_dim] x=(one_decimal(x)) y=(one_decimal(place.top)) width=(NODE) height=(one_decimal(place.height)) {}
            text x=(one_decimal(x + NODE + 6.0)) y=(one_decimal(middle)) { (name) " " tspan { (short) } }
        };
        html! {
            @match &node.link {
                Some((address, does)) => a href=(address) aria-label=(label(does)) { (drawn) },
                None => g { (drawn) },
            }
        }
    }
}

/// The path of a flow below those before it.
fn place_flow(places: &mut [Vec<Place>], flow: &Flow, scale: f64) -> Option<String> {
    let height = flow.value as f64 * scale;
    let from = places.get_mut(flow.column)?.get_mut(flow.from)?;
    let start = from.top + from.left;
    from.left += height;
    let to = places.get_mut(flow.column + 1)?.get_mut(flow.to)?;
    let end = to.top + to.reached;
    to.reached += height;
    let left = COLUMN * flow.column as f64 + NODE;
    let right = COLUMN * (flow.column + 1) as f64;
    let middle = f64::midpoint(left, right);
    let mut path = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        path,
        "M{left:.1} {start:.1}C{middle:.1} {start:.1} {middle:.1} {end:.1} {right:.1} {end:.1}V{:.1}C{middle:.1} {:.1} {middle:.1} {:.1} {left:.1} {:.1}Z",
        end + height,
        end + height,
        start + height,
        start + height
    );
    Some(path)
}

fn one_decimal(number: f64) -> String {
    format!("{number:.1}")
}

/// A name for a narrow place.
fn shorten(name: &str) -> String {
    if name.chars().count() <= MAX_NAME {
        return name.to_owned();
    }
    let begin: String = name.chars().take(MAX_NAME - 1).collect();
    format!("{begin}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, value: u64) -> Node {
        Node {
            name: name.to_owned(),
            value,
            link: None,
            is_dim: false,
        }
    }

    #[test]
    fn flows_lie_below_each_other_and_nodes_are_links() {
        let start = Node {
            link: Some(("/x?a=1&b".to_owned(), "Start here".to_owned())),
            ..node("/<b>", 3)
        };
        let columns = [vec![start], vec![node("/a", 2), node("Exited", 1)]];
        let flow = |to, value| Flow {
            column: 0,
            from: 0,
            to,
            value,
        };
        let sankey = Sankey {
            title: "User paths",
            noun: ("session", "sessions"),
            columns: &columns,
            flows: &[
                flow(0, 2),
                flow(1, 1),
                Flow {
                    column: 7,
                    ..flow(0, 1)
                },
            ],
        };
        let drawn = sankey.draw().into_string();
        assert!(
            drawn.contains(
                "href=\"/x?a=1&amp;b\" aria-label=\"/&lt;b&gt; 3: /&lt;b&gt;, step 1, 3 sessions. Start here\""
            ),
            "{drawn}"
        );
        assert!(
            drawn.contains("<title>/&lt;b&gt; → Exited: 1 session</title>"),
            "{drawn}"
        );
        assert!(
            drawn.contains("d=\"M12.0 4.0C90.0 4.0 90.0 4.0 168.0 4.0V204.0"),
            "{drawn}"
        );
        assert!(drawn.contains("d=\"M12.0 204.0C"), "{drawn}");
        assert_eq!(
            drawn.matches("class=\"flow\"").count(),
            2,
            "a flow to nowhere is none: {drawn}"
        );
        assert!(!drawn.contains("style="), "{drawn}");
        let nothing = Sankey {
            columns: &[],
            flows: &[],
            ..sankey
        };
        assert!(nothing.draw().into_string().contains("<svg"));
        assert_eq!(shorten(&"a".repeat(30)).chars().count(), MAX_NAME);
    }
}
