//! Copies what is in one state database into another one of the other kind, row by row.
//!
//! Nothing here knows what the tables are about: tables, columns and who refers to whom are read from `PostgreSQL`'s catalogue, so
//! a table that is new needs nothing. Both sides have this version's schema.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::TryStreamExt;
use migration::{Migrator, MigratorTrait};
use sea_orm::{
    AccessMode, ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, IsolationLevel,
    QueryResult, Statement, StreamTrait, TransactionOptions, TransactionTrait, Value,
    prelude::DateTimeUtc,
    sea_query::{Alias, Asterisk, Expr, Query},
};

use super::{StateDb, StateError};

/// Rows that one statement writes.
const ROWS: usize = 200;

/// Rows of a table, and their checksum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TableSum {
    pub rows: u64,
    /// A checksum of all of them in any order.
    pub digest: u128,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Long,
    Int,
    Flag,
    Time,
    Bytes,
}

impl Kind {
    fn from_type_name(name: &str) -> Option<Self> {
        Some(match name {
            "text" => Self::Text,
            "int8" => Self::Long,
            "int4" => Self::Int,
            "bool" => Self::Flag,
            "timestamptz" => Self::Time,
            "bytea" => Self::Bytes,
            _ => return None,
        })
    }

    /// The value of a column, and its bytes for the checksum.
    fn read(self, row: &QueryResult, at: usize) -> Result<(Value, Option<Vec<u8>>), DbErr> {
        Ok(match self {
            Self::Text => {
                let value: Option<String> = row.try_get_by_index(at)?;
                let bytes = value.clone().map(String::into_bytes);
                (value.into(), bytes)
            }
            Self::Long => {
                let value: Option<i64> = row.try_get_by_index(at)?;
                (
                    value.into(),
                    value.map(|number| number.to_le_bytes().into()),
                )
            }
            Self::Int => {
                let value: Option<i32> = row.try_get_by_index(at)?;
                (
                    value.into(),
                    value.map(|number| number.to_le_bytes().into()),
                )
            }
            Self::Flag => {
                let value: Option<bool> = row.try_get_by_index(at)?;
                (value.into(), value.map(|flag| vec![flag.into()]))
            }
            Self::Time => {
                let value: Option<DateTimeUtc> = row.try_get_by_index(at)?;
                // PostgreSQL keeps microseconds.
                let micros = value.map(|time| time.timestamp_micros());
                (
                    value.into(),
                    micros.map(|micros| micros.to_le_bytes().into()),
                )
            }
            Self::Bytes => {
                let value: Option<Vec<u8>> = row.try_get_by_index(at)?;
                (value.clone().into(), value)
            }
        })
    }
}

#[derive(Debug)]
struct Table {
    name: String,
    columns: Vec<(String, Kind)>,
}

impl Table {
    /// The next row's values; adds it to the checksum.
    fn read(&self, row: &QueryResult, sum: &mut TableSum) -> Result<Vec<Value>, DbErr> {
        let mut hasher = blake3::Hasher::new();
        let mut values = Vec::with_capacity(self.columns.len());
        for (at, (_, kind)) in self.columns.iter().enumerate() {
            let (value, bytes) = kind.read(row, at)?;
            values.push(value);
            let length = bytes.as_ref().map_or(u64::MAX, |bytes| bytes.len() as u64);
            hasher.update(&length.to_le_bytes());
            hasher.update(bytes.as_deref().unwrap_or_default());
        }
        let mut digest = [0; 16];
        hasher.finalize_xof().fill(&mut digest);
        sum.rows += 1;
        sum.digest = sum.digest.wrapping_add(u128::from_le_bytes(digest));
        Ok(values)
    }

    fn select(&self, backend: DbBackend) -> Statement {
        let columns = self.columns.iter().map(|(name, _)| Alias::new(name));
        let mut select = Query::select();
        select.columns(columns).from(Alias::new(&self.name));
        backend.build(&select)
    }

