//! What can be chosen of how a table is made. It stands in the address among the filters, because that is what queries read.

use maud::{Markup, html};

use super::tables::Setting;
use crate::{
    http::pages::site::days::SET,
    pages::{part::hidden, view::View},
};

/// A form of them; an empty field says nothing.
pub(super) fn draw(settings: &[Setting], view: &View, path: &str) -> Markup {
    let value = |setting: &Setting| {
        let mut filters = view.filters.iter();
        let own = filters.find(|filter| filter.field == setting.field);
        own.map_or("", |filter| filter.value.as_str())
    };
    html! {
        form.search method="get" action=(path) {
            @for (name, value) in view.pairs() { (hidden(name, &value)) }
            @for setting in settings {
                @let name = format!("{SET}{}", setting.field);
                div.field {
                    label for=(name) { (setting.title) }
                    @if setting.among.is_empty() {
                        input id=(name) name=(name) type=(setting.kind) value=(value(setting)) placeholder=(setting.example);
                    } @else {
                        select id=(name) name=(name) {
                            @for (own, word) in setting.among { option value=(own) selected[*own == value(setting)] { (word) } }
                        }
                    }
                }
            }
            button.button type="submit" { "Show" }
        }
    }
}
