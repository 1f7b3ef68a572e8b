//! Settings of tables. They are filters in the address, because queries read filters.

use serde_json::{Value, json};

use super::tables::{Setting, Table};
use crate::{
    http::pages::{
        prelude::*,
        site::period::{PeriodQuery, SET},
    },
    pages::{part::hidden, problem::capitalize, view::View},
};

/// A problem of a setting: its field, and the message below the form.
pub(super) type FieldProblem = (&'static str, String);

/// The values of settings that are not chosen, as filters of queries.
pub(super) fn automatic(settings: &[Setting], period: &PeriodQuery) -> Vec<Value> {
    let filters = &period.view.filters;
    let is_free = |setting: &&Setting| filters.iter().all(|filter| filter.field != setting.field);
    let free = settings.iter().filter(is_free);
    let values =
        free.filter_map(|setting| Some((setting.field, setting.automatic?(period.range.days()))));
    let filter = |(field, value)| json!({ "field": field, "op": "eq", "value": value });
    values.map(filter).collect()
}

/// The form of the settings, with their problems.
pub(super) fn draw(
    settings: &[Setting],
    view: &View,
    path: &str,
    wrong: &[FieldProblem],
) -> Markup {
    let value = |setting: &Setting| {
        let mut filters = view.filters.iter();
        let own = filters.find(|filter| filter.field == setting.field);
        own.map_or("", |filter| filter.value.as_str())
    };
    html! {
        form.search method="get" action=(path) {
            @for (name, value) in view.pairs() { (hidden(name, &value)) }
            @for setting in settings {
                @let name = format!("{SET}{}", setting.field);
                @let is_wrong = wrong.iter().any(|(field, _)| *field == setting.field).then_some("true");
                @let about = is_wrong.map(|_| format!("{}-wrong", setting.field));
                div.field {
                    label for=(name) { (setting.title) }
                    @if setting.among.is_empty() {
                        input id=(name) name=(name) type=(setting.kind) value=(value(setting)) placeholder=(setting.example) aria-invalid=[is_wrong] aria-describedby=[about];
                    } @else {
                        select id=(name) name=(name) aria-invalid=[is_wrong] aria-describedby=[about] {
                            @for (own, word) in setting.among { option value=(own) selected[*own == value(setting)] { (word) } }
                        }
                    }
                }
            }
            button.button type="submit" { "Apply" }
            @for (field, message) in wrong { p.wrong id=(format!("{field}-wrong")) { (message) } }
        }
    }
}

/// The settings that a table still needs, when some of them are chosen.
pub(super) fn describe_missing(
    settings: &[Setting],
    table: &Table,
    has: impl Fn(&&str) -> bool,
) -> Option<String> {
    let needed = |setting: &&Setting| table.needs.contains(&setting.field) && !has(&setting.field);
    let titles: Vec<String> = settings
        .iter()
        .filter(needed)
        .map(|setting| format!("“{}”", setting.title))
        .collect();
    let message = format!("{} also requires: {}.", table.title, titles.join(", "));
    (!titles.is_empty()).then_some(message)
}

/// A message about a table, if it names a setting: its first one.
pub(super) fn find_problem(
    settings: &[Setting],
    table: &Table,
    message: &str,
) -> Option<FieldProblem> {
    let place = |setting: &Setting| Some((message.find(setting.field)?, setting.field));
    let (_, field) = settings.iter().filter_map(place).min()?;
    Some((field, capitalize(&use_titles(settings, table, message))))
}

/// A message about a table, with the titles of the form for its fields.
pub(super) fn use_titles(settings: &[Setting], table: &Table, message: &str) -> String {
    let message = message.replace(table.kind, &format!("“{}”", table.title));
    let call = |message: String, setting: &Setting| {
        message.replace(setting.field, &format!("“{}”", setting.title))
    };
    settings.iter().fold(message, call)
}

#[cfg(test)]
mod tests {
    use super::{super::tables::REPORTS, *};

    #[test]
    fn what_is_missing_is_called_as_in_the_form() {
        let mut reports = REPORTS.into_iter();
        let report = reports.find(|report| report.title == "Retention").unwrap();
        let table = report.tables.last().unwrap();
        let message = describe_missing(report.settings, table, |field| {
            ["activation_event", "horizon_days"].contains(field)
        });
        assert_eq!(
            message.unwrap(),
            format!(
                "{} also requires: “Return event”, “Observed until”.",
                table.title
            )
        );
        assert_eq!(describe_missing(report.settings, table, |_| true), None);
        assert_eq!(
            use_titles(
                report.settings,
                table,
                "observation_end must not lie before the end of the range"
            ),
            "“Observed until” must not lie before the end of the range"
        );
        let (field, message) = find_problem(
            report.settings,
            table,
            "observation_end must not lie before the end of horizon_days",
        )
        .unwrap();
        assert_eq!(field, "observation_end");
        assert_eq!(
            message,
            "“Observed until” must not lie before the end of “Return within”"
        );
        let (_, message) = find_problem(report.settings, table, "which cohort_width?").unwrap();
        assert_eq!(message, "Which “Cohort size”?");
        assert!(find_problem(report.settings, table, "It is too much").is_none());
        let form = draw(
            report.settings,
            &View::default(),
            "/x",
            &[(field, "Is <wrong>".to_owned())],
        )
        .into_string();
        assert_eq!(form.matches("aria-invalid").count(), 1, "{form}");
        assert!(form.contains("Is &lt;wrong&gt;"), "{form}");
    }
}
