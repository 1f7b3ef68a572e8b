//! What can be chosen of how a table is made. It stands in the address among the filters, because that is what queries read.

use maud::{Markup, html};

use super::tables::{Setting, Table};
use crate::{
    http::pages::site::period::SET,
    pages::{part::hidden, problem::begun, view::View},
};

/// What is wrong with a setting: its field, and what to say below the form.
pub(super) type Wrong = (&'static str, String);

/// A form of them, with what is wrong with them; an empty field says nothing.
pub(super) fn draw(settings: &[Setting], view: &View, path: &str, wrong: &[Wrong]) -> Markup {
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
            button.button type="submit" { "Show" }
            @for (field, said) in wrong { p.wrong id=(format!("{field}-wrong")) { (said) } }
        }
    }
}

/// What else has to be chosen for a table, of which something is chosen.
pub(super) fn lacking(
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
    let said = format!("“{}” also needs: {}.", table.title, titles.join(", "));
    (!titles.is_empty()).then_some(said)
}

/// What was said of a table, if it is about one of the settings: that one comes first in it.
pub(super) fn wrong(settings: &[Setting], table: &Table, said: &str) -> Option<Wrong> {
    let place = |setting: &Setting| Some((said.find(setting.field)?, setting.field));
    let (_, field) = settings.iter().filter_map(place).min()?;
    Some((field, begun(&named(settings, table, said))))
}

/// What was said of a table, with its fields called as the form calls them.
pub(super) fn named(settings: &[Setting], table: &Table, said: &str) -> String {
    let said = said.replace(table.kind, &format!("“{}”", table.title));
    let call = |said: String, setting: &Setting| {
        said.replace(setting.field, &format!("“{}”", setting.title))
    };
    settings.iter().fold(said, call)
}

#[cfg(test)]
mod tests {
    use super::{super::tables::REPORTS, *};

    #[test]
    fn what_is_missing_is_called_as_in_the_form() {
        let mut reports = REPORTS.into_iter();
        let report = reports.find(|report| report.title == "Retention").unwrap();
        let table = report.tables.last().unwrap();
        let said = lacking(report.settings, table, |field| {
            ["activation_event", "horizon_days"].contains(field)
        });
        assert_eq!(
            said.unwrap(),
            format!(
                "“{}” also needs: “and then sent”, “as seen until”.",
                table.title
            )
        );
        assert_eq!(lacking(report.settings, table, |_| true), None);
        assert_eq!(
            named(
                report.settings,
                table,
                "observation_end must not lie before the end of the range"
            ),
            "“as seen until” must not lie before the end of the range"
        );
        let (field, said) = wrong(
            report.settings,
            table,
            "observation_end must not lie before the end of horizon_days",
        )
        .unwrap();
        assert_eq!(field, "observation_end");
        assert_eq!(
            said,
            "“as seen until” must not lie before the end of “within”"
        );
        let (_, said) = wrong(report.settings, table, "which cohort_width?").unwrap();
        assert_eq!(said, "Which “Steps of”?");
        assert!(wrong(report.settings, table, "It is too much").is_none());
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
