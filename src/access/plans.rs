//! What an organization's plan allows: counted things and features.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, MapAccess, Visitor},
};

use crate::fault::{Classify, Fault};

/// `[plans]` of the configuration: the plans of the installation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Plans {
    /// False: nothing is limited, and every feature is there.
    pub enabled: bool,
    /// The plan of a new organization, and of those whose plan is not among `named` any more.
    pub default: String,
    /// The plans by name (`[plans.<name>]`).
    #[serde(flatten)]
    pub named: BTreeMap<String, Plan>,
}

/// One plan; 0 = unlimited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Plan {
    /// Events that may be stored in a calendar month (UTC).
    pub events_per_month: u64,
    pub websites: u64,
    pub links: u64,
    pub monitors: u64,
    pub members: u64,
    pub domains: u64,
    /// Features that it includes; `errors` unlocks the `Errors` category of query types.
    pub features: Vec<String>,
    /// The plan that is offered when this one is used up; empty = none.
    pub next: String,
}

impl Plan {
    fn next(&self) -> Option<&String> {
        (!self.next.is_empty()).then_some(&self.next)
    }
}

// By hand because `flatten` buffers, and a buffered value no longer knows its place.
impl<'de> Deserialize<'de> for Plans {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PlansVisitor)
    }
}

struct PlansVisitor;

impl<'de> Visitor<'de> for PlansVisitor {
    type Value = Plans;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the section `plans`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Plans, A::Error> {
        let (mut enabled, mut default, mut named) = (None, None, BTreeMap::new());
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "enabled" => enabled = Some(map.next_value()?),
                "default" => default = Some(map.next_value()?),
                _ => {
                    named.insert(key, map.next_value()?);
                }
            }
        }
        Ok(Plans {
            enabled: enabled.ok_or_else(|| de::Error::missing_field("enabled"))?,
            default: default.ok_or_else(|| de::Error::missing_field("default"))?,
            named,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanResource {
    /// Events of a calendar month.
    Events,
    Websites,
    Links,
    Monitors,
    /// Members, people who are invited included.
    Members,
    /// Hosts of the organization's own.
    Domains,
}

impl PlanResource {
    const fn noun(self) -> &'static str {
        match self {
            Self::Events => "event",
            Self::Websites => "website",
            Self::Links => "link",
            Self::Monitors => "monitor",
            Self::Members => "member",
            Self::Domains => "domain",
        }
    }
}

/// How much of something an organization may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    pub of: PlanResource,
    pub limit: u64,
    /// The plan that allows more.
    pub next_plan: Option<String>,
}

impl Allowance {
    /// Whether there is room for so many `more` beside the `current` ones. Count in the transaction that
    /// adds them.
    ///
    /// # Errors
    /// There is not.
    pub fn admit(self, current: u64, more: u64) -> Result<(), UsedUp> {
        if current.saturating_add(more) <= self.limit {
            return Ok(());
        }
        Err(UsedUp {
            allowance: self,
            current,
        })
    }
}

/// The plan allows no more (402, spec).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("The plan allows {} {}{}", .allowance.limit, .allowance.of.noun(), plural(.allowance.limit))]
pub struct UsedUp {
    pub allowance: Allowance,
    pub current: u64,
}

const fn plural(limit: u64) -> &'static str {
    if limit == 1 { "" } else { "s" }
}

impl Classify for UsedUp {
    fn classify(self) -> Fault {
        let (
            message,
            Allowance {
                limit, next_plan, ..
            },
        ) = (self.to_string(), self.allowance);
        Fault::plan_limit(message, limit, self.current, next_plan)
    }
}

impl Plans {
    /// How much of something the plan allows; `None` for as much as anybody likes.
    pub fn allowance(&self, plan: &str, of: PlanResource) -> Option<Allowance> {
        let plan = self.plan(plan)?;
        let limit = match of {
            PlanResource::Events => plan.events_per_month,
            PlanResource::Websites => plan.websites,
            PlanResource::Links => plan.links,
            PlanResource::Monitors => plan.monitors,
            PlanResource::Members => plan.members,
            PlanResource::Domains => plan.domains,
        };
        (limit > 0).then(|| Allowance {
            of,
            limit,
            next_plan: plan.next().cloned(),
        })
    }

