//! The daily salts of visitor hashes: drawn once, the same for everybody, gone after 48 hours.
//!
//! A salt's row is inserted if it is missing and then read back: several processes agree on one. Without the salt, a
//! stored hash cannot be traced to an anonymous id (threat T47). So a row that goes is overwritten in the file and in
//! its log, and goes in time: a minute's tick finds it before it is 48 hours old, counted from when it was drawn, which
//! is an hour before its day. Only a program that is not running cannot forget; it does so when it starts.

use std::collections::BTreeMap;

use sea_orm::{ActiveValue::Set, prelude::*, sea_query::ExprTrait as _};

use super::IngestError;
use crate::{
    actors::{hex, random, seal::opaque_debug},
    clock::{Clock, from_ms},
    entities::{self, salt},
    store::state::StateDb,
};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
/// How long before its day a salt is drawn, to have it at midnight.
const AHEAD: i64 = HOUR;
/// How old a row becomes. Leaves an hour for a database that is busy when it has to go.
const KEPT: i64 = 2 * DAY - HOUR;

/// The salts that can be needed now: today's, yesterday's as long as it is kept, tomorrow's from shortly before midnight.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Salts(BTreeMap<i64, DailySalt>);

#[derive(Clone, PartialEq, Eq)]
struct DailySalt {
    salt: [u8; 32],
    at_ms: i64,
}

opaque_debug!(DailySalt);

impl Salts {
    /// The salt of a day (whole days since the Unix epoch, UTC); `None` outside the kept days.
    pub fn get(&self, day: i64) -> Option<[u8; 32]> {
        self.0.get(&day).map(|drawn| drawn.salt)
    }

    /// Whether there is all that is needed at this moment, and nothing that has to go.
    pub(super) fn is_current(&self, unix_ms: i64) -> bool {
        needed(unix_ms).all(|day| self.0.contains_key(&day))
            && !self
                .0
                .iter()
                .any(|(day, drawn)| has_to_go(*day, drawn.at_ms, unix_ms))
    }
}

/// Days since the Unix epoch, UTC.
fn day_number(unix_ms: i64) -> i64 {
    unix_ms.div_euclid(DAY)
}

/// The days whose salts have to be there.
fn needed(unix_ms: i64) -> impl Iterator<Item = i64> {
    day_number(unix_ms)..=day_number(unix_ms + AHEAD)
}

fn has_to_go(day: i64, drawn_ms: i64, unix_ms: i64) -> bool {
    day < day_number(unix_ms) - 1 || drawn_ms <= unix_ms - KEPT
}

/// Draws what is missing, deletes what has to go, and reads the rest. The second value: whether rows were deleted,
/// whose copies may be left in the database's log.
pub(super) async fn renew(state: &StateDb, clock: &Clock) -> Result<(Salts, bool), IngestError> {
    let write = state.begin().await?;
    let deleted = delete(&*write, clock.now_ms()).await?;
    for day in needed(clock.now_ms()) {
        insert_if_missing(&*write, clock, day).await?;
    }
    let rows = salt::Entity::find().all(&*write).await?;
    write.commit().await?;
    let drawn = rows.into_iter().filter_map(|row| {
        let drawn = DailySalt {
            salt: hex::decode(&row.salt)?,
            at_ms: row.created_at.timestamp_millis(),
        };
        Some((row.day.into(), drawn))
    });
    Ok((Salts(drawn.collect()), deleted))
}

/// What the day alone says is asked as well, because clocks can be set back.
async fn delete(db: &impl ConnectionTrait, now_ms: i64) -> Result<bool, IngestError> {
    let past = salt::COLUMN.day.lt((day_number(now_ms) - 1) as i32);
    let old = salt::COLUMN.created_at.lte(from_ms(now_ms - KEPT));
    let deleted = salt::Entity::delete_many()
        .filter(past.or(old))
        .exec(db)
        .await?;
    Ok(deleted.rows_affected > 0)
}

async fn insert_if_missing(
    db: &impl ConnectionTrait,
    clock: &Clock,
    day: i64,
) -> Result<(), IngestError> {
    let row = salt::ActiveModel {
        day: Set(day as i32),
        salt: Set(hex::encode(&random::bytes::<32>()?)),
        created_at: Set(clock.now()),
    };
    entities::insert_if_absent(db, row, [salt::Column::Day]).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::store::state::testing::{reopen, temporary};

    const NOON: i64 = 20_000 * DAY + DAY / 2;

    async fn renewed(state: &StateDb, clock: &Clock) -> Salts {
        let (salts, _) = renew(state, clock).await.unwrap();
        assert!(salts.is_current(clock.now_ms()));
        salts
    }

    #[tokio::test]
    async fn a_salt_serves_its_day_and_is_gone_before_it_is_two_days_old() {
        let (_directory, state) = temporary().await;
        let clock = Clock::fixed(NOON);
        let first = renewed(&state, &clock).await;
        assert_eq!(renewed(&state, &clock).await, first, "drawn once");
        assert_eq!(first.get(20_001), None, "not before it is needed");

        clock.advance(Duration::from_hours(11));
        assert!(!first.is_current(clock.now_ms()), "an hour before midnight");
        let evening = renewed(&state, &clock).await;
        let tomorrow = evening.get(20_001).unwrap();
        assert_ne!(evening.get(20_000), Some(tomorrow));

        clock.advance(Duration::from_hours(47) - Duration::from_millis(1));
        let kept = renewed(&state, &clock).await;
        assert_eq!(kept.get(20_001), Some(tomorrow));
        clock.advance(Duration::from_millis(1));
        assert!(!kept.is_current(clock.now_ms()), "47 hours old");
        let (after, deleted) = renew(&state, &clock).await.unwrap();
        assert!(deleted);
        assert_eq!(after.get(20_001), None);
        let rows = salt::Entity::find().all(state.reader()).await.unwrap();
        assert!(
            rows.iter()
                .all(|row| hex::decode(&row.salt) != Some(tomorrow))
        );
    }

    #[tokio::test]
    async fn a_program_that_slept_forgets_when_it_wakes() {
        let (_directory, state) = temporary().await;
        let clock = Clock::fixed(NOON);
        let first = renewed(&state, &clock).await;
        clock.advance(Duration::from_hours(36) - Duration::from_millis(1));
        assert!(renewed(&state, &clock).await.get(20_000).is_some());
        clock.advance(Duration::from_millis(1));
        assert!(
            renewed(&state, &clock).await.get(20_000).is_none(),
            "two days on"
        );
        assert!(first.get(20_000).is_some());
    }

    #[tokio::test]
    async fn two_processes_with_one_database_agree() {
        let (directory, one) = temporary().await;
        let two = reopen(&directory).await;
        let clock = Clock::fixed(NOON);
        let (first, second) = (renewed(&one, &clock), renewed(&two, &clock));
        let (first, second) = futures_util::join!(first, second);
        assert_eq!(first, second);
    }

    #[test]
    fn salts_are_not_printed() {
        let drawn = DailySalt {
            salt: [7; 32],
            at_ms: 0,
        };
        assert_eq!(
            format!("{:?}", Salts([(1, drawn)].into())),
            "Salts({1: DailySalt(…)})"
        );
    }
}
