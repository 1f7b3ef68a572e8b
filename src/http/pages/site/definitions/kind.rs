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
            Self::Goal => [
                "Visitors",
                "Conversions",
                "Conversion rate",
                "Average time to convert",
            ],
            Self::Funnel => [
                "Entered",
                "Completed",
                "Conversion rate",
                "Average time to convert",
            ],
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
            Self::Goal => "A goal is a page or an event that you want visitors to reach.",
            Self::Funnel => {
                "A funnel is a series of pages and events. See where visitors drop off, and which errors they met."
            }
        }
    }
}
