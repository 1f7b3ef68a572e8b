//! The content of a board's report: a number or a list for each of its panels.

use serde_json::{Value, json};

use super::{
    Period, ReportContent, Schedule,
    content::{ROWS, ReportList, ReportNumber, Totals, rows, totals, totals_parameters},
    written::{change, duration, grouped, percent},
};
use crate::{
    actors::boards::{
        BoardQuery, BoardReader, BoardResources, LoadedPanel, Metric, PanelContent, PanelFields,
    },
    ids::OrganizationId,
};

impl ReportContent {
    /// Loads the report of an organization's panels, as far as the reader may see them.
    ///
    /// # Errors
    /// What a panel shows cannot be asked for.
    pub async fn load_board(
        resources: &BoardResources,
        (owner, panels): (&OrganizationId, &[PanelFields]),
        reader: BoardReader<'_>,
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
            content.add(&panel, uptime)?;
        }
        Ok(content)
    }

    fn add(&mut self, panel: &LoadedPanel<'_>, uptime: Option<f64>) -> anyhow::Result<()> {
        let title = match panel.name.as_str() {
            "" => panel.fields.title().to_owned(),
            name => format!("{name}: {}", panel.fields.title()),
        };
        let (value, change) = match &panel.content {
            PanelContent::Metric(answers) => {
                let (now, before) = (totals(answers, "now")?, totals(answers, "before")?);
                write_metric(panel.fields.metric(), &now, &before)
            }
            PanelContent::Table(answers) => {
                let rows = rows(answers, panel.fields.dimension().query_type())?;
                self.lists.push(ReportList { title, rows });
                return Ok(());
            }
            PanelContent::Clicks(answers) => {
                let rows = rows::<Value>(answers, "link_total_clicks")?;
                let total = rows.first().and_then(|row| row["total"].as_u64());
                (grouped(total.unwrap_or(0)), String::new())
            }
            PanelContent::Evaluations(flag, answers) => {
                let rows = rows::<Value>(answers, "flag_evaluations_by_variant")?;
                let own = rows.iter().filter(|row| row["flag"] == flag.as_str());
                let count = own.filter_map(|row| row["evaluations"].as_u64()).sum();
                (grouped(count), String::new())
            }
            PanelContent::Monitor(_) => {
                let uptime = uptime.map(|percent| format!("{percent}% uptime"));
                (
                    uptime.unwrap_or_else(|| "not checked".to_owned()),
                    String::new(),
                )
            }
            PanelContent::Missing => ("no longer available".to_owned(), String::new()),
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
fn write_metric(metric: Metric, now: &Totals, before: &Totals) -> (String, String) {
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
        Metric::Visitors | Metric::Pageviews | Metric::Sessions => grouped(now as u64),
        Metric::PagesPerSession => format!("{now:.1}"),
        Metric::BounceRate => percent(now),
        Metric::MedianSessionDuration => duration(now),
    };
    (value, change(now, before))
}
