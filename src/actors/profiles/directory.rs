//! What anyone may read: profiles straight from storage, for rows of answers and for filters.

use std::collections::HashMap;

use futures_util::future::BoxFuture;
use sea_orm::{
    QueryOrder, QuerySelect, Select,
    prelude::*,
    sea_query::{ExprTrait as _, SimpleExpr},
};
use serde_json::{Map, Value};

use super::{rules, seal::Seal};
use crate::{
    analytics::people::{People, Person, TooMany, TraitTest},
    entities::{profile, profile_trait},
    ids::WebsiteKey,
    store::StateDb,
};

/// Ids that one statement names.
const CHUNK: usize = 500;
/// Characters of a value that the index of `PostgreSQL` holds.
const BEGINNING: usize = 256;
/// Rows that one statement reads.
const PAGE: u64 = 5_000;
/// Profiles that a filter may come to.
const MAX_FOUND: usize = 10_000;

/// The read side of profiles; cheap to clone.
#[derive(Debug, Clone)]
pub struct Directory {
    db: StateDb,
    seal: Seal,
}

impl Directory {
    pub(super) fn new(db: StateDb, seal: Seal) -> Self {
        Self { db, seal }
    }

    async fn load(
        &self,
        websites: &[WebsiteKey],
        profiles: &[String],
    ) -> Result<HashMap<String, Person>, DbErr> {
        let mut found = HashMap::new();
        for ids in profiles.chunks(CHUNK) {
            let ids = || ids.iter().cloned();
            // Of one id in several websites, the profile that was changed last is shown.
            let rows = profile::Entity::within(websites)
                .filter(profile::COLUMN.profile_id.is_in(ids()))
                .order_by_asc(profile::COLUMN.updated_at)
                .order_by_asc(profile::COLUMN.website)
                .all(self.db.reader())
                .await?;
            let mut traits: HashMap<(i64, String), Map<String, Value>> = HashMap::new();
            let given = profile_trait::Entity::within(websites)
                .filter(profile_trait::COLUMN.profile_id.is_in(ids()))
                .order_by_asc(profile_trait::COLUMN.key)
                .all(self.db.reader())
                .await?;
            for row in given {
                let value = serde_json::from_str(&row.value).unwrap_or(Value::Null);
                let of = traits.entry((row.website, row.profile_id)).or_default();
                of.insert(row.key, value);
            }
            for row in rows {
                let traits = traits.remove(&(row.website, row.profile_id.clone()));
                let person = self.person(&row, traits.unwrap_or_default());
                found.insert(row.profile_id, person);
            }
        }
        Ok(found)
    }

