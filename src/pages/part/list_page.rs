//! Lists of all things of a kind: a title with the way to a new one, and a table of them, or what stands where there is none.

use maud::{Markup, html};

use super::empty;

/// What the column of a table is called.
#[derive(Debug, Clone, Copy)]
pub enum Heading<'a> {
    Text(&'a str),
    /// Of numbers, which stand to the right.
    Number(&'a str),
    /// Only for who does not see the table, above buttons.
    Hidden(&'a str),
}

/// The beginning of a page with all things of a kind.
#[derive(Debug, Clone, Copy)]
pub struct ListPage<'a> {
    pub title: &'a str,
    /// Where a new one is made, and what the button says; `None` where the reader may not.
    pub create: Option<(&'a str, &'a str)>,
    /// That there is none.
    pub none: &'a str,
    /// What one is.
    pub about: &'a str,
    /// The id of the table, where the script looks again every half minute.
    pub live: Option<&'a str>,
}

impl ListPage<'_> {
    /// The page; `above` stands between its title and its table, which is `None` where there is nothing.
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

/// A table whose rows are things with pages of their own.
pub fn things(caption: &str, headings: &[Heading<'_>], rows: &Markup) -> Markup {
    html! {
        table.table.sites {
            caption.hide { (caption) }
            thead { tr { @for heading in headings {
                @match heading {
                    Heading::Text(said) => th scope="col" { (said) },
                    Heading::Number(said) => th.num scope="col" { (said) },
                    Heading::Hidden(said) => th scope="col" { span.hide { (said) } },
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
        let rows = things("All", &[Heading::Number("n")], &html! { tr {} });
        let some = reader.draw(&html! {}, Some(rows)).into_string();
        assert!(
            some.contains("<th class=\"num\"") && !some.contains("/new"),
            "{some}"
        );
    }
}
