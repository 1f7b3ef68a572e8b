//! States over time as bars of one height, such as the days of a monitor.

use maud::{Markup, html};

/// A step of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Its label with its value, such as `Oct 14: 99.9% uptime`.
    pub label: String,
    /// A class of the stylesheet: `good`, `warn`, `bad` or `none`.
    pub state: &'static str,
    /// The part of the height that is filled: 0 to 1.
    pub share: f64,
}

const HEIGHT: f64 = 32.0;
/// The width of a bar with the gap behind it, and without.
const PITCH: f64 = 10.0;
const BROAD: f64 = 8.0;

/// Bars, oldest first. `name` is their accessible name and says the most important number.
pub fn bars(name: &str, steps: &[Bar]) -> Markup {
    let labels: Vec<&str> = steps.iter().map(|bar| bar.label.as_str()).collect();
    let view = format!("0 0 {} {HEIGHT}", PITCH * steps.len().max(1) as f64);
    html! {
        svg.bars viewBox=(view) preserveAspectRatio="none" role="img" aria-label=(name) data-steps=(labels.join("\n")) {
            @for (place, bar) in steps.iter().enumerate() {
                @let height = HEIGHT * bar.share.clamp(0.05, 1.0);
                rect.(bar.state) x=(PITCH * place as f64) y=(format!("{:.1}", HEIGHT - height)) width=(BROAD) height=(format!("{height:.1}")) rx="1" {
                    title { (bar.label) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bar_is_named_and_can_be_seen() {
        let bar = |label: &str, share| Bar {
            label: label.to_owned(),
            state: "good",
            share,
        };
        let drawn = bars("Uptime: 50%", &[bar("<a>", 1.0), bar("b", 0.0)]).into_string();
        assert!(drawn.contains("aria-label=\"Uptime: 50%\""), "{drawn}");
        assert!(drawn.contains("data-steps=\"&lt;a&gt;\nb\""), "{drawn}");
        assert!(drawn.contains("<title>&lt;a&gt;</title>"), "{drawn}");
        assert!(
            drawn.contains("y=\"30.4\" width=\"8\" height=\"1.6\""),
            "{drawn}"
        );
        assert!(
            bars("None", &[])
                .into_string()
                .contains("viewBox=\"0 0 10 32\"")
        );
    }
}
