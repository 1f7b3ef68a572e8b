//! Files of rows that are JSON objects: an object on each line, a list of objects, or Parquet. What a row means is said by an
//! [`Adapter`], which is data and one function.

use std::{collections::VecDeque, fs::File, io};

use super::{
    Import, NamedPerson, Omission, Outcome, Record, Source,
    cells::{Cells, RowFile, RowKind},
    describe_fault,
    known::Known,
};
use crate::events::tree::{Object, Value};
use crate::{
    events::{
        accept::{
            Context,
            protocols::{Input, Person, Visitor},
        },
        enrich::SenderContext,
        event,
        sessions::Sessions,
    },
    fault::Fault,
};

/// How the rows of one product are understood.
pub(super) struct Adapter {
    pub(super) rows: RowKind,
    /// Fields that are not carried.
    pub(super) omissions: &'static [Omission],
    /// What a row came to: events, or why there are none.
    pub(super) read: for<'a> fn(Object<'a>) -> Read<'a>,
}

/// What a row came to.
pub(super) enum Read<'a> {
    Rows(Vec<Row<'a>>),
    /// Nothing that is stored, and why.
    LeftOut(&'static str),
    Refused(String),
}

/// An event of a row, or what the row says about a person, or both.
#[derive(Default)]
pub(super) struct Row<'a> {
    pub(super) input: Option<Input<'a>>,
    pub(super) person: Option<(Person<'a>, Option<Value<'a>>)>,
    pub(super) known: Known,
    /// The product's own id of the event.
    pub(super) id: Option<String>,
    /// A field that is not carried of this row.
    pub(super) omitted: Option<&'static Omission>,
}

pub(super) struct Rows {
    adapter: &'static Adapter,
    file: RowFile,
    sessions: Sessions,
    visit: Option<SenderContext>,
    /// What the last row came to.
    records: VecDeque<Record>,
}

impl Rows {
    /// Opens a file of any form.
    pub(super) fn new(adapter: &'static Adapter, file: File) -> io::Result<Self> {
        Ok(Self {
            adapter,
            file: RowFile::open(&adapter.rows, file)?,
            sessions: Sessions::bounded(200_000),
            visit: None,
            records: VecDeque::new(),
        })
    }

    /// Reads a row into records.
    fn take(&mut self, mut cells: Cells, import: &Import<'_>) {
        let Cells {
            number,
            place,
            end,
            done,
            digest,
            ..
        } = cells;
        let (mut omitted, mut person) = (Vec::new(), None);
        let read = match cells.object() {
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
            Read::Rows(rows) => {
                let mut outcomes = Vec::with_capacity(rows.len());
                for mut row in rows {
                    omitted.extend(row.omitted);
                    if let Some((named, at)) = row.person.take() {
                        match name(named, at.as_ref(), import) {
                            Ok((named, left_out)) => {
                                person = Some(Box::new(named));
                                omitted.extend(left_out);
                            }
                            Err(fault) => {
                                outcomes.push(Outcome::Refused(describe_fault(&fault)));
                                continue;
                            }
                        }
                    }
                    let id = import.event_id(digest, place);
                    match row.input.take() {
                        Some(input) => self.accept(input, row, id, import, &mut outcomes),
                        None => outcomes.push(Outcome::Person),
                    }
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
                person: person.take(),
                omitted: std::mem::take(&mut omitted),
            });
        }
    }

    fn accept(
        &mut self,
        mut input: Input<'_>,
        row: Row<'_>,
        id: String,
        import: &Import<'_>,
        outcomes: &mut Vec<Outcome>,
    ) {
        let Row { known, id: own, .. } = row;
        let visit = match &self.visit {
            Some(visit) => visit,
            None => match import.visitor_of_nobody() {
                Ok(visit) => self.visit.insert(visit),
                Err(outcome) => return outcomes.push(outcome),
            },
        };
        let id = own.unwrap_or_else(|| format!("{id}-{}", outcomes.len()));
        input.event_id = Some(id.into());
        let anonymous = input.anonymous.clone().or_else(|| input.profile.clone());
        let anonymous = anonymous.unwrap_or_default();
        let session = match &input.session {
            Some(session) => session.clone(),
            None => session(&mut self.sessions, &anonymous, input.time_ms(import.now)).into(),
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

/// What is said about a person at a time.
fn name(
    person: Person<'_>,
    time: Option<&Value<'_>>,
    import: &Import<'_>,
) -> Result<(NamedPerson, Option<&'static Omission>), Fault> {
    let said = Input {
        time: time.cloned(),
        ..Input::default()
    };
    NamedPerson::accept(person, said.time_ms(import.now))
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
fn is_there(object: &Object<'_>, path: &str) -> bool {
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

impl Source for Rows {
    fn next(&mut self, import: &Import<'_>) -> io::Result<Option<Record>> {
        while self.records.is_empty() {
            let Some(cells) = self.file.next()? else {
                return Ok(None);
            };
            self.take(cells, import);
        }
        Ok(self.records.pop_front())
    }
}
