//! Some of several values.

use maud::{Markup, html};

use crate::pages::problem::Problems;

/// Boxes of one name, `(value, label)`, with their problems.
pub fn checkboxes<'a>(
    name: &str,
    label: &str,
    hint: &str,
    among: impl IntoIterator<Item = (&'a str, &'a str)>,
    chosen: &[&str],
    problems: &Problems,
) -> Markup {
    let wrong = problems.beside(name);
    html! {
        fieldset.field {
            legend { (label) }
            @if !hint.is_empty() { p.hint { (hint) } }
            @for (value, label) in among {
                @let id = format!("{name}-{value}");
                p.tick {
                    input id=(id) name=(name) type="checkbox" value=(value) checked[chosen.contains(&value)];
                    label for=(id) { (label) }
                }
            }
            @if !wrong.is_empty() { p.wrong id=(format!("{name}-wrong")) { (wrong.join("; ")) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_values_are_ticked() {
        let among = [("a", "A <b>"), ("b", "B")];
        let drawn = checkboxes("x", "Which", "", among, &["b"], &Problems::NONE).into_string();
        assert!(
            drawn.contains("A &lt;b&gt;") && drawn.contains("value=\"b\" checked"),
            "{drawn}"
        );
        assert!(!drawn.contains("value=\"a\" checked"), "{drawn}");
    }
}
