//! Goals and funnels, which pages treat alike: a goal is a funnel of one step.

use crate::pages::frame::NavItem;

/// What is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Goal,
    Funnel,
}

impl Kind {
    /// What its numbers are called: who could take part, who did it, their share, and how long it took.
    pub(super) const fn numbers(self) -> [&'static str; 4] {
        match self {
            Self::Goal => ["Seen", "Reached it", "Of all", "After, on average"],
            Self::Funnel => ["Came in", "Went through", "Of all", "On average in"],
        }
    }

    pub(super) const fn place(self) -> NavItem {
        match self {
            Self::Goal => NavItem::Goals,
            Self::Funnel => NavItem::Funnels,
        }
    }

    /// What one is called.
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Funnel => "funnel",
        }
    }

    /// What all of them are called.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Goal => "Goals",
            Self::Funnel => "Funnels",
        }
    }

    /// What one is for.
    pub(super) const fn description(self) -> &'static str {
        match self {
            Self::Goal => {
                "A goal is a page or an event that people should reach. It tells how many do."
            }
            Self::Funnel => {
                "A funnel is a way through pages and events. It tells where people leave it, and which errors they met there."
            }
        }
    }
}
