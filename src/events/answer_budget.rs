//! Memory of answers on their way from the engine to the caller.
//!
//! Every request has an [`Account`]: the rows that it holds and what has been written of its answer. The first bytes are
//! free. Beyond them an account draws on a pool that all requests share. When the pool is empty, nothing blocks a thread of
//! the engine: the statement ends, and its account waits for an [overdraft](Account::overdraft). One account of the callers
//! with credentials and one of the anonymous callers has an overdraft at a time, so all of them get on, one by one,
//! and the memory of all answers is bounded.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

use super::tenant_limiter::{QueryPermit, TenantLimiter};
use crate::events::tenant::Tenant;

/// Bytes that all accounts draw on.
const POOL: usize = 64 << 20;
/// The part of it that one tenant, or all anonymous callers together, may hold.
const SHARE: usize = POOL / 2;
/// Bytes of an account that are not counted.
const FREE: usize = 256 << 10;
/// Accounts draw in multiples of this.
const STEP: usize = 256 << 10;

#[derive(Debug, Clone)]
pub struct AnswerBudget(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    /// How long an account waits for memory.
    patience: Duration,
    used: Mutex<Used>,
    /// A tenant has one account that waits for an overdraft or has one; the others wait behind it.
    first: TenantLimiter<Tenant>,
    /// The overdrafts of callers with credentials and of anonymous ones.
    overdrafts: [Arc<Semaphore>; 2],
}

#[derive(Debug, Default)]
struct Used {
    all: usize,
    anonymous: usize,
    tenants: HashMap<Tenant, usize>,
}

impl AnswerBudget {
    /// No answers yet; an account waits so long for memory.
    pub fn new(patience: Duration) -> Self {
        Self(Arc::new(Pool {
            patience,
            used: Mutex::default(),
            first: TenantLimiter::new(1),
            overdrafts: std::array::from_fn(|_| Arc::new(Semaphore::new(1))),
        }))
    }

    /// An account of a request, each of whose statements may hold `most` bytes of rows.
    pub fn account(&self, tenant: Tenant, most: usize) -> Account {
        Account(Arc::new(Inner {
            pool: Arc::clone(&self.0),
            tenant,
            most,
            state: Mutex::default(),
            overdraft: Mutex::default(),
            alone: Arc::default(),
        }))
    }
}

impl Pool {
    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw(&self, tenant: Tenant, bytes: usize) -> bool {
        let mut used = self.used();
        let anonymous = if tenant.anonymous { bytes } else { 0 };
        let own = used.tenants.get(&tenant).copied().unwrap_or(0);
        if used.all + bytes > POOL || used.anonymous + anonymous > SHARE || own + bytes > SHARE {
            return false;
        }
        used.all += bytes;
        used.anonymous += anonymous;
        used.tenants.insert(tenant, own + bytes);
        true
    }

    fn give_back(&self, tenant: Tenant, bytes: usize) {
        let mut used = self.used();
        used.all -= bytes;
        if tenant.anonymous {
            used.anonymous -= bytes;
        }
        if let Some(own) = used.tenants.get_mut(&tenant) {
            *own -= bytes;
            if *own == 0 {
                used.tenants.remove(&tenant);
            }
        }
    }
}

/// What one request holds. Clones are the same account; it ends with the last of them.
#[derive(Debug, Clone)]
pub struct Account(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    pool: Arc<Pool>,
    tenant: Tenant,
    most: usize,
    state: Mutex<State>,
    overdraft: Mutex<Option<Overdraft>>,
    /// Held by the statement of an overdrawn account that collects rows.
    alone: Arc<tokio::sync::Mutex<()>>,
}

#[derive(Debug, Default)]
struct State {
    used: usize,
    /// Bytes that the pool has given.
    drawn: usize,
}

type Overdraft = (QueryPermit<Tenant>, OwnedSemaphorePermit);

impl Account {
    pub fn tenant(&self) -> Tenant {
        self.0.tenant
    }

    /// Bytes of rows that one of its statements may hold.
    pub fn most(&self) -> usize {
        self.0.most
    }

    /// Bytes that rows and answer take now.
    pub fn used(&self) -> usize {
        self.state().used
    }

    /// Whether it holds more than the pool had.
    pub fn is_overdrawn(&self) -> bool {
        self.overdraft_slot().is_some()
    }

    /// An empty charge; with `alone`, one that may go beyond what the pool has.
    pub fn charge(&self, alone: Option<Alone>) -> Charge {
        Charge(Some(ChargedBytes {
            account: self.clone(),
            bytes: 0,
            alone,
        }))
    }

    /// Waits until this account may hold more than the pool has, and until none of its other statements does so.
    pub async fn overdraft(&self) -> Option<Alone> {
        let waited = tokio::time::timeout(self.0.pool.patience, async {
            let alone = Arc::clone(&self.0.alone).lock_owned().await;
            self.open_overdraft().await.then_some(alone)
        });
        waited
            .await
            .ok()
            .flatten()
            .map(|turn| Alone { _turn: turn })
    }

