//! The content of a board's report: a number or a list for each of its panels.

use serde_json::{Value, json};

use super::{
    Period, ReportContent, Schedule,
    content::{
        ROWS, ReportList, ReportNumber, Totals, change, percent, rows, totals, totals_parameters,
    },
};
use crate::{
    actors::boards::{
        BoardQuery, BoardReader, BoardResources, LoadedPanel, Metric, PanelContent, PanelFields,
    },
    ids::OrganizationId,
    locale::Texts,
};

impl ReportContent {
    /// Loads the report of an organization's panels, as far as the reader may see them, in the reader's language.
    ///
    /// # Errors
    /// What a panel shows cannot be asked for.
    pub async fn load_board(
        resources: &BoardResources,
        (owner, panels): (&OrganizationId, &[PanelFields]),
        (reader, texts): (BoardReader<'_>, Texts),
        (schedule, period): (&Schedule, Period),
        now_ms: i64,
    ) -> anyhow::Result<Self> {
        let days = json!({
            "startDate": period.first.to_string(),
            "endDate": period.last.to_string(),
            "timeZone": schedule.zone.name(),
        });
        let mut metrics = days.clone();
        metrics["parameters"] = json!(totals_parameters(*schedule, period));
        let query = BoardQuery {
            metrics,
            days,
            rows: ROWS,
            now_ms,
        };
        let mut content = Self::default();
        for panel in resources.load(owner, panels, reader, &query).await? {
            let days = (period.first, period.last);
            let uptime = match &panel.content {
                PanelContent::Monitor(monitor) => resources.uptime(monitor, days).await?,
                _ => None,
            };
            content.add(texts, &panel, uptime)?;
        }
        Ok(content)
    }

    fn add(
        &mut self,
        texts: Texts,
        panel: &LoadedPanel<'_>,
        uptime: Option<f64>,
    ) -> anyhow::Result<()> {
        let title = match panel.name.as_str() {
            "" => panel.fields.title().to_owned(),
            name => format!("{name}: {}", panel.fields.title()),
        };
        let (value, change) = match &panel.content {
            PanelContent::Metric(answers) => {
                let (now, before) = (totals(answers, "now")?, totals(answers, "before")?);
                write_metric(texts, panel.fields.metric(), &now, &before)
            }
            PanelContent::Table(answers) => {
                let rows = rows(answers, panel.fields.dimension().query_type())?;
                self.lists.push(ReportList { title, rows });
                return Ok(());
            }
            PanelContent::Clicks(answers) => {
                let rows = rows::<Value>(answers, "link_total_clicks")?;
                let total = rows.first().and_then(|row| row["total"].as_u64());
                (texts.count(total.unwrap_or(0)), String::new())
            }
            PanelContent::Evaluations(flag, answers) => {
                let rows = rows::<Value>(answers, "flag_evaluations_by_variant")?;
                let own = rows.iter().filter(|row| row["flag"] == flag.as_str());
                let count = own.filter_map(|row| row["evaluations"].as_u64()).sum();
                (texts.count(count), String::new())
            }
            PanelContent::Monitor(_) => {
                let uptime = match uptime {
                    Some(percent) => texts.report_uptime(&texts.number(&format!("{percent}%"))),
                    None => texts.report_not_checked(),
                };
                (uptime.into_owned(), String::new())
            }
            PanelContent::Missing => (texts.report_gone().into_owned(), String::new()),
            PanelContent::Hidden => return Ok(()),
            PanelContent::Failed(message) => anyhow::bail!("{title}: {message}"),
        };
        self.numbers.push(ReportNumber {
            label: title,
            value,
            change,
        });
        Ok(())
    }
}

/// A metric and its change.
fn write_metric(texts: Texts, metric: Metric, now: &Totals, before: &Totals) -> (String, String) {
    let of = |totals: &Totals| match metric {
        Metric::Visitors => totals.visitors as f64,
        Metric::Pageviews => totals.pageviews as f64,
        Metric::Sessions => totals.sessions as f64,
        Metric::PagesPerSession => totals.pageviews as f64 / totals.sessions.max(1) as f64,
        Metric::BounceRate => totals.bounce_rate,
        Metric::MedianSessionDuration => totals.median_session_duration,
    };
    let (now, before) = (of(now), of(before));
    let value = match metric {
        Metric::Visitors | Metric::Pageviews | Metric::Sessions => texts.count(now as u64),
        Metric::PagesPerSession => texts.number(&format!("{now:.1}")),
        Metric::BounceRate => percent(texts, now),
        Metric::MedianSessionDuration => texts.duration(now),
    };
    (value, change(texts, now, before))
}
