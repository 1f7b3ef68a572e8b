//! What is around every page of a person who is signed in, as data.

use super::{navigation::NavItem, view::View};
use crate::locale::Language;

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub id: String,
    pub name: String,
}

/// The colors of the console.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::System => "System",
            Self::Light => "Light",
            Self::Dark => "Dark",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.as_str() == name)
    }
}

/// What is around a page for a person who is signed in.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The person's name.
    pub person: String,
    /// The person's address.
    pub email: String,
    /// The organizations that the person is in.
    pub organizations: Vec<Choice>,
    /// The active organization.
    pub organization: Option<String>,
    pub websites: Vec<Choice>,
    /// The website that the page is about.
    pub site: Option<String>,
    /// The page in the navigation.
    pub item: NavItem,
    /// Whether the link to add a website is shown.
    pub can_add: bool,
    /// Pages without a link, because they would be refused.
    pub forbidden: Vec<NavItem>,
    /// The range and the filters of the page, which links to other reports keep.
    pub view: View,
    pub theme: Theme,
    /// The language of the page's texts.
    pub language: Language,
}

impl Frame {
    /// The website that the page is about.
    pub fn website(&self) -> Option<&Choice> {
        let id = self.site.as_ref()?;
        self.websites.iter().find(|one| one.id == *id)
    }
}
