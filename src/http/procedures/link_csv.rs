//! Links as a table: `/links/exportCsv` and `/links/importCsv`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Call,
    bodies::OrganizationBody,
    links::{GROUP, list_page, make},
};
use crate::{
    access::{Permission, authorize},
    actors::links::{LinkFields, SlugRule, Sort},
    analytics::export::harmless,
    fault::{Fault, Issue},
    http::table,
};

/// Rows of a file that is taken in.
const MAX_ROWS: usize = 1_000;
/// Rows of a file that is given out.
const MAX_LISTED: u64 = 100_000;
/// The columns of a file. Tags are separated by commas, and what is no text, no list of texts and no number is JSON.
pub(in crate::http) const COLUMNS: [&str; 28] = [
    "domain",
    "slug",
    "name",
    "targetUrl",
    "externalId",
    "folderId",
    "expiresAt",
    "expiredRedirectUrl",
    "iosUrl",
    "androidUrl",
    "ogTitle",
    "ogDescription",
    "ogImageUrl",
    "ogVideoUrl",
    "sourceType",
    "sourceId",
    "sourceOwnerId",
    "targetDomain",
    "deepLinkApp",
    "maxClicks",
    "redirectStatus",
    "queryForwarding",
    "tags",
    "countries",
    "languages",
    "variants",
    "shortUrl",
    "createdAt",
];
/// Columns that are only given out.
const SHOWN: [&str; 2] = ["shortUrl", "createdAt"];
/// A column that is only taken in.
const PASSWORD: &str = "password";

procedures! { GROUP;
    EXPORT_CSV = "exportCsv", reads(LinkRead), export(OrganizationBody) -> FileOut:
        "Export short links as CSV, newest first, at most 100,000";
    IMPORT_CSV = "importCsv", changes(LinkWrite), import(ImportBody) -> ImportOut:
        "Create up to 1,000 short links from CSV, all or none";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportBody {
    /// The owner; by default the key's organization, or the session's active one.
    pub organization_id: Option<String>,
    /// Comma-separated values, the first line names the columns: `targetUrl` and `name` at least, and any field of a link.
    /// `tags` are separated by commas; `countries`, `languages` and `variants` are JSON.
    pub csv: String,
}

/// Links as a file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkFile")]
pub struct FileOut {
    pub filename: String,
    /// Comma-separated values. What a spreadsheet would take for a formula begins with an apostrophe.
    pub csv: String,
}

/// What came of a file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkImport")]
pub struct ImportOut {
    pub created: usize,
}

async fn export(call: Call, body: OrganizationBody) -> Result<FileOut, Fault> {
    let mut csv = table::heading(&COLUMNS).map_err(Fault::internal)?;
    let mut read = 0;
    while read < MAX_LISTED {
        let links = list_page(&call, body.organization_id.as_deref(), (Sort::Newest, read)).await?;
        if links.is_empty() {
            break;
        }
        read += links.len() as u64;
        let rows = links.iter().map(serde_json::to_value);
        let rows: Vec<Value> = rows.collect::<Result<_, _>>().map_err(Fault::internal)?;
        csv += &table::body(&COLUMNS, &rows).map_err(Fault::internal)?;
    }
    Ok(FileOut {
        filename: "links.csv".to_owned(),
        csv,
    })
}

async fn import(call: Call, body: ImportBody) -> Result<ImportOut, Fault> {
    let organization = call.organization(body.organization_id.as_deref())?;
    authorize::organization(&call.caller, Permission::LinkWrite, &organization)?;
    let links = parse_csv(&body.csv).map_err(|issues| {
        let message = issues.first().map(|issue| issue.message.clone());
        Fault::issues(message.unwrap_or_default(), issues)
    })?;
    let made = make(
        &call,
        Some(organization.as_str()),
        links,
        SlugRule::Imported,
    )
    .await?;
    Ok(ImportOut {
        created: made.len(),
    })
}

/// The links of a file; what is wrong is named by its line.
fn parse_csv(text: &str) -> Result<Vec<LinkFields>, Vec<Issue>> {
    let wrong = |field: String, message: String| vec![Issue::new("invalid", field, message)];
    let mut reader = csv::ReaderBuilder::new()
        .flexible(false)
        .trim(csv::Trim::Headers)
        .from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let columns = reader.headers().cloned();
    let columns = columns.map_err(|error| wrong("csv".to_owned(), error.to_string()))?;
    for column in &columns {
        if !COLUMNS.contains(&column) && column != PASSWORD {
            let known = COLUMNS.iter().copied().chain([PASSWORD]);
            let known = known.filter(|name| !SHOWN.contains(name));
            let suggestion = crate::analytics::nearest(column, known);
            let message = format!("no link has a column `{column}`");
            let issue = Issue::new("unknown", "csv", message);
            return Err(vec![issue.suggest(suggestion)]);
        }
    }
    let mut links = Vec::new();
    for (at, row) in reader.records().enumerate() {
        let place = format!("csv.line {}", at + 2);
        let row = row.map_err(|error| wrong(place.clone(), error.to_string()))?;
        if at >= MAX_ROWS {
            let message = format!("a file has at most {MAX_ROWS} links");
            return Err(wrong("csv".to_owned(), message));
        }
        let mut fields = Map::new();
        for (column, text) in columns.iter().zip(&row) {
            let text = text
                .strip_prefix('\'')
                .filter(|rest| harmless(rest) != *rest)
                .unwrap_or(text);
            if text.is_empty() || SHOWN.contains(&column) {
                continue;
            }
            let value = read_cell(column, text).map_err(|why| wrong(place.clone(), why))?;
            fields.insert(column.to_owned(), value);
        }
        let fields = serde_path_to_error::deserialize(Value::Object(fields))
            .map_err(|error| wrong(place, format!("`{}`: {}", error.path(), error.inner())))?;
        links.push(fields);
    }
    if links.is_empty() {
        return Err(wrong(
            "csv".to_owned(),
            "the file holds no links".to_owned(),
        ));
    }
    Ok(links)
}

/// What a cell says of a link.
fn read_cell(column: &str, text: &str) -> Result<Value, String> {
    Ok(match column {
        "maxClicks" | "redirectStatus" => text
            .parse::<u64>()
            .map_or_else(|_| text.into(), Value::from),
        "countries" | "languages" | "variants" => {
            serde_json::from_str(text).map_err(|error| format!("`{column}` is no JSON: {error}"))?
        }
        "tags" => text.split(',').map(str::trim).collect::<Vec<_>>().into(),
        _ => text.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_by_its_columns_and_mistakes_have_a_line() {
        let links = parse_csv("\u{feff}name, targetUrl,tags,maxClicks,slug\na,https://e.example,\"x, y\",7,\n'=b,https://e.example,,,abc\n").unwrap();
        assert_eq!(links[0].tags, Some(vec!["x".to_owned(), "y".to_owned()]));
        assert_eq!((links[0].max_clicks, &links[0].slug), (Some(7), &None));
        assert_eq!(links[1].name.as_deref(), Some("=b"));
        for (text, field) in [
            ("name,targetURL\na,b\n", "csv"),
            ("name,targetUrl\na\n", "csv.line 2"),
            ("name,maxClicks\na,1\nb,many\n", "csv.line 3"),
            ("name,countries\na,DE\n", "csv.line 2"),
            ("name,targetUrl\n", "csv"),
            ("", "csv"),
        ] {
            assert_eq!(parse_csv(text).unwrap_err()[0].field, field, "{text:?}");
        }
        assert_eq!(harmless("=HYPERLINK(1)"), "'=HYPERLINK(1)");
    }
}
