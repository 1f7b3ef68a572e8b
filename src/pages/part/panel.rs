//! Panels, notices, and the small words in them.

use maud::{Markup, html};

use crate::{
    locale::Texts,
    pages::{number, time::DateFormat},
};

/// A part of a page under a heading.
pub fn panel(title: &str, inside: &Markup) -> Markup {
    html! { section.panel { h2 { (title) } (inside) } }
}

/// The placeholder of an empty panel, with what to do next.
pub fn empty(title: &str, next: &Markup) -> Markup {
    html! { div.empty { p.title { (title) } div { (next) } } }
}

/// Something to know: `good`, `bad`, `warn` or `note`.
pub fn notice(kind: &str, content: &Markup) -> Markup {
    html! { div class={ "notice " (kind) } role="status" { (content) } }
}

/// A change in percent. `more_is_good` decides which direction is green; `None` is a dash.
pub fn change(percent: Option<f64>, more_is_good: bool) -> Markup {
    let Some(percent) = percent else {
        return html! { span.dim title="No previous data" { (number::NONE) } };
    };
    draw_change(&number::change(percent), more_is_good)
}

/// The change to a number from an earlier one.
pub fn compared(texts: Texts, now: f64, before: f64, more_is_good: bool) -> Markup {
    let change = texts.number(texts.label(&number::change_between(now, before)));
    draw_change(&change, more_is_good)
}

fn draw_change(text: &str, more_is_good: bool) -> Markup {
    let class = match text.chars().next() {
        Some('±') => "same",
        Some('−') if more_is_good => "bad",
        Some('−') => "good",
        _ if more_is_good => "good",
        _ => "bad",
    };
    html! { span.change.(class) { (text) } }
}

/// A moment, with its exact time for programs and on hovering.
pub fn time(unix_ms: i64, shown: &str, date_format: &DateFormat) -> Markup {
    let exact = crate::clock::iso_ms(unix_ms);
    html! { time datetime=(exact) title=(date_format.moment(unix_ms)) { (shown) } }
}

/// Text to be copied, with a button where there is a script.
pub fn copyable(label: &str, text: &str) -> Markup {
    html! {
        div.copied { pre tabindex="0" aria-label=(label) { code { (text) } } button.button.small type="button" data-copy hidden { "Copy" } }
    }
}

/// A share of a whole, behind its row: `percent` of 0 to 100.
pub fn meter(percent: f64) -> Markup {
    let width = format!("{:.1}%", percent.clamp(0.0, 100.0));
    html! { svg.meter aria-hidden="true" preserveAspectRatio="none" { rect width=(width) height="100%" {} } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_green_or_red_by_what_they_mean() {
        let class = |percent, more| change(percent, more).into_string();
        assert!(class(Some(5.0), true).contains("change good"));
        assert!(class(Some(5.0), false).contains("change bad"));
        assert!(class(Some(-5.0), false).contains("change good"));
        assert!(class(Some(0.001), true).contains("change same"));
        assert!(class(None, true).contains("No previous data"));
        let new = compared(Texts::ENGLISH, 5.0, 0.0, true).into_string();
        assert_eq!(new, "<span class=\"change good\">New</span>");
    }

    #[test]
    fn looks_are_never_style_attributes() {
        for drawn in [meter(50.0), copyable("a", "b"), empty("a", &html! { "b" })] {
            assert!(!drawn.into_string().contains("style="));
        }
        assert!(meter(400.0).into_string().contains("width=\"100.0%\""));
    }
}
