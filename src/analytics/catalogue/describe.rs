//! The catalogue as `GET /v1/query/types` shows it.

use serde_json::{Map, Value, json};

use super::{QueryType, Shape, Show, all};
use crate::analytics::range::Preset;

/// Every type with its configuration, and the presets.
pub fn types(include_meta: bool) -> Value {
    let configs: Map<String, Value> = all()
        .map(|kind| (kind.name.to_owned(), config(kind, include_meta)))
        .collect();
    json!({
        "success": true,
        "types": all().map(|kind| kind.name).collect::<Vec<_>>(),
        "configs": configs,
        "presets": Preset::ALL.map(|(name, _)| name),
    })
}

fn config(kind: &QueryType, include_meta: bool) -> Value {
    let filters: Vec<&str> = kind.filter_fields().map(|field| field.name).collect();
    let mut config = Map::new();
    config.insert("allowedFilters".into(), json!(filters));
    config.insert("customizable".into(), json!(kind.customizable));
    config.insert("defaultLimit".into(), json!(kind.default_limit));
    config.insert("publicAccess".into(), json!(kind.public));
    if include_meta {
        config.insert("meta".into(), meta(kind));
    }
    Value::Object(config)
}

fn meta(kind: &QueryType) -> Value {
    let columns = kind.columns();
    let names: Vec<&str> = columns.iter().map(|(name, ..)| *name).collect();
    let fields: Vec<Value> = columns
        .iter()
        .map(|(name, show, unit)| output_field(name, *show, *unit))
        .collect();
    let grains: &[&str] = if kind.is_series() {
        &["hour", "day"]
    } else {
        &[]
    };
    json!({
        "title": kind.title,
        "description": kind.description,
        "category": kind.category.as_str(),
        "tags": tags(kind),
        "outputFields": names,
        "output_fields": fields,
        "default_visualization": kind.visual.as_str(),
        "supports_granularity": grains,
        "version": "1.0",
    })
}

fn output_field(name: &str, show: Show, unit: Option<&str>) -> Value {
    let mut field = Map::new();
    field.insert("name".into(), json!(name));
    field.insert("type".into(), json!(show.type_name()));
    field.insert("label".into(), json!(label(name)));
    if let Some(unit) = unit {
        field.insert("unit".into(), json!(unit));
    }
    Value::Object(field)
}

/// `bounce_rate` → `Bounce rate`
fn label(name: &str) -> String {
    let mut text = name.replace('_', " ");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

fn tags(kind: &QueryType) -> Vec<&'static str> {
    let shape = match kind.shape {
        _ if kind.is_series() => "series",
        _ if kind.is_total() => "total",
        Shape::Measured { .. } => "top",
        Shape::List { .. } | Shape::Custom { .. } => "list",
    };
    let mut tags = vec![kind.category.as_str(), shape];
    if kind.public {
        tags.push("public");
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::catalogue::{About, Subject};

    #[test]
    fn every_type_tells_what_the_spec_asks_for() {
        let value = types(true);
        let names = value["types"].as_array().unwrap();
        assert_eq!(names.len(), value["configs"].as_object().unwrap().len());
        for (name, config) in value["configs"].as_object().unwrap() {
            let filters = config["allowedFilters"].as_array().unwrap();
            let kind = super::super::find(name).unwrap();
            let takes_path = filters.contains(&json!("path"));
            let of_visitors = matches!(kind.about, About::People | About::Everyone);
            let of_links = kind.subject == Subject::Link;
            assert_eq!(takes_path, of_visitors || of_links, "{name}");
            assert!(config["customizable"].is_boolean(), "{name}");
            assert!(
                !config["meta"]["description"].as_str().unwrap().is_empty(),
                "{name}"
            );
            assert!(
                !config["meta"]["title"].as_str().unwrap().is_empty(),
                "{name}"
            );
            let fields = config["meta"]["outputFields"].as_array().unwrap();
            assert!(
                !fields.is_empty() && fields.iter().all(Value::is_string),
                "{name}"
            );
            assert_eq!(
                config["meta"]["output_fields"].as_array().unwrap().len(),
                fields.len()
            );
        }
        assert_eq!(value["configs"]["top_pages"]["defaultLimit"], json!(100));
        assert_eq!(
            value["configs"]["summary_totals"]["defaultLimit"],
            json!(100)
        );
        assert_eq!(value["configs"]["error_types"]["defaultLimit"], json!(50));
        assert_eq!(types(false)["configs"]["top_pages"].get("meta"), None);
        assert_eq!(value["presets"].as_array().unwrap().len(), 11);
    }

    #[test]
    fn the_specs_types_are_there_and_what_shows_people_is_private() {
        let named = [
            "summary_metrics",
            "top_pages",
            "traffic_sources",
            "top_referrers",
            "browser_name",
            "os_name",
            "device_types",
            "country",
            "city",
            "recent_errors",
            "error_summary",
            "vitals_overview",
            "page_performance",
            "session_metrics",
            "session_list",
            "custom_events",
            "profile_list",
            "outbound_links",
            "outbound_domains",
            "scroll_depth_summary",
            "interaction_summary",
            "frustration_by_page",
            "form_abandonment_by_page",
            "engagement_quality_by_page",
            "summary_totals",
        ];
        for name in named {
            assert!(super::super::find(name).is_some(), "{name}");
        }
        for kind in all() {
            let telling = kind
                .columns()
                .iter()
                .any(|(_, show, _)| matches!(show, Show::Hash | Show::Json | Show::Items(_)));
            assert!(!(telling && kind.public), "{}", kind.name);
            let mut names: Vec<&str> = kind.columns().iter().map(|(name, ..)| *name).collect();
            names.sort_unstable();
            assert!(
                names.windows(2).all(|pair| pair[0] != pair[1]),
                "{}",
                kind.name
            );
        }
    }
}
