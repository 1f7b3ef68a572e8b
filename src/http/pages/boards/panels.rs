//! What is in a panel.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::{
    actors::{
        boards::{LoadedPanel, PanelContent, PanelFields, PanelType, ResourceKind},
        monitors::MonitorEntry,
    },
    analytics::run::Answers,
    http::{
        pages::{
            monitors::draw_summary,
            prelude::*,
            site::{
                dashboard::{NO_DATA, draw_figure, draw_list, draw_trend},
                day_chart::{DayChart, fill_days},
                period::PeriodQuery,
            },
        },
        procedures::uptime_summary::SummaryOut,
    },
    pages::{
        frame::site_path,
        part::{RankedRow, empty, notice, ranked_list},
        view::View,
    },
};

/// Variants of a flag in its list.
const MAX_VARIANTS: usize = 5;

/// What panels are drawn with.
pub(super) struct PanelView<'a> {
    pub(super) period: &'a PeriodQuery,
    pub(super) summaries: &'a [SummaryOut],
    /// Whether panels lead to the pages of what they show.
    pub(super) has_links: bool,
}

impl PanelView<'_> {
    pub(super) fn draw(&self, panel: &LoadedPanel<'_>) -> Markup {
        html! {
            div.panel-head {
                h2 { (self.period.texts().label(panel.fields.title())) }
                @if !panel.name.is_empty() {
                    @if self.has_links { a.small href=(self.link(panel.fields)) { (panel.name) } }
                    @else { span.dim.small { (panel.name) } }
                }
            }
            (self.draw_content(panel))
        }
    }

    /// The page of what a panel shows, with the range of the board where it has one.
    fn link(&self, panel: &PanelFields) -> String {
        let id = &panel.resource_id;
        match panel.kind.resource() {
            ResourceKind::Website => {
                let metric = panel.metric.map_or("", |metric| metric.as_str());
                let view = View {
                    metric: metric.to_owned(),
                    ..self.period.view.for_reports()
                };
                view.address(&site_path(id))
            }
            ResourceKind::Link => format!("/console/link/{id}"),
            ResourceKind::Monitor => format!("/console/monitor/{id}"),
            ResourceKind::Flag => format!("/console/flag/{id}"),
        }
    }

    fn draw_content(&self, panel: &LoadedPanel<'_>) -> Markup {
        let texts = self.period.texts();
        match &panel.content {
            PanelContent::Metric(answers) => self.draw_metric(panel.fields, answers),
            PanelContent::Table(answers) => self.draw_table(panel.fields, answers),
            PanelContent::Clicks(answers) => self.draw_clicks(answers),
            PanelContent::Monitor(monitor) => self.draw_monitor(monitor),
            PanelContent::Evaluations(flag, answers) => self.draw_evaluations(flag, answers),
            PanelContent::Missing => empty(
                texts.label("No longer available"),
                &html! { (texts.label("It was deleted, or belongs to another organization.")) },
            ),
            PanelContent::Hidden => empty(
                texts.label("Not shared"),
                &html! { (texts.label("Sign in to see this panel.")) },
            ),
            PanelContent::Failed(message) => notice("warn", &html! { (message) }),
        }
    }

    fn draw_metric(&self, panel: &PanelFields, answers: &Answers) -> Markup {
        let period = self.period.with_view(View {
            metric: panel.metric().as_str().to_owned(),
            ..self.period.view.clone()
        });
        match panel.kind {
            PanelType::WebsiteNumber => draw_figure(&period, answers),
            _ => draw_trend(&period, answers, &[]),
        }
    }

    fn draw_table(&self, panel: &PanelFields, answers: &Answers) -> Markup {
        let kind = panel.dimension().query_type();
        let rows = match answers.rows::<Value>(kind) {
            Ok(rows) => rows,
            Err(message) => return notice("warn", &html! { (message) }),
        };
        let period = self.period.with_view(self.period.view.for_reports());
        let path = site_path(&panel.resource_id);
        let path = self.has_links.then_some(path.as_str());
        html! {
            @if rows.is_empty() { p.dim { (period.texts().label(NO_DATA)) } }
            @else { (draw_list(&period, kind, &rows, path)) }
        }
    }

    fn draw_clicks(&self, answers: &Answers) -> Markup {
        let rows = answers.rows::<ClickRow>("link_clicks_by_day");
        let rows = match rows {
            Ok(rows) => rows,
            Err(message) => return notice("warn", &html! { (message) }),
        };
        let mut days: BTreeMap<&str, f64> = BTreeMap::new();
        for row in &rows {
            *days.entry(day(&row.date)).or_default() += row.clicks as f64;
        }
        let total = rows.iter().map(|row| row.clicks).sum();
        html! {
            p.big { (self.period.texts().clicks(total, &self.period.texts().count(total))) }
            (self.draw_days("Clicks", &days))
        }
    }

    fn draw_monitor(&self, monitor: &MonitorEntry) -> Markup {
        let id = monitor.spec().id.as_str();
        let summary = self.summaries.iter().find(|one| one.schedule_id == id);
        let (date_format, now_ms) = (&self.period.date_format, self.period.now_ms);
        html! { @if let Some(summary) = summary { (draw_summary(monitor, summary, date_format, now_ms)) } }
    }

    fn draw_evaluations(&self, flag: &str, answers: &Answers) -> Markup {
        let rows = answers.rows::<EvaluationRow>("flag_evaluations_by_variant");
        let mut rows = match rows {
            Ok(rows) => rows,
            Err(message) => return notice("warn", &html! { (message) }),
        };
        rows.retain(|row| row.flag == flag);
        if rows.is_empty() {
            return html! { p.dim { (self.period.texts().label("No evaluations in this period.")) } };
        }
        let mut days: BTreeMap<&str, f64> = BTreeMap::new();
        let mut variants: BTreeMap<&str, u64> = BTreeMap::new();
        for row in &rows {
            *days.entry(day(&row.date)).or_default() += row.evaluations as f64;
            *variants.entry(&row.variant).or_default() += row.evaluations;
        }
        let mut variants: Vec<RankedRow> = variants
            .into_iter()
            .map(|(name, count)| RankedRow {
                name: name.to_owned(),
                link: None,
                numbers: vec![count],
            })
            .collect();
        variants.sort_by_key(|row| std::cmp::Reverse(row.numbers[0]));
        variants.truncate(MAX_VARIANTS);
        html! {
            (self.draw_days("Evaluations", &days))
            (ranked_list(self.period.texts(), "Variant", &["Evaluations"], &variants))
        }
    }

    /// A count of every day.
    fn draw_days(&self, title: &str, days: &BTreeMap<&str, f64>) -> Markup {
        let period = self.period.with_view(View {
            grain: "daily".to_owned(),
            ..self.period.view.clone()
        });
        let chart = DayChart {
            title: period.texts().label(title),
            days: &fill_days(&period, days, Some(0.0)),
            period: &period,
            is_whole: true,
            written: &|count| period.texts().count(count as u64),
            others: &[],
        };
        chart.draw()
    }
}

/// The date of a step.
fn day(step: &str) -> &str {
    step.get(..10).unwrap_or(step)
}

#[derive(Deserialize)]
struct ClickRow {
    date: String,
    clicks: u64,
}

#[derive(Deserialize)]
struct EvaluationRow {
    date: String,
    flag: String,
    variant: String,
    evaluations: u64,
}
