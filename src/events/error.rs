//! How storage and the query engine fail.

use std::io;

use aggregates::FULL;

use super::answer_budget::Refused;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Engine(#[from] duckdb::Error),
    /// The instance is beyond use.
    #[error("FATAL Error: {0}")]
    Broken(String),
    #[error(transparent)]
    Disk(#[from] io::Error),
    /// A segment could not be encoded or read.
    #[error(transparent)]
    Segment(#[from] parquet::errors::ParquetError),
    /// The rows of an answer cannot be held.
    #[error("the rows of an answer cannot be held")]
    Refused(Refused),
    /// Rows of the tail could not be turned into columns.
    #[error(transparent)]
    Columns(#[from] duckdb::arrow::error::ArrowError),
}

impl EngineError {
    /// Whether a damaged or missing file may be the cause.
    pub fn may_be_a_file(&self) -> bool {
        const OTHERS: [&str; 9] = [
            FULL,
            "failed to allocate",
            "Parser Error",
            "Binder Error",
            "Catalog Error",
            "Conversion Error",
            "Out of Range Error",
            "Out of Memory Error",
            "INTERRUPT",
        ];
        let text = self.to_string();
        matches!(self, Self::Segment(_))
            || matches!(self, Self::Engine(_)) && !OTHERS.iter().any(|other| text.contains(other))
    }

    /// Whether what was about to be read was sealed, or turned into a file, in between: a new snapshot has it.
    pub fn was_sealed(&self) -> bool {
        match self {
            Self::Disk(error) => error.kind() == io::ErrorKind::NotFound,
            Self::Engine(error) => error.to_string().contains("Table with name tail_"),
            _ => false,
        }
    }

    pub fn lacks_memory(&self) -> bool {
        // Some of the engine's doors give the reason without its kind.
        const SAID: [&str; 7] = [
            FULL,
            "Out of Memory",
            "failed to allocate",
            "could not allocate",
            "failed to pin",
            "failed to offload",
            "bad_alloc",
        ];
        let text = self.to_string();
        matches!(self, Self::Engine(_)) && SAID.iter().any(|said| text.contains(said))
    }

    /// Whether tables of ids took more memory than they may.
    pub fn fills_tables(&self) -> bool {
        matches!(self, Self::Engine(_)) && self.to_string().contains(FULL)
    }

    /// Whether it met another transaction of ours, and would succeed behind it.
    pub fn met_another(&self) -> bool {
        let text = self.to_string();
        let says = text.contains("TransactionContext Error") || text.contains("write-write");
        matches!(self, Self::Engine(_)) && says && !self.lacks_memory()
    }

    /// Whether the engine's instance is beyond use.
    pub fn is_fatal(&self) -> bool {
        let text = self.to_string();
        let says = text.contains("FATAL") || text.contains("invalidated");
        matches!(self, Self::Broken(_)) || matches!(self, Self::Engine(_)) && says
    }
}
