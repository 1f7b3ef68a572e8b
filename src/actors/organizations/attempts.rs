//! Wrong proofs of who somebody is: ten in 15 minutes for each [`Subject`], as an exact rolling window that all processes share.
//!
//! An attempt counts from the moment it is admitted, so that a burst cannot slip through while passwords are being checked. A
//! success takes the count away. Unknown accounts count like known ones.

use std::sync::Arc;

use super::OrganizationError;
use crate::{
    fault::Window,
    ids::UserId,
    store::limits::{Admission, Demand, Identity, Limits, Refusal},
};

/// Whose attempts are counted together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
    /// Passwords of an account, from devices that nobody knows. A new password is a new subject, so that a reset lets the owner in.
    Account {
        /// The account's address.
        email: String,
        /// When its password was set, Unix milliseconds; 0 where there is no account.
        password_set_ms: i64,
    },
    /// Passwords from a device on which the person has signed in before.
    Device {
        /// The person.
        user: UserId,
        /// The device's name.
        name: String,
    },
    /// A signed-in person who confirms that it is them; strangers cannot use these up.
    Confirmation(UserId),
    /// Codes of a second factor.
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

    fn demand(&self) -> Demand {
        let identity = match self {
            Self::Account {
                email,
                password_set_ms,
            } => Identity::of("account", &format!("{email} {password_set_ms}")),
            Self::Device { user, name } => Identity::of("known device", &format!("{user} {name}")),
            Self::Confirmation(user) => Identity::of("confirmation", user.as_str()),
            Self::Code(user) => Identity::of("second factor", user.as_str()),
        };
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
pub(super) struct Attempts(Arc<dyn Admission>);

impl std::fmt::Debug for Attempts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Attempts(…)")
    }
}

impl Attempts {
    pub(super) fn new(admission: Arc<dyn Admission>) -> Self {
        Self(admission)
    }

    /// Counts an attempt, or refuses it with the state of the window.
    pub(super) async fn admit(&self, subject: &Subject) -> Result<(), OrganizationError> {
        match self.0.admit(subject.demand()).await {
            Ok(_) => Ok(()),
            Err(Refusal::Window(window) | Refusal::InFlight(window)) => {
                Err(subject.refused(window))
            }
            Err(away @ Refusal::Unavailable(_)) => Err(OrganizationError::NotCounted(away)),
        }
    }

    /// The proof was right: the subject starts afresh.
    pub(super) async fn clear(&self, subject: &Subject) {
        if let Err(error) = self.0.clear(subject.demand()).await {
            tracing::debug!(%error, "attempts before a right one stay counted");
        }
    }
}
