//! What is said about one thing that was done.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::{
    access::Principal,
    ids::{GrantId, KeyId, OrganizationId, ScimTokenId, UserId},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// The program itself, or a person with a command on its machine.
    System,
    /// A person in a session.
    User(UserId),
    Key(KeyId),
    /// An app on behalf of a person; its grant is among the entry's details.
    App {
        user: UserId,
        grant: GrantId,
    },
    /// An identity provider with its token.
    Scim(ScimTokenId),
    /// A caller without credentials.
    Anonymous,
}

impl Actor {
    /// The kind and the id as they are stored.
    pub(super) fn parts(&self) -> (&'static str, &str) {
        match self {
            Self::System => ("system", ""),
            Self::User(user) | Self::App { user, .. } => ("user", user.as_str()),
            Self::Key(key) => ("key", key.as_str()),
            Self::Scim(token) => ("scim", token.as_str()),
            Self::Anonymous => ("anonymous", ""),
        }
    }
}

impl From<&Principal> for Actor {
    fn from(caller: &Principal) -> Self {
        match caller {
            Principal::Anonymous => Self::Anonymous,
            Principal::Key(key) => match &key.person {
                Some(person) => Self::App {
                    user: person.user.clone(),
                    grant: key.id.as_str().into(),
                },
                None => Self::Key(key.id.clone()),
            },
            Principal::Session(session) => Self::User(session.user.clone()),
        }
    }
}

macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident $text:literal;)*) => {
        /// What was done; the word before the dot says to what.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action {
            $($(#[$doc])* $name,)*
        }

        impl Action {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The action as stored and written on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

actions! {
    KeyCreate "key.create";
    /// An API key's name, rights or limits were changed.
    KeyUpdate "key.update";
    /// An API key was ended for good.
    KeyRevoke "key.revoke";
    /// An API key got another secret.
    KeyRotate "key.rotate";
    KeyDelete "key.delete";
    OrganizationCreate "organization.create";
    /// An organization's name, settings or plan were changed.
    OrganizationUpdate "organization.update";
    /// An organization was handed to another owner.
    OrganizationTransfer "organization.transfer";
    /// An organization was deleted; its rows are erased later.
    OrganizationDelete "organization.delete";
    OrganizationRestore "organization.restore";
    /// The clicks of a deleted short link were erased.
    LinkErase "link.erase";
    /// The rows of a deleted organization were erased.
    OrganizationErase "organization.erase";
    /// A recipient of a website's reports was added.
    ReportCreate "report.create";
    /// A recipient of a website's reports was removed by somebody else.
    ReportDelete "report.delete";
    /// A dashboard was shared by a link.
    ShareCreate "share.create";
    /// A share link's password, end or embedding was changed.
    ShareUpdate "share.update";
    /// A share link was revoked.
    ShareDelete "share.delete";
    /// A website was handed to another organization.
    WebsiteTransfer "website.transfer";
    /// The rows of a deleted website were erased.
    WebsiteErase "website.erase";
    /// A person was erased from a website.
    ProfileErase "profile.erase";
    /// A declared resource was made, or changed to be as it is declared.
    ProvisionApply "provision.apply";
    /// A resource is declared no more, or its declaration was taken back.
    ProvisionForget "provision.forget";
    InvitationCreate "invitation.create";
    InvitationCancel "invitation.cancel";
    InvitationReject "invitation.reject";
    MemberAdd "member.add";
    MemberRole "member.role";
    MemberRemove "member.remove";
    MemberLeave "member.leave";
    /// An owner removed a member's authenticator app, passkeys and backup codes.
    MemberSecondFactorRemove "member.second_factor_remove";
    /// A person signed in.
    SessionCreate "session.create";
    /// A person's account was linked to one at a provider.
    IdentityLink "identity.link";
    IdentityUnlink "identity.unlink";
    PasskeyCreate "passkey.create";
    /// A passkey got another name.
    PasskeyUpdate "passkey.update";
    PasskeyDelete "passkey.delete";
    /// A passkey's counter went back, which a copy of it would explain.
    PasskeyRefuse "passkey.refuse";
    /// A person connected an app.
    GrantCreate "grant.create";
    /// An app's access ended.
    GrantRevoke "grant.revoke";
    /// A code or refresh token was used twice, which ended the app's access.
    GrantReuse "grant.reuse";
    /// An organization added a domain for its single sign-on.
    SsoDomainCreate "sso_domain.create";
    SsoDomainVerify "sso_domain.verify";
    /// The text record of a verified domain was missing for days.
    SsoDomainLose "sso_domain.lose";
    SsoDomainDelete "sso_domain.delete";
    /// An organization added a host of its own.
    DomainCreate "domain.create";
    DomainUpdate "domain.update";
    DomainVerify "domain.verify";
    /// A verified host was without proof for days, or another organization proved that it is its own.
    DomainLose "domain.lose";
    DomainDelete "domain.delete";
    /// An organization added a sign-in provider.
    SsoProviderCreate "sso_provider.create";
    SsoProviderUpdate "sso_provider.update";
    SsoProviderDelete "sso_provider.delete";
    /// A token of an identity provider was made.
    ScimTokenCreate "scim_token.create";
    ScimTokenRevoke "scim_token.revoke";
    /// The role that a group of an identity provider gives was changed.
    ScimGroupRole "scim_group.role";
}

/// One thing that was done, on its way into the log.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Whose log it belongs to; `None` for what concerns no organization.
    pub organization: Option<OrganizationId>,
    pub actor: Actor,
    /// What was done, such as `key.revoke`; the word before the dot says to what.
    pub action: Cow<'static, str>,
    /// The id of what it was done to.
    pub target: String,
    /// What else is worth knowing: an object of ids and settings. Never secrets or addresses.
    pub details: Value,
}

impl Entry {
    pub fn new(
        organization: Option<OrganizationId>,
        actor: Actor,
        action: Action,
        target: impl Into<String>,
    ) -> Self {
        Self {
            organization,
            actor,
            action: action.as_str().into(),
            target: target.into(),
            details: json!({}),
        }
    }

    /// An entry of an organization's log.
    pub fn within(
        organization: &OrganizationId,
        actor: Actor,
        action: Action,
        target: impl Into<String>,
    ) -> Self {
        Self::new(Some(organization.clone()), actor, action, target)
    }

    /// An entry of a change of a resource, such as `monitor.update`.
    pub fn change(
        organization: &OrganizationId,
        actor: Actor,
        action: String,
        target: String,
    ) -> Self {
        Self {
            organization: Some(organization.clone()),
            actor,
            action: action.into(),
            target,
            details: json!({}),
        }
    }

    /// Its details, with the grant of an app that acted.
    pub(super) fn all_details(&self) -> Value {
        let mut details = self.details.clone();
        if let Actor::App { grant, .. } = &self.actor {
            details["grant"] = json!(grant);
        }
        details
    }

    /// What it was done to.
    pub(super) fn kind(&self) -> &str {
        self.action
            .split_once('.')
            .map_or(&*self.action, |(kind, _)| kind)
    }

    pub fn with(mut self, details: Value) -> Self {
        self.details = details;
        self
    }
}
