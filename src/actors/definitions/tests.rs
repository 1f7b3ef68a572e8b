//! Rules of what is saved.

use serde_json::{Value, json};

use super::{FunnelFields, GoalFields, Saved, rules};

fn goal(fields: &Value) -> Result<Saved, Vec<String>> {
    let fields: GoalFields = serde_json::from_value(fields.clone()).unwrap();
    places(rules::checked(Saved::Goal(fields)))
}

fn funnel(fields: &Value) -> Result<Saved, Vec<String>> {
    let fields: FunnelFields = serde_json::from_value(fields.clone()).unwrap();
    places(rules::checked(Saved::Funnel(fields)))
}

fn places(checked: Result<Saved, Vec<crate::fault::Issue>>) -> Result<Saved, Vec<String>> {
    checked.map_err(|issues| issues.into_iter().map(|issue| issue.field).collect())
}

#[test]
fn a_goal_is_what_can_be_asked() {
    let usual = json!({ "type": "PAGE_VIEW", "target": "/thanks", "name": " Thanks " });
    let Saved::Goal(made) = goal(&usual).unwrap() else {
        panic!("a goal");
    };
    assert_eq!((made.name.as_str(), made.is_active), ("Thanks", true));
    for (field, value, place) in [
        ("name", json!(" "), "name"),
        ("name", json!("n".repeat(101)), "name"),
        ("target", json!(""), "target"),
        ("target", json!("/a/*/b"), "target"),
        ("description", json!("d".repeat(501)), "description"),
        (
            "filters",
            json!([{ "field": "contry", "operator": "equals", "value": "DE" }]),
            "filters[0].field",
        ),
        (
            "filters",
            json!([{ "field": "country", "operator": "in", "value": "DE" }]),
            "filters[0].value",
        ),
        (
            "filters",
            json!([{ "field": "country", "operator": "equals", "value": ["DE"] }]),
            "filters[0].value",
        ),
        (
            "filters",
            json!([{ "field": "session_id", "operator": "contains", "value": "a" }]),
            "filters[0].operator",
        ),
    ] {
        let mut wrong = usual.clone();
        wrong[field] = value;
        assert_eq!(goal(&wrong).unwrap_err(), [place], "{wrong}");
    }
}

#[test]
fn a_funnel_has_two_to_ten_steps_that_can_be_taken() {
    let step = |target: &str| json!({ "type": "EVENT", "target": target, "name": "s" });
    let with = |steps: Vec<Value>| json!({ "name": "f", "steps": steps });
    assert!(funnel(&with(vec![step("a"); 2])).is_ok());
    assert!(funnel(&with(vec![step("a"); 10])).is_ok());
    for count in [0, 1, 11] {
        let wrong = funnel(&with(vec![step("a"); count]));
        assert_eq!(wrong.unwrap_err(), ["steps"], "{count}");
    }
    let wrong = funnel(&with(vec![step("a"), step("")]));
    assert_eq!(wrong.unwrap_err(), ["steps[1].target"]);
    let mut with_trait = step("a");
    with_trait["conditions"] =
        json!([{ "field": "trait:plan", "operator": "equals", "value": "p" }]);
    let wrong = funnel(&with(vec![with_trait, step("b")]));
    assert_eq!(wrong.unwrap_err(), ["steps[0].conditions[0].field"]);
    for (seconds, fits) in [
        (0, false),
        (1, true),
        (31_622_400, true),
        (31_622_401, false),
    ] {
        let mut slow = with(vec![step("a"); 2]);
        slow["windowSeconds"] = json!(seconds);
        assert_eq!(funnel(&slow).is_ok(), fits, "{seconds}");
    }
}