    /// The next people of a website behind an id, by id.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn list(
        &self,
        website: WebsiteKey,
        after: &str,
        limit: u64,
    ) -> Result<Vec<(String, Person)>, DbErr> {
        let ids: Vec<String> = profile::Entity::within(&[website])
            .filter(profile::COLUMN.profile_id.gt(after))
            .order_by_asc(profile::COLUMN.profile_id)
            .limit(limit)
            .select_only()
            .column(profile::Column::ProfileId)
            .into_tuple()
            .all(self.db.reader())
            .await?;
        let mut people = self.load(&[website], &ids).await?;
        let known = ids.into_iter();
        Ok(known
            .filter_map(|id| people.remove(&id).map(|person| (id, person)))
            .collect())
    }

    fn person(&self, row: &profile::Model, traits: Map<String, Value>) -> Person {
        let email = row.email.as_deref().and_then(|sealed| {
            let opened = self
                .seal
                .open(WebsiteKey(row.website), &row.profile_id, sealed);
            if opened.is_none() {
                tracing::warn!("an email address was sealed with another `instance.key`");
            }
            opened
        });
        Person {
            display_name: rules::display_name(&traits),
            email,
            traits,
        }
    }

    async fn find_by_trait(
        &self,
        websites: &[WebsiteKey],
        key: &str,
        test: &TraitTest,
    ) -> anyhow::Result<Vec<String>> {
        let mut found = match test {
            TraitTest::In(values) if key == rules::EMAIL => self.by_email(websites, values).await?,
            TraitTest::In(values) => self.by_value(websites, key, values).await?,
            TraitTest::Contains(_) | TraitTest::StartsWith(_) if key == rules::EMAIL => {
                anyhow::bail!("`trait:email` can be compared as a whole only")
            }
            TraitTest::Contains(piece) => {
                let has = |value: &str| value.contains(piece.as_str());
                self.by_reading(websites, key, has).await?
            }
            TraitTest::StartsWith(piece) => {
                let has = |value: &str| value.starts_with(piece.as_str());
                self.by_reading(websites, key, has).await?
            }
        };
        found.sort_unstable();
        found.dedup();
        if found.len() > MAX_FOUND {
            return Err(TooMany(MAX_FOUND).into());
        }
        Ok(found)
    }

    async fn by_email(
        &self,
        websites: &[WebsiteKey],
        values: &[String],
    ) -> Result<Vec<String>, DbErr> {
        let mut hashes = Vec::new();
        for value in values {
            let email = rules::email(value);
            hashes.extend(
                websites
                    .iter()
                    .map(|website| self.seal.finding(*website, &email)),
            );
        }
        let mut found = Vec::new();
        for hashes in hashes.chunks(CHUNK) {
            let rows = profile::Entity::within(websites)
                .filter(profile::COLUMN.email_hash.is_in(hashes.iter().cloned()));
            found.extend(self.ids(rows, profile::Column::ProfileId).await?);
        }
        Ok(found)
    }

    async fn by_value(
        &self,
        websites: &[WebsiteKey],
        key: &str,
        values: &[String],
    ) -> Result<Vec<String>, DbErr> {
        let values: Vec<String> = values
            .iter()
            .flat_map(|text| rules::spellings(text))
            .collect();
        let mut found = Vec::new();
        for values in values.chunks(CHUNK) {
            let mut having = profile_trait::Entity::within(websites)
                .filter(profile_trait::COLUMN.key.eq(key))
                .filter(profile_trait::COLUMN.value.is_in(values.iter().cloned()));
            if self.db.is_shared() {
                having = having.filter(beginning_in(values));
            }
            found.extend(self.ids(having, profile_trait::Column::ProfileId).await?);
        }
        Ok(found)
    }

    async fn ids<E: EntityTrait>(
        &self,
        rows: Select<E>,
        id: E::Column,
    ) -> Result<Vec<String>, DbErr> {
        let ids = rows.select_only().column(id).limit(MAX_FOUND as u64 + 1);
        ids.into_tuple().all(self.db.reader()).await
    }

    /// Reads every value of the trait, a page at a time.
    async fn by_reading(
        &self,
        websites: &[WebsiteKey],
        key: &str,
        has: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, DbErr> {
        let mut found = Vec::new();
        for website in websites {
            let mut after = String::new();
            loop {
                let rows: Vec<(String, String)> = profile_trait::Entity::within(&[*website])
                    .filter(profile_trait::COLUMN.key.eq(key))
                    .filter(profile_trait::COLUMN.profile_id.gt(after.as_str()))
                    .select_only()
                    .column(profile_trait::Column::ProfileId)
                    .column(profile_trait::Column::Value)
                    .order_by_asc(profile_trait::COLUMN.profile_id)
                    .limit(PAGE)
                    .into_tuple()
                    .all(self.db.reader())
                    .await?;
                let Some((last, _)) = rows.last() else {
                    break;
                };
                after.clone_from(last);
                let fit = rows
                    .into_iter()
                    .filter(|(_, value)| has(&rules::plain(value)));
                found.extend(fit.map(|(id, _)| id));
                if found.len() > MAX_FOUND {
                    return Ok(found);
                }
            }
        }
        Ok(found)
    }
}

/// What the index of `PostgreSQL` holds of values.
fn beginning_in(values: &[String]) -> SimpleExpr {
    let beginnings = values
        .iter()
        .map(|value| value.chars().take(BEGINNING).collect::<String>());
    Expr::cust(format!("substr(value, 1, {BEGINNING})")).is_in(beginnings)
}

impl People for Directory {
    fn find_people<'a>(
        &'a self,
        websites: &'a [WebsiteKey],
        profiles: &'a [String],
    ) -> BoxFuture<'a, anyhow::Result<HashMap<String, Person>>> {
        Box::pin(async move { Ok(Self::load(self, websites, profiles).await?) })
    }

    fn with_trait<'a>(
        &'a self,
        websites: &'a [WebsiteKey],
        key: &'a str,
        test: &'a TraitTest,
    ) -> BoxFuture<'a, anyhow::Result<Vec<String>>> {
        Box::pin(self.find_by_trait(websites, key, test))
    }
}
