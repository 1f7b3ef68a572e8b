//! Typed identifiers: opaque strings on the wire, never mixed up in code.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// A fresh identifier; later ones sort after earlier ones (UUID version 7).
            #[expect(clippy::new_without_default, reason = "a default would hide that every call differs")]
            pub fn new() -> Self {
                Self(uuid::Uuid::now_v7().to_string())
            }

            /// The identifier as it is written on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    )*};
}

ids! {
    /// An organization: the tenant that owns everything else.
    OrganizationId;
    UserId;
    /// A website as the API and the console name it.
    WebsiteId;
    /// The public identifier that a website's tracker sends.
    ClientId;
    LinkId;
    /// An app that registered for OAuth; the protocol calls it a client.
    AppId;
    /// What a person allowed an app.
    GrantId;
    /// A token of an identity provider (never its secret).
    ScimTokenId;
    /// A person as an identity provider knows them.
    ScimUserId;
    ScimGroupId;
    /// A domain that an organization has verified, or is about to.
    SsoDomainId;
    /// A place from which monitors are checked.
    ProbeId;
    /// A host that an organization brings.
    HostId;
    /// A folder of short links.
    FolderId;
    FlagId;
    /// A group of people that flags target.
    TargetGroupId;
    /// Something saved about a website: a goal, a funnel, an annotation or a segment.
    DefinitionId;
    FeedbackId;
    /// An import of events.
    ImportId;
    /// A recipient of a website's reports.
    ScheduledReportId;
    /// A page with panels of several resources.
    BoardId;
    /// A link under which others see a dashboard.
    ShareId;
    PreferencesId;
    FlagScheduleId;
    MonitorId;
    AlarmId;
    /// A recipient of an alarm.
    DestinationId;
    StatusPageId;
    /// An incident or a planned maintenance of a status page.
    IncidentId;
    /// A recipient of news of a status page.
    SubscriberId;
    ChatId;
    /// Something that an agent remembers.
    MemoryId;
    MessageId;
    /// An answer that is being written.
    StreamId;
    /// An API key (never its secret).
    KeyId;
    /// A browser session (never its token).
    SessionId;
    /// An invitation (never its token).
    InvitationId;
}

/// The compact number that event rows carry in place of an organization's id.
///
/// Drawn at random when the organization is made and unique in the state database; never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OrganizationKey(pub i64);

/// The compact number that event rows carry in place of a website's id; 0 = no website.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WebsiteKey(pub i64);

impl WebsiteKey {
    /// Marks events that belong to an organization but to no website.
    pub const NONE: Self = Self(0);
}