    async fn insert(
        &self,
        db: &impl ConnectionTrait,
        rows: &mut Vec<Vec<Value>>,
    ) -> Result<(), DbErr> {
        if rows.is_empty() {
            return Ok(());
        }
        let columns = self.columns.iter().map(|(name, _)| Alias::new(name));
        let mut insert = Query::insert();
        insert.into_table(Alias::new(&self.name)).columns(columns);
        for row in rows.drain(..) {
            let values = insert.values(row.into_iter().map(Expr::value));
            values.map_err(|error| DbErr::Custom(error.to_string()))?;
        }
        db.execute(&insert).await.map(drop)
    }
}

impl StateDb {
    /// Copies everything as it is at this moment into an empty database of the other kind, all of it or nothing, reads it
    /// back there and compares. What was copied, by table.
    ///
    /// # Errors
    /// The other one is not empty, or what a database says.
    pub async fn copy_into(&self, to: &Self) -> Result<BTreeMap<String, TableSum>, StateError> {
        let catalogue = if self.is_shared() { self } else { to };
        let tables = tables(catalogue.reader()).await?;
        let from = moment(self).await?;
        let write = to.begin().await?;
        if !to.is_shared() {
            write
                .execute_unprepared("PRAGMA defer_foreign_keys = ON")
                .await?;
        }
        let mut copied = BTreeMap::new();
        for table in &tables {
            if !is_empty(&*write, table).await? {
                let taken = format!("the table `{}` is not empty", table.name);
                return Err(DbErr::Custom(taken).into());
            }
            copied.insert(table.name.clone(), copy(table, &from, &*write).await?);
        }
        from.rollback().await?;
        write.commit().await?;
        let there = to.sums(&tables).await?;
        if there != copied {
            let other = "what was copied reads otherwise than it was written";
            return Err(DbErr::Custom(other.to_owned()).into());
        }
        Ok(copied)
    }

    /// What there is by table at this moment, here and in a database of the other kind.
    ///
    /// # Errors
    /// What a database says.
    pub async fn compare(
        &self,
        to: &Self,
    ) -> Result<BTreeMap<String, (TableSum, TableSum)>, StateError> {
        let catalogue = if self.is_shared() { self } else { to };
        let tables = tables(catalogue.reader()).await?;
        let (here, mut there) = (self.sums(&tables).await?, to.sums(&tables).await?);
        let both = here.into_iter().map(|(table, here)| {
            let there = there.remove(&table).unwrap_or_default();
            (table, (here, there))
        });
        Ok(both.collect())
    }

