//! Every format of every family.

use super::{flags::FlagFormat, links::LinkFormat, monitors::MonitorFormat};

/// A product whose definitions can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Links(LinkFormat),
    Monitors(MonitorFormat),
    Flags(FlagFormat),
}

impl Format {
    pub fn all() -> Vec<Self> {
        let links = LinkFormat::ALL.iter().map(|one| Self::Links(*one));
        let monitors = MonitorFormat::ALL.iter().map(|one| Self::Monitors(*one));
        let flags = FlagFormat::ALL.iter().map(|one| Self::Flags(*one));
        links.chain(monitors).chain(flags).collect()
    }

    /// The format of this name.
    pub fn find(name: &str) -> Option<Self> {
        let mut all = Self::all().into_iter();
        all.find(|format| format.name() == name)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Links(format) => format.name(),
            Self::Monitors(format) => format.name(),
            Self::Flags(format) => format.name(),
        }
    }

    /// The name of the product.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Links(format) => format.label(),
            Self::Monitors(format) => format.label(),
            Self::Flags(format) => format.label(),
        }
    }
}
