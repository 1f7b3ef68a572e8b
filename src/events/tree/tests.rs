use proptest::prelude::*;

use super::{Object, Value};

#[test]
fn of_a_repeated_name_the_last_value_stands_where_the_first_stood() {
    let read: Object<'_> = serde_json::from_str(r#"{"a":1,"b":2,"a":3}"#).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), r#"{"a":3,"b":2}"#);
}

/// JSON with names that repeat, in objects on both sides of [`super::MANY`].
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        any::<u64>().prop_map(|value| value.to_string()),
        (-1e300..1e300_f64).prop_map(|value| value.to_string()),
        any::<String>().prop_map(|value| serde_json::json!(value).to_string()),
    ];
    leaf.prop_recursive(3, 200, 80, |inner| {
        let member = (0..60_u8, inner.clone()).prop_map(|(n, value)| format!("\"k{n}\":{value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..8).prop_map(|all| format!("[{}]", all.join(","))),
            prop::collection::vec(member, 0..90).prop_map(|all| format!("{{{}}}", all.join(","))),
        ]
    })
}

proptest! {
    #[test]
    fn a_text_reads_and_writes_as_it_does_with_hashed_objects(text in json()) {
        let ours: Value<'_> = serde_json::from_str(&text).unwrap();
        let hashed: serde_json::Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(ours.to_string(), hashed.to_string());
    }
}
