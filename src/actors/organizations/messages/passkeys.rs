//! Passkeys.

use actix::Message;
use secrecy::SecretString;

use super::SignedIn;
use crate::{
    actors::organizations::{Challenge, OrganizationError, Passkey},
    ids::{SessionId, UserId},
    passkeys::{NewCredential, PasskeyUse},
};

/// Asks who adds a passkey. Refused unless the person has just shown that it is them, and beyond twenty passkeys.
#[derive(Debug, Message)]
#[rtype(result = "Result<PasskeyApplicant, OrganizationError>")]
pub struct StartPasskey {
    pub session: SessionId,
    /// Not needed for ten minutes after a sign-in.
    pub password: Option<SecretString>,
}

/// Who adds a passkey.
#[derive(Debug)]
pub struct PasskeyApplicant {
    pub user: UserId,
    pub email: String,
    pub name: String,
    /// The IDs of the credentials that the person has.
    pub credentials: Vec<String>,
}

/// Stores a new passkey.
#[derive(Debug, Message)]
#[rtype(result = "Result<AddedPasskey, OrganizationError>")]
pub struct AddPasskey {
    /// The session that began it, which has to be there still.
    pub session: SessionId,
    /// What the person calls it; empty = as others are called.
    pub name: String,
    pub credential: NewCredential,
    pub challenge: Challenge,
}

#[derive(Debug)]
pub struct AddedPasskey {
    pub passkey: Passkey,
    /// New backup codes, if it is the person's first second factor. They are shown once.
    pub codes: Vec<SecretString>,
}

#[derive(Debug, Message)]
#[rtype(result = "Result<Passkey, OrganizationError>")]
pub struct RenamePasskey {
    pub user: UserId,
    pub passkey: String,
    pub name: String,
}

/// Removes a passkey, unless it is the last way in. Other sessions that it opened end.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), OrganizationError>")]
pub struct RemovePasskey {
    pub session: SessionId,
    /// Not needed for ten minutes after a sign-in.
    pub password: Option<SecretString>,
    pub passkey: String,
}

/// Opens a session for the owner of a passkey that was used, or completes their sign-in with a password.
#[derive(Debug, Message)]
#[rtype(result = "Result<SignedIn, OrganizationError>")]
pub struct SignInWithPasskey {
    pub passkey: Passkey,
    pub used: PasskeyUse,
    pub challenge: Challenge,
    /// The token of [`SignInOutcome::Waits`](super::SignInOutcome) that the browser has. It counts if it is the owner's.
    pub waiting: Option<SecretString>,
    /// The browser, to be shown in the list of sessions.
    pub user_agent: Option<String>,
}

/// The person has shown that it is them: remove the passkey. Comes from [`RemovePasskey`]'s own work.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), OrganizationError>")]
pub(crate) struct DropPasskey {
    pub(crate) user: UserId,
    pub(crate) session: SessionId,
    pub(crate) passkey: String,
}

/// Spend the challenge and open the session; `None` when the passkey's counter went back. Comes from [`SignInWithPasskey`]'s own
/// work.
#[derive(Debug, Message)]
#[rtype(result = "Result<Option<SignedIn>, OrganizationError>")]
pub(crate) struct OpenWithPasskey(pub(crate) SignInWithPasskey);
