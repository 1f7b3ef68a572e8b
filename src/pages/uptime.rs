//! Uptime in percent, and bars of checks or days. The console and public status pages draw them alike; their colors are variables
//! of `assets/uptime.css`.

use maud::{Markup, html};

/// A check or a day of a row of bars.
#[derive(Debug, Clone)]
pub struct Bar {
    /// `up`, `degraded`, `pending`, `down`, `maintenance` or `none`.
    pub class: &'static str,
    /// The card that is shown when it is pointed at.
    pub card: Markup,
}

/// The class of a day by its uptime in percent.
pub const fn class(uptime: Option<f64>) -> &'static str {
    match uptime {
        Some(99.9..) => "up",
        Some(95.0..) => "degraded",
        Some(_) => "down",
        None => "none",
    }
}

/// Bars in a row, oldest first, named by the label. Keys and touch reach their cards with `assets/charts.js` alone, so a page without
/// it has a table beside them.
pub fn bars(bars: &[Bar], label: &str) -> Markup {
    html! {
        div.uptime-bars role="img" aria-label=(label) {
            @for bar in bars { i.(bar.class) { b { (bar.card) } } }
        }
    }
}

/// An uptime: `99.95%`, `100%`. Only what has no downtime is 100%.
pub fn percent(uptime: f64) -> String {
    let most = if uptime < 100.0 { 99.99 } else { 100.0 };
    let text = format!("{:.2}", uptime.min(most));
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_had_no_downtime_is_a_hundred_percent() {
        for (uptime, shown) in [
            (100.0, "100%"),
            (99.999, "99.99%"),
            (99.9, "99.9%"),
            (14.286, "14.29%"),
            (0.0, "0%"),
        ] {
            assert_eq!(percent(uptime), shown);
        }
        assert_eq!(class(Some(99.95)), "up");
        assert_eq!(class(Some(99.0)), "degraded");
        assert_eq!(class(Some(0.0)), "down");
        assert_eq!(class(None), "none");
    }

    #[test]
    fn every_bar_has_its_card_and_the_row_a_label() {
        let bar = Bar {
            class: "down",
            card: html! { "<b>" },
        };
        let drawn = bars(&[bar], "2 checks \"down\"").into_string();
        assert!(
            drawn.contains("<i class=\"down\"><b>&lt;b&gt;</b></i>"),
            "{drawn}"
        );
        assert!(
            drawn.contains("aria-label=\"2 checks &quot;down&quot;\""),
            "{drawn}"
        );
    }
}
