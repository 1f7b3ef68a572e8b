//! The queries of the dashboard.

use serde_json::{Value, json};

use super::lists::{List, PANELS, Panel};
use crate::http::pages::site::period::PeriodQuery;

/// Rows of a list.
pub(in crate::http::pages) const ROWS: usize = 10;
/// The query type of the chart.
pub(in super::super) const SERIES: &str = "events_by_date";
/// Steps of a series.
const STEPS: usize = 1_000;

/// The list that a panel shows.
pub(super) fn selected_list(period: &PeriodQuery, panel: &Panel, public: bool) -> &'static List {
    panel.find_list(period.view.tab(panel.name), public)
}

/// The query type of the list that a panel shows, if there is a panel of this name.
pub(in super::super) fn kind(period: &PeriodQuery, panel: &str) -> Option<&'static str> {
    let panel = PANELS.iter().find(|own| own.name == panel)?;
    Some(selected_list(period, panel, false).kind)
}

/// Whether a list needs all rows, because it is also drawn as a map.
pub(super) fn is_whole(list: &List) -> bool {
    list.kind == "country"
}

/// The numbers of the whole range, beside those of the range before.
const NUMBERS: &str = "period_comparison";

/// The parameters of the series of the numbers.
fn series(period: &PeriodQuery) -> Vec<Value> {
    let now = json!({ "name": SERIES, "id": "now" });
    let mut parameters = vec![now];
    if period.is_compared() {
        let (first, last) = period.comparison();
        parameters.push(json!({
            "name": SERIES, "id": "before", "start_date": first.to_string(), "end_date": last.to_string(),
        }));
    }
    parameters
}

/// The body of the numbers, which are compared as the address says.
fn numbers(period: &PeriodQuery, parameters: &[Value]) -> Value {
    let mut body = period.body(&json!(parameters), STEPS);
    if period.view.compare == "year"
        && let Some(filters) = body["filters"].as_array_mut()
    {
        filters.push(json!({ "field": "compare_with", "op": "eq", "value": "previous_year" }));
    }
    body
}

/// The body of what [`super::draw_trend`] and [`super::draw_figure`] show.
pub(in crate::http::pages) fn metrics_body(period: &PeriodQuery) -> Value {
    let mut parameters = vec![json!(NUMBERS)];
    parameters.extend(series(period));
    numbers(period, &parameters)
}

/// The bodies of the queries: the series, the numbers, the lists that are needed whole, and the others. The series come first because
/// they are read from prepared sums. A public dashboard asks for what is public.
pub(in super::super) fn bodies(period: &PeriodQuery, public: bool) -> Vec<Value> {
    let mut parameters = series(period);
    if !public {
        parameters.push(json!("active_stats"));
    }
    let lists = PANELS
        .iter()
        .map(|panel| (selected_list(period, panel, public), panel.name));
    let (whole, short): (Vec<_>, Vec<_>) = lists.partition(|(list, _)| is_whole(list));
    let asking = |lists: Vec<(&List, &str)>| -> Vec<Value> {
        let one = |(list, name): (&List, &str)| json!({ "name": list.kind, "id": name });
        lists.into_iter().map(one).collect()
    };
    let mut bodies = vec![
        period.body(&json!(parameters), STEPS),
        numbers(period, &[json!(NUMBERS)]),
    ];
    if !whole.is_empty() {
        bodies.push(period.body(&json!(asking(whole)), STEPS));
    }
    bodies.push(period.body(&json!(asking(short)), ROWS));
    bodies
}

#[cfg(test)]
mod tests {
    use super::{super::lists::panel_names, *};
    use crate::pages::time::DateFormat;

    #[test]
    fn filters_and_lists_are_in_the_bodies() {
        let query = "f=path:contains:/a&sources=channel&compare=year";
        let period = PeriodQuery::read(
            query,
            &panel_names(),
            DateFormat::default(),
            1_791_979_200_000,
        );
        let asked = bodies(&period, false);
        let (numbers, lists) = (&asked[1], &asked[3]);
        assert_eq!(numbers["filters"][1]["field"], "compare_with");
        assert_eq!(lists["filters"].as_array().unwrap().len(), 1);
        let channels = json!({ "name": "traffic_channels", "id": "sources" });
        assert_eq!(lists["parameters"][1], channels);
        assert_eq!(lists["limit"], ROWS);
        let alone = PeriodQuery::read("compare=none", &[], DateFormat::default(), period.now_ms);
        let asked = bodies(&alone, false);
        let series = asked[0]["parameters"].to_string();
        assert!(!series.contains("\"before\""), "{series}");
        let countries = json!({ "name": "country", "id": "locations" });
        assert_eq!(asked[2]["parameters"], json!([countries]));
        assert_eq!(asked[2]["limit"], STEPS, "the map has them all");
        let period = PeriodQuery::read(
            "locations=city",
            &panel_names(),
            DateFormat::default(),
            1_791_979_200_000,
        );
        let cities = json!({ "name": "city", "id": "locations" });
        assert_eq!(bodies(&period, false)[2]["parameters"][3], cities);
    }
}
