//! Saved filters as rows of a form. Rows without a field are left out.

use serde_json::{Value, json};

use crate::{
    actors::definitions::{FilterSpec, Operator, Values},
    analytics::catalogue::STEPS,
    fault::Issue,
    http::pages::{
        form::{Rows, text},
        prelude::*,
        site::period::{field_label, value_labels},
    },
    pages::view::{Filter, View},
};

/// Filters of a form.
const MAX: usize = 50;

/// The names of an operator: saved, in addresses, and as a label.
const fn names(operator: Operator) -> (&'static str, &'static str, &'static str) {
    match operator {
        Operator::Equals => ("equals", "eq", "is"),
        Operator::NotEquals => ("not_equals", "ne", "is not"),
        Operator::Contains => ("contains", "contains", "contains"),
        Operator::NotContains => ("not_contains", "not_contains", "does not contain"),
        Operator::StartsWith => ("starts_with", "starts_with", "starts with"),
        Operator::EndsWith => ("ends_with", "ends_with", "ends with"),
        Operator::In => ("in", "in", "is one of"),
        Operator::NotIn => ("not_in", "not_in", "is not one of"),
    }
}

/// The names of all of them.
const OPERATORS: [(&str, &str, &str); 8] = [
    names(Operator::Equals),
    names(Operator::NotEquals),
    names(Operator::Contains),
    names(Operator::NotContains),
    names(Operator::StartsWith),
    names(Operator::EndsWith),
    names(Operator::In),
    names(Operator::NotIn),
];

/// The field of a form with the filters of the whole.
pub(super) const WHOLE: &str = "filters";

/// Filters of the whole, as rows of a form under this legend.
#[derive(Debug)]
pub(super) struct Filters(pub(super) &'static str);

impl Rows for Filters {
    fn fill(&self, value: &Value) -> Vec<(String, String)> {
        fill(WHOLE, value)
    }

    fn read(&self, sent: &FormData, _: &mut Vec<Issue>) -> Option<Value> {
        let filters = read(WHOLE, sent);
        (!filters.is_empty()).then(|| json!(filters))
    }

    fn is_used(&self, sent: &FormData) -> bool {
        !filled(WHOLE, sent).is_empty()
    }

    /// The rows, and two empty ones.
    fn draw(&self, sent: &FormData, _: &Choices, problems: &Problems) -> Markup {
        html! {
            fieldset.field {
                legend { (self.0) }
                p.hint { "All filters must match. Use " code { "trait:name" } " for user traits. Several values: comma-separated. Empty rows are ignored." }
                datalist #fields { @for field in STEPS.filter_fields() { option value=(field.name) { (field_label(Texts::ENGLISH, field.name)) } } }
                datalist #row-values {}
                (draw_rows((WHOLE, WHOLE), sent, 2, problems))
                @if !self.is_used(sent) { @for message in problems.beside(WHOLE) { p.wrong { (message) } } }
            }
        }
    }
}

fn name(within: &str, at: usize, field: &str) -> String {
    format!("{within}.{at}.{field}")
}

/// Rows with a field, by their numbers.
fn filled(within: &str, sent: &FormData) -> Vec<usize> {
    let is_filled = |at: &usize| sent.some(&name(within, *at, "field")).is_some();
    (0..MAX).filter(is_filled).collect()
}

fn takes_list(operator: &str) -> bool {
    ["in", "not_in"].contains(&operator)
}

/// Filters as fields of a form with this prefix.
pub(super) fn fill(within: &str, filters: &Value) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    for (at, filter) in filters.as_array().into_iter().flatten().enumerate() {
        for field in ["field", "operator", "value"] {
            fields.push((name(within, at, field), text(&filter[field])));
        }
    }
    fields
}

/// The filters in fields with this prefix.
pub(super) fn read(within: &str, sent: &FormData) -> Vec<Value> {
    let rows = filled(within, sent).into_iter();
    rows.map(|at| {
        let some = |field: &str| sent.text(&name(within, at, field));
        let operator = sent.some(&name(within, at, "operator")).unwrap_or("equals");
        let value = if takes_list(operator) {
            json!(sent.words(&name(within, at, "value")))
        } else {
            json!(some("value"))
        };
        json!({ "field": some("field"), "operator": operator, "value": value })
    })
    .collect()
}

