//! From files to declarations: values with their places, references, secrets from the environment.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Number, Value};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::kinds::{self, Body, KINDS, Kind};
use crate::{
    analytics::nearest,
    config::{Mistake, Mistakes, Place},
};

const MAX_NAME: usize = 200;

/// One thing that is declared.
#[derive(Debug, Clone)]
pub(super) struct Declared {
    pub(super) kind: &'static Kind,
    /// What it is called there; it keeps its thing under this name.
    pub(super) name: String,
    /// The organization that the file names.
    pub(super) organization: Option<String>,
    /// Its fields; settings of websites one by one (`settings.retentionDays`).
    pub(super) body: Body,
    /// Overwrites what was changed by hand.
    pub(super) force: bool,
    /// Takes over a thing that was made by hand.
    pub(super) adopt: bool,
    pub(super) file: Arc<Path>,
    /// Lines of fields, by dotted place; the declaration's own under nothing.
    pub(super) lines: BTreeMap<String, usize>,
}

impl Declared {
    /// Says what tells it from others, where it does not do so itself.
    fn name_itself(&mut self) {
        let called =
            ["websites", "link-folders", "links", "status-pages"].contains(&self.kind.table);
        for field in [Some(self.kind.natural), called.then_some("name")] {
            let Some(field) = field else { continue };
            if !self.body.contains_key(field) {
                self.body
                    .insert(field.to_owned(), Value::String(self.name.clone()));
            }
        }
    }

    /// What it is called in texts, such as `monitors.home`.
    pub(super) fn key(&self) -> String {
        format!("{}.{}", self.kind.table, self.name)
    }

    /// Where a field is, or what it is in.
    pub(super) fn place(&self, field: &str) -> Place {
        let mut path = field.replace('[', ".").replace(']', "");
        let line = loop {
            if let Some(line) = self.lines.get(&path) {
                break *line;
            }
            match path.rfind('.') {
                Some(dot) => path.truncate(dot),
                None => break self.lines.get("").copied().unwrap_or(1),
            }
        };
        Place::File {
            path: Arc::clone(&self.file),
            line,
        }
    }

    /// Something that is wrong with a field.
    pub(super) fn mistake(&self, field: &str, what: impl Into<String>) -> Mistake {
        let key = match field {
            "" => self.key(),
            field => format!("{}.{field}", self.key()),
        };
        Mistake {
            place: self.place(field),
            key,
            what: what.into(),
            hint: None,
        }
    }
}

/// Reads all `*.toml` of a directory, in the order of their names; `None` when there is no such directory.
///
/// # Errors
/// Everything that is wrong in any of them.
pub(super) fn directory(
    path: &Path,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<Vec<Declared>>, Mistakes> {
    let unreadable = |path: &Path, error: &io::Error| {
        let place = Place::File {
            path: path.into(),
            line: 1,
        };
        Mistakes(vec![Mistake {
            place,
            key: String::new(),
            what: format!("cannot be read: {error}"),
            hint: Some("see who may read it".to_owned()),
        }])
    };
    let Some(files) = files(path).map_err(|error| unreadable(path, &error))? else {
        return Ok(None);
    };
    let mut reading = Reading {
        variable,
        declared: Vec::new(),
        mistakes: Vec::new(),
    };
    for file in files {
        match fs::read_to_string(&file) {
            Ok(text) => reading.file(&file, &text),
            Err(error) => reading.mistakes.extend(unreadable(&file, &error).0),
        }
    }
    reading
        .mistakes
        .sort_by(|one, other| one.place.cmp(&other.place));
    if reading.mistakes.is_empty() {
        Ok(Some(reading.declared))
    } else {
        Err(Mistakes(reading.mistakes))
    }
}

/// The `*.toml` of a directory, in order; `None` when there is no such directory.
pub(super) fn files(path: &Path) -> io::Result<Option<Vec<PathBuf>>> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut files = Vec::new();
    for entry in entries {
        let file = entry?.path();
        if file.extension().is_some_and(|ending| ending == "toml") {
            files.push(file);
        }
    }
    files.sort();
    Ok(Some(files))
}

