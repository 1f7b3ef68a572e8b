//! The rows of lists as links that filter by them, and the tabs of a panel's lists.

use serde_json::Value;

use super::lists::{List, PANELS, Panel};
use crate::{
    http::pages::{prelude::*, site::period::PeriodQuery},
    pages::view::View,
};

/// Where rows lead.
pub(super) struct FilterLinks<'a> {
    pub(super) period: &'a PeriodQuery,
    /// The page that a row filters.
    pub(super) path: &'a str,
}

impl FilterLinks<'_> {
    /// The name of a row, and the link that filters by it.
    pub(super) fn name(&self, list: &List, row: &Value) -> (String, Option<(String, String)>) {
        let text = row[list.key].as_str().filter(|text| !text.is_empty());
        let text = text.unwrap_or("(none)");
        let filter = self.period.texts().label("Filter by");
        let link = self
            .view(list, row)
            .map(|view| (view.address(self.path), format!("{filter} {text}")));
        (text.to_owned(), link)
    }

    /// The address that filters by a country and lists its regions.
    pub(super) fn drill_down(&self, list: &List, row: &Value) -> Option<String> {
        let view = self.view(list, row)?.with_tab("locations", "region");
        Some(view.address("") + "#locations")
    }

    /// The view that is filtered by a row.
    fn view(&self, list: &List, row: &Value) -> Option<View> {
        // Channels know no word for none.
        let is_known = list.field != "channel" || row[list.key] != "Direct";
        let can = is_known && !list.field.is_empty();
        let value = row[list.value].as_str();
        let value = value.filter(|value| can && !value.is_empty())?;
        Some(self.period.view.with_filter(list.field, "eq", value))
    }
}

/// The lists of a panel on the page `path`.
pub(super) fn list_tabs(
    period: &PeriodQuery,
    panel: &Panel,
    selected: &List,
    path: &str,
    is_public: bool,
) -> Markup {
    let texts = period.texts();
    html! {
        nav.tabs.small aria-label=(texts.label(panel.title)) {
            @for one in panel.choices(is_public) {
                @let view = period.view.with_tab(panel.name, one.name);
                a href=(format!("{}#{}", view.address(path), panel.name))
                    aria-current=[(one.name == selected.name).then_some("true")] { (texts.label(one.title)) }
            }
        }
    }
}

/// Rows of a query type that a list shows. With the path of a website's dashboard, each leads there, filtered by it.
pub(in crate::http::pages) fn draw_list(
    period: &PeriodQuery,
    kind: &str,
    rows: &[Value],
    path: Option<&str>,
) -> Markup {
    let mut lists = PANELS.iter().flat_map(|panel| panel.lists);
    let Some(list) = lists.find(|list| list.kind == kind) else {
        return html! {};
    };
    let links = FilterLinks {
        period,
        path: path.unwrap_or_default(),
    };
    list.draw(period.texts(), rows, |row| {
        let (name, link) = links.name(list, row);
        (name, link.filter(|_| path.is_some()))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{actors::boards::Dimension, pages::time::DateFormat};

    #[test]
    fn every_table_of_a_board_is_a_list() {
        let period = PeriodQuery::read("", &[], DateFormat::default(), 1_791_979_200_000);
        let rows = [json!({ "name": "<b>", "domain": "<b>" })];
        for dimension in Dimension::ALL {
            let draw = |path| {
                let drawn = draw_list(&period, dimension.query_type(), &rows, path);
                drawn.into_string()
            };
            let drawn = draw(None);
            assert!(drawn.contains("&lt;b&gt;"), "{dimension:?}: {drawn}");
            assert!(!drawn.contains("<a "), "{dimension:?}: {drawn}");
        }
        let linked = draw_list(&period, "top_pages", &rows, Some("/x"));
        assert!(linked.into_string().contains("href=\"/x?f=path"));
    }
}
