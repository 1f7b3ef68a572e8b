//! Answers as the bytes that are sent, in pieces: no answer needs its whole size in one place.

use std::io::{self, Write};

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::events::answer_budget::Account;

/// Bytes of a piece. Smaller ones are copied together.
const PIECE: usize = 64 << 10;

#[derive(Debug, Default)]
pub(super) struct Text {
    pieces: Vec<Bytes>,
    open: Vec<u8>,
    bytes: usize,
}

impl Text {
    /// How long it is.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn value(&mut self, value: &impl Serialize) {
        // Neither the values nor this writer fail.
        let _ = serde_json::to_writer(&mut *self, value);
    }

    /// Appends text as it is.
    pub(super) fn raw(&mut self, text: &str) {
        let _ = self.write_all(text.as_bytes());
    }

    /// Appends the fields of an object, with commas between them.
    pub(super) fn fields(&mut self, fields: &Map<String, Value>) {
        for (place, (name, value)) in fields.iter().enumerate() {
            self.raw(if place == 0 { "" } else { "," });
            self.value(name);
            self.raw(":");
            self.value(value);
        }
    }

    /// Appends a field behind a comma.
    pub(super) fn field(&mut self, name: &str, value: &impl Serialize) {
        self.raw(",");
        self.value(&name);
        self.raw(":");
        self.value(value);
    }

    /// Appends other text, whose large pieces are shared.
    pub(super) fn append(&mut self, other: &[Bytes]) {
        for piece in other {
            if piece.len() < PIECE {
                let _ = self.write_all(piece);
            } else {
                self.close();
                self.bytes += piece.len();
                self.pieces.push(piece.clone());
            }
        }
    }

    pub(super) fn into_pieces(mut self) -> Vec<Bytes> {
        self.close();
        self.pieces
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            // A piece takes no more memory than it is long.
            let piece = std::mem::take(&mut self.open).into_boxed_slice();
            self.pieces.push(piece.into());
        }
    }
}

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.open.len() + bytes.len() > PIECE {
            self.close();
        }
        self.open.extend_from_slice(bytes);
        self.bytes += bytes.len();
        if self.open.len() >= PIECE {
            self.close();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A whole answer, and the account that its memory is charged to until it is sent.
#[derive(Debug)]
pub struct Json {
    text: Text,
    account: Account,
}

impl Json {
    /// An object that is still open.
    pub(super) fn new(text: Text, account: Account) -> Self {
        Self { text, account }
    }

    /// Ends the object with one more field.
    pub fn finish(mut self, last: Option<(&str, &Value)>) -> (Vec<Bytes>, Account) {
        if let Some((name, value)) = last {
            self.text.field(name, value);
        }
        self.text.raw("}");
        self.account.close();
        (self.text.into_pieces(), self.account)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::events::{answer_budget::AnswerBudget, tenant::Tenant};

    #[test]
    fn pieces_are_the_text_and_large_ones_are_shared() {
        let mut rows = Text::default();
        let long = "x".repeat(PIECE + 1);
        rows.value(&json!([long]));
        let rows = rows.into_pieces();
        let mut text = Text::default();
        text.raw("{\"a\":1");
        for _ in 0..2 {
            text.raw(",\"b\":");
            text.append(&rows);
        }
        text.append(&[Bytes::from_static(b" ")]);
        let bytes = text.bytes();
        let account = AnswerBudget::new(Duration::ZERO).account(Tenant::default(), 0);
        let (pieces, _) = Json::new(text, account).finish(Some(("c", &json!("d"))));
        let whole: Vec<u8> = pieces.concat();
        let wanted = format!("{{\"a\":1,\"b\":[\"{long}\"],\"b\":[\"{long}\"] ,\"c\":\"d\"}}");
        assert_eq!(String::from_utf8(whole).unwrap(), wanted);
        assert_eq!(bytes, wanted.len() - ",\"c\":\"d\"}".len());
        let shared = pieces.iter().filter(|piece| piece.len() > PIECE);
        let places: Vec<_> = shared.map(|piece| piece.as_ptr()).collect();
        assert!(places.len() == 2 && places[0] == places[1]);
    }
}
