//! A funnel by the values of a dimension.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::conversion::when;
use crate::{
    http::{
        pages::{prelude::*, site::period::PeriodQuery},
        procedures::{
            conversion::Conversion,
            funnels::{self, AnalyticsBody},
        },
    },
    pages::{
        number,
        part::{notice, panel},
    },
};

/// The parameter of the address with the dimension.
pub(super) const PARAMETER: &str = "break";
/// Values that are shown.
const MAX: usize = 5;

/// A field of visitors: its name in addresses and filters, its title, and the query type with its values.
struct Dimension {
    field: &'static str,
    title: &'static str,
    kind: &'static str,
    /// The column of the value.
    value: &'static str,
}

const fn dimension(field: &'static str, title: &'static str, kind: &'static str) -> Dimension {
    Dimension {
        field,
        title,
        kind,
        value: "name",
    }
}

const DIMENSIONS: [Dimension; 5] = [
    Dimension {
        value: "country_code",
        ..dimension("country", "Country", "country")
    },
    dimension("device_type", "Device", "device_types"),
    dimension("browser_name", "Browser", "browsers"),
    dimension("os_name", "Operating system", "operating_systems"),
    dimension("channel", "Channel", "traffic_channels"),
];

/// The choice of a dimension, and the funnel by the values of the chosen one.
pub(super) async fn draw(
    context: &PageContext,
    period: &PeriodQuery,
    (site, id, path): (&str, &str, &str),
) -> Result<Markup, Fault> {
    let chosen = period.view.tab(PARAMETER).unwrap_or_default();
    let dimension = DIMENSIONS.iter().find(|one| one.field == chosen);
    let table = if let Some(dimension) = dimension {
        draw_values(context, period, (site, id), dimension).await?
    } else {
        html! {}
    };
    let mut without = period.view.clone();
    without.tabs.clear();
    Ok(panel(
        "Breakdown",
        &html! {
            nav.tabs.small aria-label="Break down by" {
                a href=(without.address(path)) aria-current=[dimension.is_none().then_some("true")] { "None" }
                @for one in &DIMENSIONS {
                    a href=(period.view.with_tab(PARAMETER, one.field).address(path)) aria-current=[(one.field == chosen).then_some("true")] { (one.title) }
                }
            }
            (table)
        },
    ))
}

async fn draw_values(
    context: &PageContext,
    period: &PeriodQuery,
    (site, id): (&str, &str),
    dimension: &Dimension,
) -> Result<Markup, Fault> {
    let body = period.body(&json!([dimension.kind]), MAX);
    let answers = context.query(site, body).await?;
    let values = match answers.rows::<Value>(dimension.kind) {
        Ok(values) => values,
        Err(message) => return Ok(notice("warn", &html! { (message) })),
    };
    let ask = async |row: &Value| {
        let name = row["name"].as_str()?;
        let value = row[dimension.value].as_str()?;
        let mut when = when(period);
        let filter = json!({ "field": dimension.field, "operator": "equals", "value": value });
        when.get_mut("filters")?.as_array_mut()?.push(filter);
        let body = AnalyticsBody {
            website_id: site.to_owned(),
            funnel_id: id.to_owned(),
            when: when.into(),
        };
        let found = context.ask(&funnels::GET_ANALYTICS, body).await;
        Some((name.to_owned(), found.ok()?.conversion))
    };
    let found: Vec<(String, Conversion)> = join_all(values.iter().map(ask))
        .await
        .into_iter()
        .flatten()
        .collect();
    let steps = found
        .first()
        .map_or(&[][..], |(_, first)| &first.steps_analytics);
    Ok(html! {
        div.scroll role="region" aria-label="Breakdown" tabindex="0" { table.table {
            thead { tr {
                th scope="col" { (dimension.title) } th.num scope="col" { "Entered" }
                @for step in steps.iter().skip(1) { th.num scope="col" { (step.step_name) } }
                th.num scope="col" { "Conversion rate" }
            } }
            tbody { @for (name, one) in &found { tr {
                th scope="row" { (name) }
                td.num { (number::full(one.total_users_entered)) }
                @for step in one.steps_analytics.iter().skip(1) { td.num { (number::full(step.users)) " (" (number::percent(step.conversion_rate)) ")" } }
                td.num { (number::percent(one.overall_conversion_rate)) }
            } } }
        } }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::catalogue::{Field, find};

    #[test]
    fn every_dimension_is_a_field_with_a_query_type_of_its_values() {
        for dimension in &DIMENSIONS {
            assert!(
                Field::find(dimension.field).is_some(),
                "{}",
                dimension.field
            );
            let kind = find(dimension.kind).unwrap_or_else(|| panic!("{}", dimension.kind));
            let columns = kind.columns();
            for name in ["name", dimension.value] {
                assert!(
                    columns.iter().any(|(own, ..)| *own == name),
                    "{} has no {name}",
                    dimension.kind
                );
            }
        }
    }
}