    /// Takes room for a part of the answer, and waits for it where there is none; false when that takes too long.
    pub async fn reserve(&self, bytes: usize) -> bool {
        if self.grow(bytes, false) {
            return true;
        }
        self.open_overdraft().await && self.grow(bytes, true)
    }

    /// The part that was reserved with so many bytes has become another size.
    pub fn settle(&self, reserved: usize, bytes: usize) {
        if bytes < reserved {
            self.shrink(reserved - bytes);
        } else if bytes > reserved && !self.grow(bytes - reserved, true) {
            self.state().used += bytes - reserved;
        }
    }

    /// Nothing is added any more: the overdraft ends if the pool has what was taken through it.
    pub fn close(&self) {
        if self.grow(0, false) {
            drop(self.overdraft_slot().take());
        }
    }

    async fn open_overdraft(&self) -> bool {
        if self.overdraft_slot().is_some() {
            return true;
        }
        let pool = &self.0.pool;
        let patience = pool.patience;
        let Some(first) = pool.first.take(self.0.tenant, patience).await else {
            return false;
        };
        let line = &pool.overdrafts[usize::from(self.0.tenant.anonymous)];
        let permit = tokio::time::timeout(patience, Arc::clone(line).acquire_owned()).await;
        let Ok(Ok(permit)) = permit else {
            return false;
        };
        *self.overdraft_slot() = Some((first, permit));
        true
    }

    fn grow(&self, bytes: usize, overdrawn: bool) -> bool {
        let mut state = self.state();
        let used = state.used.saturating_add(bytes);
        let more = used.saturating_sub(FREE).saturating_sub(state.drawn);
        let more = more.next_multiple_of(STEP);
        if more > 0 {
            if self.0.pool.draw(self.0.tenant, more) {
                state.drawn += more;
            } else if !overdrawn || self.overdraft_slot().is_none() {
                return false;
            }
        }
        state.used = used;
        true
    }

    fn shrink(&self, bytes: usize) {
        let mut state = self.state();
        state.used = state.used.saturating_sub(bytes);
        let needed = state.used.saturating_sub(FREE).next_multiple_of(STEP);
        if needed < state.drawn {
            self.0.pool.give_back(self.0.tenant, state.drawn - needed);
            state.drawn = needed;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn overdraft_slot(&self) -> MutexGuard<'_, Option<Overdraft>> {
        let slot = self.0.overdraft.lock();
        slot.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        let drawn = state.unwrap_or_else(PoisonError::into_inner).drawn;
        if drawn > 0 {
            self.pool.give_back(self.tenant, drawn);
        }
    }
}

/// The only statement of its account that may hold more than the pool has.
#[derive(Debug)]
pub struct Alone {
    _turn: OwnedMutexGuard<()>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// The statement has more rows than an answer may have.
    TooLarge,
    /// Others hold the memory at the moment.
    Full,
}

/// The memory of rows, until it is dropped. A copy is not charged: its holder accounts for it.
#[derive(Debug, Default)]
pub struct Charge(Option<ChargedBytes>);

#[derive(Debug)]
struct ChargedBytes {
    account: Account,
    bytes: usize,
    alone: Option<Alone>,
}

impl Charge {
    pub fn add(&mut self, bytes: usize) -> Result<(), Refused> {
        let Some(charged) = &mut self.0 else {
            return Ok(());
        };
        if charged.bytes.saturating_add(bytes) > charged.account.most() {
            return Err(Refused::TooLarge);
        }
        if !charged.account.grow(bytes, charged.alone.is_some()) {
            return Err(Refused::Full);
        }
        charged.bytes += bytes;
        Ok(())
    }

    /// Gives all of it back: the rows are gone.
    pub fn clear(&mut self) {
        if let Some(charged) = &mut self.0 {
            charged.account.shrink(charged.bytes);
            charged.bytes = 0;
        }
    }

    pub fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |charged| charged.bytes)
    }
}

