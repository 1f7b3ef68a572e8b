//! The state database's part of a migration.

use std::{fs, path::Path};

use super::pass;
use crate::{
    config::Settings,
    events::store_migration::describe_difference,
    platform::{
        CommandError,
        backup::files::remove,
        migration_journal::{Journal, MigrationReport, Plan, RowSum, STAGING},
        stores::open_state,
    },
    store::{StateDb, state::FILE},
};

/// The state databases of both sides.
pub(super) struct States {
    pub(super) from: StateDb,
    /// `None` where state stays where it is.
    to: Option<StateDb>,
}

impl States {
    /// Opens both. An embedded one that is made begins anew unless it is known to be whole.
    pub(super) async fn open(plan: &Plan<'_>, journal: &mut Journal) -> anyhow::Result<Self> {
        let from = open(plan.from, &plan.data_dir).await?;
        if !plan.state {
            return Ok(Self { from, to: None });
        }
        let staging = plan.data_dir.join(STAGING);
        fs::create_dir_all(&staging)?;
        if from.is_shared() && !journal.state_copied {
            for part in ["", "-wal", "-shm"] {
                remove(&staging.join(format!("{FILE}{part}")))?;
            }
        }
        let to = open(plan.to, &staging).await?;
        to.upgrade(&staging).await?;
        Ok(Self { from, to: Some(to) })
    }

    /// Copies every table, all of them or none.
    pub(super) async fn copy(&self, plan: &Plan<'_>, journal: &mut Journal) -> anyhow::Result<()> {
        let Some(to) = self.to.as_ref().filter(|_| !journal.state_copied) else {
            return Ok(());
        };
        // One that was cut off behind its commit is there, and is compared like any other.
        if !to.is_shared() || to.is_unused().await? {
            self.from.copy_into(to).await?;
        }
        pass("move-state")?;
        journal.state_copied = true;
        Ok(journal.write(&plan.data_dir)?)
    }

    /// Reads every table on both sides.
    pub(super) async fn compare(&self, found: &mut MigrationReport) -> anyhow::Result<()> {
        let Some(to) = &self.to else {
            return Ok(());
        };
        for (table, (here, there)) in self.from.compare(to).await? {
            if here != there {
                let what = format!("table `{table}`");
                found
                    .wrong
                    .push(describe_difference(&what, here.rows, there.rows));
            }
            let counted = RowSum::new(here.rows, here.digest);
            found.tables.insert(table, counted);
        }
        Ok(())
    }

    pub(super) async fn close(self) -> anyhow::Result<()> {
        self.from.close().await?;
        match self.to {
            Some(to) => Ok(to.close().await?),
            None => Ok(()),
        }
    }
}

/// The state database of these settings; an embedded one lies in `directory`.
pub(super) async fn open(settings: &Settings, directory: &Path) -> anyhow::Result<StateDb> {
    if settings.database.is_embedded() && !directory.is_dir() {
        return CommandError::refuse(
            format!("`{}` is not there", directory.display()),
            "check `storage.data_dir`",
        );
    }
    open_state(settings, directory).await
}
