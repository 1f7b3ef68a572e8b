//! Rows of an answer, put into order and cut into pages the slow way.

use std::cmp::Ordering;

use serde_json::{Map, Value, json};

use super::question::Question;
use crate::{analytics::catalogue::country_name, clock::iso_ms};

/// What a column is sorted by; `None` (unknown) comes last, upwards and downwards.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Raw {
    Int(i64),
    Number(f64),
    Text(String),
}

impl Raw {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Int(a), Self::Number(b)) => (*a as f64).total_cmp(b),
            (Self::Number(a), Self::Int(b)) => a.total_cmp(&(*b as f64)),
            (a, b) => panic!("{a:?} and {b:?} in one column"),
        }
    }

    pub(super) fn as_text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            other => panic!("{other:?} is no text"),
        }
    }
}

/// One value of a row.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub(super) name: &'static str,
    pub(super) shown: Value,
    pub(super) raw: Option<Raw>,
}

/// The values of a row, in the making.
#[derive(Debug, Clone, Default)]
pub(super) struct Says(pub(super) Vec<Cell>);

impl Says {
    fn put(mut self, names: &[&'static str], shown: &Value, raw: Option<&Raw>) -> Self {
        for name in names {
            self.0.push(Cell {
                name,
                shown: shown.clone(),
                raw: raw.cloned(),
            });
        }
        self
    }

    pub(super) fn int(self, names: &[&'static str], whole: usize) -> Self {
        self.put(names, &json!(whole), Some(&Raw::Int(whole as i64)))
    }

    /// No value is 0.
    pub(super) fn float(self, name: &'static str, number: Option<f64>, decimals: i32) -> Self {
        self.maybe(name, Some(number.unwrap_or(0.0)), decimals)
    }

    /// No value is null.
    pub(super) fn maybe(self, name: &'static str, number: Option<f64>, decimals: i32) -> Self {
        let number = number.map(|number| rounded(number, decimals));
        let raw = number.map(Raw::Number);
        self.put(&[name], &json!(number), raw.as_ref())
    }

    pub(super) fn time(self, name: &'static str, ms: Option<i64>) -> Self {
        let raw = ms.map(Raw::Int);
        self.put(&[name], &json!(ms.map(iso_ms)), raw.as_ref())
    }

    pub(super) fn text(self, name: &'static str, text: Option<&str>) -> Self {
        let raw = text.map(Raw::text);
        let text = text.filter(|text| !text.is_empty());
        self.put(&[name], &json!(text), raw.as_ref())
    }

    /// Text of an event as it is, or a word for none.
    pub(super) fn with_label(self, name: &'static str, text: Option<&str>, nothing: &str) -> Self {
        match text {
            Some(text) => self.label(&[name], &Raw::text(text), nothing),
            None => self.put(&[name], &json!(nothing), None),
        }
    }

    pub(super) fn with_country(
        self,
        name: &'static str,
        code: &'static str,
        of: Option<&str>,
    ) -> Self {
        match of {
            Some(text) => {
                let raw = Raw::text(text);
                self.country(&[name], &raw).code(code, &raw)
            }
            None => self
                .put(&[name], &json!("Unknown"), None)
                .put(&[code], &Value::Null, None),
        }
    }

    /// Text, or a word for none.
    pub(super) fn label(self, names: &[&'static str], text: &Raw, nothing: &str) -> Self {
        let shown = if text.as_text().is_empty() {
            nothing
        } else {
            text.as_text()
        };
        self.put(names, &json!(shown), Some(text))
    }

    pub(super) fn country(self, names: &[&'static str], code: &Raw) -> Self {
        let shown = match code.as_text() {
            "" => "Unknown",
            text => country_name(text).unwrap_or(text),
        };
        let raw = match code.as_text() {
            // Whatever has a name sorts by it, behind what has none.
            "" => Raw::text(" Unknown"),
            text => Raw::Text(country_name(text).map_or(String::new(), |name| format!(" {name}"))),
        };
        self.put(names, &json!(shown), Some(&raw))
    }

    pub(super) fn code(self, name: &'static str, code: &Raw) -> Self {
        let shown = Some(code.as_text()).filter(|code| !code.is_empty());
        self.put(&[name], &json!(shown), Some(code))
    }

    /// A hash that may be unknown.
    pub(super) fn with_hash(self, name: &'static str, hash: Option<u64>) -> Self {
        match hash {
            Some(hash) => self.hash(name, hash),
            None => self.put(&[name], &Value::Null, None),
        }
    }

    pub(super) fn hash(self, name: &'static str, hash: u64) -> Self {
        let shown = (hash != 0).then(|| format!("{hash:016x}"));
        let raw = Raw::Text(format!("{hash:020}"));
        self.put(&[name], &json!(shown), Some(&raw))
    }

    pub(super) fn pick(self, name: &'static str, words: &[&str], place: usize) -> Self {
        self.put(&[name], &json!(words[place]), Some(&Raw::Int(place as i64)))
    }

    /// JSON that is sorted as the text that it is stored as.
    pub(super) fn json(self, name: &'static str, text: Option<&str>) -> Self {
        let parsed = text.map(serde_json::from_str::<Value>);
        let shown = parsed.map_or(Value::Null, Result::unwrap);
        self.put(&[name], &shown, text.map(Raw::text).as_ref())
    }

    pub(super) fn value(self, name: &'static str, shown: impl Into<Value>) -> Self {
        self.put(&[name], &shown.into(), None)
    }

    pub(super) fn and(mut self, more: Self) -> Self {
        self.0.extend(more.0);
        self
    }
}

/// Half away from zero, as rows show it.
pub(super) fn rounded(number: f64, decimals: i32) -> f64 {
    let factor = 10_f64.powi(decimals);
    // Nothing is below zero, and zero has no sign.
    (number * factor).round() / factor + 0.0
}

/// A row with what orders it among rows of equal rank.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) keys: Vec<Raw>,
    pub(super) says: Says,
}

impl Line {
    fn cell(&self, name: &str) -> Option<&Cell> {
        self.says.0.iter().find(|cell| cell.name == name)
    }

    fn number(&self, name: &str) -> f64 {
        match self.cell(name).and_then(|cell| cell.raw.as_ref()) {
            Some(Raw::Int(whole)) => *whole as f64,
            Some(Raw::Number(number)) => *number,
            _ => 0.0,
        }
    }
}

/// What rows are ordered by when the request says nothing.
#[derive(Debug, Clone, Copy)]
pub(super) enum Order {
    /// By their first key, upwards.
    Keys,
    Column(&'static str, Way),
    /// By the sum of two columns, downwards.
    Sum(&'static str, &'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Up,
    Down,
}

/// What a line is ordered by.
type Rank<'a> = dyn Fn(&Line) -> Option<Raw> + 'a;

/// An answer before it is cut.
pub(super) struct Table {
    pub(super) lines: Vec<Line>,
    pub(super) order: Order,
}

impl Table {
    pub(super) fn ordered(mut self, column: &'static str, way: Way) -> Self {
        self.order = Order::Column(column, way);
        self
    }

    pub(super) fn by_sum(mut self, a: &'static str, b: &'static str) -> Self {
        self.order = Order::Sum(a, b);
        self
    }

    /// Leaves out lines that do not meet a condition.
    pub(super) fn keep(mut self, keep: impl Fn(&Line) -> bool) -> Self {
        self.lines.retain(keep);
        self
    }

    pub(super) fn at_least(self, column: &'static str, least: f64) -> Self {
        self.keep(|line| line.number(column) >= least)
    }

    pub(super) fn keep_known(self, column: &'static str) -> Self {
        self.keep(|line| line.cell(column).is_some_and(|cell| cell.raw.is_some()))
    }

    pub(super) fn share(self, of: &str) -> Self {
        self.share_as(of, "percentage")
    }

    /// Adds each line's share of a column.
    pub(super) fn share_as(mut self, of: &str, name: &'static str) -> Self {
        let all: f64 = self.lines.iter().map(|line| line.number(of)).sum();
        for line in &mut self.lines {
            let share = (all != 0.0).then(|| 100.0 * line.number(of) / all);
            line.says = std::mem::take(&mut line.says).float(name, share, 2);
        }
        self
    }

    /// The requested page, in the requested order.
    pub(super) fn page(mut self, asked: &Question<'_>) -> Vec<Value> {
        let request = asked.request;
        // The date of a row of the whole range is no column to sort by.
        let sortable = |cell: &Cell| cell.name != "date" || cell.raw.is_some();
        let named = request.sort_by.as_deref().filter(|name| {
            let line = self.lines.first();
            line.is_none_or(|line| line.cell(name).is_some_and(sortable))
        });
        let down = |own: Way| {
            let own = named.is_some() || own == Way::Down;
            request.descending.unwrap_or(own)
        };
        let sorts: Box<Rank<'_>> = match (named, self.order) {
            (None, Order::Keys) => Box::new(|line| line.keys.first().cloned()),
            (Some(name), _) => Box::new(move |line| line.cell(name)?.raw.clone()),
            (None, Order::Column(name, _)) => Box::new(move |line| line.cell(name)?.raw.clone()),
            (None, Order::Sum(a, b)) => {
                Box::new(move |line| Some(Raw::Number(line.number(a) + line.number(b))))
            }
        };
        let down = down(match self.order {
            Order::Keys => Way::Up,
            Order::Column(_, way) => way,
            Order::Sum(..) => Way::Down,
        });
        self.lines.sort_by(|a, b| {
            let rank = match (sorts(a), sorts(b)) {
                (Some(a), Some(b)) if down => b.compare(&a),
                (Some(a), Some(b)) => a.compare(&b),
                (a, b) => a.is_none().cmp(&b.is_none()),
            };
            let ties = || a.keys.iter().zip(&b.keys).map(|(a, b)| a.compare(b));
            rank.then_with(|| ties().find(|tie| tie.is_ne()).unwrap_or(Ordering::Equal))
        });
        let page = self.lines.into_iter();
        page.skip(asked.parameter.offset as usize)
            .take(asked.parameter.limit as usize)
            .map(|line| {
                let cells = line.says.0.into_iter();
                let object: Map<String, Value> = cells
                    .rev()
                    .map(|cell| (cell.name.to_owned(), cell.shown))
                    .collect();
                Value::Object(object)
            })
            .collect()
    }
}
