//! Reports as people read them: text, and the same as HTML without styles, which mail programs and the console show alike (pure).

use std::fmt::Write as _;

use maud::{Markup, html};

use super::{
    Frequency, Period, ReportContent, Schedule,
    content::{Row, Totals},
};
use crate::actors::delivery::line;

/// What a report is about.
#[derive(Debug, Clone, Copy)]
pub struct ReportSubject<'a> {
    /// The website's name.
    pub name: &'a str,
    pub schedule: &'a Schedule,
    pub period: Period,
    /// Where its dashboard is.
    pub dashboard: &'a str,
}

/// A report that is ready to be sent or shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportMessage {
    pub title: String,
    pub text: String,
    /// The content without a document around it.
    pub html: String,
    /// The dashboard of its days.
    pub link: String,
}

impl ReportMessage {
    pub fn new(of: &ReportSubject<'_>, content: &ReportContent) -> Self {
        let Period { first, last } = of.period;
        let link = format!("{}?from={first}&to={last}", of.dashboard);
        let title = format!("{}: {}", line(of.name), name_period(of));
        Self {
            text: draw_text(of, content),
            html: draw_html(of, content, &link).into_string(),
            title,
            link,
        }
    }
}

/// Such as “Weekly report, Nov 16 to Nov 22, 2026”.
fn name_period(of: &ReportSubject<'_>) -> String {
    let Period { first, last } = of.period;
    match of.schedule.frequency {
        Frequency::Daily => format!("Daily report, {}", first.format("%b %-d, %Y")),
        Frequency::Weekly => format!(
            "Weekly report, {} to {}",
            first.format("%b %-d"),
            last.format("%b %-d, %Y")
        ),
        Frequency::Monthly => format!("Monthly report, {}", first.format("%B %Y")),
    }
}

/// Label, value and change of every number.
fn numbers(content: &ReportContent) -> [(&'static str, String, String); 4] {
    let (now, before) = (&content.now, &content.before);
    let count = |label, of: fn(&Totals) -> u64| {
        let (now, before) = (of(now), of(before));
        (label, grouped(now), change(now as f64, before as f64))
    };
    [
        count("Visitors", |totals| totals.visitors),
        count("Pageviews", |totals| totals.pageviews),
        count("Sessions", |totals| totals.sessions),
        (
            "Bounce rate",
            format!("{:.1}%", now.bounce_rate),
            change(now.bounce_rate, before.bounce_rate),
        ),
    ]
}

fn lists(content: &ReportContent) -> [(&'static str, &[Row]); 3] {
    [
        ("Top pages", &content.pages),
        ("Sources", &content.sources),
        ("Countries", &content.countries),
    ]
}

fn draw_text(of: &ReportSubject<'_>, content: &ReportContent) -> String {
    let zone = of.schedule.zone.name();
    let mut text = format!("{}\n{} ({zone})\n\n", line(of.name), name_period(of));
    // Writing into a text does not fail.
    for (label, value, change) in numbers(content) {
        let _ = writeln!(text, "{label}: {value} ({change})");
    }
    for (title, rows) in lists(content) {
        let _ = writeln!(text, "\n{title}");
        for row in rows {
            let _ = writeln!(text, "  {}: {}", line(&row.name), grouped(row.visitors));
        }
        if rows.is_empty() {
            let _ = writeln!(text, "  No data for this period");
        }
    }
    text
}

fn draw_html(of: &ReportSubject<'_>, content: &ReportContent, link: &str) -> Markup {
    html! {
        h2 { (of.name) }
        p { (name_period(of)) " (" (of.schedule.zone.name()) ")" }
        table cellpadding="6" {
            tr { th align="left" scope="col" { "Metric" } th align="right" scope="col" { "Value" } th align="right" scope="col" { "Change" } }
            @for (label, value, change) in numbers(content) {
                tr { th align="left" scope="row" { (label) } td align="right" { (value) } td align="right" { (change) } }
            }
        }
        @for (title, rows) in lists(content) {
            h3 { (title) }
            @if rows.is_empty() { p { "No data for this period" } }
            @else {
                table cellpadding="6" {
                    tr { th align="left" scope="col" { "Name" } th align="right" scope="col" { "Visitors" } }
                    @for row in rows { tr { td { (row.name) } td align="right" { (grouped(row.visitors)) } } }
                }
            }
        }
        p { a href=(link) { "View dashboard" } }
    }
}

/// A count with commas between thousands.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The change to the period before.
fn change(now: f64, before: f64) -> String {
    if before == 0.0 {
        return "no data before".to_owned();
    }
    let percent = 100.0 * (now - before) / before;
    format!("{percent:+.1}%").replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_how_it_went_and_against_what() {
        let schedule = Schedule {
            frequency: Frequency::Weekly,
            zone: chrono_tz::Tz::UTC,
            hour: 8,
        };
        let totals = |visitors, bounce_rate| Totals {
            visitors,
            bounce_rate,
            ..Totals::default()
        };
        let content = ReportContent {
            now: totals(1_234, 40.0),
            before: totals(1_000, 50.0),
            pages: vec![Row {
                name: "/<b>".to_owned(),
                visitors: 1_000_000,
            }],
            sources: Vec::new(),
            countries: Vec::new(),
        };
        let subject = ReportSubject {
            name: "Shop & Co",
            schedule: &schedule,
            period: schedule.period(1_795_590_000_000),
            dashboard: "https://pharos.example/console/site/1",
        };
        let message = ReportMessage::new(&subject, &content);
        assert_eq!(
            message.title,
            "Shop & Co: Weekly report, Nov 16 to Nov 22, 2026"
        );
        for said in [
            "Visitors: 1,234 (+23.4%)",
            "Pageviews: 0 (no data before)",
            "Bounce rate: 40.0% (−20.0%)",
            "  /<b>: 1,000,000",
            "No data for this period",
        ] {
            assert!(message.text.contains(said), "{said}: {}", message.text);
        }
        for said in [
            "Shop &amp; Co",
            "/&lt;b&gt;",
            "from=2026-11-16&amp;to=2026-11-22",
        ] {
            assert!(message.html.contains(said), "{said}: {}", message.html);
        }
        assert!(!message.html.contains("style"), "the console shows it, too");
    }
}
