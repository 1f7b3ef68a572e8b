//! Kinds of bots, and what a website wants to become of each.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a caller that is no person is for. The number is that of its bit in the column `bot_signals`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum BotKind {
    /// Collects pages that models are trained with.
    AiTraining = 0,
    /// Builds the index that an assistant searches.
    AiSearch = 1,
    /// Fetches a page because a person asked an assistant.
    AiUser = 2,
    /// Browses by itself on a person's behalf.
    AiAgent = 3,
    /// A search engine's crawler.
    Search = 4,
    /// Makes the preview of a shared link.
    Preview = 5,
    /// A reader of feeds.
    Feed = 6,
    /// Checks whether, or how well, a page works.
    Monitor = 7,
    /// Keeps pages for later.
    Archive = 8,
    /// Checks or serves advertisements.
    Ads = 9,
    /// Looks for weaknesses.
    Scanner = 10,
    /// Measures pages for marketing.
    Seo = 11,
    /// Anything else that names itself a bot.
    Other = 12,
    /// Does not say that it is one, but two signals of different kinds do.
    Suspected = 13,
}

impl BotKind {
    /// Every kind, in the order of their bits.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// As it is stored and written on the wire.
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    pub fn parse(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// Whether it belongs to a product of artificial intelligence.
    pub const fn is_ai(self) -> bool {
        matches!(
            self,
            Self::AiTraining | Self::AiSearch | Self::AiUser | Self::AiAgent
        )
    }

    /// What becomes of it where a website says nothing.
    pub const fn usual(self) -> BotAction {
        match self {
            Self::AiTraining | Self::AiSearch | Self::AiUser | Self::AiAgent | Self::Suspected => {
                BotAction::TrackOnly
            }
            _ => BotAction::Block,
        }
    }
}

/// What becomes of a bot's events.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum BotAction {
    /// They count like a person's.
    Allow,
    /// They count as requests of an agent and not in analytics. Suspected bots' events are stored and left out of answers.
    TrackOnly,
    /// Nothing is kept but their number.
    Block,
}

/// What a website wants to become of each kind.
pub type BotRules = BTreeMap<BotKind, BotAction>;

/// The rules that count for a website. Cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    everyone: bool,
    own: &'a BotRules,
}

static NONE: BotRules = BotRules::new();

impl Rules<'static> {
    /// Where no website says anything.
    pub const USUAL: Self = Self {
        everyone: false,
        own: &NONE,
    };
}

impl<'a> Rules<'a> {
    /// A website's: whether everyone counts as a person (`ignoreBotDetection`), else its rules.
    pub const fn new(everyone: bool, own: &'a BotRules) -> Self {
        Self { everyone, own }
    }

    /// What becomes of a kind.
    pub fn action(self, kind: BotKind) -> BotAction {
        if self.everyone {
            return BotAction::Allow;
        }
        self.own.get(&kind).copied().unwrap_or(kind.usual())
    }

    /// The kinds that count like persons, as bits of the column `bot_signals`; 0 for nearly every website.
    pub fn allowed(self) -> u32 {
        if !self.everyone && self.own.is_empty() {
            return 0;
        }
        let kinds = BotKind::ALL.iter().copied();
        let allowed = kinds.filter(|kind| self.action(*kind) == BotAction::Allow);
        allowed.map(super::Signals::bit).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_written_alike_everywhere() {
        for kind in BotKind::ALL.iter().copied() {
            assert_eq!(BotKind::parse(kind.as_str()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }

    #[test]
    fn a_website_decides_and_the_rest_is_as_usual() {
        let own = BotRules::from([
            (BotKind::Preview, BotAction::Allow),
            (BotKind::AiTraining, BotAction::Block),
        ]);
        let rules = Rules::new(false, &own);
        assert_eq!(rules.action(BotKind::Preview), BotAction::Allow);
        assert_eq!(rules.action(BotKind::AiTraining), BotAction::Block);
        assert_eq!(rules.action(BotKind::AiUser), BotAction::TrackOnly);
        assert_eq!(rules.action(BotKind::Suspected), BotAction::TrackOnly);
        assert_eq!(rules.action(BotKind::Seo), BotAction::Block);
        assert_eq!(
            rules.allowed(),
            super::super::Signals::bit(BotKind::Preview)
        );
        assert_eq!(Rules::USUAL.allowed(), 0);
    }

    #[test]
    fn everyone_may_mean_everyone() {
        let own = BotRules::from([(BotKind::Seo, BotAction::Block)]);
        let rules = Rules::new(true, &own);
        for kind in BotKind::ALL.iter().copied() {
            assert_eq!(rules.action(kind), BotAction::Allow);
            assert_ne!(rules.allowed() & super::super::Signals::bit(kind), 0);
        }
    }
}
