//! The process that first claims an id stores its event, when several processes received it.

use std::{sync::LazyLock, time::Duration};

use deadpool_redis::redis::Script;

use super::{Shared, SharedError, connection};

/// Ids of one call: Redis does nothing else meanwhile.
const EACH: usize = 1_000;

static CLAIM: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("claim.lua")));

impl Shared {
    /// Claims ids of events for one who has them safe already, for as long as `window` says; gives which of them are theirs, now or
    /// since an earlier claim. Ids are made with the installation's secret, so no two installations have the same.
    ///
    /// # Errors
    /// Redis is away; some may be claimed, and to claim them again is harmless.
    pub async fn claim(
        &self,
        who: &str,
        ids: &[u128],
        window: Duration,
    ) -> Result<Vec<bool>, SharedError> {
        let inner = &self.0;
        let mut theirs = Vec::with_capacity(ids.len());
        for some in ids.chunks(EACH) {
            let asked = async {
                let mut script = CLAIM.prepare_invoke();
                for id in some {
                    script.key([&b"pharos:event:"[..], &id.to_be_bytes()].concat());
                }
                script.arg(who).arg(window.as_millis() as u64);
                let mut connection = connection(&inner.pool).await?;
                let answer: Vec<i64> = script.invoke_async(&mut connection).await?;
                Ok(answer)
            };
            let answer = inner.breaker.call(asked).await?;
            theirs.extend(answer.iter().map(|one| *one == 1));
        }
        Ok(theirs)
    }
}
