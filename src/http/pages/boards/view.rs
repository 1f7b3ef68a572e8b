//! The page of a board: its range and its panels, each as far as the reader may see it.

use std::sync::Arc;

use serde_json::json;

use super::panels::PanelView;
use crate::{
    actors::{
        boards::{BoardFields, BoardQuery, BoardReader, LoadedPanel, PanelContent, PanelWidth},
        monitors::MonitorEntry,
    },
    http::{
        Shared,
        pages::{
            prelude::*,
            site::{
                dashboard::{ROWS, metrics_body},
                period::{PeriodQuery, draw_range},
            },
        },
        procedures::uptime_summary::SummaryOut,
    },
    ids::OrganizationId,
    pages::part::notice,
};

pub(in crate::http::pages) struct BoardView<'a> {
    pub(in crate::http::pages) owner: &'a OrganizationId,
    pub(in crate::http::pages) fields: &'a BoardFields,
    pub(in crate::http::pages) path: &'a str,
    pub(in crate::http::pages) period: &'a PeriodQuery,
    pub(in crate::http::pages) reader: BoardReader<'a>,
}

impl BoardView<'_> {
    /// The range and the panels, which are asked for together.
    pub(in crate::http::pages) async fn draw(&self, shared: &Shared) -> Result<Markup, Fault> {
        let period = self.period;
        let query = BoardQuery {
            metrics: metrics_body(period),
            days: period.body(&json!([]), ROWS),
            rows: ROWS,
            now_ms: period.now_ms,
        };
        let (owner, panels) = (self.owner, &self.fields.panels);
        let resources = shared.boards.resources();
        let loaded = resources.load(owner, panels, self.reader, &query).await?;
        let monitors: Vec<Arc<MonitorEntry>> = loaded.iter().filter_map(monitor).collect();
        let summaries = SummaryOut::load(shared, &monitors).await?;
        let view = PanelView {
            period,
            summaries: &summaries,
            has_links: matches!(self.reader, BoardReader::Caller(_)),
        };
        Ok(html! {
            @if let Some(text) = &self.fields.description { p.lead { (text) } }
            (draw_range(period, self.path, true))
            @for message in period.problems.above(&[]) { (notice("bad", &html! { (message) })) }
            div.grid.board { @for panel in &loaded {
                section.panel.wide[panel.fields.width == PanelWidth::Full] { (view.draw(panel)) }
            } }
        })
    }
}

fn monitor(panel: &LoadedPanel<'_>) -> Option<Arc<MonitorEntry>> {
    match &panel.content {
        PanelContent::Monitor(monitor) => Some(Arc::clone(monitor)),
        _ => None,
    }
}
