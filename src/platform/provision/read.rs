//! Reads files into declarations: values with their lines, references, secrets from the environment.

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
    config::{Mistake, Mistakes, Origin, join_lines, line_at},
};

const MAX_NAME: usize = 200;

/// One thing that a file declares.
#[derive(Debug, Clone)]
pub(super) struct Declaration {
    pub(super) kind: &'static Kind,
    /// Its name in the file, under which it keeps its thing.
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

impl Declaration {
    /// Fills in the fields that name it, where the file leaves them out.
    fn fill_names(&mut self) {
        let named =
            ["websites", "link-folders", "links", "status-pages"].contains(&self.kind.table);
        let fields = [Some(self.kind.natural), named.then_some("name")];
        for field in fields.into_iter().flatten() {
            let name = || Value::String(self.name.clone());
            self.body.entry(field).or_insert_with(name);
        }
    }

    /// Its name in texts, such as `monitors.home`.
    pub(super) fn key(&self) -> String {
        format!("{}.{}", self.kind.table, self.name)
    }

    pub(super) fn origin(&self, field: &str) -> Origin {
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
        Origin::File {
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
        Mistake::new(self.origin(field), key, what)
    }
}

/// Reads all `*.toml` of a directory, in the order of their names; `None` when there is no such directory.
///
/// # Errors
/// Everything that is wrong in any of them.
pub(super) fn directory(
    path: &Path,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<Vec<Declaration>>, Mistakes> {
    let unreadable = |path: &Path, error: &io::Error| {
        let origin = Origin::File {
            path: path.into(),
            line: 1,
        };
        let mistake = Mistake::new(origin, "", format!("cannot be read: {error}"));
        Mistakes(vec![mistake.with_hint("see who may read it")])
    };
    let Some(files) = files(path).map_err(|error| unreadable(path, &error))? else {
        return Ok(None);
    };
    let mut reader = FileReader {
        variable,
        declared: Vec::new(),
        mistakes: Vec::new(),
    };
    for file in files {
        match fs::read_to_string(&file) {
            Ok(text) => reader.file(&file, &text),
            Err(error) => reader.mistakes.extend(unreadable(&file, &error).0),
        }
    }
    let FileReader {
        declared,
        mut mistakes,
        ..
    } = reader;
    if mistakes.is_empty() {
        return Ok(Some(declared));
    }
    mistakes.sort_by(|one, other| one.origin.cmp(&other.origin));
    Err(Mistakes(mistakes))
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

struct FileReader<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    declared: Vec<Declaration>,
    mistakes: Vec<Mistake>,
}

struct Source<'a> {
    path: Arc<Path>,
    text: &'a str,
}

impl Source<'_> {
    fn line(&self, offset: usize) -> usize {
        line_at(self.text.as_bytes(), offset)
    }

    fn mistake(&self, offset: usize, key: &str, what: impl Into<String>) -> Mistake {
        let origin = Origin::File {
            path: Arc::clone(&self.path),
            line: self.line(offset),
        };
        Mistake::new(origin, key, what)
    }
}

impl FileReader<'_> {
    fn file(&mut self, path: &Path, text: &str) {
        let source = Source {
            path: path.into(),
            text,
        };
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            let at = error.span().map_or(0, |span| span.start);
            let what = format!("is no TOML: {}", join_lines(error.message()));
            self.mistakes.push(source.mistake(at, "", what));
        }
        if !errors.is_empty() {
            return;
        }
        let (owners, tables): (Vec<_>, Vec<_>) = table
            .get_ref()
            .iter()
            .partition(|(name, _)| name.get_ref() == "organization");
        let mut organization = None;
        for (name, value) in owners {
            match value.get_ref() {
                DeValue::String(text) => organization = Some(text.to_string()),
                _ => self.mistakes.push(source.mistake(
                    name.span().start,
                    "organization",
                    "must be the slug or the id of an organization",
                )),
            }
        }
        for (name, value) in tables {
            let (at, table) = (name.span().start, name.get_ref().as_ref());
            let (what, hint) = match (kinds::find(table), value.get_ref()) {
                (Some(kind), DeValue::Table(all)) => {
                    self.kind(&source, kind, organization.as_ref(), all);
                    continue;
                }
                (Some(_), _) => (
                    "is a table of declarations",
                    format!("write [{table}.some-name]"),
                ),
                (None, _) => {
                    let tables = KINDS.map(|kind| kind.table);
                    let hint = match nearest(table, tables) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("these can: {}", tables.join(", ")),
                    };
                    ("cannot be declared", hint)
                }
            };
            let mistake = source.mistake(at, table, what);
            self.mistakes.push(mistake.with_hint(hint));
        }
    }

    fn kind(
        &mut self,
        source: &Source<'_>,
        kind: &'static Kind,
        organization: Option<&String>,
        all: &DeTable<'_>,
    ) {
        for (name, value) in all {
            let (at, name) = (name.span().start, name.get_ref().to_string());
            let key = format!("{}.{name}", kind.table);
            let DeValue::Table(fields) = value.get_ref() else {
                let mistake = source.mistake(at, &key, "is a table of fields");
                self.mistakes
                    .push(mistake.with_hint(format!("write [{key}]")));
                continue;
            };
            let good = 1..=MAX_NAME;
            if !good.contains(&name.chars().count()) || name.chars().any(char::is_control) {
                let what = format!("a name has 1 to {MAX_NAME} characters");
                self.mistakes.push(source.mistake(at, &key, what));
                continue;
            }
            let mut declared = Declaration {
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
            declared.fill_names();
            self.check_unique(&declared);
            self.declared.push(declared);
        }
    }

    fn field(
        &mut self,
        source: &Source<'_>,
        declared: &mut Declaration,
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
        match self.value(source, declared, name, value) {
            Value::Object(inner) if declared.kind.is_part(name) => {
                let parts = inner.into_iter();
                let parts = parts.map(|(part, value)| (format!("{name}.{part}"), value));
                declared.body.extend(parts);
            }
            value => drop(declared.body.insert(name.to_owned(), value)),
        }
    }

    /// A value as JSON; notes the lines of what is in it.
    fn value(
        &mut self,
        source: &Source<'_>,
        declared: &mut Declaration,
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

    fn number(&mut self, declared: &Declaration, path: &str, read: Option<Number>) -> Value {
        if read.is_none() {
            let mistake = declared.mistake(path, "is no number that can be kept");
            self.mistakes.push(mistake);
        }
        read.map_or(Value::Null, Value::Number)
    }

    /// Replaces `env:NAME` by the value of that variable.
    fn text(&mut self, declared: &Declaration, path: &str, text: &str) -> String {
        let Some(name) = text.strip_prefix("env:") else {
            return text.to_owned();
        };
        if let Some(said) = (self.variable)(name) {
            return said;
        }
        let mistake = declared.mistake(path, format!("there is no variable `{name}`"));
        let hint = "set it for the server, too: it reads declarations itself";
        self.mistakes.push(mistake.with_hint(hint));
        String::new()
    }

    fn check_unique(&mut self, declared: &Declaration) {
        let same = |other: &&Declaration| {
            other.key() == declared.key() && other.organization == declared.organization
        };
        if let Some(other) = self.declared.iter().find(same) {
            let what = format!("is declared at {} already", other.origin(""));
            let mistake = declared.mistake("", what);
            self.mistakes
                .push(mistake.with_hint("give one of them another name"));
        }
    }
}
