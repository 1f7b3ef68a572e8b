//! As much BSON as the sign-in of MongoDB needs: flat documents are written, and values at the top are read.

use super::reader::Reader;
use crate::egress::Failure;

const NAME: &str = "MongoDB";

/// A document in the making.
#[derive(Default)]
pub(super) struct Document(Vec<u8>);

impl Document {
    fn put(mut self, kind: u8, name: &str, value: &[u8]) -> Self {
        self.0.push(kind);
        self.0.extend(name.as_bytes());
        self.0.push(0);
        self.0.extend(value);
        self
    }

    pub(super) fn number(self, name: &str, value: i32) -> Self {
        self.put(0x10, name, &value.to_le_bytes())
    }

    pub(super) fn text(self, name: &str, value: &str) -> Self {
        let length = (value.len() + 1) as u32;
        let value = [&length.to_le_bytes()[..], value.as_bytes(), &[0]].concat();
        self.put(0x02, name, &value)
    }

    pub(super) fn binary(self, name: &str, value: &[u8]) -> Self {
        let length = value.len() as u32;
        let value = [&length.to_le_bytes()[..], &[0], value].concat();
        self.put(0x05, name, &value)
    }

    pub(super) fn finish(self) -> Vec<u8> {
        let length = (self.0.len() + 5) as u32;
        [&length.to_le_bytes()[..], &self.0, &[0]].concat()
    }
}

/// A value of a document.
#[derive(Debug, PartialEq)]
pub(super) enum Value<'b> {
    Number(f64),
    Bool(bool),
    Binary(&'b [u8]),
    Other,
}

/// The value of this name at the top of a document.
pub(super) fn find<'b>(document: &'b [u8], name: &str) -> Result<Option<Value<'b>>, Failure> {
    let mut reader = Reader::new(document, NAME);
    reader.take(4)?;
    loop {
        let kind = reader.byte()?;
        if kind == 0 {
            return Ok(None);
        }
        let own = reader.text()?;
        let value = read_value(&mut reader, kind)?;
        if own == name.as_bytes() {
            return Ok(Some(value));
        }
    }
}

fn read_value<'b>(reader: &mut Reader<'b>, kind: u8) -> Result<Value<'b>, Failure> {
    let length = match kind {
        0x01 => return Ok(Value::Number(f64::from_le_bytes(reader.array()?))),
        0x10 => return Ok(Value::Number(i32::from_le_bytes(reader.array()?).into())),
        0x12 => return Ok(Value::Number(i64::from_le_bytes(reader.array()?) as f64)),
        0x08 => return Ok(Value::Bool(reader.byte()? != 0)),
        0x05 => {
            let length = length(reader)?;
            reader.take(1)?;
            return Ok(Value::Binary(reader.take(length)?));
        }
        // Text, code.
        0x02 | 0x0d => length(reader)?,
        // Documents and arrays, whose length counts itself.
        0x03 | 0x04 => length(reader)?
            .checked_sub(4)
            .ok_or_else(|| reader.broken())?,
        // Undefined, null, the smallest and the largest key.
        0x06 | 0x0a | 0x7f | 0xff => 0,
        0x07 => 12,
        // Moments.
        0x09 | 0x11 => 8,
        0x13 => 16,
        _ => return Err(reader.broken()),
    };
    reader.take(length)?;
    Ok(Value::Other)
}

fn length(reader: &mut Reader<'_>) -> Result<usize, Failure> {
    Ok(u32::from_le_bytes(reader.array()?) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_found() {
        let document = Document::default()
            .text("$db", "admin")
            .number("ok", 1)
            .binary("payload", b"xy")
            .finish();
        assert_eq!(document[..4], (document.len() as u32).to_le_bytes());
        assert_eq!(find(&document, "ok"), Ok(Some(Value::Number(1.0))));
        let payload = Value::Binary(&b"xy"[..]);
        assert_eq!(find(&document, "payload"), Ok(Some(payload)));
        assert_eq!(find(&document, "$db"), Ok(Some(Value::Other)));
        assert_eq!(find(&document, "none"), Ok(None));
    }

    #[test]
    fn a_document_that_is_cut_short_or_lies_is_a_failure() {
        let whole = Document::default().text("a", "b").number("ok", 1).finish();
        for length in 0..whole.len() {
            assert!(find(&whole[..length], "none").is_err(), "{length}");
        }
        for (kind, value) in [
            (0x02, &[0xff; 4][..]),
            (0x03, &[0, 0, 0, 0]),
            (0x05, &[0xff; 5]),
            (0x0b, &[0]),
            (0x77, &[]),
        ] {
            let lie = Document::default().put(kind, "a", value).finish();
            assert!(find(&lie, "none").is_err(), "{kind}");
        }
    }
}
