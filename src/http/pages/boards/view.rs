//! The page of a board: its range and its panels, each as far as the reader may see it.

use std::sync::Arc;

use futures_util::StreamExt as _;
use serde_json::json;

use super::panels::PanelView;
use crate::{
    access::Principal,
    actors::{
        boards::{BoardFields, BoardQuery, BoardReader, LoadedPanel, PanelContent, PanelWidth},
        monitors::MonitorEntry,
    },
    http::{
        Shared,
        edge::RequestId,
        pages::{
            context::PublicContext,
            prelude::*,
            resource::Tail,
            site::{
                dashboard::{ROWS, metrics_body},
                period::{PeriodQuery, draw_range},
            },
            stream::awaited,
        },
        procedures::uptime_summary::SummaryOut,
    },
    ids::OrganizationId,
    pages::part::notice,
};

pub(in crate::http::pages) struct BoardView {
    pub(in crate::http::pages) owner: OrganizationId,
    pub(in crate::http::pages) fields: BoardFields,
    pub(in crate::http::pages) period: PeriodQuery,
    /// Who reads it; `None` = everyone who has a share link of it.
    pub(in crate::http::pages) caller: Option<Principal>,
}

impl BoardView {
    /// What is known without a query.
    pub(in crate::http::pages) fn draw_head(&self, path: &str) -> Markup {
        html! {
            @if let Some(text) = &self.fields.description { p.lead { (text) } }
            (draw_range(&self.period, path, true))
            @for message in self.period.problems.above(&[]) { (notice("bad", &html! { (message) })) }
        }
    }

    /// The panels, once all of them are answered.
    pub(in crate::http::pages) fn tail(self, public: &PublicContext) -> Tail {
        let (texts, request) = (
            self.period.texts(),
            RequestId::from_request(&public.request),
        );
        let call = public.call.clone();
        let panels = async move { self.draw_panels(&call.shared).await };
        awaited(texts, request, panels).boxed_local()
    }

    /// The panels, which are asked for together.
    async fn draw_panels(&self, shared: &Shared) -> Result<Markup, Fault> {
        let period = &self.period;
        let caller = self.caller.as_ref();
        let reader = caller.map_or(BoardReader::Public, BoardReader::Caller);
        let query = BoardQuery {
            metrics: metrics_body(period),
            days: period.body(&json!([]), ROWS),
            rows: ROWS,
            now_ms: period.now_ms,
        };
        let (owner, panels) = (&self.owner, &self.fields.panels);
        let resources = shared.boards.resources();
        let loaded = resources.load(owner, panels, reader, &query).await?;
        let monitors: Vec<Arc<MonitorEntry>> = loaded.iter().filter_map(monitor).collect();
        let summaries = SummaryOut::load(shared, &monitors).await?;
        let view = PanelView {
            period,
            summaries: &summaries,
            has_links: caller.is_some(),
        };
        Ok(html! {
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
