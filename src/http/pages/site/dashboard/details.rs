//! All rows of a panel's list: searched, sorted, and page by page.

use serde_json::{Value, json};

use super::{
    lists::{List, PANELS, Panel, panel_names},
    queries::selected_list,
    rows::{FilterLinks, list_tabs},
};
use crate::{
    analytics::catalogue::find,
    http::pages::{
        prelude::*,
        site::{
            data_access::{draw_exports, draw_query},
            period::{PeriodQuery, bar, filtered_address},
        },
    },
    pages::{
        frame::site_path,
        part::{empty, hidden, notice},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/site/{id}/details/{panel}", |route| {
        route.to(show)
    })]
}

/// The path of a panel's page.
pub(super) fn path(site: &str, panel: &Panel) -> String {
    format!("{site}/details/{}", panel.name)
}

/// Rows of a page.
const ROWS: usize = 50;
/// The last page that can be asked for.
const MAX_PAGE: usize = 1_000;

/// What an address chooses of a list.
struct Selection {
    search: String,
    /// The column that rows are sorted by.
    sort: String,
    ascending: bool,
    /// From one on.
    page: usize,
}

impl Selection {
    fn read(context: &PageContext, list: &List) -> Self {
        let sort = context.parameter("sort");
        let can = find(list.kind).is_some_and(|kind| kind.sortable().contains(&sort.as_str()));
        let page = context.parameter("page").parse().unwrap_or(1);
        Self {
            search: context.parameter("q").trim().to_owned(),
            sort: if can {
                sort
            } else {
                list.numbers[0].0.to_owned()
            },
            ascending: context.parameter("order") == "asc",
            page: page.clamp(1, MAX_PAGE),
        }
    }

    fn first(&self) -> usize {
        (self.page - 1) * ROWS
    }

    /// The query: a row more than the page shows tells whether there is a next page.
    fn body(&self, period: &PeriodQuery, list: &List) -> Value {
        let mut body = period.body(&json!([list.kind]), ROWS + 1);
        body["offset"] = json!(self.first());
        body["sortBy"] = json!(self.sort);
        body["sortOrder"] = json!(if self.ascending { "asc" } else { "desc" });
        if !self.search.is_empty()
            && !list.field.is_empty()
            && let Some(filters) = body["filters"].as_array_mut()
        {
            filters.push(json!({ "field": list.field, "op": "contains", "value": self.search }));
        }
        body
    }

    /// The address of the list sorted and turned to another page.
    fn address(
        &self,
        period: &PeriodQuery,
        path: &str,
        sort: &str,
        ascending: bool,
        page: usize,
    ) -> String {
        let page = page.to_string();
        let order = if ascending { "asc" } else { "desc" };
        let own = [
            ("q", &*self.search),
            ("sort", sort),
            ("order", order),
            ("page", page.as_str()),
        ];
        let own: Vec<(&str, &str)> = own
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .collect();
        period.view.address_with(path, &own)
    }
}

async fn show(
    context: PageContext,
    place: web::Path<(String, String)>,
) -> Result<HttpResponse, Fault> {
    let (id, name) = place.into_inner();
    let website = context.website(&id).await?;
    let panel = PANELS.iter().find(|panel| panel.name == name);
    let panel = panel.ok_or_else(|| Fault::not_found("list", name.as_str()))?;
    let site = site_path(&website.id);
    let own = path(&site, panel);
    let panels = panel_names();
    if let Some(address) = filtered_address(context.request.query_string(), &own, &panels) {
        return Ok(answer::redirect(&address));
    }
    let period = PeriodQuery::load(&context, &panels).await?;
    let list = selected_list(&period, panel, false);
    let selection = Selection::read(&context, list);
    let body = selection.body(&period, list);
    let (answers, problems) = period.split(context.query(&website.id, body.clone()).await)?;
    let rows = answers.map(|answers| answers.rows::<Value>(list.kind));
    let main = html! {
        div.title-row {
            h1 { (panel.title) }
            (list_tabs(&period, panel, list, &own, false))
            div.actions { a href=(period.view.address(&site)) { "Back to dashboard" } }
        }
        (bar(&period, &own, false, &[]))
        @for message in problems.above(&[]) { (notice("bad", &html! { (message) })) }
        section.panel aria-label=(list.title) {
            @if !list.field.is_empty() { (draw_search(&period, &own, list, &selection)) }
            @match rows {
                Some(Ok(rows)) if rows.is_empty() => (empty("No data for this period", &html! { p { "Choose another date range, or change the search." } })),
                Some(Ok(rows)) => {
                    (draw_rows(&period, &site, &own, list, &selection, &rows))
                    (draw_exports(&period, &website.id, ("list", panel.name)))
                },
                Some(Err(message)) => (notice("warn", &html! { (message) })),
                None => {},
            }
        }
        (draw_query(&context.shared().urls.base, &website.id, &body))
    };
    Ok(context.show_site(NavItem::Dashboard, &website.id, panel.title, &main))
}

fn draw_search(period: &PeriodQuery, path: &str, list: &List, selection: &Selection) -> Markup {
    html! {
        form.search role="search" aria-label=(list.title) method="get" action=(path) {
            @for (name, value) in period.view.pairs() { (hidden(name, &value)) }
            div.field {
                label for="q" { "Search " (list.title.to_lowercase()) }
                input #q type="search" name="q" value=(selection.search);
            }
            button.button type="submit" { "Search" }
        }
    }
}

fn draw_rows(
    period: &PeriodQuery,
    site: &str,
    path: &str,
    list: &List,
    selection: &Selection,
    rows: &[Value],
) -> Markup {
    let shown = &rows[..rows.len().min(ROWS)];
    let links = FilterLinks { period, path: site };
    let turn = |page| selection.address(period, path, &selection.sort, selection.ascending, page);
    let heading = |column: &str, title: &str| {
        let is_own = selection.sort == column;
        let ascending = is_own && !selection.ascending;
        let sorted = is_own.then_some(if selection.ascending {
            "ascending"
        } else {
            "descending"
        });
        html! {
            th.num scope="col" aria-sort=[sorted] { a href=(selection.address(period, path, column, ascending, 1)) { (title) } }
        }
    };
    let headings = html! { @for (column, title) in list.numbers { (heading(column, title)) } };
    html! {
        (list.draw_under(period.texts(), &headings, shown, |row| links.name(list, row)))
        nav.pages aria-label="Pagination" {
            @if selection.page > 1 { a.button.small href=(turn(selection.page - 1)) rel="prev" { "Previous" } }
            span.dim { (selection.first() + 1) "–" (selection.first() + shown.len()) }
            @if rows.len() > ROWS { a.button.small href=(turn(selection.page + 1)) rel="next" { "Next" } }
        }
    }
}
