//! The HTML of the dashboard.

use futures_util::{FutureExt as _, Stream, StreamExt as _, stream::iter};
use maud::PreEscaped;
use serde_json::{Value, json};

use super::{
    annotations::{self, Annotation},
    country_map, details,
    lists::{List, PANELS, Panel},
    queries,
    rows::{FilterLinks, list_tabs},
    trend,
};
use crate::{
    analytics::run::Answers,
    http::pages::{
        prelude::*,
        reader::Reader,
        site::{
            data_access::{draw_exports, draw_query},
            period::{PeriodQuery, bar},
        },
        stream::answered,
    },
    pages::{
        number,
        part::{empty, notice},
        view::View,
    },
};

/// What a panel says that has nothing to show.
pub(in crate::http::pages) const NO_DATA: &str = "No data for this period";

/// A dashboard, before its queries are answered.
pub(in super::super) struct Dashboard {
    pub(in super::super) id: String,
    pub(in super::super) name: String,
    pub(in super::super) domain: String,
    pub(in super::super) path: String,
    pub(in super::super) period: PeriodQuery,
    /// Whether the form for annotations is shown.
    pub(in super::super) can_write: bool,
    /// Whether it is the public dashboard, without links to the rest.
    pub(in super::super) is_public: bool,
    /// `{base_url}`.
    pub(in super::super) base: String,
}

impl Dashboard {
    /// What is known without a query.
    pub(in super::super) fn draw_head(&self) -> Markup {
        html! {
            div.title-row {
                h1 { (self.name) }
                div.actions { a href=(format!("https://{}/", self.domain)) rel="noopener noreferrer" target="_blank" { (self.domain) } }
            }
            (bar(&self.period, &self.path, true, &[]))
            @if self.can_write && !self.period.view.filters.is_empty() { p.small { a href=(self.period.view.address(&format!("{}/segments", self.path))) { "Save as segment" } } }
            @for message in self.period.problems.above(&[]) { (notice("bad", &html! { (message) })) }
        }
    }

    /// The rest, a part for each of its queries, once the annotations of the chart are there.
    pub(in super::super) fn parts(
        self,
        reader: Reader,
        annotations: impl Future<Output = Vec<Annotation>> + 'static,
    ) -> impl Stream<Item = Markup> + 'static {
        let bodies = queries::bodies(&self.period, self.is_public);
        let last = bodies.len() - 1;
        let query = (!self.is_public).then(|| draw_query(&self.base, &self.id, &json!(bodies)));
        let parts = annotations.map(move |annotations| {
            let texts = self.period.texts();
            answered(texts, reader, bodies, move |place, answers| match place {
                0 => self.draw_trend(answers, &annotations),
                1 => self.draw_numbers(answers),
                place if place == last => self.draw_panels(answers),
                _ => html! {},
            })
        });
        parts.flatten_stream().chain(iter(query))
    }

    /// The beginning of the panel of the numbers, which [`Self::draw_numbers`] ends: the style sheet puts the numbers above their chart.
    fn draw_trend(&self, answers: &Answers, annotations: &[Annotation]) -> Markup {
        html! {
            @if Self::is_empty(answers) { (self.draw_empty()) }
            (PreEscaped("<section class=\"panel metrics\" aria-label=\"")) (self.period.texts().label("Metrics")) (PreEscaped("\">"))
            @if !self.is_public { div.panel-head { h2 { "Metrics" } (draw_active(answers, &self.period, &self.path)) } }
            div.trend {
                (trend::draw(&self.period, answers, annotations))
                @if !self.is_public { (draw_exports(&self.period, &self.id, ("table", queries::SERIES))) }
                (annotations::draw(self.can_write, &self.period, annotations, &self.path))
            }
        }
    }

    fn draw_numbers(&self, answers: &Answers) -> Markup {
        html! {
            div.numbers { (trend::headline(&self.period, answers, &self.path)) }
            (PreEscaped("</section>"))
        }
    }

    fn draw_panels(&self, answers: &Answers) -> Markup {
        html! { div.grid { @for panel in &PANELS { (self.draw_panel(panel, answers)) } } }
    }

    /// Whether there is no data.
    fn is_empty(answers: &Answers) -> bool {
        let rows = answers.rows::<Value>("now").unwrap_or_default();
        let is_zero = |row: &Value| {
            ["visitors", "pageviews", "sessions"]
                .iter()
                .all(|name| row[*name] == 0.0)
        };
        !rows.is_empty() && rows.iter().all(is_zero)
    }

    fn draw_empty(&self) -> Markup {
        let texts = self.period.texts();
        let next = html! {
            @if !self.period.view.filters.is_empty() {
                p { (texts.label("No sessions match all filters.")) }
                a.button href=(View { filters: Vec::new(), ..self.period.view.clone() }.address(&self.path)) { (texts.label("Remove filters")) }
            } @else if self.is_public {
                p { (texts.label("Choose another date range.")) }
            } @else {
                p { "Choose another date range, or check your installation." }
                a.button href=(format!("{}/setup", self.path)) { "Check installation" }
            }
        };
        html! { div.panel { (empty(texts.label(NO_DATA), &next)) } }
    }

    fn draw_panel(&self, panel: &Panel, answers: &Answers) -> Markup {
        let list = queries::selected_list(&self.period, panel, self.is_public);
        let rows = answers.rows::<Value>(panel.name);
        let texts = self.period.texts();
        let title = texts.label(panel.title);
        html! {
            section.panel.wide[queries::is_whole(list)] #(panel.name) aria-label=(title) {
                div.panel-head {
                    h2 { (title) }
                    (list_tabs(&self.period, panel, list, &self.path, self.is_public))
                }
                @match &rows {
                    Ok(rows) if rows.is_empty() => p.dim { (texts.label(NO_DATA)) },
                    Ok(rows) => { (self.draw_rows(list, rows)) @if !self.is_public { (self.draw_more(panel, rows)) } },
                    Err(message) => (notice("warn", &html! { (message) })),
                }
            }
        }
    }

    /// A list, with the map of it where there is one.
    fn draw_rows(&self, list: &List, rows: &[Value]) -> Markup {
        let texts = self.period.texts();
        let first = &rows[..rows.len().min(queries::ROWS)];
        let links = FilterLinks {
            period: &self.period,
            path: &self.path,
        };
        html! {
            @if queries::is_whole(list) {
                div.beside { div { (list.draw(texts, first, |row| links.name(list, row))) } (country_map::draw(texts, list, rows, |row| links.drill_down(list, row))) }
            } @else {
                (list.draw(texts, first, |row| links.name(list, row)))
            }
        }
    }

    /// The way to all rows, and their exports.
    fn draw_more(&self, panel: &Panel, rows: &[Value]) -> Markup {
        let details = details::path(&self.path, panel);
        html! {
            div.panel-foot {
                @if rows.len() >= queries::ROWS { a href=(self.period.view.address(&details)) aria-label=(format!("Details: {}", panel.title)) { "Details" } }
                (draw_exports(&self.period, &self.id, ("list", panel.name)))
            }
        }
    }
}

/// The visitors who are online.
fn draw_active(answers: &Answers, period: &PeriodQuery, path: &str) -> Markup {
    let rows = answers.rows::<Value>("active_stats").unwrap_or_default();
    let now = rows
        .first()
        .and_then(|row| row["active_users"].as_u64())
        .unwrap_or(0);
    html! { a.now.on[now > 0] href=(period.view.address(&format!("{path}/now"))) { (number::full(now)) " online" } }
}
