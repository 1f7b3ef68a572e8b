//! Epochs of domains in Redis: what says at once, to every process, that rights may have changed.
//!
//! The truth is in `PostgreSQL`. A process that has written informs Redis before it answers, and every process asks Redis before it
//! believes its memory about who may come in. An entry that is missing is made from the truth, and only ever grows, so neither an
//! empty Redis nor a word that was lost brings back what was taken away.

use std::{sync::LazyLock, time::Duration};

use deadpool_redis::redis::{Script, cmd};
use futures_util::{FutureExt as _, future::BoxFuture};
use tokio::time::Instant;

use super::{Shared, SharedError, connection};
use crate::store::{InstanceSecret, limits::Identity, state::EpochPublisher};

/// How long a word to Redis is tried. By then every process has seen for itself that something was written.
const TRIED: Duration = Duration::from_secs(2);
/// Pause between two tries.
const PAUSE: Duration = Duration::from_millis(100);

static TELL: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("tell.lua")));

/// Epochs of one installation's domains; cheap to clone.
#[derive(Debug, Clone)]
pub struct Epochs {
    shared: Shared,
    place: String,
}

impl Epochs {
    /// The epochs of the installation with this secret.
    pub fn new(shared: Shared, secret: &InstanceSecret) -> Self {
        let own = secret.key_for("pharos 2026-11 epochs of domains");
        let name = Identity::keyed(&own, "epochs", b"").hex();
        Self {
            shared,
            place: format!("pharos:{{{name}}}:epochs"),
        }
    }

    /// Whether what is taken in goes on while Redis is away.
    pub fn is_degradable(&self) -> bool {
        self.shared.0.degraded.is_some()
    }

    /// The epochs of these domains, as far as Redis knows them.
    ///
    /// # Errors
    /// Redis is away.
    pub async fn read(&self, domains: &[&str]) -> Result<Vec<Option<i64>>, SharedError> {
        let inner = &self.shared.0;
        let asked = async {
            let mut connection = connection(&inner.pool).await?;
            let mut ask = cmd("HMGET");
            ask.arg(&self.place).arg(domains);
            Ok(ask.query_async(&mut connection).await?)
        };
        inner.breaker.call(asked).await
    }

    /// Publishes the epoch of a domain, unless a later one was published that is not `wrong`.
    ///
    /// # Errors
    /// Redis is away.
    pub async fn say(
        &self,
        domain: &str,
        epoch: i64,
        wrong: Option<i64>,
    ) -> Result<(), SharedError> {
        let inner = &self.shared.0;
        let asked = async {
            let mut script = TELL.prepare_invoke();
            script.key(&self.place).arg(domain).arg(epoch);
            script.arg(wrong.map_or_else(String::new, |wrong| wrong.to_string()));
            let mut connection = connection(&inner.pool).await?;
            Ok(script.invoke_async(&mut connection).await?)
        };
        inner.breaker.call(asked).await
    }
}

impl EpochPublisher for Epochs {
    fn tell(&self, domain: &'static str, epoch: i64) -> BoxFuture<'_, ()> {
        async move {
            let until = Instant::now() + TRIED;
            while let Err(error) = self.say(domain, epoch, None).await {
                if Instant::now() >= until {
                    tracing::warn!(%error, domain, "Redis was not told that something was written");
                    return;
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
        .boxed()
    }
}
