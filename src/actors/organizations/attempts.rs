//! Wrong passwords and codes: ten in 15 minutes for each [`Subject`], as an exact rolling window that all processes share.
//!
//! An attempt counts once it is admitted: a burst cannot slip through while passwords are being checked. A
//! success takes the count away. Unknown accounts count like known ones.

use std::sync::Arc;

use super::OrganizationError;
use crate::{
    actors::seal::opaque_debug,
    fault::Window,
    ids::UserId,
    store::{
        InstanceSecret,
        limits::{Admission, Demand, Identity, LimitError, Limits},
    },
};

/// What the key of names in counts is for.
const PURPOSE: &str = "pharos 2026-11-23 wrong proofs";

/// Whose attempts are counted together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
    /// Passwords of an account from unknown devices. A new password is a new subject: a reset lets the owner in.
    Account {
        email: String,
        /// When its password was set, Unix milliseconds; 0 where there is no account.
        password_set_ms: i64,
    },
    /// Passwords from a device on which the person has signed in before.
    Device {
        user: UserId,
        name: String,
    },
    /// A signed-in person who confirms that it is them; strangers cannot use these up.
    Confirmation(UserId),
    Code(UserId),
}

impl Subject {
    /// The account of an address, with when its password was set; `None` = there is no such account.
    pub(super) fn account(email: &str, password_set_ms: Option<i64>) -> Self {
        Self::Account {
            email: email.to_owned(),
            password_set_ms: password_set_ms.unwrap_or(0),
        }
    }

    /// Its name in counts is made with the installation's secret: it says nothing of an address, and means no account of
    /// another installation that counts in the same Redis.
    fn demand(&self, secret: &[u8; 32]) -> Demand {
        let (kind, name) = match self {
            Self::Account {
                email,
                password_set_ms,
            } => ("account", format!("{email} {password_set_ms}")),
            Self::Device { user, name } => ("known device", format!("{user} {name}")),
            Self::Confirmation(user) => ("confirmation", user.to_string()),
            Self::Code(user) => ("second factor", user.to_string()),
        };
        let identity = Identity::keyed(secret, kind, name.as_bytes());
        Demand::new(identity).rate(Limits::account())
    }

    fn refused(&self, window: Window) -> OrganizationError {
        match self {
            Self::Code(_) => OrganizationError::TooManyCodes(window),
            _ => OrganizationError::TooManyAttempts(window),
        }
    }
}

/// Counts attempts; cheap to clone.
#[derive(Clone)]
pub(super) struct Attempts {
    admission: Arc<dyn Admission>,
    secret: [u8; 32],
}

opaque_debug!(Attempts);

impl Attempts {
    /// Counts under names that are made with the installation's secret.
    pub(super) fn new(admission: Arc<dyn Admission>, secret: &InstanceSecret) -> Self {
        Self {
            admission,
            secret: secret.key_for(PURPOSE),
        }
    }

    /// Counts an attempt, or refuses it with the state of the window.
    pub(super) async fn admit(&self, subject: &Subject) -> Result<(), OrganizationError> {
        match self.admission.admit(subject.demand(&self.secret)).await {
            Ok(_) => Ok(()),
            Err(LimitError::Window(window) | LimitError::InFlight(window)) => {
                Err(subject.refused(window))
            }
            Err(away @ LimitError::Unavailable(_)) => Err(OrganizationError::NotCounted(away)),
        }
    }

    /// The proof was right: the subject starts afresh.
    pub(super) async fn clear(&self, subject: &Subject) {
        if let Err(error) = self.admission.clear(subject.demand(&self.secret)).await {
            tracing::debug!(%error, "attempts before a right one stay counted");
        }
    }
}
