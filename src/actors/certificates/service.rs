//! Everything that can be asked about certificates starts here.

use std::{
    sync::{Arc, atomic::AtomicI64},
    time::Duration,
};

use futures_util::future::{BoxFuture, FutureExt as _};

use super::{
    CertificateError, CertificateStatus, StoredCertificate, Summary, VerifiedHosts,
    accounts::Accounts,
    challenges::Challenges,
    memory::{Entry, Memory},
    store::{CertificateStore, read_plan},
};
use crate::{
    acme::{Authority, Challenge, ChallengeKind, Solver},
    actors::seal::opaque_debug,
    clock::Clock,
    store::{InstanceSecret, StateDb},
};

/// How often each process looks for what others have written.
pub(super) const TICK: Duration = Duration::from_secs(2);
/// How long other processes have to read a challenge before the authority asks for it.
const SPREAD: Duration = Duration::from_secs(5);

/// What certificates are made of.
pub struct CertificatesEnv {
    pub db: StateDb,
    pub clock: Clock,
    /// Without one nothing is ordered, and what is stored is served.
    pub authority: Option<Authority>,
    pub hosts: Arc<dyn VerifiedHosts>,
    /// Whether HTTP-01 can be answered.
    pub answers_http: bool,
}

/// The certificates of all verified hosts; cheap to clone.
#[derive(Clone)]
pub struct Certificates(pub(super) Arc<Inner>);

opaque_debug!(Certificates);

pub(super) struct Inner {
    pub(super) db: StateDb,
    pub(super) clock: Clock,
    pub(super) authority: Option<Authority>,
    pub(super) hosts: Arc<dyn VerifiedHosts>,
    pub(super) answers_http: bool,
    pub(super) store: CertificateStore,
    pub(super) accounts: Accounts,
    challenges: Challenges,
    pub(super) memory: Memory,
    /// Held while memory is read, and while one account is made.
    reading: tokio::sync::Mutex<()>,
    pub(super) account: tokio::sync::Mutex<()>,
    /// The authority wants no order before, Unix milliseconds.
    pub(super) paused_until_ms: AtomicI64,
}

impl Certificates {
    pub fn new(env: CertificatesEnv, secret: &InstanceSecret) -> Self {
        let db = env.db.for_domain("certificates");
        Self(Arc::new(Inner {
            store: CertificateStore::new(db.clone(), env.clock.clone(), secret),
            accounts: Accounts::new(db.clone(), env.clock.clone(), secret),
            challenges: Challenges::new(db.clone(), env.clock.clone()),
            db,
            clock: env.clock,
            authority: env.authority,
            hosts: env.hosts,
            answers_http: env.answers_http,
            memory: Memory::default(),
            reading: tokio::sync::Mutex::default(),
            account: tokio::sync::Mutex::default(),
            paused_until_ms: AtomicI64::new(i64::MIN),
        }))
    }

    /// Whether a host may have a certificate.
    pub fn is_verified(&self, host: &str) -> bool {
        self.0.hosts.contains(host)
    }

    /// The certificate of a host that is still verified.
    pub fn find(&self, host: &str) -> Option<StoredCertificate> {
        self.0.memory.find(host).filter(|_| self.is_verified(host))
    }

    /// The version of what [`Certificates::find`] gives.
    pub fn find_version(&self, host: &str) -> Option<i64> {
        let version = self.0.memory.find_version(host);
        version.filter(|_| self.is_verified(host))
    }

    /// What answers an open TLS-ALPN challenge of a host.
    pub fn find_tls_challenge(&self, host: &str) -> Option<String> {
        self.0.memory.challenge(host)
    }

    /// What answers an HTTP challenge, read from the database: any process may have begun it.
    ///
    /// # Errors
    /// The database is away.
    pub async fn find_http_challenge(
        &self,
        host: &str,
        token: &str,
    ) -> Result<Option<String>, CertificateError> {
        if !self.is_verified(host) {
            return Ok(None);
        }
        self.0.challenges.find_http(host, token).await
    }

    /// How a host's certificate is doing; `None` for a host that isn't verified, and where no one is asked for certificates.
    pub fn status(&self, host: &str) -> Option<CertificateStatus> {
        let status = self.0.memory.status(host);
        let is_asked = self.0.authority.is_some() || status.ends_ms.is_some();
        (is_asked && self.is_verified(host)).then_some(status)
    }

    /// How certificates are doing.
    pub fn summarize(&self) -> Summary {
        self.0.memory.summarize()
    }

    /// The moment of the program's clock, Unix milliseconds.
    pub fn now_ms(&self) -> i64 {
        self.0.clock.now_ms()
    }

    /// Reads what was written since the last time, here and elsewhere.
    ///
    /// # Errors
    /// The database is away; memory stays as it is.
    pub async fn refresh(&self) -> Result<(), CertificateError> {
        let _reading = self.0.reading.lock().await;
        let authority = self.0.authority.as_ref().map(Authority::account_id);
        loop {
            let rows = self.0.store.load_after(self.0.memory.version()).await?;
            if rows.is_empty() {
                break;
            }
            for row in rows {
                let opened = self.0.store.open(&row);
                let packed = opened.and_then(|opened| self.0.memory.unpack(&opened));
                if row.sealed.is_some() && packed.is_none() {
                    tracing::error!(
                        host = row.id,
                        "a stored certificate can't be opened with this installation's key; a new one is ordered"
                    );
                }
                let plan = read_plan(&row, packed.is_some(), authority.as_deref());
                let version = row.version;
                self.0.memory.insert(
                    &row.id,
                    Entry {
                        version,
                        plan,
                        error: row.error.map(String::into_boxed_str),
                        packed,
                    },
                );
            }
        }
        let open = self.0.challenges.load_tls().await?;
        self.0.memory.set_challenges(open);
        Ok(())
    }

    pub(super) async fn purge(&self) -> Result<(), CertificateError> {
        self.0.challenges.purge().await?;
        self.0.store.purge().await
    }
}

impl Solver for Certificates {
    fn present<'a>(&'a self, challenge: &'a Challenge) -> BoxFuture<'a, Result<(), String>> {
        async {
            let stored = self.0.challenges.insert(challenge).await;
            stored.map_err(|error| error.to_string())?;
            if challenge.kind == ChallengeKind::TlsAlpn {
                self.refresh().await.map_err(|error| error.to_string())?;
                if self.0.db.is_shared() {
                    tokio::time::sleep(SPREAD).await;
                }
            }
            Ok(())
        }
        .boxed()
    }

    fn clean_up<'a>(&'a self, challenge: &'a Challenge) -> BoxFuture<'a, ()> {
        async {
            if let Err(error) = self.0.challenges.delete(challenge).await {
                tracing::debug!(%error, "an answered challenge stays until it expires");
            }
        }
        .boxed()
    }
}