struct Reading<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    declared: Vec<Declared>,
    mistakes: Vec<Mistake>,
}

struct Source<'a> {
    path: Arc<Path>,
    text: &'a str,
}

impl Source<'_> {
    fn line(&self, offset: usize) -> usize {
        let before = self.text.as_bytes().iter().take(offset);
        1 + before.filter(|byte| **byte == b'\n').count()
    }

    fn mistake(&self, offset: usize, key: &str, what: impl Into<String>) -> Mistake {
        Mistake {
            place: Place::File {
                path: Arc::clone(&self.path),
                line: self.line(offset),
            },
            key: key.to_owned(),
            what: what.into(),
            hint: None,
        }
    }
}

type Table<'t> = DeTable<'t>;

impl Reading<'_> {
    fn file(&mut self, path: &Path, text: &str) {
        let source = Source {
            path: path.into(),
            text,
        };
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            let at = error.span().map_or(0, |span| span.start);
            let said = error.message().lines().map(str::trim);
            let said = said.collect::<Vec<_>>().join(", ");
            let mistake = source.mistake(at, "", format!("is no TOML: {said}"));
            self.mistakes.push(mistake);
        }
        if !errors.is_empty() {
            return;
        }
        let mut organization = None;
        for (name, value) in table.get_ref() {
            if name.get_ref() != "organization" {
                continue;
            }
            match value.get_ref() {
                DeValue::String(text) => organization = Some(text.to_string()),
                _ => self.mistakes.push(source.mistake(
                    name.span().start,
                    "organization",
                    "must be the slug or the id of an organization",
                )),
            }
        }
        for (name, value) in table.get_ref() {
            let table = name.get_ref().as_ref();
            if table == "organization" {
                continue;
            }
            let at = name.span().start;
            match (kinds::of_table(table), value.get_ref()) {
                (Some(kind), DeValue::Table(all)) => {
                    self.kind(&source, kind, organization.as_ref(), all);
                }
                (Some(_), _) => {
                    let mut mistake = source.mistake(at, table, "is a table of declarations");
                    mistake.hint = Some(format!("write [{table}.some-name]"));
                    self.mistakes.push(mistake);
                }
                (None, _) => {
                    let mut mistake = source.mistake(at, table, "cannot be declared");
                    let tables = KINDS.map(|kind| kind.table);
                    mistake.hint = Some(match nearest(table, tables) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("these can: {}", tables.join(", ")),
                    });
                    self.mistakes.push(mistake);
                }
            }
        }
    }

    fn kind(
        &mut self,
        source: &Source<'_>,
        kind: &'static Kind,
        organization: Option<&String>,
        all: &Table<'_>,
    ) {
        for (name, value) in all {
            let (at, name) = (name.span().start, name.get_ref().to_string());
            let key = format!("{}.{name}", kind.table);
            let DeValue::Table(fields) = value.get_ref() else {
                let mut mistake = source.mistake(at, &key, "is a table of fields");
                mistake.hint = Some(format!("write [{key}]"));
                self.mistakes.push(mistake);
                continue;
            };
            let good = 1..=MAX_NAME;
            if !good.contains(&name.chars().count()) || name.chars().any(char::is_control) {
                let what = format!("a name has 1 to {MAX_NAME} characters");
                self.mistakes.push(source.mistake(at, &key, what));
                continue;
            }
            let mut declared = Declared {
                kind,
                name,
                organization: organization.cloned(),
                body: Body::new(),
                force: false,
                adopt: false,
                file: Arc::clone(&source.path),
                lines: BTreeMap::from([(String::new(), source.line(at))]),
            };
            for (field, value) in fields {
                self.field(source, &mut declared, field, value);
            }
            declared.name_itself();
            self.twice(&declared);
            self.declared.push(declared);
        }
    }

    fn field(
        &mut self,
        source: &Source<'_>,
        declared: &mut Declared,
        field: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) {
        let name = field.get_ref().as_ref();
        let line = source.line(field.span().start);
        declared.lines.insert(name.to_owned(), line);
        let flag = match name {
            "force" => Some(&mut declared.force),
            "adopt" => Some(&mut declared.adopt),
            _ => None,
        };
        if let Some(flag) = flag {
            if let DeValue::Boolean(said) = value.get_ref() {
                *flag = *said;
            } else {
                let mistake = declared.mistake(name, "must be true or false");
                self.mistakes.push(mistake);
            }
            return;
        }
        let read = self.value(source, declared, name, value);
        match read {
            Value::Object(inner) if declared.kind.is_part(name) => {
                for (part, value) in inner {
                    declared.body.insert(format!("{name}.{part}"), value);
                }
            }
            read => {
                declared.body.insert(name.to_owned(), read);
            }
        }
    }

    /// A value as JSON; notes the lines of what is in it.
    fn value(
        &mut self,
        source: &Source<'_>,
        declared: &mut Declared,
        path: &str,
        value: &Spanned<DeValue<'_>>,
    ) -> Value {
        match value.get_ref() {
            DeValue::String(text) => Value::String(self.text(declared, path, text)),
            DeValue::Boolean(said) => Value::Bool(*said),
            DeValue::Integer(number) => {
                let read = i64::from_str_radix(number.as_str(), number.radix());
                self.number(declared, path, read.ok().map(Number::from))
            }
            DeValue::Float(number) => {
                let read = number.as_str().parse().ok().and_then(Number::from_f64);
                self.number(declared, path, read)
            }
            DeValue::Datetime(moment) => Value::String(moment.to_string()),
            DeValue::Array(items) => {
                let mut all = Vec::new();
                for (at, item) in items.iter().enumerate() {
                    let path = format!("{path}.{at}");
                    let line = source.line(item.span().start);
                    declared.lines.insert(path.clone(), line);
                    all.push(self.value(source, declared, &path, item));
                }
                Value::Array(all)
            }
            DeValue::Table(fields) => {
                let mut all = Body::new();
                for (name, value) in fields {
                    let path = format!("{path}.{}", name.get_ref());
                    let line = source.line(name.span().start);
                    declared.lines.insert(path.clone(), line);
                    let value = self.value(source, declared, &path, value);
                    all.insert(name.get_ref().to_string(), value);
                }
                Value::Object(all)
            }
        }
    }

    fn number(&mut self, declared: &Declared, path: &str, read: Option<Number>) -> Value {
        if read.is_none() {
            let mistake = declared.mistake(path, "is no number that can be kept");
            self.mistakes.push(mistake);
        }
        read.map_or(Value::Null, Value::Number)
    }

    /// `env:NAME` is what that variable says.
    fn text(&mut self, declared: &Declared, path: &str, text: &str) -> String {
        let Some(name) = text.strip_prefix("env:") else {
            return text.to_owned();
        };
        if let Some(said) = (self.variable)(name) {
            return said;
        }
        let mut mistake = declared.mistake(path, format!("there is no variable `{name}`"));
        mistake.hint = Some("set it for the server, too: it reads declarations itself".to_owned());
        self.mistakes.push(mistake);
        String::new()
    }

    fn twice(&mut self, declared: &Declared) {
        let same = |other: &&Declared| {
            other.key() == declared.key() && other.organization == declared.organization
        };
        if let Some(other) = self.declared.iter().find(same) {
            let what = format!("is declared at {} already", other.place(""));
            let mut mistake = declared.mistake("", what);
            mistake.hint = Some("give one of them another name".to_owned());
            self.mistakes.push(mistake);
        }
    }
}
