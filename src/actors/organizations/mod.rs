//! Organizations, people, memberships and sessions.
//!
//! Owns the tables `organizations`, `users`, `memberships`, `sessions`, `invitations`, `password_resets`, `second_factors`,
//! `backup_codes`, `identities`, `passkeys`, `spent_challenges`, `sso_domains`, `sso_providers`, `scim_users`, `scim_groups` and
//! `scim_members`. Start at `messages/`; `people/` is what people do with their own accounts, `tenants/` what they do with
//! organizations.
//!
//! It is an actor, because authentication and every authorization find people, roles and sessions in its memory.
//!
//! Invariants:
//! - Session tokens are 256 random bits and stored as SHA-256 only; every sign-in makes a new one.
//! - Passwords are Argon2id and never in memory longer than a check takes; at most four are hashed at once, and an
//!   unknown account costs as much as a wrong password.
//! - An organization always has an owner. Who becomes something else gets a new session.
//! - Links (invitations, new passwords) are good once; only the SHA-256 of their secret is stored.
//! - Wrong passwords are counted by account, and apart from that by device on which the person has signed in before; see
//!   `attempts.rs` and `devices.rs`.
//! - Whom a provider signs in, and which account that opens, is in `identities`. An organization may insist on a provider: sessions
//!   that began in another way have no access to it (`OrganizationsView::granted`).
//! - What organizations may decide about sign-ins of their own people is in `sso`.
//! - Who has a second factor gets a session for password and code; see `factors`. A passkey opens one by itself; see `passkeys`.
//! - A session ends after 7 days without use and after 30 days in any case. Use is noted in memory and written at
//!   most every five minutes.

mod actor;
mod attempts;
mod devices;
mod emails;
mod error;
mod factors;
mod identities;
mod installation;
mod invitation;
mod messages;
mod model;
mod notifications;
mod offline;
mod passkeys;
mod passwords;
mod people;
mod records;
mod repo;
mod rules;
mod scim;
mod scim_resources;
mod sessions;
mod sso;
mod sso_error;
mod sso_resources;
mod state;
mod tenants;
#[cfg(test)]
mod tests;
mod trail;
mod vault;
mod view;

pub use devices::Devices;
pub use emails::role_label;
pub use error::OrganizationError;
pub use invitation::{Invitation, Status};
pub use messages::{
    Accept, AddPasskey, AddSsoDomain, AddedPasskey, CancelInvitation, ChangePassword,
    CheckSsoDomain, Claim, ClearExpired, Code, CreateOrganization, DeleteAccount,
    DeleteOrganization, DeleteScimGroup, DeleteScimUser, DeleteSsoProvider, DueForErasure,
    EndProviderSessions, EndSessions, EraseOrganization, ErasureCounts, FactorChange,
    FactorSecrets, ForgotPassword, Install, Installation, Invite, LinkIdentity, ManageFactor,
    NewInvitation, OrganizationChange, PasskeyApplicant, ProveFactor, Reject, RemoveMember,
    RemovePasskey, RemoveSecondFactors, RemoveSsoDomain, RemovedMember, Rename, RenamePasskey,
    RequireProvider, ResetPassword, RestoreOrganization, RoleOutcome, SessionChoice, SetActive,
    SetLanguage, SetRole, SetScimGroupRole, SignIn, SignInByProxy, SignInOutcome,
    SignInWithPasskey, SignInWithProvider, SignInWithSso, SignOut, SignUp, SignedIn, StartPasskey,
    StoreScimGroup, StoreScimUser, StoreSsoProvider, Transfer, UnlinkIdentity, UpdateOrganization,
};
pub use model::{
    Challenge, LinkedIdentity, LiveSession, LostAccess, Organization, Passkey, Person,
    ProvenIdentity, SecondFactors, SignInMethod,
};
pub use notifications::{AiAgents, Billing, Mode, Notifications, TrackingHealth, Uptime};
pub use offline::{reset_password, set_break_glass, set_plan};
pub use records::Records;
pub use repo::members::Membership;
pub use scim_resources::{Provisioner, ScimGroup, ScimUser};
pub use sso_error::SsoError;
pub use sso_resources::{
    DomainOutcome, GroupRole, MISSING_MS, SsoDomain, SsoProvider, SsoProviderFields,
};
pub use state::{Organizations, OrganizationsEnv, PeopleOptions};
pub(crate) use vault::Vault;
pub use view::OrganizationsView;

pub use crate::oidc::is_sso_provider;

/// What the domain decides about a message.
type Decision<T> = super::kit::Decision<Organizations, T, OrganizationError>;

/// Work beside the mailbox.
type Work<T> = futures_util::future::LocalBoxFuture<'static, Result<T, OrganizationError>>;
