//! Sinks of shaped rows: values for callers in this program, bytes for the others.

use bytes::Bytes;
use serde_json::Value;

use super::json::Text;

/// A list of JSON values in the making.
pub(super) trait RowSink: Default + Send + 'static {
    type Output: Clone + Default + Send + 'static;
    /// How many times the memory of rows it takes, about.
    const WEIGHT: usize;

    /// Appends a value; how many bytes of JSON it is, about or exactly.
    fn push(&mut self, value: Value) -> usize;

    fn memory(&self) -> usize;

    fn finish(self) -> Self::Output;
}

/// Values, with an estimate of what they take.
#[derive(Default)]
pub(super) struct ValueSink {
    list: Vec<Value>,
    memory: usize,
}

impl RowSink for ValueSink {
    type Output = Vec<Value>;
    const WEIGHT: usize = 4;

    fn push(&mut self, value: Value) -> usize {
        let (written, memory) = size(&value);
        self.memory += memory;
        self.list.push(value);
        written
    }

    fn memory(&self) -> usize {
        self.memory
    }

    fn finish(self) -> Vec<Value> {
        self.list
    }
}

/// Bytes of a value as JSON, and in memory.
fn size(value: &Value) -> (usize, usize) {
    /// An entry of an object beside its name and value.
    const ENTRY: usize = 64;
    let (written, inside) = match value {
        Value::String(text) => (text.len() + 2, text.len()),
        Value::Array(list) => list
            .iter()
            .map(size)
            .fold((2, 0), |sum, one| (sum.0 + one.0 + 1, sum.1 + one.1)),
        Value::Object(fields) => fields.iter().fold((2, 0), |sum, (name, value)| {
            let one = size(value);
            let written = name.len() + 4 + one.0;
            (sum.0 + written, sum.1 + name.len() + ENTRY + one.1)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => (4, 0),
    };
    (written, inside + size_of::<Value>())
}

/// The bytes of a JSON array.
#[derive(Default)]
pub(super) struct JsonSink(Text);

/// The array in pieces; none for an empty one.
#[derive(Debug, Clone, Default)]
pub(super) struct Pieces(Vec<Bytes>);

impl RowSink for JsonSink {
    type Output = Pieces;
    const WEIGHT: usize = 1;

    fn push(&mut self, value: Value) -> usize {
        let before = self.0.bytes();
        self.0.raw(if before == 0 { "[" } else { "," });
        self.0.value(&value);
        self.0.bytes() - before
    }

    fn memory(&self) -> usize {
        self.0.bytes()
    }

    fn finish(mut self) -> Pieces {
        if self.0.bytes() > 0 {
            self.0.raw("]");
        }
        Pieces(self.0.into_pieces())
    }
}

impl Pieces {
    pub(super) fn write(&self, text: &mut Text) {
        if self.0.is_empty() {
            text.raw("[]");
        } else {
            text.append(&self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_are_the_same_list() {
        for rows in [
            vec![],
            vec![json!({ "a": 1, "b": "x\n" }), json!([null, 2.5])],
        ] {
            let (mut values, mut written) = (ValueSink::default(), JsonSink::default());
            for row in rows.clone() {
                let (about, exactly) = (values.push(row.clone()), written.push(row));
                assert!(about.abs_diff(exactly) < 8, "{about} {exactly}");
            }
            assert!(written.memory() <= values.memory());
            let mut text = Text::default();
            written.finish().write(&mut text);
            let bytes = text.into_pieces().concat();
            assert_eq!(serde_json::to_vec(&rows).unwrap(), bytes);
            assert_eq!(values.finish(), rows);
        }
    }
}
