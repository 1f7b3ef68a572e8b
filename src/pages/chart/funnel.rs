//! The steps of a funnel as columns beside each other, with what is lost since the step before hatched.

use maud::{Markup, html};

/// A step.
#[derive(Debug, Clone, PartialEq)]
pub struct FunnelBar {
    pub name: String,
    /// The share of all who take it, percent, and that of the step before.
    pub share: f64,
    pub before: f64,
    /// Its numbers in words, the most important first.
    pub notes: Vec<String>,
}

/// The columns, first to last.
pub fn funnel_bars(bars: &[FunnelBar]) -> Markup {
    html! {
        div.scroll role="region" aria-label="Steps" tabindex="0" { ol.funnel {
            @for (place, bar) in bars.iter().enumerate() { li {
                svg aria-hidden="true" {
                    @if place == 0 { (hatch()) }
                    rect.lost x="0" y=(percent(100.0 - bar.before)) width="100%" height=(percent(bar.before - bar.share)) fill="url(#hatch)" {}
                    rect.kept x="0" y=(percent(100.0 - bar.share)) width="100%" height=(percent(bar.share)) {}
                }
                strong { (place + 1) ". " (bar.name) }
                @for note in &bar.notes { span { (note) } }
            } }
        } }
    }
}

/// The pattern of what is lost.
fn hatch() -> Markup {
    html! {
        defs {
            pattern #hatch width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" { rect.hatch width="3" height="8" {} }
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.2}%", share.clamp(0.0, 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_lies_above_what_is_kept() {
        let bar = |name: &str, share, before| FunnelBar {
            name: name.to_owned(),
            share,
            before,
            notes: vec!["2 <visitors>".to_owned()],
        };
        let drawn = funnel_bars(&[bar("<a>", 100.0, 100.0), bar("b", 25.0, 100.0)]).into_string();
        assert!(
            drawn.contains("class=\"lost\" x=\"0\" y=\"0.00%\" width=\"100%\" height=\"75.00%\""),
            "{drawn}"
        );
        assert!(
            drawn.contains("class=\"kept\" x=\"0\" y=\"75.00%\""),
            "{drawn}"
        );
        assert!(
            drawn.contains("1. &lt;a&gt;") && drawn.contains("2 &lt;visitors&gt;"),
            "{drawn}"
        );
        assert_eq!(drawn.matches("<pattern").count(), 1, "{drawn}");
    }
}
