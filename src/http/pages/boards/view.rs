//! The page of a board: its range and its panels, each as far as the reader may see it.

use std::sync::Arc;

use futures_util::StreamExt as _;
use serde_json::json;

use super::panels::PanelView;
use crate::{
    access::Principal,
    actors::boards::{BoardFields, BoardQuery, BoardReader, LoadedPanel, PanelContent, PanelWidth},
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
            stream::{PartSender, in_turn, wrapped},
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

    /// The panels, each as soon as it and those before it are answered.
    pub(in crate::http::pages) fn tail(self, public: &PublicContext) -> Tail {
        let (texts, request) = (
            self.period.texts(),
            RequestId::from_request(&public.request),
        );
        let call = public.call.clone();
        let parts = in_turn(texts, request, |sender| async move {
            self.send_panels(&call.shared, &sender).await
        });
        wrapped("<div class=\"grid board\">", parts, "</div>").boxed_local()
    }

    async fn send_panels(&self, shared: &Shared, sender: &PartSender) -> Result<(), Fault> {
        let period = &self.period;
        let caller = self.caller.as_ref();
        let reader = caller.map_or(BoardReader::Public, BoardReader::Caller);
        let query = BoardQuery {
            metrics: metrics_body(period),
            days: period.body(&json!([]), ROWS),
            rows: ROWS,
            now_ms: period.now_ms,
        };
        let board = (&self.owner, self.fields.panels.as_slice());
        let resources = shared.boards.resources();
        let draw = async |mut panel: LoadedPanel<'_>| {
            let summaries = match &panel.content {
                PanelContent::Monitor(one) => SummaryOut::load(shared, &[Arc::clone(one)]).await,
                _ => Ok(Vec::new()),
            };
            let summaries = summaries.unwrap_or_else(|fault| {
                panel.content = PanelContent::Failed(fault.message.into_owned());
                Vec::new()
            });
            let view = PanelView {
                period,
                summaries: &summaries,
                has_links: caller.is_some(),
            };
            sender.send(html! {
                section.panel.wide[panel.fields.width == PanelWidth::Full] { (view.draw(&panel)) }
            });
        };
        Ok(resources.load_each(board, reader, &query, draw).await?)
    }
}
