//! Values that complete a filter while it is typed: the largest ones of the chosen field that contain the text.

use serde_json::{Value, json};

use super::lists::{List, PANELS, panel_names};
use crate::{
    http::pages::{prelude::*, site::period::PeriodQuery},
    locale::Language,
    pages::frame::centered_page,
};

/// Values that are suggested.
const MAX: usize = 20;
const COUNTRY: &str = "country";
/// More countries than there are.
const COUNTRIES: usize = 300;

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/site/{id}/values", |route| {
        route.to(show)
    })]
}

/// The list that shows the values of a field.
fn find_list(field: &str) -> Option<&'static List> {
    let mut lists = PANELS.iter().flat_map(|panel| panel.lists);
    lists.find(|list| !list.field.is_empty() && list.field == field)
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = context.website(&id).await?;
    let reader = context.read_website(&website.id).await?;
    let list = find_list(&context.parameter("field"));
    // Of several values only the last one is being typed.
    let typed = context.parameter("value");
    let (chosen, typed) = typed.rsplit_once(',').unwrap_or(("", &typed));
    let period = PeriodQuery::load(&context, &panel_names()).await?;
    let rows = match list {
        Some(list) => {
            let body = body(&period, list, typed.trim());
            reader.ask(body).await?.rows::<Value>(list.kind)
        }
        None => Ok(Vec::new()),
    };
    let key = list.map_or("", |list| list.value);
    let values = rows.unwrap_or_default();
    let is_typed = |name: Option<&str>| {
        let name = name.unwrap_or_default().to_lowercase();
        list.is_none_or(|list| list.field != COUNTRY) || name.contains(&typed.trim().to_lowercase())
    };
    let values = values
        .iter()
        .filter_map(|row| Some((row[key].as_str()?, row["name"].as_str())))
        .filter(|(value, name)| !value.is_empty() && is_typed(*name))
        .take(MAX);
    let whole = |value: &str| match chosen {
        "" => value.to_owned(),
        chosen => format!("{chosen}, {value}"),
    };
    let values = html! {
        h1 { "Filter values" }
        datalist #values {
            @for (value, name) in values {
                option value=(whole(value)) { @if let Some(name) = name.filter(|name| *name != value) { (name) } }
            }
        }
    };
    Ok(answer::page(centered_page(
        Language::En,
        "Filter values",
        &values,
    )))
}

/// The query. All countries are asked for, because people type names, and the field has codes.
fn body(period: &PeriodQuery, list: &List, typed: &str) -> Value {
    if list.field == COUNTRY {
        return period.body(&json!([list.kind]), COUNTRIES);
    }
    let mut body = period.body(&json!([list.kind]), MAX);
    if !typed.is_empty()
        && let Some(filters) = body["filters"].as_array_mut()
    {
        filters.push(json!({ "field": list.field, "op": "contains", "value": typed }));
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::catalogue::FIELDS;

    #[test]
    fn what_the_lists_show_has_values_and_nothing_else() {
        let fields = FIELDS[0].iter().map(|field| field.name);
        let without: Vec<&str> = fields.filter(|name| find_list(name).is_none()).collect();
        let rare = [
            "host",
            "browser_version",
            "os_version",
            "profile_id",
            "anonymous_id",
            "session_id",
            "device_brand",
            "device_model",
            "click_id",
            "link_id",
            "bot_verdict",
            "bot_reason",
            "trust",
        ];
        assert_eq!(without, rare);
        assert_eq!(find_list("event_name").unwrap().kind, "custom_events");
    }
}
