//! Values that complete a filter while it is typed: the largest ones of the chosen field that contain the text.

use serde_json::{Value, json};

use super::lists::{List, PANELS, panel_names};
use crate::{
    http::pages::{prelude::*, reader::Reader, site::period::PeriodQuery},
    locale::Language,
    pages::frame::centered_page,
};

/// Values that are suggested.
const MAX: usize = 20;
const COUNTRY: &str = "country";
/// More countries than there are.
const COUNTRIES: usize = 300;

/// The query type that is grouped by fields without a list.
const TOTALS: &str = "summary_totals";
/// Fields without a list.
const GROUPED: [&str; 6] = [
    "host",
    "browser_version",
    "os_version",
    "device_brand",
    "device_model",
    "link_id",
];
/// Fields with few values.
const NAMED: [(&str, &[&str]); 2] = [
    ("bot_verdict", &["person", "suspected", "declared"]),
    ("trust", &["client", "key"]),
];

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/site/{id}/values", |route| {
        route.to(show)
    })]
}

/// Where the values of a field are found.
enum Source {
    /// A list that shows them.
    List(&'static List),
    /// The totals by this field.
    Totals(&'static str),
    /// All values that there are.
    Named(&'static [&'static str]),
}

impl Source {
    /// The source of a field; none for ids of people and for what has no values.
    fn find(field: &str) -> Option<Self> {
        let mut lists = PANELS.iter().flat_map(|panel| panel.lists);
        let list = lists.find(|list| !list.field.is_empty() && list.field == field);
        let grouped = GROUPED.into_iter().find(|own| *own == field);
        let named = NAMED.into_iter().find(|(own, _)| *own == field);
        list.map(Self::List)
            .or(grouped.map(Self::Totals))
            .or(named.map(|(_, values)| Self::Named(values)))
    }

    /// Values that contain the text, each with its name where that is another word.
    async fn load(
        &self,
        reader: &Reader,
        period: &PeriodQuery,
        typed: &str,
    ) -> Result<Vec<(String, String)>, Fault> {
        let (kind, column, name) = match self {
            Self::List(list) => (list.kind, list.value, "name"),
            Self::Totals(field) => (TOTALS, *field, *field),
            Self::Named(values) => {
                let values = values.iter().filter(|value| contains(value, typed));
                return Ok(values.map(|value| pair(value, value)).collect());
            }
        };
        let rows = reader.ask(self.body(period, typed)).await?;
        let rows = rows.rows::<Value>(kind).unwrap_or_default();
        let values = rows.iter().filter_map(|row| {
            Some(pair(
                row[column].as_str()?,
                row[name].as_str().unwrap_or_default(),
            ))
        });
        Ok(values
            .filter(|(value, name)| {
                !value.is_empty() && (!self.has_codes() || contains(name, typed))
            })
            .take(MAX)
            .collect())
    }

    /// Whether people type names, and the field has codes.
    fn has_codes(&self) -> bool {
        matches!(self, Self::List(list) if list.field == COUNTRY)
    }

    /// The query. All countries are asked for, because their names are not in the rows that a filter looks at.
    fn body(&self, period: &PeriodQuery, typed: &str) -> Value {
        let (kind, field) = match self {
            Self::List(list) => (list.kind, list.field),
            Self::Totals(field) => (TOTALS, *field),
            Self::Named(_) => return Value::Null,
        };
        if self.has_codes() {
            return period.body(&json!([kind]), COUNTRIES);
        }
        let mut body = period.body(&json!([kind]), MAX);
        if matches!(self, Self::Totals(_)) {
            body["groupBy"] = json!([field]);
        }
        if !typed.is_empty()
            && let Some(filters) = body["filters"].as_array_mut()
        {
            filters.push(json!({ "field": field, "op": "contains", "value": typed }));
        }
        body
    }
}

fn pair(value: &str, name: &str) -> (String, String) {
    (value.to_owned(), name.to_owned())
}

/// Whether a text has what is typed, in any case.
fn contains(text: &str, typed: &str) -> bool {
    text.to_lowercase().contains(&typed.to_lowercase())
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = context.website(&id).await?;
    let reader = context.read_website(&website.id).await?;
    // Of several values only the last one is being typed.
    let typed = context.parameter("value");
    let (chosen, typed) = typed.rsplit_once(',').unwrap_or(("", &typed));
    let period = PeriodQuery::load(&context, &panel_names()).await?;
    let values = match Source::find(&context.parameter("field")) {
        Some(source) => source.load(&reader, &period, typed.trim()).await?,
        None => Vec::new(),
    };
    let whole = |value: &str| match chosen {
        "" => value.to_owned(),
        chosen => format!("{chosen}, {value}"),
    };
    let values = html! {
        h1 { "Filter values" }
        datalist #values {
            @for (value, name) in &values {
                option value=(whole(value)) { @if name != value { (name) } }
            }
        }
    };
    Ok(answer::page(centered_page(
        Language::En,
        "Filter values",
        &values,
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::catalogue::{FIELDS, find};

    #[test]
    fn every_field_has_values_but_ids_and_signals() {
        let fields = FIELDS[0].iter().map(|field| field.name);
        let without: Vec<&str> = fields.filter(|name| Source::find(name).is_none()).collect();
        let rare = [
            "profile_id",
            "anonymous_id",
            "session_id",
            "click_id",
            "bot_reason",
        ];
        assert_eq!(without, rare);
        assert!(
            matches!(Source::find("event_name"), Some(Source::List(list)) if list.kind == "custom_events")
        );
        assert!(find(TOTALS).is_some_and(|kind| kind.customizable));
    }
}