/// The filters of an address, as they are saved.
pub(super) fn from_view(view: &View) -> Value {
    let all = view.filters.iter().map(|filter| {
        let found = OPERATORS.iter().find(|(_, op, _)| *op == filter.op);
        let operator = found.map_or(filter.op.as_str(), |(operator, ..)| operator);
        let value = if filter.takes_list() {
            json!(filter.values())
        } else {
            json!(filter.value)
        };
        json!({ "field": filter.field, "operator": operator, "value": value })
    });
    Value::Array(all.collect())
}

fn joined(value: &Values, between: &str) -> String {
    match value {
        Values::One(one) => one.clone(),
        Values::Several(several) => several.join(between),
    }
}

/// Saved filters, as addresses have them.
pub(super) fn to_view(all: &[FilterSpec]) -> View {
    let filters = all.iter().map(|filter| Filter {
        field: filter.field.clone(),
        op: names(filter.operator).1.to_owned(),
        value: joined(&filter.value, "|"),
    });
    View {
        filters: filters.collect(),
        ..View::default()
    }
}

/// Filters in the words of the bar above reports.
pub(super) fn describe(all: &[FilterSpec]) -> String {
    let view = to_view(all);
    let words = all.iter().zip(&view.filters).map(|(saved, filter)| {
        let (.., label) = names(saved.operator);
        let field = field_label(Texts::ENGLISH, &filter.field);
        format!("{field} {label} {}", value_labels(filter))
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Rows of what was sent under one prefix, with the names of another: filled rows first, which is how issues count them, and some
/// empty ones.
pub(super) fn draw_rows(
    (from, to): (&str, &str),
    sent: &FormData,
    spare: usize,
    problems: &Problems,
) -> Markup {
    let rows = filled(from, sent);
    let count = (rows.len() + spare).min(MAX);
    html! {
        @for place in 0..count {
            @let at = rows.get(place).copied();
            @let value = |field: &str| at.map_or("", |at| sent.raw(&name(from, at, field)));
            // Problems of a step are shown below the step.
            @let messages = if at.is_some() && to == WHOLE { problems.beside(&format!("{WHOLE}[{place}]")) } else { Vec::new() };
            @let wrong = (!messages.is_empty()).then_some("true");
            div.inline {
                input name=(name(to, place, "field")) value=(value("field")) list="fields" placeholder="Field" aria-label=(format!("Field of filter {}", place + 1)) aria-invalid=[wrong];
                select name=(name(to, place, "operator")) aria-label=(format!("Operator of filter {}", place + 1)) {
                    @for (operator, _, label) in OPERATORS { option value=(operator) selected[operator == value("operator")] { (label) } }
                }
                input name=(name(to, place, "value")) value=(value("value")) list="row-values" autocomplete="off" placeholder="Value" aria-label=(format!("Value of filter {}", place + 1)) aria-invalid=[wrong];
            }
            @for message in &messages { p.wrong { (message) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_row_are_completed_from_one_list() {
        let all = json!([{ "field": "country", "operator": "equals", "value": "DE" }]);
        let sent = FormData::from(fill(WHOLE, &all));
        let drawn = Filters("Filters").draw(&sent, &Choices::default(), &Problems::NONE);
        let drawn = drawn.into_string();
        assert_eq!(drawn.matches("<datalist id=\"row-values\">").count(), 1);
        assert_eq!(drawn.matches(" list=\"row-values\"").count(), 3, "{drawn}");
    }

    #[test]
    fn filters_stay_what_they_are_in_forms_and_addresses() {
        let all = json!([
            { "field": "country", "operator": "in", "value": ["DE", "FR"] },
            { "field": "trait:plan", "operator": "not_equals", "value": "free" },
        ]);
        let mut fields = fill(WHOLE, &all);
        let sent = FormData::from(fields.clone());
        assert_eq!(json!(read(WHOLE, &sent)), all);
        let typed: Vec<FilterSpec> = serde_json::from_value(all.clone()).unwrap();
        let address = to_view(&typed).address("/x");
        let query = address.split_once('?').unwrap().1;
        assert_eq!(from_view(&View::read(query, &[])), all);
        assert_eq!(
            describe(&typed),
            "Country is one of Germany, France, Trait plan is not free"
        );
        fields.retain(|(name, _)| name != "filters.0.field");
        let sent = FormData::from(fields);
        assert_eq!(json!(read(WHOLE, &sent)), json!([all[1]]));
    }
}
