//! Kinds of bots, and what a website wants to become of each.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::named::named;

named! {
    /// What a caller that is no person is for.
    #[derive(
        Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
    )]
    #[serde(rename_all = "snake_case")]
    pub enum BotKind {
        // The order is that of their bits.
        /// Collects pages that models are trained with.
        AiTraining = "ai_training",
        /// Builds the index that an assistant searches.
        AiSearch = "ai_search",
        /// Fetches a page because a person asked an assistant.
        AiUser = "ai_user",
        /// Browses by itself on somebody's behalf.
        AiAgent = "ai_agent",
        /// A search engine's crawler.
        Search = "search",
        /// Makes the preview of a link that somebody shared.
        Preview = "preview",
        /// A reader of feeds.
        Feed = "feed",
        /// Checks whether, or how well, a page works.
        Monitor = "monitor",
        /// Keeps pages for later.
        Archive = "archive",
        /// Checks or serves advertisements.
        Ads = "ads",
        /// Looks for weaknesses.
        Scanner = "scanner",
        /// Measures pages for marketing.
        Seo = "seo",
        /// Anything else that names itself a bot.
        Other = "other",
        /// Does not say that it is one, but two signals of different kinds do.
        Suspected = "suspected",
    }
}

impl BotKind {
    /// The kind with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
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
        let allowed = BotKind::ALL
            .into_iter()
            .filter(|kind| self.action(*kind) == BotAction::Allow);
        allowed.map(super::Signals::bit).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_written_alike_everywhere() {
        for kind in BotKind::ALL {
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
        for kind in BotKind::ALL {
            assert_eq!(rules.action(kind), BotAction::Allow);
            assert_ne!(rules.allowed() & super::super::Signals::bit(kind), 0);
        }
    }
}
