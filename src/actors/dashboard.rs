//! What share links show and scheduled reports are about.

use crate::ids::{BoardId, WebsiteId};

/// The dashboard of a website, or a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dashboard {
    Website(WebsiteId),
    Board(BoardId),
}

impl Dashboard {
    pub fn id(&self) -> &str {
        match self {
            Self::Website(id) => id.as_str(),
            Self::Board(id) => id.as_str(),
        }
    }

    /// `website` or `board`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Website(_) => "website",
            Self::Board(_) => "board",
        }
    }

    pub fn website(&self) -> Option<&WebsiteId> {
        match self {
            Self::Website(id) => Some(id),
            Self::Board(_) => None,
        }
    }

    pub fn board(&self) -> Option<&BoardId> {
        match self {
            Self::Website(_) => None,
            Self::Board(id) => Some(id),
        }
    }

    /// From the columns `website_id` and `board_id`, of which one is null.
    pub(super) fn from_columns(website: Option<String>, board: Option<String>) -> Option<Self> {
        let website = website.map(|id| Self::Website(id.into()));
        website.or_else(|| board.map(|id| Self::Board(id.into())))
    }
}
