//! Where visitors are, beside the list of their countries.

use serde_json::Value;

use super::lists::List;
use crate::{
    http::pages::prelude::*,
    pages::{
        chart::{Country, map},
        number,
    },
};

/// All countries of a list; `link` is the address of a click on one.
pub(in super::super) fn draw(
    texts: Texts,
    list: &List,
    rows: &[Value],
    link: impl Fn(&Value) -> Option<String>,
) -> Markup {
    let (column, noun) = list.numbers[0];
    let noun = texts.noun(noun);
    let number = |row: &Value| row[column].as_u64().unwrap_or(0);
    let largest = rows.iter().map(number).max().unwrap_or(0).max(1);
    let country = |row: &Value| {
        let (name, number) = (row[list.key].as_str()?, number(row));
        Some(Country {
            code: row[list.value].as_str()?.to_owned(),
            label: format!("{name}: {} {noun}", texts.count(number)),
            share: number as f64 / largest as f64,
            link: link(row),
        })
    };
    let countries: Vec<Country> = rows.iter().filter_map(country).collect();
    let written = |share: f64| texts.number(&number::short((share * largest as f64).ceil() as u64));
    let title = format!("{}: {noun}", texts.label("Map by country"));
    html! { div { (map(texts, &title, &countries, written)) } }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::lists::PANELS, *};
    use crate::analytics::catalogue::country_name;

    #[test]
    fn every_country_is_on_the_map() {
        let list = &PANELS[3].lists[0];
        let mut rows = Vec::new();
        for first in 'A'..='Z' {
            for second in 'A'..='Z' {
                let code = format!("{first}{second}");
                let name = country_name(&code);
                let row = |name| json!({ "name": name, "country_code": code, "pageviews": 1_200 });
                rows.extend(name.map(row));
            }
        }
        rows.push(json!({ "name": "Unknown", "country_code": "", "pageviews": 7 }));
        let drawn = draw(Texts::ENGLISH, list, &rows, |_| None).into_string();
        let missing = rows.iter().filter_map(|row| row["name"].as_str());
        let missing = missing.filter(|name| {
            *name != "Unknown"
                && !drawn.contains(&format!(">{}: 1,200", maud::html! { (name) }.into_string()))
        });
        assert_eq!(missing.collect::<Vec<_>>(), Vec::<&str>::new());
        assert!(
            drawn.contains(">Germany: 1,200 pageviews</text>"),
            "{drawn}"
        );
        assert!(
            drawn.contains("class=\"rest\" d=\"\""),
            "none is left: {drawn}"
        );
        assert!(drawn.len() < 80_000, "{} bytes", drawn.len());
    }
}
