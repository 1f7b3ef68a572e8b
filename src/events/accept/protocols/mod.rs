//! What clients of other products send, as events of ours.
//!
//! An adapter is a file that says where its clients send, how a request is read into [`Item`]s, and how success and failure are
//! answered. It knows no HTTP and decides nothing about limits, rights or storage: every item passes the rules of our own bodies
//! ([`Input::accept`]) and goes the way of any event. A new protocol is a file and a line of `protocols!`.
//!
//! Nothing is kept of a request with a mistake. Texts that only describe (titles, referrers, sizes) are cut or left out where ours
//! are stricter, because these clients cannot know our limits.

mod accept;
mod adapter;
mod fields;
mod identity;
mod input;
pub(in crate::events) mod json;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::{
    accept::Visitor,
    adapter::{
        Adapter, Answer, Batch, Claim, Failure, Outcome, Reply, Request, Route, SuggestedId, Unwrap,
    },
    identity::Person,
    input::{Input, Item, Kind, Origin, PageView},
};
pub(in crate::events) use self::{
    ga4::read_exported as read_ga4, posthog::read_exported as read_posthog,
};

/// Lists the protocols with their adapters.
macro_rules! protocols {
    ($($(#[$meta:meta])* $name:ident = $module:ident),* $(,)?) => {
        $(mod $module;)*

        /// A product whose clients we understand.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, strum::Display,
            strum::EnumString, strum::IntoStaticStr, strum::VariantArray,
        )]
        #[serde(rename_all = "lowercase")]
        #[strum(serialize_all = "lowercase", const_into_str)]
        pub enum Protocol {
            $($(#[$meta])* $name,)*
        }

        impl Protocol {
            /// What it says and how it is read.
            pub const fn adapter(self) -> &'static Adapter {
                match self {
                    $(Self::$name => &$module::ADAPTER,)*
                }
            }
        }
    };
}

protocols! {
    Plausible = plausible,
    Umami = umami,
    PostHog = posthog,
    Segment = segment,
    Matomo = matomo,
    Ga4 = ga4,
    Unleash = unleash,
    #[serde(rename = "unleash-frontend")]
    #[strum(serialize = "unleash-frontend")]
    UnleashFrontend = unleash_frontend,
}

impl Protocol {
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// As it is stored and written on the wire.
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    /// Whether clients of any protocol send to this path.
    pub fn owns(path: &str) -> bool {
        let mut routes = Self::ALL.iter().flat_map(|one| one.adapter().routes);
        routes.any(|route| route.path == path || route.also.contains(&path))
    }
}

#[cfg(test)]
mod tests;
