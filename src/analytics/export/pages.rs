//! All events in pages that are never larger than they may be, however many of them happened at once.
//!
//! Pages are cut by time. Where one millisecond alone has more than a page, it is cut by a fingerprint of everything that the
//! file says of an event; and events that even have that in common are the same row, which is given as often as it is there.

use std::sync::Arc;

use super::{
    super::{
        dialect::Sql,
        range::{AHEAD_MS, EPOCH_MS},
        run::Source,
    },
    Column, Table,
};
use crate::{
    access::ReadAccess,
    events::statement::{Bind, Cell, QueryError, Scope, Statement},
};

/// Events of a page.
const PAGE: usize = 10_000;
/// Index of the time among the columns of a table.
const TIME: usize = 1;

/// What is exported: rows of `[from, to)`, Unix milliseconds.
#[derive(Debug, Clone)]
pub struct ExportQuery {
    pub table: &'static Table,
    /// Proof that they may be read.
    pub access: ReadAccess,
    /// First millisecond.
    pub from: i64,
    /// First millisecond after.
    pub to: i64,
}

type Row = Vec<Cell>;

/// Where the next page begins.
#[derive(Debug, Default)]
enum Cursor {
    /// At the first millisecond that is asked for.
    #[default]
    Time,
    /// In this millisecond, behind a fingerprint.
    Within(i64, Option<u64>),
    /// With a row that comes so often yet, then behind its fingerprint.
    Again {
        time: i64,
        fingerprint: u64,
        row: Row,
        left: usize,
    },
}

/// Events in order of time, so many at a time.
#[derive(Debug)]
pub struct Pages<S> {
    source: S,
    query: ExportQuery,
    cursor: Cursor,
    /// The most events of a page.
    pub(in crate::analytics) most: usize,
}

impl<S: Source> Pages<S> {
    /// From the beginning; what lies ahead of `now_ms` is not looked for.
    pub fn new(source: S, mut query: ExportQuery, now_ms: i64) -> Self {
        query.from = query.from.max(EPOCH_MS);
        query.to = query.to.min(now_ms.saturating_add(AHEAD_MS + 1));
        Self {
            source,
            query,
            cursor: Cursor::Time,
            most: PAGE,
        }
    }

    /// The next page, never an empty one; `None` behind the last one.
    pub async fn next(&mut self) -> Result<Option<Vec<Row>>, QueryError> {
        loop {
            let page = match std::mem::take(&mut self.cursor) {
                Cursor::Time if self.query.from >= self.query.to => return Ok(None),
                Cursor::Time => self.by_time().await?,
                Cursor::Within(time, behind) => self.by_fingerprint(time, behind).await?,
                Cursor::Again {
                    time,
                    fingerprint,
                    row,
                    left,
                } => self.again(time, fingerprint, row, left),
            };
            if !page.is_empty() {
                return Ok(Some(page));
            }
        }
    }

    async fn by_time(&mut self) -> Result<Vec<Row>, QueryError> {
        let mut sql = self.selected("");
        sql.push(" ORDER BY time, received, name, session, visitor");
        let (from, to) = (self.query.from, self.query.to);
        let mut rows = self.read(sql, (from, to), true).await?;
        let last = time(rows.last());
        if rows.len() < self.most {
            self.query.from = to;
        } else if time(rows.first()) == last {
            // So many in one millisecond: there may be more.
            rows.clear();
            self.query.from = last + 1;
            self.cursor = Cursor::Within(last, None);
        } else {
            // There may be more of the last millisecond: they are in the next page.
            rows.retain(|row| time(Some(row)) != last);
            self.query.from = last;
        }
        Ok(rows)
    }

    async fn by_fingerprint(
        &mut self,
        time: i64,
        behind: Option<u64>,
    ) -> Result<Vec<Row>, QueryError> {
        let print = self.fingerprint();
        let mut sql = self.selected(&format!(", {print} AS fingerprint"));
        if let Some(behind) = behind {
            sql.push(&format!(" AND {print} > "))
                .bind(Bind::Hash(behind));
        }
        sql.push(" ORDER BY fingerprint");
        let mut rows = self.read(sql, (time, time + 1), true).await?;
        let prints = rows.iter_mut().map(|row| hash(row.pop().as_ref()));
        let prints: Vec<u64> = prints.collect();
        if rows.len() < self.most {
            return Ok(rows);
        }
        let last = prints.last().copied().unwrap_or_default();
        let others = prints.partition_point(|print| *print < last);
        if others > 0 {
            rows.truncate(others);
            self.cursor = Cursor::Within(time, Some(prints[others - 1]));
        } else if let Some(row) = rows.pop() {
            // So many of the same.
            rows.clear();
            let left = self.copies(time, last).await?;
            self.cursor = Cursor::Again {
                time,
                fingerprint: last,
                row,
                left,
            };
        }
        Ok(rows)
    }

    fn again(&mut self, time: i64, fingerprint: u64, row: Row, left: usize) -> Vec<Row> {
        let now = left.min(self.most);
        let page = vec![row.clone(); now];
        self.cursor = if left > now {
            Cursor::Again {
                time,
                fingerprint,
                row,
                left: left - now,
            }
        } else {
            Cursor::Within(time, Some(fingerprint))
        };
        page
    }

    /// How many events of a millisecond have this fingerprint.
    async fn copies(&self, time: i64, print: u64) -> Result<usize, QueryError> {
        let mut sql = Sql::new(&format!(
            "SELECT count(*) FROM {{events}} WHERE {} AND {} = ",
            self.query.table.rows,
            self.fingerprint()
        ));
        sql.bind(Bind::Hash(print));
        let rows = self.read(sql, (time, time + 1), false).await?;
        let count = hash(rows.iter().flatten().next());
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// Runs a statement over the events of `[from, to)`, for a page or for all that it says.
    async fn read(
        &self,
        mut sql: Sql,
        (from, to): (i64, i64),
        is_page: bool,
    ) -> Result<Vec<Row>, QueryError> {
        if is_page {
            sql.push(" LIMIT ").bind(Bind::Int(self.most as i64));
        }
        let statement = Statement {
            spilling: None,
            text: self.source.dialect().spell(&sql.text, &sql.binds),
            binds: sql.binds,
            scope: Scope {
                organization: self.query.access.organization().0,
                website: self.query.access.website().map(|website| website.0),
                from,
                to,
            },
        };
        Ok(Arc::unwrap_or_clone(
            self.source.query(statement).await?.rows,
        ))
    }

    /// Every column of the file, and more.
    fn selected(&self, more: &str) -> Sql {
        let Table { columns, rows } = self.query.table;
        let columns = columns
            .iter()
            .map(|Column(name, sql, _)| format!("{sql} AS \"{name}\""));
        let columns: Vec<String> = columns.collect();
        let columns = columns.join(", ");
        Sql::new(&format!(
            "SELECT {columns}{more} FROM {{events}} WHERE {rows}"
        ))
    }

    /// Rows with the same columns in the file have the same fingerprint.
    fn fingerprint(&self) -> String {
        let columns = self.query.table.columns.iter();
        let columns: Vec<&str> = columns.map(|Column(_, sql, _)| *sql).collect();
        format!("fingerprint({})", columns.join(", "))
    }
}

fn time(row: Option<&Row>) -> i64 {
    match row.and_then(|row| row.get(TIME)) {
        Some(Cell::Int(ms)) => *ms,
        _ => i64::MAX,
    }
}

fn hash(cell: Option<&Cell>) -> u64 {
    match cell {
        Some(Cell::Int(number)) => *number as u64,
        Some(Cell::Hash(number)) => *number,
        _ => 0,
    }
}