    /// Whether `PostgreSQL` has nothing but the schema.
    ///
    /// # Errors
    /// What the database says.
    pub async fn is_unused(&self) -> Result<bool, StateError> {
        for table in tables(self.reader()).await? {
            if !is_empty(self.reader(), &table).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How much there is in every table at this moment.
    async fn sums(&self, tables: &[Table]) -> Result<BTreeMap<String, TableSum>, StateError> {
        let moment = moment(self).await?;
        let mut sums = BTreeMap::new();
        for table in tables {
            let mut sum = TableSum::default();
            let rows = table.select(ConnectionTrait::get_database_backend(&moment));
            let mut rows = moment.stream_raw(rows).await?;
            while let Some(row) = rows.try_next().await? {
                table.read(&row, &mut sum)?;
            }
            drop(rows);
            sums.insert(table.name.clone(), sum);
        }
        moment.rollback().await?;
        Ok(sums)
    }
}

/// A reader that sees one moment.
async fn moment(db: &StateDb) -> Result<DatabaseTransaction, DbErr> {
    let options = TransactionOptions {
        // SQLite's transactions see one moment anyway.
        isolation_level: db.is_shared().then_some(IsolationLevel::RepeatableRead),
        access_mode: db.is_shared().then_some(AccessMode::ReadOnly),
        ..TransactionOptions::default()
    };
    let begun = db.reader().begin_with_options(options).await?;
    if db.is_shared() {
        // However long a table takes.
        begun
            .execute_unprepared("SET LOCAL statement_timeout = 0")
            .await?;
    }
    Ok(begun)
}

async fn copy(
    table: &Table,
    from: &DatabaseTransaction,
    to: &impl ConnectionTrait,
) -> Result<TableSum, DbErr> {
    let mut sum = TableSum::default();
    let mut waiting = Vec::with_capacity(ROWS);
    let mut rows = from
        .stream_raw(table.select(ConnectionTrait::get_database_backend(from)))
        .await?;
    while let Some(row) = rows.try_next().await? {
        waiting.push(table.read(&row, &mut sum)?);
        if waiting.len() == ROWS {
            table.insert(to, &mut waiting).await?;
        }
    }
    table.insert(to, &mut waiting).await?;
    Ok(sum)
}

async fn is_empty(db: &impl ConnectionTrait, table: &Table) -> Result<bool, DbErr> {
    let mut first = Query::select();
    first
        .column(Asterisk)
        .from(Alias::new(&table.name))
        .limit(1);
    Ok(db.query_one(&first).await?.is_none())
}

/// The tables, those that others refer to first.
async fn tables(catalogue: &impl ConnectionTrait) -> Result<Vec<Table>, DbErr> {
    let own = "c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relkind = 'r'";
    let columns = format!(
        "SELECT c.relname::text, a.attname::text, t.typname::text FROM pg_class c \
         JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid \
         WHERE {own} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, 2"
    );
    let steps = Migrator::migration_table_name().to_string();
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    for row in raw(catalogue, columns).await? {
        let [name, column, kind] = three(&row)?;
        if name == steps {
            continue;
        }
        let kind = Kind::from_type_name(&kind).ok_or_else(|| {
            DbErr::Custom(format!("`{name}.{column}` is of the unknown type {kind}"))
        })?;
        let table = tables.entry(name.clone()).or_insert_with(|| Table {
            name,
            columns: Vec::new(),
        });
        table.columns.push((column, kind));
    }
    let references = format!(
        "SELECT c.relname::text, r.relname::text, '' FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid \
         JOIN pg_class r ON r.oid = f.confrelid WHERE {own} AND f.contype = 'f'"
    );
    let mut needs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in raw(catalogue, references).await? {
        let [name, needed, _] = three(&row)?;
        if name != needed {
            needs.entry(name).or_default().insert(needed);
        }
    }
    in_order(tables, &needs)
}

fn in_order(
    mut left: BTreeMap<String, Table>,
    needs: &BTreeMap<String, BTreeSet<String>>,
) -> Result<Vec<Table>, DbErr> {
    let mut ordered = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let is_free = |name: &String| {
            let needed = needs.get(name);
            needed.is_none_or(|needed| needed.iter().all(|needed| !left.contains_key(needed)))
        };
        let Some(name) = left.keys().find(|name| is_free(name)).cloned() else {
            return Err(DbErr::Custom(
                "tables refer to each other in a circle".to_owned(),
            ));
        };
        ordered.extend(left.remove(&name));
    }
    Ok(ordered)
}

async fn raw(db: &impl ConnectionTrait, sql: String) -> Result<Vec<QueryResult>, DbErr> {
    db.query_all_raw(Statement::from_string(db.get_database_backend(), sql))
        .await
}

fn three(row: &QueryResult) -> Result<[String; 3], DbErr> {
    Ok([
        row.try_get_by_index(0)?,
        row.try_get_by_index(1)?,
        row.try_get_by_index(2)?,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_come_behind_those_that_they_refer_to() {
        let table = |name: &str| {
            let table = Table {
                name: name.to_owned(),
                columns: Vec::new(),
            };
            (name.to_owned(), table)
        };
        let tables: BTreeMap<_, _> = ["a", "b", "c"].map(table).into();
        let needs = BTreeMap::from([
            ("a".to_owned(), BTreeSet::from(["c".to_owned()])),
            ("c".to_owned(), BTreeSet::from(["b".to_owned()])),
        ]);
        let ordered = in_order(tables, &needs).unwrap();
        let names: Vec<_> = ordered.iter().map(|table| table.name.as_str()).collect();
        assert_eq!(names, ["b", "c", "a"]);
        let circle = BTreeMap::from([
            ("a".to_owned(), BTreeSet::from(["b".to_owned()])),
            ("b".to_owned(), BTreeSet::from(["a".to_owned()])),
        ]);
        assert!(in_order(["a", "b"].map(table).into(), &circle).is_err());
    }
}
