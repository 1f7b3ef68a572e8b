//! Goals and funnels, which pages treat alike: a goal is a funnel of one step.

use crate::{http::pages::context::PageContext, pages::frame::Place};

/// What is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Goal,
    Funnel,
}

impl Kind {
    /// The kind that a request's route is about.
    pub(super) fn from_route(context: &PageContext) -> Self {
        let pattern = context.request.match_pattern().unwrap_or_default();
        if pattern.contains("/funnel") {
            Self::Funnel
        } else {
            Self::Goal
        }
    }

    /// What its numbers are called: who could take part, who did it, their share, and how long it took.
    pub(super) const fn numbers(self) -> [&'static str; 4] {
        match self {
            Self::Goal => ["Seen", "Reached it", "Of all", "After, on average"],
            Self::Funnel => ["Came in", "Went through", "Of all", "On average in"],
        }
    }

    pub(super) const fn place(self) -> Place {
        match self {
            Self::Goal => Place::Goals,
            Self::Funnel => Place::Funnels,
        }
    }

    /// What one is called.
    pub(super) const fn one(self) -> &'static str {
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

    pub(super) const fn says(self) -> &'static str {
        match self {
            Self::Goal => {
                "A goal is a page or an event that people should reach. It tells how many do."
            }
            Self::Funnel => {
                "A funnel is a way through pages and events. It tells where people leave it, and which errors they met there."
            }
        }
    }

    /// Where all of a website are.
    pub(super) fn path(self, site: &str) -> String {
        format!("/console/site/{site}/{}s", self.one())
    }

    /// Where one is.
    pub(super) fn path_of(self, site: &str, id: &str) -> String {
        format!("/console/site/{site}/{}/{id}", self.one())
    }
}
