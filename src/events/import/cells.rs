//! Rows that are JSON objects, as they are in their file: whichever form it has, and where each of them ends.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _},
};

use super::{
    columns::Columns,
    lines::{Elements, Lines, Piece},
};
use crate::events::tree::Object;

/// Which rows a file has.
pub(super) struct RowKind {
    /// What the file is, for messages.
    pub(super) file: &'static str,
    /// Fields that every row has.
    pub(super) required: &'static [&'static str],
}

/// A file of rows.
pub(super) struct RowFile {
    kind: &'static RowKind,
    form: Form,
    length: u64,
    /// The first row, which was looked at.
    ahead: Option<Cells>,
}

enum Form {
    Lines(Lines<File>),
    List(Elements<File>),
    Parquet(Box<Columns>),
}

/// A row as it is in the file.
pub(super) struct Cells {
    pub(super) number: u64,
    /// What tells it from others with the same content.
    pub(super) place: u64,
    pub(super) end: u64,
    pub(super) done: u64,
    pub(super) digest: blake3::Hash,
    content: Content,
}

enum Content {
    Text(Piece),
    Object(Object<'static>),
}

impl Cells {
    /// The row's object, once.
    pub(super) fn object(&mut self) -> Result<Object<'_>, String> {
        let piece = match &mut self.content {
            Content::Text(piece) => piece,
            Content::Object(object) => return Ok(std::mem::take(object)),
        };
        serde_json::from_slice(&piece.bytes).map_err(|error| {
            if piece.is_whole {
                format!("this is no JSON object: {error}")
            } else {
                "the file ends too early. Export it again".to_owned()
            }
        })
    }
}

impl RowFile {
    /// Detects the form by the first bytes.
    pub(super) fn open(kind: &'static RowKind, mut file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let mut head = [0; 512];
        let read = file.read(&mut head)?;
        file.rewind()?;
        let head = &head[..read];
        let refuse = |what: &str| {
            let what = format!("this is no {}: {what}", kind.file);
            Err(io::Error::new(io::ErrorKind::InvalidData, what))
        };
        let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
        let form = match (head, first) {
            (_, None) => return refuse("it is empty"),
            ([b'P', b'A', b'R', b'1', ..], _) => {
                Form::Parquet(Box::new(Columns::open(file, kind.required)?))
            }
            ([0x1f, 0x8b, ..] | [b'P', b'K', ..] | [0x28, 0xb5, 0x2f, 0xfd, ..], _) => {
                return refuse("it is packed. Unpack it first");
            }
            ([0xff, 0xfe, ..] | [0xfe, 0xff, ..], _) => {
                return refuse("it is UTF-16. Save it as UTF-8");
            }
            (_, Some(b'{')) => Form::Lines(Lines::new(file)),
            (_, Some(b'[')) => Form::List(Elements::new(file)?),
            _ => return refuse("it begins with no object, no list and not as Parquet does"),
        };
        let mut rows = Self {
            kind,
            form,
            length,
            ahead: None,
        };
        rows.check_first()?;
        Ok(rows)
    }

    /// Refuses a file whose first row lacks what all have. Of Parquet, the columns were looked at.
    fn check_first(&mut self) -> io::Result<()> {
        self.ahead = self.read()?;
        if matches!(self.form, Form::Parquet(_)) {
            return Ok(());
        }
        let what = match self.ahead.as_mut().map(Cells::object) {
            Some(Err(why)) => why,
            Some(Ok(object)) => {
                let names = self.kind.required.iter().copied();
                let missing: Vec<&str> = names.filter(|name| !object.contains_key(name)).collect();
                if missing.is_empty() {
                    return Ok(());
                }
                format!("its first row has no {}", missing.join(", "))
            }
            None => return Ok(()),
        };
        let what = format!("this is no {}: {what}", self.kind.file);
        Err(io::Error::new(io::ErrorKind::InvalidData, what))
    }

    /// The next row.
    pub(super) fn next(&mut self) -> io::Result<Option<Cells>> {
        match self.ahead.take() {
            Some(first) => Ok(Some(first)),
            None => self.read(),
        }
    }

    fn read(&mut self) -> io::Result<Option<Cells>> {
        let piece = match &mut self.form {
            Form::Lines(lines) => loop {
                match lines.next()? {
                    Some(piece) if piece.bytes.trim_ascii().is_empty() => {}
                    other => break other,
                }
            },
            Form::List(list) => list.next()?,
            Form::Parquet(columns) => {
                let Some((number, object)) = columns.next()? else {
                    return Ok(None);
                };
                let (end, done) = columns.place(number, self.length);
                let text = serde_json::to_vec(&object)?;
                return Ok(Some(Cells {
                    number,
                    place: number,
                    end,
                    done,
                    digest: blake3::hash(&text),
                    content: Content::Object(object),
                }));
            }
        };
        Ok(piece.map(Cells::from))
    }
}

impl From<Piece> for Cells {
    fn from(piece: Piece) -> Self {
        Self {
            number: piece.number,
            place: piece.end,
            end: piece.end,
            done: piece.end,
            digest: blake3::hash(&piece.bytes),
            content: Content::Text(piece),
        }
    }
}
