//! Counts in Redis, for several processes: the same decisions as [`super::Local`], each in one call of one script.
//!
//! The time is Redis's own, so clocks of processes do not matter. A request that runs has a lease which is renewed while it does; the
//! place of a process that died is free again when it ends. While Redis is away, everything that would be counted is refused
//! at once ([`LimitError::Unavailable`]); what is taken in can be counted in this process instead ([`Shared::degraded`]).

mod breaker;
mod claims;
mod epochs;
mod slots;
#[cfg(test)]
mod tests;

use std::{
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use deadpool_redis::{
    Config, Pool, Runtime,
    redis::{RedisError, Script, cmd},
};

use self::breaker::Breaker;
pub use self::epochs::Epochs;
pub(super) use self::slots::Lease;
use self::slots::Slots;
use super::{
    Admission, Bucket, Decision, Demand, Endpoint, LimitError, Local, Permit, ring::whole_seconds,
};
use crate::{clock::Clock, fault::Window};

/// How long Redis may take for one answer, unless a setting says otherwise. The promise is a refusal within 300 ms.
const PATIENCE: Duration = Duration::from_millis(200);
/// Connections of a process.
const CONNECTIONS: usize = 32;
/// After that long without a sign of life, a request's place is free.
const LEASE: Duration = Duration::from_secs(30);

static ADMIT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("admit.lua")));

/// Why Redis cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SharedError {
    /// The address is none.
    #[error("`redis.url` cannot be used: {0}")]
    Address(String),
    /// It gave no answer in time.
    #[error("Redis did not answer within {} ms", .0.as_millis())]
    Late(Duration),
    /// No connection.
    #[error("Redis cannot be reached: {0}")]
    Away(String),
    /// It is known to be away since a moment ago.
    #[error("Redis did not answer a moment ago")]
    Broken,
    /// It answered with an error.
    #[error("Redis refused: {0}")]
    Refused(#[from] RedisError),
}

/// The counts of several processes; cheap to clone.
#[derive(Clone)]
pub struct Shared(Arc<Inner>);

struct Inner {
    pool: Pool,
    breaker: Breaker,
    slots: Slots,
    /// This process, in names of requests.
    process: String,
    requests: AtomicU64,
    /// What counts what is taken in while Redis is away.
    degraded: Option<Local>,
    /// The time that tests give; else Redis's own.
    clock: Option<Clock>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Shared(…)")
    }
}

impl Shared {
    /// Connects to a `redis://` or `rediss://` address when something is asked of it, not before.
    ///
    /// # Errors
    /// The address is none.
    pub fn new(url: &str) -> Result<Self, SharedError> {
        Self::with(url, PATIENCE, None, None)
    }

    /// [`Shared::new`], and what is taken in is counted by this process alone while Redis is away.
    ///
    /// # Errors
    /// The address is none.
    pub fn degraded(url: &str, clock: Clock) -> Result<Self, SharedError> {
        Self::with(url, PATIENCE, Some(Local::new(clock)), None)
    }

    /// Either of them, which waits so long for an answer, by a clock that is not Redis's own: that of a test.
    ///
    /// # Errors
    /// The address is none.
    pub fn with(
        url: &str,
        patience: Duration,
        degraded: Option<Local>,
        clock: Option<Clock>,
    ) -> Result<Self, SharedError> {
        let address = |error: String| SharedError::Address(error);
        // Encryption is the process's choice there. An earlier choice was the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let pool = Config::from_url(url)
            .builder()
            .map_err(|error| address(error.to_string()))?
            .max_size(CONNECTIONS)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(2 * patience))
            .create_timeout(Some(2 * patience))
            .recycle_timeout(Some(2 * patience))
            .build()
            .map_err(|error| address(error.to_string()))?;
        Ok(Self(Arc::new(Inner {
            slots: Slots::new(pool.clone()),
            pool,
            breaker: Breaker::new(patience),
            process: uuid::Uuid::now_v7().simple().to_string(),
            requests: AtomicU64::new(0),
            degraded,
            clock,
        })))
    }

    /// Whether Redis answers.
    ///
    /// # Errors
    /// Why not.
    pub async fn ping(&self) -> Result<(), SharedError> {
        self.0.breaker.call(self.0.ping()).await
    }

    /// Keeps the leases of requests that run, for ever. Without it long answers lose their place after 30 seconds.
    pub async fn keep(&self) {
        self.0.slots.keep().await;
    }

    async fn decide(&self, demand: Demand, what: What) -> Result<Permit, LimitError> {
        if demand.rates.is_empty() && demand.in_flight.is_none() {
            return Ok(Permit::default());
        }
        let asked = self.0.breaker.call(self.0.ask(&demand, what)).await;
        match asked {
            Ok((answer, name)) => self.0.interpret(&demand, what, &answer, name),
            Err(error) => match &self.0.degraded {
                Some(local) if is_taken_in(&demand) => in_process(local, &demand, what),
                _ => Err(LimitError::Unavailable(error.to_string().into())),
            },
        }
    }
}

