//! Windows of time in a form: maintenance of monitors, and when an alarm is mute. Times are the reader's; a cron expression names its
//! zone, and is in UTC without one.

use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::FormData;
use crate::{
    fault::Issue,
    pages::{
        problem::Problems,
        time::{DateFormat, moment},
    },
};

/// Windows that a form takes, as many as the API does.
const MAX: usize = 20;
/// Fields of a window that are texts.
const TEXTS: [&str; 3] = ["title", "cron", "timezone"];
/// Fields that make a row a window.
const REQUIRED: [&str; 4] = ["startsAt", "endsAt", "cron", "minutes"];

/// The rows of an input.
#[derive(Debug, Clone, Copy)]
pub(in crate::http::pages) struct Windows {
    /// Their field in the API's input, and the beginning of their names here.
    pub(in crate::http::pages) name: &'static str,
    pub(in crate::http::pages) legend: &'static str,
    pub(in crate::http::pages) hint: &'static str,
}

impl Windows {
    fn field(&self, at: usize, field: &str) -> String {
        format!("{}.{at}.{field}", self.name)
    }

    fn filled(&self, sent: &FormData) -> Vec<usize> {
        let tells = |at: &usize| {
            let mut fields = REQUIRED.iter();
            fields.any(|field| sent.some(&self.field(*at, field)).is_some())
        };
        (0..MAX).filter(tells).collect()
    }

    /// The fields of the form for these windows.
    pub(in crate::http::pages) fn fill(
        &self,
        windows: &Value,
        date_format: &DateFormat,
    ) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        for (at, window) in windows.as_array().into_iter().flatten().enumerate() {
            for (name, value) in window.as_object().into_iter().flatten() {
                let text = match value {
                    Value::String(text) if name.ends_with("At") => local(text, date_format),
                    Value::String(text) => text.clone(),
                    Value::Number(number) => number.to_string(),
                    _ => continue,
                };
                fields.push((self.field(at, name), text));
            }
        }
        fields
    }

    /// The windows of a form.
    pub(in crate::http::pages) fn read(
        &self,
        sent: &FormData,
        date_format: &DateFormat,
        issues: &mut Vec<Issue>,
    ) -> Vec<Value> {
        let mut windows = Vec::new();
        for at in self.filled(sent) {
            let mut window = Map::new();
            let mut say = |name: &str, value: Option<Value>| {
                if let Some(value) = value {
                    window.insert(name.to_owned(), value);
                }
            };
            for name in TEXTS {
                say(
                    name,
                    sent.some(&self.field(at, name)).map(|text| json!(text)),
                );
            }
            for name in ["startsAt", "endsAt"] {
                let text = sent.some(&self.field(at, name));
                say(name, text.map(|text| json!(zoned(text, date_format))));
            }
            let minutes: Option<u32> = sent.number(&self.field(at, "minutes"), issues);
            say("minutes", minutes.map(|minutes| json!(minutes)));
            windows.push(Value::Object(window));
        }
        windows
    }

    /// The rows that have something in them, and an empty one.
    pub(in crate::http::pages) fn draw(
        &self,
        sent: &FormData,
        date_format: &DateFormat,
        problems: &Problems,
    ) -> Markup {
        let rows = self.filled(sent);
        let count = (rows.len() + 1).min(MAX);
        html! {
            fieldset.field {
                legend { (self.legend) }
                p.hint { (self.hint) " One-time: enter start and end in your time zone (" (date_format.zone.name()) "). Recurring: enter a cron expression, its time zone and the duration in minutes." }
                @for place in 0..count {
                    @let at = rows.get(place).copied();
                    @let value = |field: &str| at.map_or("", |at| sent.raw(&self.field(at, field)));
                    @let messages = problems.beside(&format!("{}.{place}", self.name));
                    @let wrong = (!messages.is_empty() && at.is_some()).then_some("true");
                    @let input = |field: &str, kind: &str, label: &str, example: &str| html! {
                        label {
                            span.small.dim { (label) span.hide { " of window " (place + 1) } }
                            input type=(kind) name=(self.field(place, field)) value=(value(field)) placeholder=(example) aria-invalid=[wrong];
                        }
                    };
                    div.inline.window {
                        (input("startsAt", "datetime-local", "Start", ""))
                        (input("endsAt", "datetime-local", "End", ""))
                        (input("cron", "text", "Cron expression", "0 2 * * 0"))
                        (input("minutes", "number", "Duration (minutes)", "60"))
                        (input("timezone", "text", "Time zone", "UTC"))
                        (input("title", "text", "Name", ""))
                    }
                    @for message in &messages { p.wrong { (message) } }
                }
                @for message in problems.exactly(self.name) { p.wrong { (message) } }
            }
        }
    }

    /// Whether something is set, or wrong.
    pub(in crate::http::pages) fn is_used(&self, sent: &FormData, problems: &Problems) -> bool {
        !self.filled(sent).is_empty() || problems.is_wrong(self.name)
    }
}

