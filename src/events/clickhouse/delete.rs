//! What has to go: erased people and tenants at once, old events as parts are merged.

use std::{collections::BTreeMap, time::Duration};

use super::{ClickHouse, Failure, parameters, schema::TABLE};
use crate::events::{
    deletion::{DeletionTarget, Person},
    event::TIMELESS,
    segments::{RetentionPolicy, RowCounts},
    statement::{Bind, Scope},
    transfers::Transfers,
};

/// How long a deletion may take: parts are written anew.
const PATIENCE: Duration = Duration::from_hours(1);
/// Numbers in one list.
const EACH: usize = 1_000;
/// Days beyond which nothing is deleted: the engine's calendar ends.
const MAX_DAYS: u32 = 20_000;

/// A condition on rows, and its values.
type Condition = (String, Vec<Bind>);

impl ClickHouse {
    /// Erases events for good; answers with how many rows went, by kind, when they are gone.
    ///
    /// # Errors
    /// Some or all may be left; to ask again is harmless.
    pub async fn erase(
        &self,
        target: &DeletionTarget,
        transfers: &Transfers,
    ) -> Result<RowCounts, Failure> {
        let mut erased = RowCounts::new();
        for condition in conditions(target, transfers) {
            let gone = self.matching(&condition, &mut erased).await?;
            if gone > 0 {
                let (text, binds) = condition;
                let deletion = self.0.schema.deletion(&text);
                self.ask(&parameters(&binds), deletion.into(), PATIENCE)
                    .await?;
            }
        }
        Ok(erased)
    }

    /// How many rows [`Self::erase`] would take away, by kind.
    pub async fn count(
        &self,
        target: &DeletionTarget,
        transfers: &Transfers,
    ) -> Result<RowCounts, Failure> {
        let mut all = RowCounts::new();
        for condition in conditions(target, transfers) {
            self.matching(&condition, &mut all).await?;
        }
        Ok(all)
    }

    /// How many rows of a website are older than so many days at `now`, Unix ms, by kind; 0 days = none.
    pub async fn count_expired(
        &self,
        website: i64,
        days: u32,
        now: i64,
    ) -> Result<RowCounts, Failure> {
        let mut all = RowCounts::new();
        if days > 0 {
            let border = now - i64::from(days) * 86_400_000;
            let text = format!("website = {website} AND time > {TIMELESS} AND time < {border}");
            self.matching(&(text, Vec::new()), &mut all).await?;
        }
        Ok(all)
    }

    /// Adds the rows that meet a condition, by kind; how many they are together.
    async fn matching(
        &self,
        (text, binds): &Condition,
        to: &mut RowCounts,
    ) -> Result<u64, Failure> {
        let counted = format!("SELECT kind, count() FROM {TABLE} WHERE {text} GROUP BY kind");
        let answer = self
            .ask(&parameters(binds), counted.into(), PATIENCE)
            .await?;
        let mut all = 0;
        for line in String::from_utf8_lossy(&answer).lines() {
            let pair = line.split_once('\t');
            if let Some((Ok(kind), Ok(rows))) =
                pair.map(|(kind, rows)| (kind.parse(), rows.parse::<u64>()))
            {
                *to.entry(kind).or_default() += rows;
                all += rows;
            }
        }
        Ok(all)
    }

    /// Says for how long events are kept from now on.
    ///
    /// # Errors
    /// The rules are as they were; to ask again is harmless.
    pub async fn set_retention(&self, retention: &RetentionPolicy) -> Result<(), Failure> {
        let expiry = self.0.schema.expiry(&rules(retention));
        match self.tell(&expiry, PATIENCE).await {
            // There was no rule to take away.
            Err(Failure::Refused { message, .. }) if expiry.ends_with("REMOVE TTL") => {
                tracing::debug!(message, "no events expire");
                Ok(())
            }
            other => other.map(drop),
        }
    }
}

fn conditions(target: &DeletionTarget, transfers: &Transfers) -> Vec<Condition> {
    match target {
        DeletionTarget::Owner(organization) => {
            let all = Scope {
                organization: *organization,
                website: None,
                from: 0,
                to: i64::MAX,
            };
            vec![(transfers.condition(&all), Vec::new())]
        }
        DeletionTarget::Things(keys) => {
            let keys: Vec<String> = keys.iter().map(i64::to_string).collect();
            let some = keys.chunks(EACH);
            some.map(|keys| (format!("website IN ({})", keys.join(", ")), Vec::new()))
                .collect()
        }
        DeletionTarget::Person(person) => person_conditions(person),
    }
}

fn person_conditions(person: &Person) -> Vec<Condition> {
    let website = person.website;
    let own = (
        format!("website = {website} AND profile = {{p1:String}}"),
        vec![Bind::Text(person.profile.clone())],
    );
    let visitors: Vec<String> = person.visitors.iter().map(u64::to_string).collect();
    let mut all = vec![own];
    for some in visitors.chunks(EACH) {
        let listed = some.join(", ");
        // No row is counted twice.
        all.push((
            format!("website = {website} AND visitor IN ({listed}) AND coalesce(profile, '') <> {{p1:String}}"),
            vec![Bind::Text(person.profile.clone())],
        ));
    }
    all
}

/// Days and condition: what websites decide for themselves, then everything else. Who a visitor is has no time, and is kept.
fn rules(retention: &RetentionPolicy) -> Vec<(u32, String)> {
    let happened = format!("time > {TIMELESS}");
    let mut own: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (website, days) in &retention.websites {
        own.entry(*days).or_default().push(website.to_string());
    }
    let decided: Vec<String> = own.values().flatten().cloned().collect();
    let ends = |days: u32| days > 0 && days < MAX_DAYS;
    let mut rules: Vec<(u32, String)> = own
        .iter()
        .filter(|(days, _)| ends(**days))
        .map(|(days, websites)| {
            (
                *days,
                format!("{happened} AND website IN ({})", websites.join(", ")),
            )
        })
        .collect();
    if ends(retention.days) {
        let others = if decided.is_empty() {
            happened
        } else {
            format!("{happened} AND website NOT IN ({})", decided.join(", "))
        };
        rules.push((retention.days, others));
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn websites_decide_for_themselves_how_long_events_are_kept() {
        let of = |days, websites: &[(i64, u32)]| {
            rules(&RetentionPolicy {
                days,
                websites: websites.iter().copied().collect(),
            })
        };
        assert!(of(0, &[]).is_empty());
        assert_eq!(of(30, &[]), [(30, "time > -1".to_owned())]);
        let own = (7, "time > -1 AND website IN (1, 3)".to_owned());
        assert_eq!(of(0, &[(1, 7), (2, 0), (3, 7)]), std::slice::from_ref(&own));
        let others = (30, "time > -1 AND website NOT IN (2, 1, 3)".to_owned());
        assert_eq!(of(30, &[(1, 7), (2, 0), (3, 7)]), [own, others]);
        assert!(of(100_000, &[]).is_empty(), "the engine's calendar ends");
    }
}
