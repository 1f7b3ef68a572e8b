//! Lists of resources: a title with a link to create one, and their table or its placeholder.

use maud::{Markup, html};

use super::empty;

/// The heading of a column.
#[derive(Debug, Clone, Copy)]
pub enum Heading<'a> {
    Text(&'a str),
    /// Of numbers, which are aligned to the right.
    Number(&'a str),
    /// For screen readers alone, above buttons.
    Hidden(&'a str),
}

/// A page with all resources of a kind.
#[derive(Debug, Clone, Copy)]
pub struct ListPage<'a> {
    pub title: &'a str,
    /// The address and the label of the button that creates one; `None` if the reader may not.
    pub create: Option<(&'a str, &'a str)>,
    /// The title of an empty list.
    pub none: &'a str,
    /// The description in an empty list.
    pub about: &'a str,
    /// The id of a table that the script refreshes every 30 seconds.
    pub live: Option<&'a str>,
}

impl ListPage<'_> {
    /// The page; `above` is between its title and its table, `None` is an empty list.
    pub fn draw(&self, above: &Markup, table: Option<Markup>) -> Markup {
        let create = html! { @if let Some((path, label)) = self.create { a.button.first href=(path) { (label) } } };
        html! {
            div.title-row {
                h1 { (self.title) }
                @if table.is_some() && self.create.is_some() { div.actions { (create) } }
            }
            (above)
            section.panel id=[self.live] data-live=[self.live.map(|_| "30")] {
                @match table {
                    Some(table) => (table),
                    None => (empty(self.none, &html! { p { (self.about) } (create) })),
                }
            }
        }
    }
}

/// A table of resources.
pub fn resource_table(caption: &str, headings: &[Heading<'_>], rows: &Markup) -> Markup {
    html! {
        table.table.sites {
            caption.hide { (caption) }
            thead { tr { @for heading in headings {
                @match heading {
                    Heading::Text(message) => th scope="col" { (message) },
                    Heading::Number(message) => th.num scope="col" { (message) },
                    Heading::Hidden(message) => th scope="col" { span.hide { (message) } },
                }
            } } }
            tbody { (rows) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_make_one_is_led_there_wherever_the_list_is_empty() {
        let page = ListPage {
            title: "Flags",
            create: Some(("/new", "Make a flag")),
            none: "There is no flag yet",
            about: "A <flag>.",
            live: None,
        };
        let none = page.draw(&html! {}, None).into_string();
        assert!(
            none.contains("A &lt;flag&gt;.") && none.contains("href=\"/new\""),
            "{none}"
        );
        let reader = ListPage {
            create: None,
            ..page
        };
        let rows = resource_table("All", &[Heading::Number("n")], &html! { tr {} });
        let some = reader.draw(&html! {}, Some(rows)).into_string();
        assert!(
            some.contains("<th class=\"num\"") && !some.contains("/new"),
            "{some}"
        );
    }
}
