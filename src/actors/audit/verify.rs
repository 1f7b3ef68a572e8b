//! Walks every chain from its beginning and says where it does not hold.

use std::collections::BTreeMap;

use sea_orm::{
    Condition, DatabaseTransaction, DbBackend, IsolationLevel, QueryOrder, QuerySelect,
    TransactionOptions, TransactionTrait, prelude::*,
};

use super::chain;
use crate::{
    entities::{audit_entry, audit_head},
    store::{StateDb, StateError},
};

/// Entries read at once.
const PAGE: u64 = 5_000;

#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    pub chains: u64,
    pub entries: u64,
    /// Where chains do not hold, at most one place a chain: nothing behind it can be checked.
    pub broken: Vec<Broken>,
}

/// A place where a chain does not hold.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Broken {
    /// The organization; empty for the chain of none.
    #[serde(rename = "organization")]
    pub chain: String,
    /// The place in the chain.
    #[serde(rename = "entry")]
    pub seq: i64,
    pub why: &'static str,
}

/// A chain as far as it has been walked.
struct Walk {
    seq: i64,
    hash: String,
    is_broken: bool,
}

impl Walk {
    fn new() -> Self {
        Self {
            seq: 0,
            hash: chain::GENESIS.to_owned(),
            is_broken: false,
        }
    }

    /// What is wrong with the next entry.
    fn step(&mut self, entry: &audit_entry::Model) -> Option<&'static str> {
        let wrong = if entry.seq != self.seq + 1 {
            Some("entries before this one are missing")
        } else if entry.previous != self.hash {
            Some("it does not follow from the entry before it")
        } else if entry.hash != chain::hash(entry) {
            Some("it was changed")
        } else {
            None
        };
        self.seq = entry.seq;
        self.hash.clone_from(&entry.hash);
        wrong
    }
}

/// Reads the whole log at one moment, beside whatever runs.
///
/// # Errors
/// Storage does not answer. A chain that does not hold is no error but in the report.
pub async fn verify(db: &StateDb) -> Result<Report, StateError> {
    let postgres = db.reader().get_database_backend() == DbBackend::Postgres;
    let options = TransactionOptions {
        // SQLite's transactions see one moment anyway.
        isolation_level: postgres.then_some(IsolationLevel::RepeatableRead),
        ..TransactionOptions::default()
    };
    let moment = db.reader().begin_with_options(options).await?;
    let report = walk(&moment).await?;
    moment.rollback().await?;
    Ok(report)
}

async fn walk(moment: &DatabaseTransaction) -> Result<Report, DbErr> {
    let mut report = Report::default();
    let mut walks: BTreeMap<String, Walk> = BTreeMap::new();
    let mut after: Option<(String, i64)> = None;
    loop {
        let page = page(moment, after.take()).await?;
        let Some(last) = page.last() else {
            break;
        };
        after = Some((last.chain.clone(), last.seq));
        for entry in &page {
            report.entries += 1;
            let walk = walks.entry(entry.chain.clone()).or_insert_with(Walk::new);
            if let (false, Some(why)) = (walk.is_broken, walk.step(entry)) {
                walk.is_broken = true;
                report.broken.push(Broken {
                    chain: entry.chain.clone(),
                    seq: entry.seq,
                    why,
                });
            }
        }
    }
    ends(moment, walks, &mut report).await?;
    Ok(report)
}

async fn page(
    moment: &DatabaseTransaction,
    after: Option<(String, i64)>,
) -> Result<Vec<audit_entry::Model>, DbErr> {
    let entries = audit_entry::COLUMN;
    let mut page = audit_entry::Entity::find();
    if let Some((chain, seq)) = after {
        let further = Condition::all()
            .add(entries.chain.eq(&chain))
            .add(entries.seq.gt(seq));
        let later = Condition::any().add(entries.chain.gt(chain)).add(further);
        page = page.filter(later);
    }
    page.order_by_asc(entries.chain)
        .order_by_asc(entries.seq)
        .limit(PAGE)
        .all(moment)
        .await
}

/// Every chain ends where it says that it does.
async fn ends(
    moment: &DatabaseTransaction,
    mut walks: BTreeMap<String, Walk>,
    report: &mut Report,
) -> Result<(), DbErr> {
    for head in audit_head::Entity::find().all(moment).await? {
        let walk = walks.remove(&head.chain).unwrap_or_else(Walk::new);
        report.chains += 1;
        let why = match walk.seq.cmp(&head.seq) {
            _ if walk.is_broken => continue,
            std::cmp::Ordering::Less => "the entries behind this one are missing",
            std::cmp::Ordering::Greater => "the chain has entries behind the end that was noted",
            std::cmp::Ordering::Equal if walk.hash != head.hash => {
                "the end of the chain is not the one that was noted"
            }
            std::cmp::Ordering::Equal => continue,
        };
        report.broken.push(Broken {
            chain: head.chain,
            seq: walk.seq,
            why,
        });
    }
    for (chain, walk) in walks {
        report.chains += 1;
        if !walk.is_broken {
            report.broken.push(Broken {
                chain,
                seq: walk.seq,
                why: "nothing says where this chain ends",
            });
        }
    }
    Ok(())
}
