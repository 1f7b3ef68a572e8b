//! What can go wrong, in the domain's words.

use super::SsoError;
use crate::{
    access::Permission,
    actors::{
        error::{CommonError, common_errors},
        password::PasswordError,
    },
    fault::{Classify, Fault, Issue, Kind, Window},
    ids::SessionId,
    oidc::label,
    store::limits::LimitError,
};

#[derive(Debug, thiserror::Error)]
pub enum OrganizationError {
    /// No such account, or another password; deliberately the same.
    #[error("Invalid email or password")]
    WrongCredentials,
    #[error("Too many wrong passwords for this account")]
    TooManyAttempts(Window),
    /// Attempts cannot be counted, so none is made.
    #[error(transparent)]
    NotCounted(LimitError),
    /// The signed-in person's password is another one. Names the field of the request.
    #[error("The password is wrong")]
    WrongPassword(&'static str),
    #[error("The code is wrong, expired or already used")]
    WrongCode,
    #[error("Too many wrong codes for this account")]
    TooManyCodes(Window),
    #[error("Your sign-in expired. Sign in again.")]
    NotWaiting,
    /// Unknown, another person's, wrongly signed or copied; deliberately the same.
    #[error("This passkey wasn't accepted. Use another passkey, or sign in with your password.")]
    PasskeyRefused,
    /// The challenge is over, was answered before, or another browser's.
    #[error("The passkey request expired or was already used. Try again.")]
    ChallengeOver,
    #[error("This passkey is already registered. Use another device or password manager.")]
    PasskeyKnown,
    #[error("passkey not found")]
    NoSuchPasskey,
    /// The sign-in is too long ago to change what signs the person in.
    #[error("Enter your password. It isn't needed within 10 minutes of signing in.")]
    PasswordNeeded,
    /// The person has no second factor, or none that counts yet.
    #[error(
        "Two-factor authentication isn't set up. Set it up with `two-factor/enable`, then send the first code to `verify-totp`."
    )]
    NoFactor,
    #[error("The member has no second factor.")]
    NoMemberFactor,
    #[error("Owners can't remove their own second factor here. Use Your account.")]
    OwnFactor,
    #[error(
        "The member is in another organization, too, so only the operator can remove their second factor: `pharos user reset-password --remove-second-factor`."
    )]
    MemberElsewhere,
    #[error("Two-factor authentication is already on. Turn it off first, or add another app.")]
    FactorThere,
    /// The stored factor cannot be read with this installation's secret.
    #[error("the stored second factor cannot be read: was `instance.key` replaced?")]
    DamagedFactor,
    /// Every organization of the person insists on this provider.
    #[error("Your organization requires you to sign in with {}.", label(.0))]
    ProviderRequired(String),
    #[error(
        "No account is linked to this sign-in. Sign in with your password and link it under Your account, or ask an owner or admin for an invitation."
    )]
    NoAccount,
    #[error(
        "The provider doesn't say that your email address is verified. Verify it there, or ask an administrator to send the claim `email_verified`."
    )]
    AddressNotVerified,
    #[error(
        "The provider doesn't send your email address. An administrator has to add the scope `email` and allow the claim `email`."
    )]
    NoAddress,
    #[error(
        "Addresses of this domain get no account here. The operator decides that with `email_domains`."
    )]
    OtherDomain,
    /// There is an account of this address, which the provider is not trusted for or whose owner never proved the address.
    #[error(
        "An account with your email address already exists. Sign in to it with its password first, then link this sign-in under Your account. If you forgot the password, reset it."
    )]
    LinkFirst,
    #[error("This account at the provider is linked to another account. Unlink it there first.")]
    LinkedElsewhere,
    #[error("You already linked an account at this provider. Unlink it first.")]
    AlreadyLinked,
    #[error("linked sign-in not found")]
    NoSuchIdentity,
    #[error(
        "This is your only way to sign in. Set a password with Forgot password, or link another sign-in first."
    )]
    LastWayIn,
    /// Who requires a provider shows first that they can sign in with it.
    #[error("Sign in with {} first, so you don't lock yourself out.", label(.0))]
    NotSignedInWith(String),
    /// Strangers may not make accounts.
    #[error("Sign-up is closed. Ask an owner or admin of the organization for an invitation.")]
    SignUpClosed,
    #[error("An account with this email address already exists. Sign in instead.")]
    EmailTaken,
    /// The session ended while the request was on its way.
    #[error("Authentication required")]
    SessionOver,
    #[error("session not found")]
    NoSuchSession(SessionId),
    #[error(
        "You are the only owner of {}. Make someone else an owner or delete it first.",
        .0.join(", ")
    )]
    OnlyOwner(Vec<String>),
    #[error("member not found")]
    NoSuchMember(String),
    /// No such invitation, as far as the caller may know.
    #[error("invitation not found")]
    NoSuchInvitation,
    #[error("Missing required {} permissions: {}", .0.words().0, .0.words().1)]
    Missing(Permission),
    #[error("An organization needs an owner. Make someone else an owner first.")]
    LastOwner,
    #[error("This slug is already taken")]
    SlugTaken,
    #[error("This person is already a member")]
    AlreadyMember,
    #[error("This address is already invited. Use `resend` to replace the invitation.")]
    AlreadyInvited,
    #[error("{0}")]
    InvitationClosed(&'static str),
    /// The invitation is for another address than the caller's.
    #[error("The invitation is for another email address. Sign in with that address.")]
    OtherAddress,
    #[error("{0}")]
    TooMany(&'static str),
    #[error(transparent)]
    Sso(SsoError),
    #[error("SCIM user not found")]
    NoSuchScimUser,
    #[error("SCIM group not found")]
    NoSuchScimGroup,
    #[error("{0}")]
    ScimTaken(&'static str),
    /// Between reading and storing, somebody else stored.
    #[error("The resource changed meanwhile. Read it again and repeat the change.")]
    ScimChanged,
    #[error("A member of the group is no user of this organization. Create the user first.")]
    ScimUnknownMember,
    #[error("The user needs an email address, in `emails` or as `userName`.")]
    ScimNoAddress,
    #[error("Only a SCIM token that an owner made changes owners. Ask an owner for one.")]
    ScimOwners,
    #[error(
        "Email isn't configured (`mail.smtp_url`). The operator can set a new password with `pharos user \
         reset-password --email …`"
    )]
    NoMail,
    /// The link for a new password is none, is over or was used.
    #[error("The link is invalid, used or expired. Request a new one.")]
    BadLink,
    /// As many passwords as may wait are being checked.
    #[error("Too many people are signing in at this moment")]
    Busy,
    #[error("an organization already exists")]
    AlreadyInstalled,
    /// A password could not be hashed or a stored hash is damaged.
    #[error("password hashing failed: {0}")]
    Hashing(String),
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(OrganizationError);

impl From<PasswordError> for OrganizationError {
    fn from(error: PasswordError) -> Self {
        match error {
            PasswordError::Busy => Self::Busy,
            PasswordError::Hashing(why) => Self::Hashing(why),
        }
    }
}

impl Classify for OrganizationError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::WrongCredentials
            | Self::SessionOver
            | Self::WrongCode
            | Self::NotWaiting
            | Self::PasskeyRefused => Fault::new(Kind::Unauthenticated, message),
            Self::PasswordNeeded => wrong_field("password_needed", "password", message),
            Self::PasskeyKnown => conflict("passkey", message),
            Self::NoSuchPasskey => Fault::not_found("passkey", ""),
            Self::FactorThere => conflict("second factor", message),
            Self::WrongPassword(field) => wrong_field("wrong_password", field, message),
            Self::SignUpClosed
            | Self::OnlyOwner(_)
            | Self::Missing(_)
            | Self::MemberElsewhere
            | Self::LastOwner
            | Self::ProviderRequired(_)
            | Self::NoAccount
            | Self::AddressNotVerified
            | Self::NoAddress
            | Self::OtherDomain
            | Self::LinkFirst
            | Self::LastWayIn
            | Self::NotSignedInWith(_)
            | Self::OtherAddress
            | Self::ScimOwners
            | Self::TooMany(_) => Fault::forbidden(message),
            Self::LinkedElsewhere | Self::AlreadyLinked => conflict("account", message),
            Self::NoSuchIdentity => Fault::not_found("account", ""),
            Self::NoSuchMember(named) => Fault::not_found("member", named),
            Self::NoSuchInvitation => missing("invitation", message),
            Self::Sso(error) => error.classify(),
            Self::NoSuchScimUser => Fault::not_found("user", ""),
            Self::NoSuchScimGroup => Fault::not_found("group", ""),
            Self::ScimTaken(_) => conflict("resource", message).with_code("uniqueness"),
            Self::ScimChanged => conflict("resource", message),
            Self::ScimUnknownMember | Self::ScimNoAddress => {
                Fault::invalid(message).with_code("invalidValue")
            }
            Self::SlugTaken => conflict("Organization", message),
            Self::AlreadyMember => conflict("member", message),
            Self::AlreadyInvited | Self::InvitationClosed(_) => conflict("invitation", message),
            Self::EmailTaken => conflict("user", message),
            Self::NoSuchSession(id) => Fault::not_found("session", id),
            Self::TooManyAttempts(window) | Self::TooManyCodes(window) => {
                Fault::new(Kind::RateLimited(window), message)
            }
            Self::NotCounted(refusal) => refusal.into(),
            Self::NoMail
            | Self::BadLink
            | Self::NoFactor
            | Self::NoMemberFactor
            | Self::OwnFactor
            | Self::ChallengeOver => Fault::invalid(message),
            Self::Busy => Fault::unavailable(message),
            Self::AlreadyInstalled => conflict("organization", message),
            Self::DamagedFactor | Self::Hashing(_) => Fault::internal(self),
            Self::Common(error) => error.classify(),
        }
    }
}

fn wrong_field(code: &'static str, field: &'static str, message: String) -> Fault {
    let issue = Issue::new(code, field, message.clone());
    Fault::issues(message, vec![issue])
}

fn missing(resource: &'static str, message: String) -> Fault {
    Fault::new(Kind::NotFound { resource, id: None }, message)
}

fn conflict(resource: &'static str, message: String) -> Fault {
    Fault::new(Kind::Conflict { resource, id: None }, message)
}
