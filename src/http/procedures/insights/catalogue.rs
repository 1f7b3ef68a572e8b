//! What can be asked, generated from the catalogue of query types.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{super::Call, GROUP, target::type_name};
use crate::{
    analytics::{
        catalogue::{QueryType, Subject, all, find},
        nearest,
        range::Preset,
    },
    fault::{Fault, Issue},
};

procedures! { GROUP;
    LIST_QUERY_TYPES = "listQueryTypes", reads(WebsiteRead), list(ListBody, check) -> Vec<BriefOut>:
        "List query types, each with a short description";
    GET_SCHEMA = "getSchema", reads(WebsiteRead), schema(SchemaBody) -> WholeOut:
        "Describe a query type: its columns, filters and target";
    CAPABILITIES = "capabilities", reads(WebsiteRead), capabilities(ListBody, check) -> CapabilitiesOut:
        "Get an overview: categories of query types, filters, periods and limits";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "QueryTypeList")]
pub struct ListBody {
    /// Only types of this category, such as `Pages` or `Errors`; `capabilities` lists them.
    pub category: Option<String>,
}

impl ListBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        let Some(named) = self.category.as_deref() else {
            return;
        };
        let known = categories();
        if !known.iter().any(|known| known.eq_ignore_ascii_case(named)) {
            let message = format!("there is no category `{named}`: {}", known.join(", "));
            let meant = nearest(named, known.iter().copied());
            let meant = meant.map(|name| format!("Did you mean '{name}'?"));
            issues.push(Issue::new("unknown", "category", message).suggest(meant));
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct SchemaBody {
    /// The query type.
    #[serde(rename = "type")]
    #[schemars(schema_with = "type_name")]
    pub kind: String,
}

/// A query type in a few words.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "QueryTypeBrief")]
pub struct BriefOut {
    pub name: &'static str,
    pub description: &'static str,
    pub category: &'static str,
    /// What it is asked about: `website`, `link` or `monitor`; each also of an organization.
    pub about: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "QueryTypeWhole")]
#[serde(rename_all = "camelCase")]
pub struct WholeOut {
    #[serde(flatten)]
    pub brief: BriefOut,
    pub title: &'static str,
    /// What rows say.
    pub columns: Vec<ColumnOut>,
    /// Fields that filters may name.
    pub filters: Vec<&'static str>,
    /// Whether `groupBy` acts.
    pub customizable: bool,
    /// Whether rows are hours or days.
    pub is_series: bool,
}

/// A column of rows.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "QueryTypeColumn")]
pub struct ColumnOut {
    pub name: &'static str,
    #[serde(rename = "type")]
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'static str>,
}

/// What can be asked at all.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InsightCapabilities")]
#[serde(rename_all = "camelCase")]
pub struct CapabilitiesOut {
    /// Categories with the names of their query types.
    pub categories: Vec<CategoryOut>,
    /// Periods by name; instead of one, `from` and `to`.
    pub presets: Vec<&'static str>,
    /// How filters compare.
    pub operators: [&'static str; 7],
    /// Rows of an answer at most.
    pub max_rows: u32,
    /// Questions of a call at most.
    pub max_queries: u32,
}

/// A category of query types.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InsightCategory")]
pub struct CategoryOut {
    pub name: &'static str,
    pub types: Vec<&'static str>,
}

fn categories() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for kind in all() {
        if !names.contains(&kind.category.as_str()) {
            names.push(kind.category.as_str());
        }
    }
    names
}

fn brief(kind: &QueryType) -> BriefOut {
    BriefOut {
        name: kind.name,
        description: kind.description,
        category: kind.category.as_str(),
        about: match kind.subject {
            Subject::Website => "website",
            Subject::Link => "link",
            Subject::Schedule => "monitor",
        },
    }
}

fn list_types(category: Option<&str>) -> impl Iterator<Item = &'static QueryType> {
    all().filter(move |kind| {
        category.is_none_or(|named| kind.category.as_str().eq_ignore_ascii_case(named))
    })
}

pub(super) async fn list(_: Call, body: ListBody) -> Result<Vec<BriefOut>, Fault> {
    Ok(list_types(body.category.as_deref()).map(brief).collect())
}

pub(super) async fn schema(_: Call, body: SchemaBody) -> Result<WholeOut, Fault> {
    let Some(kind) = find(&body.kind) else {
        let message = format!("there is no query type `{}`", body.kind);
        let meant = nearest(&body.kind, all().map(|kind| kind.name));
        let meant = meant.map(|name| format!("Did you mean '{name}'?"));
        let issue = Issue::new("unknown", "type", message.clone()).suggest(meant);
        return Err(Fault::issues(message, vec![issue]));
    };
    let columns = kind.columns().into_iter();
    Ok(WholeOut {
        brief: brief(kind),
        title: kind.title,
        columns: columns
            .map(|(name, show, unit)| ColumnOut {
                name,
                kind: show.type_name(),
                unit,
            })
            .collect(),
        filters: kind.filter_fields().map(|field| field.name).collect(),
        customizable: kind.customizable,
        is_series: kind.is_series(),
    })
}

pub(super) async fn capabilities(_: Call, body: ListBody) -> Result<CapabilitiesOut, Fault> {
    let named = body.category.as_deref();
    let categories = categories().into_iter();
    let categories =
        categories.filter(|name| named.is_none_or(|one| one.eq_ignore_ascii_case(name)));
    Ok(CapabilitiesOut {
        categories: categories
            .map(|name| CategoryOut {
                name,
                types: list_types(Some(name)).map(|kind| kind.name).collect(),
            })
            .collect(),
        presets: Preset::ALL.map(|(name, _)| name).to_vec(),
        operators: [
            "eq",
            "ne",
            "contains",
            "not_contains",
            "starts_with",
            "in",
            "not_in",
        ],
        max_rows: 100,
        max_queries: 10,
    })
}
