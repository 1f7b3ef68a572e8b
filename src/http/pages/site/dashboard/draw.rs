//! The dashboard as it is seen.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::{
    ask,
    lists::{List, PANELS, Panel},
    notes::{self, Note},
    places, trend,
};
use crate::{
    analytics::run::Answers,
    http::pages::site::{
        behind::{exports, question},
        days::{PeriodQuery, bar},
    },
    pages::{
        number,
        part::{Ranked, empty, notice, ranked},
        problem::Problems,
        view::View,
    },
};

/// Everything that is seen.
pub(in super::super) struct Seen<'a> {
    pub(in super::super) id: &'a str,
    pub(in super::super) name: &'a str,
    pub(in super::super) domain: &'a str,
    pub(in super::super) path: &'a str,
    pub(in super::super) asked: &'a PeriodQuery,
    /// Nothing, where the question was refused as a whole.
    pub(in super::super) answers: Option<&'a Answers>,
    pub(in super::super) problems: &'a Problems,
    pub(in super::super) notes: &'a [Note],
    /// Whether the form for notes is shown.
    pub(in super::super) may_write: bool,
    /// Whether everybody may see it: what is public of it, and no ways to more.
    pub(in super::super) public: bool,
    /// `{base_url}`.
    pub(in super::super) base: &'a str,
}

impl Seen<'_> {
    pub(in super::super) fn draw(&self) -> Markup {
        let refused = self.answers.and_then(Answers::refused);
        let is_answered = refused.is_none();
        html! {
            div.title-row {
                h1 { (self.name) }
                @if let Some(answers) = self.answers.filter(|_| !self.public && is_answered) { (active(answers, self.path)) }
                div.actions { a href=(format!("https://{}/", self.domain)) rel="noopener noreferrer" target="_blank" { (self.domain) } }
            }
            (bar(self.asked, self.path, true))
            @if self.may_write && is_answered && !self.asked.view.filters.is_empty() { p.small { a href=(self.asked.view.address(&format!("{}/segments", self.path))) { "Save these filters" } } }
            @for said in self.problems.above(&[]) { (notice("bad", &html! { (said) })) }
            @if let Some(said) = refused { (notice("bad", &html! { (said) })) }
            @if let Some(answers) = self.answers.filter(|_| is_answered) {
                @if Self::is_empty(answers) { (self.nothing()) }
                section.panel aria-label="Numbers" {
                    (trend::headline(self.asked, answers, self.path))
                    (trend::draw(self.asked, answers, self.notes))
                    @if !self.public { (exports(self.asked, self.id, ("table", ask::SERIES))) }
                    (notes::draw(self.may_write, self.asked, self.notes, self.path))
                }
                div.grid { @for panel in &PANELS { (self.panel(panel, answers)) } }
            }
            @if !self.public { (question(self.base, self.id, &json!(ask::bodies(self.asked, false)))) }
        }
    }

    /// Whether nothing at all was seen.
    fn is_empty(answers: &Answers) -> bool {
        let rows = answers
            .rows::<Value>("period_comparison")
            .unwrap_or_default();
        !rows.is_empty() && rows.iter().all(|row| row["current"] == 0.0)
    }

    fn nothing(&self) -> Markup {
        let next = html! {
            @if self.asked.view.filters.is_empty() {
                p { "Choose other days, or look whether events arrive." }
                @if !self.public { a.button href=(format!("{}/setup", self.path)) { "Tracking" } }
            } @else {
                p { "No visit of these days passes all filters." }
                a.button href=(View { filters: Vec::new(), ..self.asked.view.clone() }.address(self.path)) { "Remove the filters" }
            }
        };
        html! { div.panel { (empty("Nothing was seen in these days", &next)) } }
    }

    fn panel(&self, panel: &Panel, answers: &Answers) -> Markup {
        let list = ask::list(self.asked, panel, self.public);
        let rows = answers.rows::<Value>(panel.name);
        html! {
            section.panel.wide[ask::is_whole(list)] #(panel.name) aria-label=(panel.title) {
                div.panel-head {
                    h2 { (panel.title) }
                    nav.tabs.small aria-label=(format!("Lists of {}", panel.title)) {
                        @for one in panel.offered(self.public) {
                            @let view = self.asked.view.with_tab(panel.name, one.name);
                            a href=(format!("{}#{}", view.address(self.path), panel.name))
                                aria-current=[(one.name == list.name).then_some("true")] { (one.title) }
                        }
                    }
                }
                @match &rows {
                    Ok(rows) if rows.is_empty() => p.dim { "Nothing in these days." },
                    Ok(rows) => { (self.rows(list, rows)) @if !self.public { (exports(self.asked, self.id, ("list", panel.name))) } },
                    Err(said) => (notice("warn", &html! { (said) })),
                }
            }
        }
    }

    /// A list, with the map of it where there is one.
    fn rows(&self, list: &List, rows: &[Value]) -> Markup {
        let first = &rows[..rows.len().min(ask::ROWS)];
        html! {
            @if ask::is_whole(list) {
                div.beside { div { (self.list(list, first)) } (places::draw(list, rows, |row| Some(self.way(list, row)?.address("")))) }
            } @else {
                (self.list(list, first))
            }
        }
    }

    fn list(&self, list: &List, rows: &[Value]) -> Markup {
        let row = |row: &Value| {
            let number = |(name, _): &(&str, &str)| row[*name].as_u64().unwrap_or(0);
            let (name, way) = self.word(list, row);
            let numbers = list.numbers.iter().map(number).collect();
            Ranked { name, way, numbers }
        };
        let rows: Vec<Ranked> = rows.iter().map(row).collect();
        ranked(list.title, &list.numbers.map(|(_, heading)| heading), &rows)
    }

    /// What a row is, and the way to filter by it.
    fn word(&self, list: &List, row: &Value) -> (String, Option<(String, String)>) {
        let text = row[list.key].as_str().filter(|text| !text.is_empty());
        let text = text.unwrap_or("(none)");
        let way = self
            .way(list, row)
            .map(|view| (view.address(self.path), format!("Only {text}")));
        (text.to_owned(), way)
    }

    /// What is looked at where only this row counts.
    fn way(&self, list: &List, row: &Value) -> Option<View> {
        // Channels know no word for none.
        let is_known = list.field != "channel" || row[list.key] != "Direct";
        let can = is_known && !list.field.is_empty();
        let value = row[list.value].as_str();
        let value = value.filter(|value| can && !value.is_empty())?;
        Some(self.asked.view.with_filter(list.field, "eq", value))
    }
}

/// Who is there now.
fn active(answers: &Answers, path: &str) -> Markup {
    let rows = answers.rows::<Value>("active_stats").unwrap_or_default();
    let now = rows
        .first()
        .and_then(|row| row["active_users"].as_u64())
        .unwrap_or(0);
    html! { a.now.on[now > 0] href=(format!("{path}/now")) { (number::full(now)) " now" } }
}
