//! Files of rows that are JSON objects: an object on each line, a list of objects, or Parquet. What a row means is said by an
//! [`Adapter`], which is data and one function.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, Read as _, Seek as _},
};

use serde_json::{Map, Value};

use super::{
    Import, Omission, Outcome, Record, Source,
    columns::Columns,
    describe_fault,
    known::Known,
    lines::{Elements, Lines, Piece},
};
use crate::events::{
    accept::{
        Context,
        protocols::{Input, Visitor},
    },
    enrich::SenderContext,
    event,
    sessions::Sessions,
};

/// How the rows of one product are understood.
pub(super) struct Adapter {
    /// What a file is, for messages.
    pub(super) file: &'static str,
    /// Fields that every row has.
    pub(super) required: &'static [&'static str],
    /// Fields that are not carried.
    pub(super) omissions: &'static [Omission],
    /// What a row came to: events, or why there are none.
    pub(super) read: fn(Map<String, Value>) -> Read,
}

/// What a row came to.
pub(super) enum Read {
    Events(Vec<Row>),
    /// Nothing that is stored, and why.
    LeftOut(&'static str),
    Refused(String),
}

/// An event of a row.
#[derive(Default)]
pub(super) struct Row {
    pub(super) input: Input,
    pub(super) known: Known,
    /// The product's own id of the event.
    pub(super) id: Option<String>,
}

pub(super) struct Rows {
    adapter: &'static Adapter,
    file: Form,
    length: u64,
    sessions: Sessions,
    visit: Option<SenderContext>,
    /// The first row, which was looked at.
    ahead: Option<Cells>,
    /// What the last row came to.
    records: VecDeque<Record>,
}

enum Form {
    Lines(Lines<File>),
    List(Elements<File>),
    Parquet(Box<Columns>),
}

/// A row as it is in the file.
struct Cells {
    number: u64,
    /// What tells it from others with the same content.
    place: u64,
    end: u64,
    done: u64,
    digest: blake3::Hash,
    object: Result<Map<String, Value>, String>,
}

impl Rows {
    /// Detects the form by the first bytes.
    pub(super) fn new(adapter: &'static Adapter, mut file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let mut head = [0; 512];
        let read = file.read(&mut head)?;
        file.rewind()?;
        let head = &head[..read];
        let refuse = |what: &str| {
            let what = format!("this is no {}: {what}", adapter.file);
            Err(io::Error::new(io::ErrorKind::InvalidData, what))
        };
        let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
        let form = match (head, first) {
            (_, None) => return refuse("it is empty"),
            ([b'P', b'A', b'R', b'1', ..], _) => {
                Form::Parquet(Box::new(Columns::open(file, adapter.required)?))
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
            adapter,
            file: form,
            length,
            sessions: Sessions::bounded(200_000),
            visit: None,
            ahead: None,
            records: VecDeque::new(),
        };
        rows.check_first()?;
        Ok(rows)
    }

    /// Refuses a file whose first row lacks what all have. Of Parquet, the columns were looked at.
    fn check_first(&mut self) -> io::Result<()> {
        self.ahead = self.cells()?;
        let what = match self.ahead.as_ref().map(|cells| &cells.object) {
            Some(Err(why)) => why.clone(),
            Some(Ok(object)) if !matches!(self.file, Form::Parquet(_)) => {
                let names = self.adapter.required.iter().copied();
                let missing: Vec<&str> = names.filter(|name| !object.contains_key(*name)).collect();
                if missing.is_empty() {
                    return Ok(());
                }
                format!("its first row has no {}", missing.join(", "))
            }
            _ => return Ok(()),
        };
        let what = format!("this is no {}: {what}", self.adapter.file);
        Err(io::Error::new(io::ErrorKind::InvalidData, what))
    }

    fn cells(&mut self) -> io::Result<Option<Cells>> {
        let piece = match &mut self.file {
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
                    object: Ok(object),
                }));
            }
        };
        Ok(piece.map(Cells::from))
    }

    /// Reads a row into records.
    fn take(&mut self, cells: Cells, import: &Import<'_>) {
        let Cells {
            number,
            place,
            end,
            done,
            digest,
            object,
        } = cells;
        let mut omitted = Vec::new();
        let read = match object {
            Ok(object) => {
                let omissions = self.adapter.omissions.iter();
                omitted.extend(omissions.filter(|omission| is_there(&object, omission.field)));
                (self.adapter.read)(object)
            }
            Err(why) => Read::Refused(why),
        };
        let outcomes = match read {
            Read::LeftOut(why) => vec![Outcome::LeftOut(why)],
            Read::Refused(why) => vec![Outcome::Refused(why)],
            Read::Events(rows) => {
                let mut outcomes = Vec::with_capacity(rows.len());
                for row in rows {
                    let id = import.event_id(digest, place);
                    self.accept(row, id, import, &mut outcomes);
                }
                outcomes
            }
        };
        let last = outcomes.len().saturating_sub(1);
        for (at, outcome) in outcomes.into_iter().enumerate() {
            self.records.push_back(Record {
                line: number,
                end,
                done: if at == last { done } else { end - 1 },
                outcome,
                omitted: std::mem::take(&mut omitted),
            });
        }
    }

    fn accept(&mut self, row: Row, id: String, import: &Import<'_>, outcomes: &mut Vec<Outcome>) {
        let Row {
            mut input,
            known,
            id: own,
        } = row;
        let visit = match &self.visit {
            Some(visit) => visit,
            None => match import.visitor_of_nobody() {
                Ok(visit) => self.visit.insert(visit),
                Err(outcome) => return outcomes.push(outcome),
            },
        };
        let id = own.unwrap_or_else(|| format!("{id}-{}", outcomes.len()));
        input.event_id = Some(id);
        let anonymous = input.anonymous.clone().or_else(|| input.profile.clone());
        let anonymous = anonymous.unwrap_or_default();
        let session = match &input.session {
            Some(session) => session.clone(),
            None => session(&mut self.sessions, &anonymous, input.time_ms(import.now)),
        };
        let visitor = Visitor {
            anonymous: &anonymous,
            session: &session,
        };
        let context = Context {
            visit,
            target: import.target,
        };
        match input.accept(None, visitor, &context) {
            Ok(accepted) => outcomes.extend(accepted.into_iter().map(|mut one| {
                known.clone().stamp(&mut one.event);
                // Not salted: the next file knows the same visitor.
                one.event.visitor = event::identity(&anonymous);
                Outcome::Event(Box::new(one))
            })),
            Err(fault) => outcomes.push(Outcome::Refused(describe_fault(&fault))),
        }
    }
}

