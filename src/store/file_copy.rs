//! A copy of the state database in one file, taken while it is in use, and what can be said of such a copy.

use std::{collections::BTreeMap, fs::File, path::Path};

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};

use super::{
    StateDb, StateError,
    state::{FILE, Options},
};

impl StateDb {
    /// Writes what is committed now into a new file, durably. Writers go on meanwhile. The file is an embedded database in any
    /// case; that of what is on `PostgreSQL` has to be called [`FILE`].
    ///
    /// # Errors
    /// The file exists or cannot be written, or what the database says.
    pub async fn copy_to(&self, file: &Path) -> Result<(), StateError> {
        if self.is_shared() {
            self.write_down(file).await?;
        } else {
            self.vacuum_into(file).await?;
        }
        // Neither way waits for the disk.
        let synced = File::open(file).and_then(|file| file.sync_all());
        synced.map_err(|error| DbErr::Custom(format!("{}: {error}", file.display())).into())
    }

    async fn vacuum_into(&self, file: &Path) -> Result<(), StateError> {
        let copy = Statement::from_sql_and_values(
            DbBackend::Sqlite,
            "VACUUM INTO ?",
            [file.to_string_lossy().into_owned().into()],
        );
        self.writer().execute_raw(copy).await?;
        Ok(())
    }

    async fn write_down(&self, file: &Path) -> Result<(), StateError> {
        let directory = file.parent().filter(|_| file.ends_with(FILE));
        let directory = directory.filter(|_| !file.exists());
        let refused = || DbErr::Custom(format!("`{}` cannot be made", file.display()));
        let options = Options {
            url: "sqlite".to_owned(),
            data_dir: directory.ok_or_else(refused)?.to_owned(),
        };
        let copy = Self::open(&options).await?;
        copy.migrate().await?;
        self.copy_into(&copy).await?;
        copy.close().await
    }

    /// Rows of every table of the embedded database.
    pub async fn rows_of_tables(&self) -> Result<BTreeMap<String, u64>, StateError> {
        let names =
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let mut rows = BTreeMap::new();
        for name in self.texts(names).await? {
            let count = format!("SELECT CAST(count(*) AS TEXT) FROM \"{name}\"");
            let counted = self.texts(&count).await?;
            let counted = counted.first().and_then(|count| count.parse().ok());
            rows.insert(name, counted.unwrap_or_default());
        }
        Ok(rows)
    }

    /// What is wrong with the embedded database's file or its references; empty when it is sound.
    pub async fn damage(&self) -> Result<Vec<String>, StateError> {
        let mut wrong = self.texts("PRAGMA integrity_check").await?;
        wrong.retain(|line| line != "ok");
        let dangling = self
            .texts("SELECT \"table\" FROM pragma_foreign_key_check")
            .await?;
        wrong.extend(
            dangling
                .iter()
                .map(|table| format!("a row of `{table}` refers to nothing")),
        );
        Ok(wrong)
    }

    /// The first column of every row.
    async fn texts(&self, sql: &str) -> Result<Vec<String>, StateError> {
        let statement = Statement::from_string(DbBackend::Sqlite, sql);
        let rows = self.reader().query_all_raw(statement).await?;
        let texts = rows.iter().map(|row| row.try_get_by_index(0));
        Ok(texts.collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use crate::store::state::testing::{reopen, temporary};

    #[tokio::test]
    async fn a_copy_has_what_was_committed_and_is_sound() {
        let (_directory, db) = temporary().await;
        let insert = "INSERT INTO salts VALUES (1, 'x', '2026-01-01T00:00:00Z')";
        sea_orm::ConnectionTrait::execute_unprepared(db.writer(), insert)
            .await
            .unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let file = elsewhere.path().join(crate::store::state::FILE);
        db.copy_to(&file).await.unwrap();
        assert!(db.copy_to(&file).await.is_err(), "nothing is overwritten");
        let copy = reopen(&elsewhere).await;
        assert_eq!(copy.rows_of_tables().await.unwrap()["salts"], 1);
        assert_eq!(
            copy.rows_of_tables().await.unwrap(),
            db.rows_of_tables().await.unwrap()
        );
        assert!(copy.damage().await.unwrap().is_empty());
        copy.close().await.unwrap();
    }
}
