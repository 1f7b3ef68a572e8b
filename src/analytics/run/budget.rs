//! What a request may be answered with, over all of its bodies and parameters.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
};

use super::Source;
use crate::{
    analytics::{request::VALIDATION_ERROR, target::Target},
    events::{answer_budget::Account, tenant::Tenant},
    fault::{Fault, Issue},
};

/// Rows of an answer.
pub const MAX_ROWS: u64 = 200_000;
/// Bytes of rows in an answer, as JSON.
pub const MAX_BYTES: u64 = 32 << 20;
/// Callers who may only ask what is public have this part of both.
pub const PUBLIC_PART: u64 = 4;

const CODE: &str = "budget_exceeded";

/// The account of a request about a target. A statement's rows take somewhat more memory than they do in the answer.
pub fn account<S: Source>(source: &S, target: &Target) -> Account {
    let tenant = Tenant {
        organization: target.access.organization().0,
        anonymous: target.access.public_only(),
    };
    let bytes = usize::try_from(limits(target).1).unwrap_or(usize::MAX);
    source.account(tenant, bytes + bytes / 2)
}

/// Rows and bytes.
fn limits(target: &Target) -> (u64, u64) {
    let part = if target.access.public_only() {
        PUBLIC_PART
    } else {
        1
    };
    (MAX_ROWS / part, MAX_BYTES / part)
}

/// What is left of it.
#[derive(Debug, Clone)]
pub(super) struct Budget(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    rows: u64,
    bytes: u64,
    used_rows: AtomicU64,
    used_bytes: AtomicU64,
    exceeded: AtomicBool,
    largest: Mutex<Option<Spent>>,
}

/// What a parameter has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) rows: u64,
    pub(super) bytes: u64,
}

#[derive(Debug)]
struct Spent {
    field: String,
    kind: &'static str,
    used: Use,
}

impl Budget {
    /// All of it, for a request about a target.
    pub(super) fn new(target: &Target) -> Self {
        let (rows, bytes) = limits(target);
        Self(Arc::new(Inner {
            rows,
            bytes,
            used_rows: AtomicU64::new(0),
            used_bytes: AtomicU64::new(0),
            exceeded: AtomicBool::new(false),
            largest: Mutex::default(),
        }))
    }

    /// Takes rows and bytes; whether there were enough.
    pub(super) fn take(&self, rows: u64, bytes: u64) -> bool {
        let inner = &self.0;
        let rows = inner.used_rows.fetch_add(rows, Relaxed) + rows;
        let bytes = inner.used_bytes.fetch_add(bytes, Relaxed) + bytes;
        if rows > inner.rows || bytes > inner.bytes {
            self.exceed();
        }
        !self.is_exceeded()
    }

    /// Something does not fit into it.
    pub(super) fn exceed(&self) {
        self.0.exceeded.store(true, Relaxed);
    }

    /// Whether more was asked for than there is.
    pub(super) fn is_exceeded(&self) -> bool {
        self.0.exceeded.load(Relaxed)
    }

    /// Takes note of what a parameter has used.
    pub(super) fn note(&self, field: String, kind: &'static str, used: Use) {
        let mut largest = self
            .0
            .largest
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let part = |used: Use| {
            let rows = used.rows as f64 / self.0.rows as f64;
            rows.max(used.bytes as f64 / self.0.bytes as f64)
        };
        if largest
            .as_ref()
            .is_none_or(|other| part(other.used) < part(used))
        {
            *largest = Some(Spent { field, kind, used });
        }
    }

    /// Refuses the request if it asked for more.
    ///
    /// # Errors
    /// 400, which names the budget and the parameter that asked for most.
    pub(super) fn check(&self) -> Result<(), Fault> {
        if !self.is_exceeded() {
            return Ok(());
        }
        let most = format!("{} rows or {} MB", grouped(self.0.rows), self.0.bytes >> 20);
        let message = format!(
            "The answer has more than {most}. Ask for fewer parameters, a lower limit or a shorter range."
        );
        let budget = format!("A request may be answered with at most {most}");
        let mut issues = vec![Issue::new(CODE, "", budget)];
        let largest = self.0.largest.lock();
        if let Some(spent) = &*largest.unwrap_or_else(PoisonError::into_inner) {
            let said = format!(
                "`{}` asked for most: {} rows and {:.1} MB or more",
                spent.kind,
                grouped(spent.used.rows),
                spent.used.bytes as f64 / f64::from(1 << 20)
            );
            issues.push(Issue::new(CODE, spent.field.clone(), said));
        }
        Err(Fault::issues(message, issues).with_code(VALIDATION_ERROR))
    }
}

/// With commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut text = digits[..first].to_owned();
    for start in (first..digits.len()).step_by(3) {
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(&digits[start..start + 3]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let shown = [0, 999, 1_000, 50_000, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "50,000", "1,234,567"]);
    }
}