/// The session of a visitor whose rows name none.
fn session(sessions: &mut Sessions, anonymous: &str, time: i64) -> String {
    if anonymous.is_empty() {
        return String::new();
    }
    let hash = blake3::hash(anonymous.as_bytes());
    let visitor = std::array::from_fn(|at| hash.as_bytes()[at]);
    format!("{anonymous}.{}", sessions.begun(visitor, time))
}

/// Whether an object has something at a path such as `device.language`.
fn is_there(object: &Map<String, Value>, path: &str) -> bool {
    let mut names = path.split('.');
    let first = names.next().and_then(|name| object.get(name));
    let found = names.try_fold(first, |value, name| Some(value?.get(name)));
    match found.flatten() {
        None | Some(Value::Null) => false,
        Some(Value::Array(list)) => !list.is_empty(),
        Some(Value::Object(object)) => !object.is_empty(),
        Some(Value::String(text)) => !text.is_empty(),
        Some(_) => true,
    }
}

impl From<Piece> for Cells {
    fn from(piece: Piece) -> Self {
        let object = serde_json::from_slice::<Map<String, Value>>(&piece.bytes);
        let object = object.map_err(|error| {
            if piece.is_whole {
                format!("this is no JSON object: {error}")
            } else {
                "the file ends too early. Export it again".to_owned()
            }
        });
        Self {
            number: piece.number,
            place: piece.end,
            end: piece.end,
            done: piece.end,
            digest: blake3::hash(&piece.bytes),
            object,
        }
    }
}

impl Source for Rows {
    fn next(&mut self, import: &Import<'_>) -> io::Result<Option<Record>> {
        while self.records.is_empty() {
            let cells = match self.ahead.take() {
                Some(first) => Some(first),
                None => self.cells()?,
            };
            let Some(cells) = cells else {
                return Ok(None);
            };
            self.take(cells, import);
        }
        Ok(self.records.pop_front())
    }
}
