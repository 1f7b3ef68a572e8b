//! What is wrong with the settings, and where. Never quotes a secret's value.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The embedded defaults.
    BuiltIn,
    /// A line of a file, counted from 1.
    File {
        /// The file as it was named.
        path: Arc<Path>,
        line: usize,
    },
    Variable(String),
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    pub origin: Origin,
    /// Dotted key, empty when the text is no TOML there.
    pub key: String,
    /// What is wrong, to be read after the key.
    pub what: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Everything that is wrong, in the order of their origins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistakes(pub Vec<Mistake>);

/// Why there are no settings.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read at all.
    #[error("cannot read the configuration file {path}: {source}", path = path.display())]
    Unreadable {
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The settings are wrong.
    #[error(transparent)]
    Wrong(#[from] Mistakes),
}

/// The line of a text that has this byte, counted from 1.
pub fn line_at(text: &[u8], offset: usize) -> usize {
    let before = text.iter().take(offset);
    1 + before.filter(|byte| **byte == b'\n').count()
}

/// A message of several lines as one.
pub fn join_lines(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join(", ")
}

impl Mistake {
    /// A mistake without a hint.
    pub fn new(origin: Origin, key: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            origin,
            key: key.into(),
            what: what.into(),
            hint: None,
        }
    }

    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => formatter.write_str("built-in defaults"),
            Self::File { path, line } => write!(formatter, "{}:{line}", path.display()),
            Self::Variable(name) => formatter.write_str(name),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: ", self.origin)?;
        if !self.key.is_empty() {
            write!(formatter, "`{}` ", self.key)?;
        }
        formatter.write_str(&self.what)
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, mistake) in self.0.iter().enumerate() {
            let break_before = if nth == 0 { "" } else { "\n" };
            write!(formatter, "{break_before}{mistake}")?;
            if let Some(hint) = &mistake.hint {
                write!(formatter, " ({hint})")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Mistakes {}
