//! The parts of a whole in one bar.

use maud::{Markup, html};

/// Parts beside each other with their labels below: class, label, percent.
pub fn split_bar(parts: &[(&str, String, f64)]) -> Markup {
    let mut left = 0.0;
    let mut place = |share: f64| {
        let start = left;
        left += share;
        (format!("{start:.2}%"), format!("{share:.2}%"))
    };
    html! {
        svg.split aria-hidden="true" {
            @for (class, _, share) in parts {
                @let (start, width) = place(*share);
                rect.(class) x=(start) width=(width) height="100%" {}
            }
        }
        ul.legend { @for (class, label, _) in parts { li.part.(class) { (label) } } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other() {
        let parts = [
            ("good", "Good <b>".to_owned(), 75.0),
            ("bad", "Poor".to_owned(), 25.0),
        ];
        let drawn = split_bar(&parts).into_string();
        assert!(
            drawn.contains("class=\"bad\" x=\"75.00%\" width=\"25.00%\""),
            "{drawn}"
        );
        assert!(drawn.contains("Good &lt;b&gt;"), "{drawn}");
    }
}
