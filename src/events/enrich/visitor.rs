//! Who a visitor is, without anybody being able to say it tomorrow.
//!
//! An anonymous id is hashed with the salt of the UTC day. Salts live in the state database for at most 48 hours
//! (their keeper is behind [`Salts`]); when one is gone, its hashes cannot be reproduced. So, unless a caller asks for
//! raw ids, the same browser is another visitor tomorrow.

use futures_util::future::BoxFuture;

use super::{super::event, geo::Country};

/// 32 random bytes of one day.
pub type Salt = [u8; 32];

const DAY_MS: i64 = 86_400_000;

/// Keeper of the daily salts.
pub trait Salts: Send + Sync {
    /// The salt of a day (whole days since 1970-01-01 UTC); `None` when it cannot be had right now.
    fn salt(&self, day: i64) -> Option<Salt>;

    /// Sees to it that the salt of this moment is there, if it can be had. Asked only when it is not: at midnight it is
    /// drawn already, but a machine that was asleep may wake on another day.
    fn renew(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

impl<F: Fn(i64) -> Option<Salt> + Send + Sync> Salts for F {
    fn salt(&self, day: i64) -> Option<Salt> {
        self(day)
    }
}

/// Whether the anonymous id is salted (`anonymizeVisitorIds`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Anonymize {
    /// `true`, the default.
    #[default]
    Always,
    /// `false`: the same visitor for ever.
    Never,
    /// `"auto"`: everywhere but in the United States.
    Auto,
}

/// The salt that counts for a moment in Unix ms.
pub(super) fn salt_at(salts: &dyn Salts, time: i64) -> Option<Salt> {
    salts.salt(time.div_euclid(DAY_MS))
}

/// A number under which rows may know a visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// With the salt of one day.
    Salted(u64),
    /// For ever.
    Raw(u64),
}

/// Every number that earlier events of an anonymous id may carry: with the salts that are still kept, as far as the
/// visitor's id was salted at all. `None` means that the caller does not know how it was.
pub(super) fn forms(
    anonymous: &str,
    anonymize: Option<Anonymize>,
    salts: &dyn Salts,
    time: i64,
) -> Vec<Form> {
    let mut forms = Vec::new();
    if anonymous.is_empty() {
        return forms;
    }
    if anonymize != Some(Anonymize::Never) {
        let kept = [time, time - DAY_MS].map(|time| salt_at(salts, time));
        let salted = kept.iter().flatten().map(|salt| salted(anonymous, salt));
        forms.extend(salted.map(Form::Salted));
    }
    if anonymize != Some(Anonymize::Always) {
        forms.push(Form::Raw(event::identity(anonymous)));
    }
    forms
}

/// The number that represents a visitor in event rows; 0 when there is no id.
pub(super) fn hash(
    anonymous: &str,
    anonymize: Anonymize,
    country: Option<Country>,
    salt: &Salt,
) -> u64 {
    let raw = match anonymize {
        Anonymize::Always => false,
        Anonymize::Never => true,
        Anonymize::Auto => country.is_some_and(|country| country.as_str() == "US"),
    };
    if raw || anonymous.is_empty() {
        return event::identity(anonymous);
    }
    salted(anonymous, salt)
}

fn salted(anonymous: &str, salt: &Salt) -> u64 {
    let keyed = blake3::keyed_hash(salt, anonymous.as_bytes());
    let mut head = [0; 8];
    head.copy_from_slice(&keyed.as_bytes()[..8]);
    // 0 is taken by "none".
    u64::from_le_bytes(head).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MONDAY: Salt = [1; 32];
    const TUESDAY: Salt = [2; 32];

    #[test]
    fn salted_ids_change_with_the_day() {
        let hash = |salt| hash("anon_1", Anonymize::Always, None, salt);
        assert_eq!(hash(&MONDAY), hash(&MONDAY));
        assert_ne!(hash(&MONDAY), hash(&TUESDAY));
        assert_ne!(hash(&MONDAY), event::identity("anon_1"));
    }

    #[test]
    fn raw_ids_survive_the_day() {
        for salt in [&MONDAY, &TUESDAY] {
            assert_eq!(
                hash("anon_1", Anonymize::Never, None, salt),
                event::identity("anon_1")
            );
        }
    }

    #[test]
    fn auto_is_raw_in_the_united_states_only() {
        let auto = |country| hash("anon_1", Anonymize::Auto, country, &MONDAY);
        assert_eq!(auto(Country::new(*b"US")), event::identity("anon_1"));
        assert_ne!(auto(Country::new(*b"DE")), event::identity("anon_1"));
        assert_ne!(auto(None), event::identity("anon_1"));
    }

    #[test]
    fn nobody_stays_nobody() {
        assert_eq!(hash("", Anonymize::Always, None, &MONDAY), 0);
        assert_eq!(hash("", Anonymize::Never, None, &MONDAY), 0);
    }

    #[test]
    fn forms_are_those_that_events_of_today_and_yesterday_carry() {
        let salts = |day: i64| -> Option<Salt> {
            [(7, MONDAY), (8, TUESDAY)]
                .into_iter()
                .find(|(of, _)| *of == day)
                .map(|(_, salt)| salt)
        };
        let stored = |anonymize, salt| hash("anon_1", anonymize, None, salt);
        let (monday, tuesday) = (
            Form::Salted(stored(Anonymize::Always, &MONDAY)),
            Form::Salted(stored(Anonymize::Always, &TUESDAY)),
        );
        let raw = Form::Raw(stored(Anonymize::Never, &MONDAY));
        let of = |anonymize, day: i64| forms("anon_1", anonymize, &salts, day * DAY_MS);
        assert_eq!(of(None, 8), [tuesday, monday, raw]);
        assert_eq!(of(Some(Anonymize::Auto), 8), [tuesday, monday, raw]);
        assert_eq!(of(Some(Anonymize::Always), 8), [tuesday, monday]);
        assert_eq!(of(Some(Anonymize::Never), 8), [raw]);
        assert_eq!(of(None, 9), [tuesday, raw], "Wednesday's is not drawn yet");
        assert!(forms("", None, &salts, 8 * DAY_MS).is_empty());
    }

    #[test]
    fn the_day_is_the_day_of_the_time() {
        let day = |day: i64| -> Option<Salt> { Some([u8::try_from(day).ok()?; 32]) };
        assert_eq!(salt_at(&day, 3 * DAY_MS), Some([3; 32]));
        assert_eq!(salt_at(&day, 4 * DAY_MS - 1), Some([3; 32]));
        assert_eq!(salt_at(&day, -1), None);
    }
}
