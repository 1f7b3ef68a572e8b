//! `--name value` pairs.

use std::{path::PathBuf, str::FromStr};

use anyhow::{Context, bail};

/// What was typed behind `--`.
pub(crate) struct Args(Vec<(String, String)>);

impl Args {
    /// Reads the command line; every name must be one of `known`.
    pub(crate) fn read(known: &[&str]) -> anyhow::Result<Self> {
        let mut pairs = Vec::new();
        // Cargo adds `--bench`.
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            let name = word.strip_prefix("--").unwrap_or(&word);
            if !known.contains(&name) {
                bail!("`{word}` is none of --{}", known.join(", --"));
            }
            let value = words
                .next()
                .with_context(|| format!("--{name} needs a value"))?;
            pairs.push((name.to_owned(), value));
        }
        Ok(Self(pairs))
    }

    /// The text of a name.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let pair = self.0.iter().rev().find(|(known, _)| known == name);
        pair.map(|(_, value)| value.as_str())
    }

    /// The number of a name, or its default.
    pub(crate) fn number<T: FromStr>(&self, name: &str, otherwise: T) -> anyhow::Result<T> {
        match self.text(name) {
            None => Ok(otherwise),
            Some(text) => match text.replace('_', "").parse() {
                Ok(number) => Ok(number),
                Err(_) => bail!("--{name} needs a number, not `{text}`"),
            },
        }
    }
}

/// A variable of the environment, unless it is empty.
pub(crate) fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}
