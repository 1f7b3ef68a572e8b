//! Tables of fields, and how they are walked.

use serde_json::{Value, json};

use super::{Call, INVALID, TOO_LARGE};

/// A field: its row in the table, accepted values and refused values.
pub struct Row {
    field: &'static str,
    rule: &'static str,
    taken: Vec<Value>,
    refused: Vec<(Value, &'static str)>,
}

/// A row of a table; `rule` is what the table says.
pub fn row(field: &'static str, rule: &'static str) -> Row {
    Row {
        field,
        rule,
        taken: Vec::new(),
        refused: Vec::new(),
    }
}

/// Values that are refused by their size alone.
const SIZE: &str = "413";

impl Row {
    pub fn takes(mut self, values: impl IntoIterator<Item = Value>) -> Self {
        self.taken.extend(values);
        self
    }

    /// `code` is the one under `errors`.
    pub fn refuses(mut self, code: &'static str, values: impl IntoIterator<Item = Value>) -> Self {
        let refused = values.into_iter().map(|value| (value, code));
        self.refused.extend(refused);
        self
    }

    /// Values that are answered 413.
    pub fn too_large(self, values: impl IntoIterator<Item = Value>) -> Self {
        self.refuses(SIZE, values)
    }

    /// Missing and `null` are refused.
    pub fn required(self) -> Self {
        self.refuses("required", [json!(null)])
    }

    /// Missing and `null` are the same, and fine; what is no text is not.
    pub fn optional_text(self, most: usize) -> Self {
        self.takes([json!(null), json!(""), super::text(most)])
            .refuses("too_long", [super::text(most + 1)])
            .refuses(
                "invalid_type",
                [json!(5), json!(true), json!([]), json!({})],
            )
    }

    /// From 0 to `most`.
    pub fn number(self, most: u64) -> Self {
        self.takes([json!(0), json!(most)])
            .refuses("too_small", [json!(-1)])
            .refuses("too_big", [json!(most + 1)])
            .refuses("invalid_type", [json!("1"), json!(true), json!([1])])
    }

    /// [`Self::number`] that may be missing.
    pub fn optional_number(self, most: u64) -> Self {
        self.number(most).takes([json!(null)])
    }

    /// From 2000-01-01 to an hour from now, as a number.
    pub fn time(self) -> Self {
        let now = crate::app::NOW;
        self.takes([
            json!(946_684_800_000_i64),
            json!(now),
            json!(now + 3_600_000),
        ])
        .refuses("too_small", [json!(946_684_799_999_i64), json!(-1)])
        .refuses("too_big", [json!(now + 3_600_001), json!(1e300)])
        .refuses("invalid_type", [json!(true), json!([now])])
    }

    /// `true`, `false` or `"auto"`.
    pub fn anonymize(self) -> Self {
        self.takes([json!(null), json!(true), json!(false), json!("auto")])
            .refuses(
                "invalid_value",
                [json!("AUTO"), json!("true"), json!(1), json!({})],
            )
    }

    /// At most 50 keys, at most 32 KB.
    pub fn properties(self) -> Self {
        let keys = |count: usize| -> Value {
            (0..count)
                .map(|key| (format!("k{key}"), json!(key)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        let bytes = |count: usize| json!({ "k": "x".repeat(count - r#"{"k":""}"#.len()) });
        self.takes([json!(null), json!({}), keys(50), bytes(32_768)])
            .refuses("too_many_keys", [keys(51)])
            .too_large([bytes(32_769)])
            .refuses("invalid_type", [json!([]), json!("text"), json!(5)])
    }
}

/// How a value is sent: `null` by itself and as a field that is missing.
fn forms(value: &Value) -> Vec<Option<&Value>> {
    if value.is_null() {
        vec![Some(value), None]
    } else {
        vec![Some(value)]
    }
}

/// In a record's `eventId`: another one every time.
pub const UNIQUE: &str = "unique";

/// How the records of a table are sent.
pub struct Table<'a> {
    pub call: Call<'a>,
    /// A record that is taken.
    pub base: Value,
    /// Whether a record goes into an array.
    pub array: bool,
    /// Status of success.
    pub success: u16,
}

impl Table<'_> {
    /// Sends every value of every row; gives how many records were taken.
    pub async fn walk(&self, rows: &[Row]) -> usize {
        let mut taken = 0;
        let mut seen: Vec<&str> = Vec::new();
        for row in rows {
            assert!(!seen.contains(&row.field), "{} is there twice", row.field);
            seen.push(row.field);
            for value in &row.taken {
                for form in forms(value) {
                    let body = self.body(row.field, form, taken);
                    let answer = self.call.send(&body).await;
                    let (field, rule) = (row.field, row.rule);
                    assert_eq!(
                        answer.status, self.success,
                        "{field} ({rule}): {}",
                        answer.text
                    );
                    taken += 1;
                }
            }
            for (value, code) in &row.refused {
                for form in forms(value) {
                    self.refuses(row, form, code).await;
                }
            }
        }
        taken
    }

    async fn refuses(&self, row: &Row, value: Option<&Value>, code: &str) {
        let answer = self.call.send(&self.body(row.field, value, 0)).await;
        let place = if self.array {
            format!("[0].{}", row.field)
        } else {
            row.field.to_owned()
        };
        eprintln!("{place} ({}): {code}", row.rule);
        if code == SIZE {
            TOO_LARGE.is(&answer);
            return;
        }
        let errors = INVALID.is(&answer);
        let found: Vec<_> = errors
            .iter()
            .map(|error| (error["code"].as_str(), error["field"].as_str()))
            .collect();
        assert_eq!(
            found,
            [(Some(code), Some(place.as_str()))],
            "{}",
            answer.text
        );
        assert!(
            errors[0]["message"]
                .as_str()
                .is_some_and(|text| text.len() > 10)
        );
    }

    fn body(&self, field: &str, value: Option<&Value>, number: usize) -> Value {
        let mut record = self.base.clone();
        if record.get("eventId").is_some_and(|id| id == UNIQUE) {
            record["eventId"] = json!(format!("e{number}"));
        }
        match value {
            Some(value) => record[field] = value.clone(),
            None => drop(record.as_object_mut().unwrap().remove(field)),
        }
        if self.array { json!([record]) } else { record }
    }
}
