//! The order in which a flag is decided.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    Compiled, Context, Trace,
    compile::Choice,
    trace::{Listener, NoTrace, Step},
};
use crate::actors::flags::fields::RolloutBy;

/// Why a flag has its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(rename = "FlagReason")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Reason {
    /// A rule of the flag matched.
    UserRuleMatch,
    /// A rule of a target group matched.
    TargetGroupMatch,
    /// A variant was chosen.
    MultivariantEvaluated,
    /// The caller is in the rollout.
    RolloutEnabled,
    /// The caller is not in the rollout.
    RolloutDisabled,
    /// The default.
    BooleanDefault,
    /// A flag that it depends on is not active.
    DependencyNotSatisfied,
    /// No active flag has this key.
    FlagNotFound,
    /// The request lacks something.
    MissingRequiredParams,
    /// Too many requests.
    RateLimited,
    /// It could not be decided.
    EvaluationError,
}

/// The value of a flag for a context.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FlagResult")]
pub struct Decision<'f> {
    /// Whether it is on.
    pub enabled: bool,
    /// Its value: that of the variant, else whether it is on.
    pub value: Cow<'f, Value>,
    /// The payload.
    pub payload: Option<Cow<'f, Map<String, Value>>>,
    /// Why.
    pub reason: Reason,
    /// The variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<Cow<'f, str>>,
}

/// Active flags of one website, or of one organization, by key.
pub type Flags = BTreeMap<Box<str>, Arc<Compiled>>;

impl Decision<'static> {
    pub const fn off(reason: Reason) -> Self {
        Self {
            enabled: false,
            value: Cow::Owned(Value::Bool(false)),
            payload: None,
            reason,
            variant: None,
        }
    }
}

impl Decision<'_> {
    pub fn into_owned(self) -> Decision<'static> {
        Decision {
            enabled: self.enabled,
            value: Cow::Owned(self.value.into_owned()),
            payload: self.payload.map(|own| Cow::Owned(own.into_owned())),
            reason: self.reason,
            variant: self.variant.map(|own| Cow::Owned(own.into_owned())),
        }
    }
}

impl Compiled {
    /// The value of the flag for a context, among its siblings.
    pub fn evaluate(&self, flags: &Flags, context: &Context<'_>) -> Decision<'_> {
        self.decide(flags, context, &mut NoTrace)
    }

    /// The same with a trace.
    pub fn explain(&self, flags: &Flags, context: &Context<'_>) -> (Decision<'_>, Trace) {
        let mut trace = Trace::default();
        let decision = self.decide(flags, context, &mut trace);
        (decision, trace)
    }

    /// Whether a flag is active where this one is.
    fn is_active(&self, key: &str, flags: &Flags) -> bool {
        let sibling = flags.get(key);
        sibling.is_some_and(|sibling| sibling.environment == self.environment)
    }

    /// Whether all flags are active that it depends on.
    pub(super) fn depends_on_active(&self, flags: &Flags) -> bool {
        self.dependencies
            .iter()
            .all(|key| self.is_active(key, flags))
    }

    fn decide(
        &self,
        flags: &Flags,
        context: &Context<'_>,
        listener: &mut impl Listener,
    ) -> Decision<'_> {
        for key in &self.dependencies {
            let active = self.is_active(key, flags);
            listener.step(|| Step::Dependency {
                key: key.to_string(),
                active,
            });
            if !active {
                return Decision::off(Reason::DependencyNotSatisfied);
            }
        }
        for (index, (matcher, then)) in self.rules.iter().enumerate() {
            let matched = matcher.holds(context);
            listener.step(|| Step::Rule { index, matched });
            if matched {
                return self.then(*then, Reason::UserRuleMatch);
            }
        }
        for group in &self.groups {
            for (index, (matcher, then)) in group.rules.iter().enumerate() {
                let matched = matcher.holds(context);
                listener.step(|| Step::TargetGroup {
                    id: group.id.to_string(),
                    name: group.name.to_string(),
                    index,
                    matched,
                });
                if matched {
                    return self.then(*then, Reason::TargetGroupMatch);
                }
            }
        }
        self.choose(context, listener)
    }

    /// The value when no rule matches.
    fn choose(&self, context: &Context<'_>, listener: &mut impl Listener) -> Decision<'_> {
        match &self.choice {
            Choice::Variants { buckets, variants } => {
                let Some(who) = buckets.identify(RolloutBy::User, context) else {
                    return Self::without_id(listener);
                };
                let (variant, bucket) = variants.pick(buckets, &who);
                listener.step(|| Step::Variant {
                    bucket,
                    input: buckets.input(&self.key, ":variant:", &who),
                    variant: variant.key.to_string(),
                });
                Decision {
                    enabled: true,
                    value: Cow::Borrowed(&variant.value),
                    payload: self.payload.as_ref().map(Cow::Borrowed),
                    reason: Reason::MultivariantEvaluated,
                    variant: Some(Cow::Borrowed(&variant.key)),
                }
            }
            Choice::Rollout { buckets, by, below } => {
                let Some(who) = buckets.identify(*by, context) else {
                    return Self::without_id(listener);
                };
                let bucket = buckets.bucket(&who);
                listener.step(|| Step::Rollout {
                    bucket,
                    input: buckets.input(&self.key, ":", &who),
                    percentage: *below,
                });
                let enabled = bucket < u32::from(*below);
                let reason = if enabled {
                    Reason::RolloutEnabled
                } else {
                    Reason::RolloutDisabled
                };
                self.then(enabled, reason)
            }
            Choice::Default(enabled) => {
                listener.step(|| Step::Default);
                self.then(*enabled, Reason::BooleanDefault)
            }
        }
    }

    /// Off, because the context has no ID to choose a bucket by.
    fn without_id(listener: &mut impl Listener) -> Decision<'static> {
        listener.step(|| Step::NoIdentifier);
        Decision::off(Reason::MissingRequiredParams)
    }

    /// On or off, with the payload only when it is on.
    fn then(&self, enabled: bool, reason: Reason) -> Decision<'_> {
        Decision {
            enabled,
            value: Cow::Owned(Value::Bool(enabled)),
            payload: self.payload.as_ref().filter(|_| enabled).map(Cow::Borrowed),
            reason,
            variant: None,
        }
    }
}
