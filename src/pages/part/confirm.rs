//! Confirmations and sections that open without a script.

use maud::{Markup, html};

/// A button that cannot be undone, behind another one and its consequence. `fields` go along.
pub fn confirm(
    label: &str,
    consequence: &str,
    action: &str,
    send: &str,
    fields: &Markup,
) -> Markup {
    html! {
        details.confirm {
            summary { (label) }
            div.inside {
                p { (consequence) }
                form method="post" action=(action) { (fields) button.button.danger type="submit" { (send) } }
            }
        }
    }
}

/// A button that does one thing at once.
pub fn button(action: &str, send: &str) -> Markup {
    html! { form.plain method="post" action=(action) { button.button type="submit" { (send) } } }
}

/// Fields behind a title.
pub fn more(title: &str, open: bool, inside: &Markup) -> Markup {
    html! { details.behind open[open] { summary { (title) } div.form { (inside) } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_taken_back_is_behind_a_button() {
        let drawn = confirm("Delete…", "It is <gone>.", "/x", "Delete", &html! {}).into_string();
        assert!(
            drawn.starts_with("<details class=\"confirm\"><summary>Delete…"),
            "{drawn}"
        );
        assert!(
            drawn.contains("It is &lt;gone&gt;.") && drawn.contains("action=\"/x\""),
            "{drawn}"
        );
        assert!(
            button("/x?a=\"", "Go")
                .into_string()
                .contains("action=\"/x?a=&quot;\"")
        );
        let closed = more("More", false, &html! {}).into_string();
        assert!(
            !closed.contains(" open")
                && more("More", true, &html! {})
                    .into_string()
                    .contains(" open")
        );
    }
}