/// A time of the API as a form has it. Other text stays.
fn local(text: &str, date_format: &DateFormat) -> String {
    moment(text).map_or_else(|| text.to_owned(), |at| date_format.format_field(at))
}

/// The same back.
fn zoned(text: &str, date_format: &DateFormat) -> String {
    let at = date_format.parse_field(text);
    let at = at.and_then(chrono::DateTime::from_timestamp_millis);
    at.map_or_else(
        || text.to_owned(),
        |at| at.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Fault;

    const MUTE: Windows = Windows {
        name: "mute",
        legend: "Mute",
        hint: "No messages.",
    };

    fn berlin() -> DateFormat {
        DateFormat {
            zone: chrono_tz::Europe::Berlin,
            ..DateFormat::default()
        }
    }

    #[test]
    fn an_unchanged_form_keeps_its_windows() {
        let windows = json!([
            { "title": "Move", "startsAt": "2026-12-31T22:00:00Z", "endsAt": "2026-12-31T23:30:15Z" },
            { "cron": "0 2 * * 0", "timezone": "Europe/Berlin", "minutes": 90 },
        ]);
        let form = FormData::from(MUTE.fill(&windows, &berlin()));
        let mut issues = Vec::new();
        assert_eq!(json!(MUTE.read(&form, &berlin(), &mut issues)), windows);
        assert!(issues.is_empty() && MUTE.is_used(&form, &Problems::NONE));
        let drawn = MUTE.draw(&form, &berlin(), &Problems::NONE).into_string();
        assert!(drawn.contains("value=\"2026-12-31T23:00\""), "{drawn}");
        assert!(
            drawn.contains("value=\"2027-01-01T00:30:15\"") && drawn.contains("(Europe/Berlin)"),
            "{drawn}"
        );
        assert_eq!(
            drawn.matches("class=\"inline window\"").count(),
            3,
            "{drawn}"
        );
    }

    #[test]
    fn rows_without_a_time_are_left_out_and_problems_are_below_their_row() {
        let fields = [
            ("mute.0.title", "x"),
            ("mute.1.minutes", "long"),
            ("mute.1.cron", "* * * * *"),
        ];
        let form = FormData::with(fields.map(|(name, value)| (name, value.to_owned())));
        let mut issues = Vec::new();
        assert_eq!(
            json!(MUTE.read(&form, &berlin(), &mut issues)),
            json!([{ "cron": "* * * * *" }])
        );
        assert_eq!(issues[0].field, "mute.1.minutes");
        assert_eq!(zoned("tomorrow", &berlin()), "tomorrow");
        let issue = Issue::new("invalid", "mute.0", "is no window");
        let problems = Problems::from_fault(Fault::issues("no", vec![issue])).unwrap();
        let drawn = MUTE.draw(&form, &berlin(), &problems).into_string();
        assert_eq!(drawn.matches("Is no window").count(), 1, "{drawn}");
        assert_eq!(drawn.matches("aria-invalid").count(), 6, "one row: {drawn}");
    }
}