    /// Whether the plan includes a feature; if not, the plan that does: the nearest larger one, else any.
    ///
    /// # Errors
    /// The feature is not part of the plan.
    pub fn feature(&self, plan: &str, feature: &str) -> Result<(), Option<String>> {
        let Some(own) = self.plan(plan) else {
            return Ok(());
        };
        let includes = |plan: &Plan| plan.features.iter().any(|name| name == feature);
        if includes(own) {
            return Ok(());
        }
        let mut next = own.next();
        // A chain that runs in a circle ends as well.
        for _ in 0..self.named.len() {
            let Some(larger) = next.and_then(|name| self.named.get_key_value(name)) else {
                break;
            };
            if includes(larger.1) {
                return Err(Some(larger.0.clone()));
            }
            next = larger.1.next();
        }
        let any = self.named.iter().find(|(_, plan)| includes(plan));
        Err(any.map(|(name, _)| name.clone()))
    }

    fn plan(&self, name: &str) -> Option<&Plan> {
        let known = || {
            self.named
                .get(name)
                .or_else(|| self.named.get(&self.default))
        };
        self.enabled.then(known).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plans() -> Plans {
        let plan = |websites, features: &[&str], next: &str| Plan {
            websites,
            features: features.iter().map(|name| (*name).to_owned()).collect(),
            next: next.to_owned(),
            ..Plan::default()
        };
        Plans {
            enabled: true,
            default: "free".to_owned(),
            named: BTreeMap::from([
                ("free".to_owned(), plan(2, &[], "hobby")),
                ("hobby".to_owned(), plan(5, &["errors"], "scale")),
                ("scale".to_owned(), plan(0, &["errors", "sso"], "free")),
            ]),
        }
    }

    #[test]
    fn a_plan_allows_what_it_says_and_zero_is_unlimited() {
        let plans = plans();
        let allowance = |plan| plans.allowance(plan, PlanResource::Websites);
        let free = Allowance {
            of: PlanResource::Websites,
            limit: 2,
            next_plan: Some("hobby".to_owned()),
        };
        assert_eq!(allowance("free"), Some(free.clone()));
        assert_eq!(allowance("scale"), None);
        assert_eq!(
            allowance("gone"),
            Some(free),
            "the plan of new organizations"
        );
        assert_eq!(plans.allowance("free", PlanResource::Links), None);
    }

    #[test]
    fn what_is_beyond_an_allowance_is_refused_with_its_figures() {
        let allowance = |limit| Allowance {
            of: PlanResource::Links,
            limit,
            next_plan: Some("hobby".to_owned()),
        };
        assert_eq!(allowance(3).admit(0, 3), Ok(()));
        assert_eq!(allowance(3).admit(2, 1), Ok(()));
        let beyond = allowance(3).admit(2, 2).unwrap_err();
        assert_eq!((beyond.current, beyond.allowance.limit), (2, 3));
        assert_eq!(beyond.to_string(), "The plan allows 3 links");
        let one = allowance(1).admit(u64::MAX, u64::MAX).unwrap_err();
        assert_eq!(one.to_string(), "The plan allows 1 link");
    }

    #[test]
    fn a_missing_feature_names_the_nearest_plan_that_has_it() {
        let plans = plans();
        assert_eq!(plans.feature("hobby", "errors"), Ok(()));
        assert_eq!(
            plans.feature("free", "errors"),
            Err(Some("hobby".to_owned()))
        );
        assert_eq!(plans.feature("free", "sso"), Err(Some("scale".to_owned())));
        assert_eq!(
            plans.feature("scale", "nothing"),
            Err(None),
            "and the circle ends"
        );
    }

    #[test]
    fn without_plans_everything_is_there() {
        let plans = Plans {
            enabled: false,
            ..plans()
        };
        assert_eq!(plans.allowance("free", PlanResource::Websites), None);
        assert_eq!(plans.feature("free", "errors"), Ok(()));
    }
}
