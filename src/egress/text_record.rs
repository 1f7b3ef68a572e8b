//! The records of a name, and the text record by which its owner proves that it is theirs.

use std::time::Duration;

use tokio::time::timeout;

use super::{Class, Egress, Failure, RecordKind};

/// Time for the name servers, beside their own limits: less than callers wait for a domain.
const PATIENCE: Duration = Duration::from_secs(4);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextRecord {
    Found,
    /// The name servers answered, and these are the name's text records.
    Missing(Vec<String>),
    /// There is no answer, which says nothing about the record.
    Unknown(Failure),
}

impl Egress {
    /// Looks for a text record of a name.
    pub async fn find_text(&self, name: &str, text: &str) -> TextRecord {
        match self.find_records(name, RecordKind::Txt).await {
            Ok(found) if found.iter().any(|one| one.trim() == text) => TextRecord::Found,
            Ok(found) => TextRecord::Missing(found),
            Err(failure) => TextRecord::Unknown(failure),
        }
    }

    /// The records of a name; none where the name doesn't exist.
    ///
    /// # Errors
    /// There is no answer, which says nothing about them.
    pub async fn find_records(&self, name: &str, kind: RecordKind) -> Result<Vec<String>, Failure> {
        let late = || Failure::new(Class::NameTimeout, "no name server answered in time");
        let asked = timeout(PATIENCE, self.records(name, kind)).await;
        match asked.unwrap_or_else(|_| Err(late())) {
            Err(failure) if failure.class == Class::NameNotFound => Ok(Vec::new()),
            answer => answer,
        }
    }
}
