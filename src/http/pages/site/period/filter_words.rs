//! Filters in words.

use crate::{
    analytics::catalogue::country_name,
    locale::Texts,
    pages::{problem::capitalize, view::Filter},
};

/// The label of a field. The key of a trait stays as it is.
pub(in super::super) fn field_label(texts: Texts, field: &str) -> String {
    if let Some(key) = field.strip_prefix("trait:") {
        return format!("Trait {key}");
    }
    let words = field
        .strip_suffix("_name")
        .unwrap_or(field)
        .replace('_', " ");
    let label = match words.as_str() {
        "os" => "Operating system".to_owned(),
        words => capitalize(&words.replace("utm", "UTM").replace("os ", "OS ")),
    };
    texts.label(&label).to_owned()
}

/// The labels of a filter's values.
pub(in super::super) fn value_labels(filter: &Filter) -> String {
    let called = |value: &'_ str| match filter.field.as_str() {
        "country" => country_name(value).unwrap_or(value).to_owned(),
        _ => value.to_owned(),
    };
    let all: Vec<String> = filter.values().into_iter().map(called).collect();
    all.join(", ")
}

/// The label of an operator.
pub(super) fn operator_label(texts: Texts, op: &str) -> &str {
    texts.label(match op {
        "eq" => "is",
        "ne" => "is not",
        "contains" => "contains",
        "not_contains" => "does not contain",
        "starts_with" => "starts with",
        "ends_with" => "ends with",
        "in" => "is one of",
        "not_in" => "is not one of",
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::request::Op;

    #[test]
    fn fields_are_called_what_people_call_them() {
        for (field, name) in [
            ("utm_source", "UTM source"),
            ("browser_name", "Browser"),
            ("os_name", "Operating system"),
            ("os_version", "OS version"),
            ("path", "Path"),
            ("trait:billing_plan", "Trait billing_plan"),
        ] {
            assert_eq!(field_label(Texts::ENGLISH, field), name);
        }
        for (op, _) in Op::ALL {
            assert!(
                op.len() == 2 && op != "in"
                    || operator_label(Texts::ENGLISH, op).contains(' ')
                    || op == "contains",
                "{op}"
            );
        }
    }
}
