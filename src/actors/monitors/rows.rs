//! Rows of checks in the event store.

use std::time::Duration;

use crate::{
    actors::monitors::{MonitorsEnv, error::BatchError},
    events::store::{Accepted, AppendError},
};

/// Writes rows outside of the mailbox. Rows that were written before are recognized by their ids.
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

const PAUSE: Duration = Duration::from_millis(200);

const TRIES: usize = 10;
