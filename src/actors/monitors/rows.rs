//! Rows of checks in the event store.

use std::time::Duration;

use crate::{
    actors::monitors::{MonitorsEnv, after::BatchError},
    events::store::{Accepted, AppendError},
};

/// Writes the rows. Nobody waits in the mailbox meanwhile. A row that was written before is recognised by its id.
pub(super) async fn rows(env: &MonitorsEnv, rows: &[Accepted]) -> Result<(), BatchError> {
    for _ in 0..TRIES {
        match env.events.append(rows.to_vec()).await {
            Ok(_) => return Ok(()),
            Err(AppendError::Overloaded | AppendError::DiskFull | AppendError::Descriptors) => {
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(AppendError::Overloaded.into())
}

/// How long the event store is left alone when it is too busy.
const PAUSE: Duration = Duration::from_millis(200);

/// How often it is asked before it is left for the next batch.
const TRIES: usize = 10;
