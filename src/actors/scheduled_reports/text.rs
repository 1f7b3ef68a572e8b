//! Reports as people read them: text, and the same as HTML without styles, which mail programs and the console show alike (pure).

use std::{borrow::Cow, fmt::Write as _};

use maud::{Markup, html};

use super::{Frequency, Period, ReportContent, Schedule};
use crate::{actors::delivery::line, locale::Texts};

/// What a report is about.
#[derive(Debug, Clone, Copy)]
pub struct ReportSubject<'a> {
    /// The name of the website or board.
    pub name: &'a str,
    pub schedule: &'a Schedule,
    pub period: Period,
    /// Where its dashboard is.
    pub dashboard: &'a str,
    pub texts: Texts,
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
fn name_period(of: &ReportSubject<'_>) -> Cow<'static, str> {
    let (Period { first, last }, texts) = (of.period, of.texts);
    match of.schedule.frequency {
        Frequency::Daily => texts.report_daily(&texts.day(first)),
        Frequency::Weekly => texts.report_weekly(&texts.day_of_year(first), &texts.day(last)),
        Frequency::Monthly => texts.report_monthly(&texts.month(first)),
    }
}

fn draw_text(of: &ReportSubject<'_>, content: &ReportContent) -> String {
    let (zone, texts) = (of.schedule.zone.name(), of.texts);
    let mut text = format!("{}\n{} ({zone})\n\n", line(of.name), name_period(of));
    // Writing into a text does not fail.
    for number in &content.numbers {
        let _ = write!(text, "{}: {}", line(&number.label), number.value);
        let _ = match number.change.as_str() {
            "" => writeln!(text),
            change => writeln!(text, " ({change})"),
        };
    }
    for list in &content.lists {
        let _ = writeln!(text, "\n{}", line(&list.title));
        for row in &list.rows {
            let _ = writeln!(text, "  {}: {}", line(&row.name), texts.count(row.visitors));
        }
        if list.rows.is_empty() {
            let _ = writeln!(text, "  {}", texts.report_no_data());
        }
    }
    text
}

fn draw_html(of: &ReportSubject<'_>, content: &ReportContent, link: &str) -> Markup {
    let texts = of.texts;
    html! {
        h2 { (of.name) }
        p { (name_period(of)) " (" (of.schedule.zone.name()) ")" }
        @if !content.numbers.is_empty() { table cellpadding="6" {
            tr { th align="left" scope="col" { (texts.report_metric()) } th align="right" scope="col" { (texts.report_value()) } th align="right" scope="col" { (texts.report_change()) } }
            @for number in &content.numbers {
                tr { th align="left" scope="row" { (number.label) } td align="right" { (number.value) } td align="right" { (number.change) } }
            }
        } }
        @for list in &content.lists {
            h3 { (list.title) }
            @if list.rows.is_empty() { p { (texts.report_no_data()) } }
            @else {
                table cellpadding="6" {
                    tr { th align="left" scope="col" { (texts.report_name()) } th align="right" scope="col" { (texts.report_visitors()) } }
                    @for row in &list.rows { tr { td { (row.name) } td align="right" { (texts.count(row.visitors)) } } }
                }
            }
        }
        p { a href=(link) { (texts.report_dashboard()) } }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::content::{ReportList, Row, Totals, numbers},
        *,
    };
    use crate::locale::Language;

    const SCHEDULE: Schedule = Schedule {
        frequency: Frequency::Weekly,
        zone: chrono_tz::Tz::UTC,
        hour: 8,
    };

    /// The message of a week in a language.
    fn message(texts: Texts) -> ReportMessage {
        let totals = |visitors, bounce_rate| Totals {
            visitors,
            bounce_rate,
            ..Totals::default()
        };
        let list = |title: &str, rows: Vec<Row>| ReportList {
            title: title.to_owned(),
            rows,
        };
        let page = Row {
            name: "/<b>".to_owned(),
            visitors: 1_000_000,
        };
        let content = ReportContent {
            numbers: numbers(texts, &totals(1_234, 40.0), &totals(1_000, 50.0)),
            lists: vec![list("Top pages", vec![page]), list("Sources", Vec::new())],
        };
        let subject = ReportSubject {
            name: "Shop & Co",
            schedule: &SCHEDULE,
            period: SCHEDULE.period(1_795_590_000_000),
            dashboard: "https://pharos.example/console/site/1",
            texts,
        };
        ReportMessage::new(&subject, &content)
    }

    #[test]
    fn a_report_says_how_it_went_and_against_what() {
        let message = message(Texts::ENGLISH);
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

    #[test]
    fn a_report_is_written_in_its_language() {
        let message = message(Language::De.texts());
        assert_eq!(
            message.title,
            "Shop & Co: Wochenbericht, 16. Nov. bis 22. Nov. 2026"
        );
        for said in [
            "Besucher: 1.234 (+23,4\u{a0}%)",
            "Seitenaufrufe: 0 (vorher keine Daten)",
        ] {
            assert!(message.text.contains(said), "{said}: {}", message.text);
        }
    }
}
