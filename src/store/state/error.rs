//! What can go wrong with the state database, and what of it passes by itself.

use std::borrow::Cow;

use sea_orm::{DbErr, RuntimeErr, SqlErr, SqlxError};

use crate::fault::{Classify, Fault};

/// Why the state database failed.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// It is away or not what it has to be, which was found when it was opened.
    #[error("PostgreSQL at {place}: {why}")]
    Unusable {
        /// Host, port and database.
        place: String,
        /// What is the matter.
        why: String,
    },
    /// No write could be begun: the database is away, or another process holds it for too long.
    #[error("the state database takes no writes: {0}")]
    Busy(#[source] DbErr),
    /// Another process has written what this one has not read yet: what was decided may be wrong.
    #[error("`{0}` was written by another process meanwhile")]
    Behind(&'static str),
    /// Another process does by now what was to be written.
    #[error("another process does by now what runs by the clock")]
    OffDuty,
    /// Nothing was written.
    #[error("the state database refused: {0}")]
    Refused(#[from] DbErr),
    /// The commit failed; the write may or may not have happened.
    #[error("the state database did not confirm a write: {0}")]
    Unknown(#[source] DbErr),
}

impl StateError {
    /// Whether the write may have happened although it failed.
    pub fn outcome_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }

    /// Whether the write was refused because a unique value is taken.
    pub fn is_taken(&self) -> bool {
        let Self::Refused(error) = self else {
            return false;
        };
        matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_)))
    }

    /// Whether the write was refused because a row that it refers to is gone.
    pub fn is_orphan(&self) -> bool {
        let Self::Refused(error) = self else {
            return false;
        };
        let error = error.sql_err();
        matches!(error, Some(SqlErr::ForeignKeyConstraintViolation(_)))
    }

    /// Whether trying again later may help.
    fn is_passing(&self) -> bool {
        match self {
            Self::Unusable { .. }
            | Self::Busy(_)
            | Self::Behind(_)
            | Self::OffDuty
            | Self::Unknown(_) => true,
            Self::Refused(error) => passes(error),
        }
    }
}

impl Classify for StateError {
    fn classify(self) -> Fault {
        if let Self::Refused(error) = &self
            && sql_state(error).as_deref() == Some(NO_CHARACTER)
        {
            return Fault::invalid("Text must not contain the character U+0000");
        }
        if !self.is_passing() {
            return Fault::internal(self);
        }
        let mut fault = Fault::unavailable("Service temporarily unavailable");
        fault.cause = Some(self.into());
        fault
    }
}

/// `PostgreSQL` knows no texts with the character U+0000 in them, `SQLite` does.
const NO_CHARACTER: &str = "22021";

/// Whether something failed because the state database is away.
pub fn is_away(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let state = cause.downcast_ref().is_some_and(StateError::is_passing);
        state || cause.downcast_ref().is_some_and(passes)
    })
}

/// Whether it is the database's trouble of the moment and not the statement's fault.
fn passes(error: &DbErr) -> bool {
    if matches!(error, DbErr::Conn(_) | DbErr::ConnectionAcquire(_)) {
        return true;
    }
    match driver(error) {
        Some(
            SqlxError::Io(_)
            | SqlxError::Tls(_)
            | SqlxError::PoolTimedOut
            | SqlxError::PoolClosed
            | SqlxError::WorkerCrashed,
        ) => true,
        Some(SqlxError::Database(_)) => sql_state(error).is_some_and(|state| is_trouble(&state)),
        _ => false,
    }
}

/// `PostgreSQL`'s codes of connections, of resources, of a server that stops or starts, of writers that met, and of waiting
/// in vain.
fn is_trouble(state: &str) -> bool {
    let class = state.get(..2).unwrap_or_default();
    let passing = ["40001", "40P01", "55P03", "25P03", "25006"];
    state.len() == 5
        && (["08", "53"].contains(&class) || state.starts_with("57P") || passing.contains(&state))
}

/// The five characters with which `PostgreSQL` says what is wrong.
fn sql_state(error: &DbErr) -> Option<String> {
    let Some(SqlxError::Database(error)) = driver(error) else {
        return None;
    };
    error.code().map(Cow::into_owned)
}

fn driver(error: &DbErr) -> Option<&SqlxError> {
    match error {
        DbErr::Conn(RuntimeErr::SqlxError(error))
        | DbErr::Exec(RuntimeErr::SqlxError(error))
        | DbErr::Query(RuntimeErr::SqlxError(error)) => Some(error),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_of_the_moment_is_told_from_mistakes() {
        for passing in ["08006", "53300", "57P01", "57P03", "40P01", "55P03"] {
            assert!(is_trouble(passing), "{passing}");
        }
        // A syntax error, a value that is taken, and what SQLite says of a unique value and of a full disk.
        for lasting in ["42601", "23505", "2067", "13", "53"] {
            assert!(!is_trouble(lasting), "{lasting}");
        }
    }

    #[test]
    fn a_database_that_is_away_is_found_in_a_chain_of_causes() {
        let away = || DbErr::Conn(RuntimeErr::Internal("gone".to_owned()));
        let wrap = |error: anyhow::Error| error.context("actor `keys` cannot boot");
        assert!(is_away(&wrap(away().into())));
        assert!(is_away(&wrap(StateError::from(away()).into())));
        assert!(!is_away(&wrap(DbErr::Custom("damaged".to_owned()).into())));
        assert!(!is_away(&wrap(anyhow::anyhow!("no randomness"))));
    }
}