/// What is asked about a demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Admit,
    Peek,
    Back,
    Clear,
}

impl Inner {
    async fn ping(&self) -> Result<(), SharedError> {
        let mut connection = connection(&self.pool).await?;
        Ok(cmd("PING").query_async(&mut connection).await?)
    }

    async fn ask(&self, demand: &Demand, what: What) -> Result<(Vec<i64>, String), SharedError> {
        let name = format!(
            "{}-{}",
            self.process,
            self.requests.fetch_add(1, Ordering::Relaxed)
        );
        let mut script = ADMIT.prepare_invoke();
        script.key(running(demand));
        for rate in &demand.rates {
            script.key(times(demand, rate.bucket));
        }
        let now = self.clock.as_ref().map(Clock::now_ms);
        script
            .arg(match what {
                What::Admit => "admit",
                What::Peek => "peek",
                What::Back => "back",
                What::Clear => "clear",
            })
            .arg(now.map_or_else(String::new, |now| now.to_string()))
            .arg(demand.in_flight.unwrap_or(0))
            .arg(&name)
            .arg(LEASE.as_millis() as u64);
        for rate in &demand.rates {
            script.arg(rate.max).arg(rate.window_ms);
        }
        // Places that are free, and whose word of it is on its way still.
        let set = running(demand);
        let over = self.slots.over(&set);
        for name in &over {
            script.arg(name);
        }
        let mut connection = connection(&self.pool).await?;
        let answer = script.invoke_async(&mut connection).await?;
        self.slots.confirm(&over);
        Ok((answer, name))
    }

    fn interpret(
        &self,
        demand: &Demand,
        what: What,
        answer: &[i64],
        name: String,
    ) -> Result<Permit, LimitError> {
        match *answer {
            [1, _] => {
                let holds = what == What::Admit && demand.in_flight.is_some();
                let slot = holds.then(|| self.slots.hold(running(demand), name));
                Ok(Permit {
                    slot: slot.map(super::Slot::Shared),
                })
            }
            [0, full, reset_ms, now] => {
                let rate = usize::try_from(full - 1);
                let rate = rate.ok().and_then(|at| demand.rates.get(at));
                let window = Window {
                    limit: rate.map_or(demand.in_flight.unwrap_or(0), |rate| rate.max),
                    remaining: 0,
                    reset_ms,
                    retry_after: whole_seconds(reset_ms - now),
                };
                Err(match rate {
                    Some(_) => LimitError::Window(window),
                    None => LimitError::InFlight(window),
                })
            }
            _ => Err(LimitError::Unavailable(
                "Redis gave an answer that is none".into(),
            )),
        }
    }
}

/// Whether it is about something that is taken in.
fn is_taken_in(demand: &Demand) -> bool {
    let taken_in = |bucket| {
        matches!(
            bucket,
            Bucket::Endpoint(Endpoint::Track | Endpoint::Calls | Endpoint::Identify)
        )
    };
    demand.rates.iter().any(|rate| taken_in(rate.bucket))
}

fn in_process(local: &Local, demand: &Demand, what: What) -> Result<Permit, LimitError> {
    match what {
        What::Admit | What::Peek => return local.decide(demand, what == What::Admit),
        What::Back => local.forget(demand),
        What::Clear => local.clear_windows(demand),
    }
    Ok(Permit::default())
}

/// Where the requests of an identity that run are.
fn running(demand: &Demand) -> String {
    format!("pharos:{{{}}}:running", demand.identity.hex())
}

/// Where the times of a window are.
fn times(demand: &Demand, bucket: Bucket) -> String {
    format!("pharos:{{{}}}:{}", demand.identity.hex(), bucket.name())
}

async fn connection(pool: &Pool) -> Result<deadpool_redis::Connection, SharedError> {
    pool.get()
        .await
        .map_err(|error| SharedError::Away(error.to_string()))
}

impl Admission for Shared {
    fn admit(&self, demand: Demand) -> Decision<'_> {
        Box::pin(self.decide(demand, What::Admit))
    }

    fn peek(&self, demand: Demand) -> Decision<'_> {
        Box::pin(self.decide(demand, What::Peek))
    }

    fn take_back(&self, demand: Demand) -> Decision<'_> {
        Box::pin(self.decide(demand, What::Back))
    }

    fn clear(&self, demand: Demand) -> Decision<'_> {
        Box::pin(self.decide(demand, What::Clear))
    }
}
