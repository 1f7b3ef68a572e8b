//! The data of a page without the page: exports of all rows, and the query.

use serde_json::Value;

use super::period::PeriodQuery;
use crate::{http::pages::prelude::*, pages::part::copyable};

/// Links to exports of all rows; `which` is the parameter that [`super::export`] reads.
pub(super) fn draw_exports(period: &PeriodQuery, website: &str, which: (&str, &str)) -> Markup {
    let to = |form: &str| {
        let path = format!("/console/site/{website}/export");
        period.view.address_with(&path, &[which, ("as", form)])
    };
    html! { p.exports { "Export:" a href=(to("csv")) { "CSV" } a href=(to("json")) { "JSON" } } }
}

/// The query of the page, for use without it; `base` is the address of the API.
pub(super) fn draw_query(base: &str, website: &str, body: &Value) -> Markup {
    let pretty = serde_json::to_string_pretty(body).unwrap_or_default();
    let line = body.to_string().replace('\'', "'\\''");
    let curl = format!(
        "curl -s '{base}/v1/query?website_id={website}' -H \"x-api-key: $KEY\" -H 'content-type: application/json' -d '{line}'"
    );
    html! {
        details.behind {
            summary { "View API query" }
            p { "This page sends " code { "POST /v1/query" } " this body:" }
            (copyable("Request body", &pretty))
            p { "With curl and an API key that can read this website:" }
            (copyable("curl command", &curl))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pages::time::DateFormat;

    #[test]
    fn a_line_for_a_shell_says_what_it_says_whatever_is_filtered_by() {
        let body = json!({ "value": "it's $HOME" });
        let drawn = draw_query("https://x", "w", &body).into_string();
        assert!(drawn.contains("it'\\''s $HOME"), "{drawn}");
    }

    #[test]
    fn files_are_of_what_is_looked_at() {
        let period =
            |query: &str| PeriodQuery::read(query, &[], DateFormat::default(), 1_791_979_200_000);
        let drawn = draw_exports(&period("f=path:eq:/"), "w", ("table", "t")).into_string();
        let way = "/console/site/w/export?f=path%3Aeq%3A%2F&amp;table=t&amp;as=csv";
        assert!(drawn.contains(way), "{drawn}");
        let plain = draw_exports(&period(""), "w", ("list", "pages")).into_string();
        assert!(plain.contains("export?list=pages&amp;as=json"), "{plain}");
    }
}
