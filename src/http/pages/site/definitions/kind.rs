//! Goals and funnels, which pages treat alike: a goal is a funnel of one step.

use crate::pages::frame::NavItem;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Goal,
    Funnel,
}

impl Kind {
    /// The labels of its numbers: entered, completed, rate, duration.
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

    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Funnel => "funnel",
        }
    }

    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Goal => "Goals",
            Self::Funnel => "Funnels",
        }
    }

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
