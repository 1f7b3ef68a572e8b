//! The daily salts of visitor hashes: drawn once, the same for everybody, gone after 48 hours.
//!
//! A salt's row is inserted if it is missing and then read back, so that several processes agree on one. Without the
//! salt nobody can tell which anonymous id a stored hash came from (reliability, T47).

use std::collections::BTreeMap;

use sea_orm::{ActiveValue::Set, ConnectionTrait, DbErr, prelude::*, sea_query::OnConflict};

use super::IngestError;
use crate::{
    actors::{hex, random},
    clock::Clock,
    entities::salt,
    store::state::{StateDb, StateError},
};

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;
/// Days before today whose salt is kept: a salt is 48 hours old at most.
const KEPT: i64 = 1;

/// The salts that can be needed now: yesterday's, today's and tomorrow's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Salts(BTreeMap<i64, [u8; 32]>);

impl Salts {
    /// The salt of a day (whole days since the Unix epoch, UTC); `None` outside the kept days.
    pub fn of_day(&self, day: i64) -> Option<[u8; 32]> {
        self.0.get(&day).copied()
    }

    /// Whether today's and tomorrow's are there and nothing older than allowed.
    pub(super) fn is_current(&self, unix_ms: i64) -> bool {
        let today = day_of(unix_ms);
        self.0.contains_key(&today)
            && self.0.contains_key(&(today + 1))
            && self.0.keys().all(|day| *day >= today - KEPT)
    }
}

/// Days since the Unix epoch, UTC.
pub fn day_of(unix_ms: i64) -> i64 {
    unix_ms.div_euclid(DAY)
}

/// Draws what is missing, deletes what is too old, and reads the rest.
pub(super) async fn renew(state: &StateDb, clock: &Clock) -> Result<Salts, IngestError> {
    let today = day_of(clock.now_ms());
    let write = state.begin().await?;
    let outcome = exchange(&*write, clock, today).await?;
    write.commit().await?;
    Ok(outcome)
}

async fn exchange(
    db: &impl ConnectionTrait,
    clock: &Clock,
    today: i64,
) -> Result<Salts, IngestError> {
    let oldest = (today - KEPT) as i32;
    let old = salt::COLUMN.day.lt(oldest);
    salt::Entity::delete_many()
        .filter(old)
        .exec(db)
        .await
        .map_err(StateError::from)?;
    for day in [today, today + 1] {
        insert_if_missing(db, clock, day).await?;
    }
    let rows = salt::Entity::find()
        .all(db)
        .await
        .map_err(StateError::from)?;
    Ok(Salts(
        rows.into_iter()
            .filter_map(|row| Some((row.day.into(), hex::decode(&row.salt)?)))
            .collect(),
    ))
}

async fn insert_if_missing(
    db: &impl ConnectionTrait,
    clock: &Clock,
    day: i64,
) -> Result<(), IngestError> {
    let row = salt::ActiveModel {
        day: Set(day as i32),
        salt: Set(draw()?),
        created_at: Set(clock.now()),
    };
    let keep = OnConflict::column(salt::Column::Day)
        .do_nothing()
        .to_owned();
    let inserted = salt::Entity::insert(row)
        .on_conflict(keep)
        .exec_without_returning(db)
        .await;
    match inserted {
        Ok(_) | Err(DbErr::RecordNotInserted) => Ok(()),
        Err(error) => Err(StateError::from(error).into()),
    }
}

fn draw() -> Result<String, IngestError> {
    Ok(hex::encode(&random::bytes::<32>()?))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::store::state::testing::temporary;

    #[tokio::test]
    async fn a_salt_stays_for_its_day_and_is_gone_after_two() {
        let (_directory, state) = temporary().await;
        let clock = Clock::fixed(1_790_000_000_000);
        let first = renew(&state, &clock).await.unwrap();
        let now = clock.now_ms();
        assert!(first.is_current(now));
        let today = first.of_day(day_of(now)).unwrap();
        assert_ne!(today, first.of_day(day_of(now) + 1).unwrap());
        assert_eq!(renew(&state, &clock).await.unwrap(), first, "drawn once");

        clock.advance(Duration::from_hours(24));
        let second = renew(&state, &clock).await.unwrap();
        assert_eq!(
            second.of_day(day_of(now)),
            Some(today),
            "yesterday's is still there"
        );
        clock.advance(Duration::from_hours(24));
        assert!(!second.is_current(clock.now_ms()));
        let third = renew(&state, &clock).await.unwrap();
        assert_eq!(third.of_day(day_of(now)), None);
        let rows = salt::Entity::find().all(state.reader()).await.unwrap();
        assert!(
            rows.iter().all(|row| hex::decode(&row.salt) != Some(today)),
            "gone from the database too"
        );
    }
}