impl Clone for Charge {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl PartialEq for Charge {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Drop for ChargedBytes {
    fn drop(&mut self) {
        self.account.shrink(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const PATIENCE: Duration = Duration::from_hours(1);

    fn tenant(organization: i64) -> Tenant {
        Tenant {
            organization,
            anonymous: false,
        }
    }

    fn visitor(organization: i64) -> Tenant {
        Tenant {
            organization,
            anonymous: true,
        }
    }

    fn used(answers: &AnswerBudget) -> usize {
        answers.0.used().all
    }

    #[test]
    fn small_answers_are_not_counted_and_large_ones_until_they_are_dropped() {
        let answers = AnswerBudget::new(PATIENCE);
        let account = answers.account(tenant(1), usize::MAX);
        let mut charge = account.charge(None);
        assert_eq!(charge.add(FREE), Ok(()));
        assert_eq!(used(&answers), 0);
        assert_eq!(charge.add(1), Ok(()));
        assert_eq!((used(&answers), account.used()), (STEP, FREE + 1));
        let copy = charge.clone();
        drop(charge);
        assert_eq!((used(&answers), copy.bytes()), (0, 0));
        let mut charge = account.charge(None);
        assert_eq!(charge.add(FREE + STEP), Ok(()));
        drop(account);
        assert_eq!(used(&answers), STEP, "the charge keeps the account");
        drop(charge);
        assert_eq!(used(&answers), 0);
        assert!(answers.0.used().tenants.is_empty());
    }

    #[test]
    fn a_statement_holds_no_more_than_it_may() {
        let account = AnswerBudget::new(PATIENCE).account(tenant(1), 100);
        let mut charge = account.charge(None);
        assert_eq!(charge.add(100), Ok(()));
        assert_eq!(charge.add(1), Err(Refused::TooLarge));
        assert_eq!(account.charge(None).add(100), Ok(()), "each of them");
    }

    #[test]
    fn a_tenant_and_all_anonymous_callers_leave_half_to_others() {
        let answers = AnswerBudget::new(PATIENCE);
        let greedy = answers.account(tenant(1), usize::MAX);
        let mut all = greedy.charge(None);
        assert_eq!(all.add(FREE + SHARE + 1), Err(Refused::Full));
        assert_eq!(all.add(FREE + SHARE), Ok(()));
        let second = answers.account(tenant(1), usize::MAX);
        assert_eq!(second.charge(None).add(FREE + 1), Err(Refused::Full));
        let visitors: Vec<_> = [1, 2]
            .into_iter()
            .map(|organization| {
                let account = answers.account(visitor(organization), usize::MAX);
                let mut charge = account.charge(None);
                assert_eq!(charge.add(FREE + SHARE / 2), Ok(()));
                charge
            })
            .collect();
        let third = answers.account(visitor(3), usize::MAX);
        assert_eq!(third.charge(None).add(FREE + 1), Err(Refused::Full));
        drop(visitors);
        assert_eq!(third.charge(None).add(FREE + 1), Ok(()));
    }

    #[tokio::test]
    async fn who_finds_the_pool_empty_goes_on_alone_one_by_one() {
        let answers = AnswerBudget::new(PATIENCE);
        let sent = answers.account(tenant(1), usize::MAX);
        let mut first = sent.charge(None);
        first.add(FREE + SHARE).unwrap();
        let accounts = [1, 1, 2].map(|of| answers.account(tenant(of), usize::MAX));
        let mut other = accounts[2].charge(None);
        other.add(FREE + SHARE).unwrap();
        for account in &accounts {
            assert_eq!(account.charge(None).add(FREE + 1), Err(Refused::Full));
        }

        let alone = accounts[0].overdraft().await.unwrap();
        let mut rows = accounts[0].charge(Some(alone));
        assert_eq!(rows.add(POOL), Ok(()));
        // Its next statement, the tenant's next request and another tenant's wait.
        let mut next = Box::pin(accounts[0].overdraft());
        let mut later = Box::pin(accounts[1].overdraft());
        let mut others = Box::pin(accounts[2].overdraft());
        assert!((&mut next).now_or_never().is_none());
        assert!((&mut later).now_or_never().is_none());
        assert!((&mut others).now_or_never().is_none());
        // Visitors have a line of their own.
        let visitors = answers.account(visitor(1), usize::MAX);
        assert!(visitors.overdraft().now_or_never().is_some());
        drop(rows);
        drop(next.await.unwrap());

        // The answer does not fit into the pool: the overdraft lasts until it is sent.
        assert!(accounts[0].reserve(2 * FREE).await);
        accounts[0].close();
        assert!((&mut others).now_or_never().is_none());
        drop(first);
        accounts[0].close();
        let others = others.now_or_never().flatten();
        assert!(
            others.is_some(),
            "another tenant comes before the next request"
        );
        drop((others, other));
        let [_, _, third] = &accounts;
        third.close();
        assert!(later.now_or_never().flatten().is_some());
    }

    #[tokio::test]
    async fn patience_ends() {
        let answers = AnswerBudget::new(Duration::from_millis(5));
        let (first, second) = (
            answers.account(tenant(1), usize::MAX),
            answers.account(tenant(2), usize::MAX),
        );
        let _held = first.overdraft().await.unwrap();
        assert!(second.overdraft().await.is_none());
        let third = answers.account(tenant(3), usize::MAX);
        let mut charges = Vec::new();
        for account in [&third, &answers.account(tenant(4), usize::MAX)] {
            let mut charge = account.charge(None);
            charge.add(FREE + SHARE).unwrap();
            charges.push(charge);
        }
        assert!(!second.reserve(2 * FREE).await);
    }

    #[test]
    fn what_was_reserved_is_settled() {
        let answers = AnswerBudget::new(PATIENCE);
        let account = answers.account(tenant(1), usize::MAX);
        assert!(account.reserve(FREE + 4 * STEP).now_or_never().unwrap());
        account.settle(FREE + 4 * STEP, FREE + STEP);
        assert_eq!((account.used(), used(&answers)), (FREE + STEP, STEP));
        account.settle(0, STEP);
        assert_eq!(
            (account.used(), used(&answers)),
            (FREE + 2 * STEP, 2 * STEP)
        );
    }
}
